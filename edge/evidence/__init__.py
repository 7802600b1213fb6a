"""Stills and clips of alerts: recording, storing with digests, and deleting when the disk fills.

Start at `recorder.py`. Imports `journal`, `video` and the drawing of `vision`; `service` and `replay` are built on it.
"""
