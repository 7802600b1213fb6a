"""Simulated rounds as videos, with their truth.

Start at `footage.py`. Imports `deal`, `scene` and `render`.
"""
