"""Preset tables, one TOML file each; `layout/zones.py` reads them. No code and no imports."""
