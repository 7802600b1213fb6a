"""The table's file: `table.toml` read, checked and turned into typed settings.

Start at `table_file.py`. Imports `vision` for layouts and cameras, never a room that uses the settings.
"""
