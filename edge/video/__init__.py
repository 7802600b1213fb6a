"""Recorded footage: opening, diagnosing and decoding video files, and writing WebM clips.

Start at `video_file.py`. Imports `vision` for small images and readable names; no other room.
"""
