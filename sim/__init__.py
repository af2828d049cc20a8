"""The simulator: games, engine, results. Imports nothing from ``strategies`` or ``reports``."""
