"""Limits of numbers."""
