"""Drawing tools that cards, felts, chips and hands share: colours, prints, outlines.

Start at `prints.py`. Imports the geometry of `vision` only.
"""
