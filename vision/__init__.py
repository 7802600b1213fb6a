"""Pixels to table events."""
