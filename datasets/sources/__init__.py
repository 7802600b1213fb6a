"""Where art comes from: the manifest of licences and splits, downloads, and unpacking.

Start at `manifest.py`. Imports `common`.
"""
