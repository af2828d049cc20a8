"""Answers to a designer's questions that need games of their own: what a card is worth, which number to turn."""
