"""Strategies for busho."""
