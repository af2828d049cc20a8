"""Strategies for Sangoku."""
