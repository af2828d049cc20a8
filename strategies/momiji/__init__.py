"""Strategies for momiji."""
