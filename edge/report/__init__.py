"""The HTML report of a replay.

Start at `page.py`; `story.py` folds events and verdicts into what the other modules draw. Imports the folds of
`pipeline` and the types and books of `engine`.
"""
