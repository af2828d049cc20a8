"""Emblems."""
