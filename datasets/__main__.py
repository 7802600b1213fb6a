"""`python -m feltwatch.datasets COMMAND`: card art, decks, and pictures and footage made from them."""

import importlib
import os
import sys
from types import MappingProxyType

from feltwatch.datasets.common.errors import DataError

COMMANDS = MappingProxyType(  # command -> its module, which has main(arguments) -> exit code; and what it does
    {
        "fetch": (
            "feltwatch.datasets.collection.fetch",
            "get card art from the package registries and draw our own decks",
        ),
        "decks": ("feltwatch.datasets.collection.listing", "list the designs with their split and family"),
        "deck": ("feltwatch.datasets.photos.scan", "make a deck of your own photographs of 52 cards"),
        "chips": (
            "feltwatch.datasets.art.chips.own_chips",
            "make a set of chips of your own photographs of each value",
        ),
        "leaks": ("feltwatch.datasets.collection.leaks", "look for test designs in training sets"),
        "photographs": ("feltwatch.datasets.photos.real", "find whole cards in labelled photographs"),
        "set": ("feltwatch.datasets.sets.set_cli", "write a training set of tables or crops"),
        "footage": ("feltwatch.datasets.film.film_cli", "film simulated rounds, with their truth"),
        "dealers": ("feltwatch.datasets.film.dealers_cli", "list the dealers of films and their habits"),
        "physical": ("feltwatch.datasets.physical.command", "render tables in real light, with Blender"),
        "preview": (
            "feltwatch.datasets.sets.preview",
            "contact sheets of decks, renders, photographs and written sets",
        ),
        "realism": ("feltwatch.datasets.sets.realism", "tell rendered cards from photographed ones, and by what"),
    }
)


def usage() -> str:
    lines = [f"    {name:10} {says}" for name, (_, says) in COMMANDS.items()]
    return "\n".join(["usage: python -m feltwatch.datasets COMMAND [--help | ARGUMENTS]", "", *lines])


def _complain(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main(arguments: list[str]) -> int:
    """Run a command: 0 done, 1 found a fault in what it was asked to check, 2 wrong usage or bad input."""
    if not arguments:
        _complain("datasets: expected a command; `python -m feltwatch.datasets --help` lists them")
        return 2
    if arguments[0] in ("-h", "--help"):
        sys.stdout.write(usage() + "\n")
        return 0
    name, *rest = arguments
    if name not in COMMANDS:
        _complain(f"datasets: no command {name!r}; there are: {', '.join(COMMANDS)}")
        return 2
    return _run(name, rest)


def _run(name: str, arguments: list[str]) -> int:
    module = importlib.import_module(COMMANDS[name][0])
    try:
        return int(module.main(arguments))
    except DataError as fault:
        _complain(f"datasets: {fault}")
        return 2
    except BrokenPipeError:  # the reader has seen enough, like `head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except OSError as fault:
        where, why = fault.filename or name, fault.strerror or fault
        _complain(f"datasets: {where}: {why}; expected a file or folder that can be used: see its name and its rights")
        return 2
    except KeyboardInterrupt:
        _complain("datasets: stopped; what is whole is kept")
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
