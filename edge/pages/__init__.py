"""Web pages, each one file that needs nothing from elsewhere."""
