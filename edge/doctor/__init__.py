"""`feltwatch doctor`: checks everything that a table needs and says what to do.

Start at `command.py`; each other module checks one thing. Imports the rooms that it checks; only `cli` imports it.
"""
