"""Limits of numbers."""
HIGHEST = 6.0
