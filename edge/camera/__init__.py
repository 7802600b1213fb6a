"""Live cameras: opening, reading and reopening them, and judging whether their pictures can be trusted.

Start at `feed.py`. Imports `config` and `vision`.
"""
