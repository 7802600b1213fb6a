"""A dealer who plays rounds of every book, clean or with a named error.

Start at `play.py`. Imports the values and books of `engine`, and nothing that draws.
"""
