"""`feltwatch demo`: the bundled rounds and the bundled film, judged and shown as one would want to watch them."""

import argparse
import sys
from importlib.resources import as_file, files

from edge.judge import judge, told
from engine import transcript

CLIP = "demo"  # two rounds filmed on a simulated table; in the second the dealer errs
CLIP_BOOK = "blackjack-rws-v5"


def demo(options: argparse.Namespace) -> int:
    """Judge every bundled round, then what happens in the bundled film."""
    del options
    folder = files("datasets").joinpath("rounds")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".round"))
    options = argparse.Namespace(decks=None, minimum=None, maximum=None, settings=[], book=None, watch=True)
    rounds = 0
    for name in names:
        for scenario in transcript.parse(folder.joinpath(name).read_text(encoding="utf-8")):
            told(scenario, name, options)
            rounds += 1
    clip = files("datasets").joinpath("clips")
    with as_file(clip.joinpath(f"{CLIP}.events.jsonl")) as events, as_file(clip.joinpath(f"{CLIP}.mp4")) as film:
        sys.stdout.write(f"\n── A filmed table: {film}\n   judged by what is true of it, until cameras do that\n\n")
        judge(argparse.Namespace(**{**vars(options), "file": str(events), "book": CLIP_BOOK}))
    sys.stdout.write(f"\n{rounds} rounds and a film judged. Try one yourself: feltwatch judge --watch FILE.round\n")
    return 0
