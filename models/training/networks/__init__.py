"""The networks as torch has them: the detector and the reader on ultralytics' trunks, the fitter from plain layers.

Start at `nets.py`. Imports `datasets` and `vision`.
"""
