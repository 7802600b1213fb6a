"""The record: a chain of signed entries in SQLite, written before anything is published.

Start at `store.py`; `verify.py` proves that a journal is whole. Imports nothing of `edge` but its errors.
"""
