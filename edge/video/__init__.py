"""Recorded footage: opening, diagnosing and decoding video files, and writing WebM clips.

Start at `video_file.py`.
"""
