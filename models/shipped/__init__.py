"""The shipped networks with their manifest.

Start at `registry.py`. Imports nothing of ours.
"""
