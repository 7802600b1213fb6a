"""The felt: zones where cards lie, spots where chips lie, presets of tables, and which part a camera covers.

Start at `zones.py`.
"""
