"""Accuracy of whole rounds: how reports of a video are scored, and the disturbances it is watched under.

Start at `scoring.py`; `edge/tools/evaluate_rounds.py` is the command. Imports the figures of `evaluation`, and
`datasets` for hands and light.
"""
