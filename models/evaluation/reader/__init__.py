"""The reader measured by itself: single crops, several looks at one card, its calibration.

Start at `crops.py`. Imports the rest of `models.evaluation` and `vision.detection`.
"""
