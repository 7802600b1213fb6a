"""What a table and its device measure of themselves: rates, latencies, disk, temperature, clock.

Start at `vitals.py`. Imports `messaging` for the message that carries it; `service` and `doctor` build on it.
"""
