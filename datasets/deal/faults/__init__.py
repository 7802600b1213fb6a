"""The errors that the dealer can commit, each in one function.

Start at `registry.py`. Imports the games of `deal` and the values of `engine`.
"""
