"""Momiji."""
