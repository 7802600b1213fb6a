"""The cache of fetched files, errors, and work shared over processes.

Start at `cache.py`. Imports nothing else of `datasets`.
"""
