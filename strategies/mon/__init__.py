"""Strategies for mon."""
