"""Simulated rounds on film, with their truth. Start at `footage.py`."""
