"""An error in a picture, a package, a name or a word of a command, reported in one line."""

import argparse
from collections.abc import Callable
from typing import NoReturn


class DataError(ValueError):
    """One line for a person: where, what was expected, what was found, what to do."""


class Arguments(argparse.ArgumentParser):
    """The parser of every command of the project: wrong usage is an error of one line, as all others are."""

    def error(self, message: str) -> NoReturn:
        raise DataError(f"{message}; see `{self.prog} --help`")


def number_from(least: int) -> Callable[[str], int]:
    """Give the `type` of an argument that is a whole number, no less than `least`.

    >>> number_from(1)("12")
    12
    """

    def read(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"expected a whole number, {least} or more; found {text!r}")
        return int(text)

    return read
