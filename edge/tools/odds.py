"""`python -m feltwatch.edge.tools.odds`: the page docs/odds.md, single figures, or the slow ones computed again."""

import argparse
import json
import sys
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

from feltwatch.engine.odds import live
from feltwatch.engine.odds.figures import Section, sections
from feltwatch.engine.odds.page import page as write
from feltwatch.engine.odds.page import shown
from feltwatch.engine.odds.shoe import FACES

FOUND = Path(__file__).with_name("odds.json")  # what the slow run found
RANKS = tuple(face.rank for face in FACES)


def columns() -> live.Columns:
    """Give what the slow run found: by the key, by the dealer's first card."""
    found = json.loads(FOUND.read_text(encoding="utf-8"))
    return {key: {rank: Fraction(text) for rank, text in column.items()} for key, column in found.items()}


def page() -> str:
    """Give docs/odds.md."""
    return write(figures())


def figures() -> Sequence[Section]:
    """Give every figure."""
    return tuple(sections(columns()))


def single(keys: Sequence[str]) -> int:
    """Print some of the figures with their fractions."""
    known = {figure.key: figure for section in figures() for figure in section.figures}
    for key in keys:
        if key not in known:
            sys.stderr.write(f"feltwatch.edge.tools.odds: unknown figure {key!r}: expected one of {', '.join(known)}\n")
            return 2
    for key in keys:
        sys.stdout.write(f"{known[key].what}, {known[key].kind}: {shown(known[key])}, exactly {known[key].exact}\n")
    return 0


def slow(ranks: Sequence[str]) -> int:
    """Work out the best play against these first cards, and keep it."""
    found: dict[str, dict[str, str]] = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    for rank in ranks:
        sys.stderr.write(f"against {rank}\n")
        for key, value in live.column(rank).items():
            found.setdefault(key, {})[rank] = str(value)
        ordered = {key: {rank: by[rank] for rank in RANKS if rank in by} for key, by in found.items()}
        FOUND.write_text(json.dumps(ordered, indent=1) + "\n", encoding="utf-8")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m feltwatch.edge.tools.odds", description="Exact odds of the books.")
    parser.add_argument("keys", nargs="*", metavar="KEY", help="a figure; without one, the whole page")
    parser.add_argument(
        "--slow", nargs="*", choices=RANKS, metavar="CARD", help="compute the best play again, against CARD or all"
    )
    options = parser.parse_args(arguments)
    if options.slow is not None:
        return slow(options.slow or RANKS)
    if options.keys:
        return single(options.keys)
    sys.stdout.write(page())
    return 0


if __name__ == "__main__":
    sys.exit(main())
