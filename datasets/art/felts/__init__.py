"""Felts: cloth, print and styles. Start at `felts.py`."""
