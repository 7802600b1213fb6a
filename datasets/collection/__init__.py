"""What the cache holds: art fetched and drawn, listed, and searched for leaks between splits.

Start at `fetch.py`. Imports `art`, `photos`, `render` and `sources`.
"""
