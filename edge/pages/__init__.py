"""Web pages, each one file that needs nothing from elsewhere; `report` and `calibrate` send them.

No code but this line, and no imports.
"""
