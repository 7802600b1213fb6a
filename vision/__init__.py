"""Frames in, table events out: what lies on the felt, followed from frame to frame.

Start at `table_watcher.py`, which calls the rooms: `motion`, `detection`, `tracking`, `events`. Imports the values and
books of `engine` and the networks of `models`, never `edge`.
"""

import os

# ONNX Runtime, as its makers build it for Linux since 1.29, tells them of each process and each network it opens, and
# keeps an id of the device in the user's home. What a device runs is private. It reads this variable once, when it is
# loaded, so we set it before anything here can load it.
os.environ["ORT_DISABLE_TELEMETRY"] = "1"
