"""Recorded footage in, events, verdicts and a report out; resumable, in parallel over many videos.

Start at `run.py`. Imports `pipeline`, `video`, `evidence` and `report`; never `service`.
"""
