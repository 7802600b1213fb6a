"""`python -m feltwatch.datasets dealers`: the dealers of a split and their whole habits, or those that have some."""

import sys

from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.scene.dealer import BLACKJACK_HABITS, EACH_SPLIT, SIKIPI_HABITS, Dealer, named

HABITS = {**BLACKJACK_HABITS, **SIKIPI_HABITS}


def main(arguments: list[str]) -> int:
    parser = Arguments(prog="python -m feltwatch.datasets dealers", description="List dealers and their habits.")
    parser.add_argument("--split", choices=("train", "val", "test"), default="train")
    parser.add_argument("habits", nargs="*", metavar="HABIT=VALUE", help="only those with them, as way=up")
    wanted = parser.parse_args(arguments)
    asked = dict(_habit(text) for text in wanted.habits)
    for number in range(EACH_SPLIT):
        dealer = named(f"{wanted.split}-{number}", wanted.split)
        if all(getattr(dealer, name) == value for name, value in asked.items()):
            sys.stdout.write(f"{line_of(dealer)}\n")
    return 0


def _habit(text: str) -> tuple[str, str]:
    name, _, value = text.partition("=")
    if name not in HABITS:
        raise DataError(f"no habit {name!r}: expected one of {', '.join(HABITS)}, as {next(iter(HABITS))}=VALUE")
    if value not in HABITS[name]:
        raise DataError(f"{text!r}: expected one of {', '.join(HABITS[name])}")
    return name, value


def line_of(dealer: Dealer) -> str:
    """Give a dealer in a line: the name, the whole habits, and the measures that matter most."""
    whole = " ".join(f"{name}={getattr(dealer, name)}" for name in HABITS)
    more = {
        "offset": f"{dealer.offset_mm:.0f}",
        "tilt": f"{dealer.tilt_deg:.0f}",
        "pile": f"{dealer.pile_mm:.1f}",
        "pace": f"{dealer.pace:.2f}",
        "nudges": f"{dealer.nudges:g}",
        "things": f"{dealer.things:g}",
        "rests": f"{dealer.rests:g}",
    }
    return f"{dealer.name:9} {whole}  " + " ".join(f"{name} {value}" for name, value in more.items())
