"""Preset tables, one file each."""
