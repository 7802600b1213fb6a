"""What goes wrong with a picture, a package, a name or a word of a command, told in one line."""

import argparse
from typing import NoReturn


class DataError(ValueError):
    """One line for a person: where, what was expected, what was found, what to do."""


class Arguments(argparse.ArgumentParser):
    """The arguments of a command; what is wrong with them is told like any other fault."""

    def error(self, message: str) -> NoReturn:
        raise DataError(f"{message}; `{self.prog} --help` says what it takes")
