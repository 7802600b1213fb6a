"""Rounds written as text: the format of the golden tests.

Start at `parse.py`.
"""
