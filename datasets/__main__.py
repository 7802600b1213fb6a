"""`python -m datasets COMMAND`: card art, decks and, on top of them, pictures and footage to train readers with."""

import importlib
import os
import sys
from types import MappingProxyType

from datasets.faults import DataError

COMMANDS = MappingProxyType(  # command -> its module, which has main(arguments) -> exit code; and what it does
    {
        "fetch": ("datasets.fetch", "get card art from the package registries and draw our own decks"),
        "decks": ("datasets.listing", "list the designs with their split and family"),
        "deck": ("datasets.scan", "make a deck of your own photographs of 52 cards"),
        "chips": ("datasets.own_chips", "make a set of chips of your own photographs of each value"),
        "leaks": ("datasets.leaks", "look for test designs in training sets"),
        "photographs": ("datasets.real", "find whole cards in labelled photographs"),
        "set": ("datasets.setting", "write a training set of tables or crops"),
        "footage": ("datasets.shooting", "film simulated rounds, with their truth"),
        "physical": ("datasets.physical", "render tables in real light, with Blender"),
        "preview": ("datasets.preview", "contact sheets of decks, renders, photographs and written sets"),
        "realism": ("datasets.realism", "tell rendered cards from photographed ones, and by what"),
    }
)


def usage() -> str:
    lines = [f"    {name:10} {says}" for name, (_, says) in COMMANDS.items()]
    return "\n".join(["usage: python -m datasets COMMAND [--help | ARGUMENTS]", "", *lines])


def _complain(line: str) -> None:
    sys.stderr.write(f"{line}\n")


def main(arguments: list[str]) -> int:
    """Run a command: 0 done, 1 found a fault in what it was asked to check, 2 wrong usage or bad input."""
    if not arguments:
        _complain("datasets: expected a command; `python -m datasets --help` lists them")
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
    except BrokenPipeError:  # whoever read has seen enough, as `head` has
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
