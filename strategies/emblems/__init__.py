"""Strategies for emblems."""
