"""The `feltwatch` command: one module per command, and what commands show on a terminal.

Start at `main.py`. It imports only what `--help` needs; each command's own module is loaded when it runs, and may
import every other room.
"""
