"""Measuring how fast Hakari plays; ``make bench`` prints the tables that the README quotes."""
