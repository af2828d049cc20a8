"""Sangoku."""
