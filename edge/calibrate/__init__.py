"""`feltwatch calibrate`: from points or printed sheets in an image to a table's file.

Start at `command.py`. Imports `config`, `video` and `vision`, and serves its page by `http_server.py`.
"""
