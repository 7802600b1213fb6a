"""Rounds written as text: the format of the golden tests.

Start at `parse.py`. Imports nothing of ours: it gives table events as JSON objects.
"""
