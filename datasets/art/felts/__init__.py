"""Felts: cloth, print and styles.

Start at `felts.py`. Imports `drawing` and the layouts of `vision`.
"""
