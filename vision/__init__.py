"""Pixels to table events."""

import os

# ONNX Runtime, as its makers build it for Linux since 1.29, tells them of each process and each network it opens, and
# keeps a number for the box in its user's home. What a box above a table runs is nobody else's business. It looks for
# this once, when it is loaded, so it is said before anything here can load it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
