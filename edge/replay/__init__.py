"""Recorded footage in, events, verdicts and a report out; resumable, in parallel over many films.

Start at `run.py`.
"""
