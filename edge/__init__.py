"""Everything that touches the world: cameras, files, brokers, browsers and the command line.

It may import all other packages; nothing imports it. Start at `cli/main.py` for the commands, at `pipeline/` for the
one way from frames to verdicts, and at `service/run.py` for what runs above a table.
"""
