"""Slow twins of the games: plain Python, written from the rules alone, to check the fast programs by."""
