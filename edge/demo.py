"""`feltwatch demo`: the bundled rounds, judged and shown as one would want to watch them."""

import argparse
import sys
from importlib.resources import files

from edge.judge import told
from engine import transcript


def demo() -> int:
    """Judge every bundled round."""
    folder = files("datasets").joinpath("rounds")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".round"))
    options = argparse.Namespace(decks=None, minimum=None, maximum=None, settings=[], book=None, watch=True)
    rounds = 0
    for name in names:
        for scenario in transcript.parse(folder.joinpath(name).read_text(encoding="utf-8")):
            told(scenario, name, options)
            rounds += 1
    sys.stdout.write(f"\n{rounds} rounds judged. Try one yourself: feltwatch judge --watch FILE.round\n")
    return 0
