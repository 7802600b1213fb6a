"""Where pixels are on the felt: camera model, calibration, rectified crops, printed markers, camera motion.

Start at `camera.py`. Imports `layout` and nothing else of `vision`.
"""
