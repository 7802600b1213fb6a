"""`python -m models`: from fetched data to the shipped weights."""

import sys
from collections.abc import Callable

from datasets.faults import DataError

COMMANDS = ("train", "export", "evaluate")


def _command(name: str) -> Callable[[list[str]], int]:
    """Import only what is asked for: training needs torch, evaluating does not."""
    if name == "train":
        from models.train import main  # noqa: PLC0415

        return main
    if name == "export":
        from models.export import main as export  # noqa: PLC0415

        return export
    from models.evaluate import main as evaluate  # noqa: PLC0415

    return evaluate


def main(arguments: list[str]) -> int:
    try:
        if not arguments or arguments[0] not in COMMANDS:
            raise DataError(f"expected {', '.join(COMMANDS)}; `python -m models train --help` says more")
        return _command(arguments[0])(arguments[1:])
    except DataError as fault:
        sys.stderr.write(f"models: {fault}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
