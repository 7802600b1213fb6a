"""The cache of fetched files, errors, and work shared over processes."""
