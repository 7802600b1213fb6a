"""Stills and clips of alerts: recording, storing with digests, and deleting when the disk fills.

Start at `recorder.py`.
"""
