"""The simulator: games, engine, results. Imports nothing from ``strategies`` or ``reports``."""

VERSION = "0.1.0"
