"""The felt: zones where cards lie, spots where chips lie, and presets of tables.

Start at `zones.py`. Imports the books and values of `engine`, nothing else of `vision`.
"""
