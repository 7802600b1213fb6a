"""`feltwatch deck`: a table's own deck from footage, from 52 photographs, or from one picture of all cards.

Start at `command.py`. Imports `edge.config`, `edge.pipeline`, `edge.video`, `datasets.photos` and `vision`.
"""
