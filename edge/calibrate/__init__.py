"""`feltwatch calibrate`: from points or printed sheets in a picture to a table's file.

Start at `command.py`.
"""
