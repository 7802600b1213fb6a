"""The felt: zones where cards lie, spots where chips lie, presets of tables, and which part a camera covers.

Start at `zones.py`. Imports the books and values of `engine`, nothing else of `vision`.
"""
