"""The `feltwatch` command."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from importlib import import_module
from typing import NoReturn

from feltwatch.edge.calibrate.options import add_options as add_calibrate_options
from feltwatch.edge.cli.footage_options import add_replay_options, add_run_options, add_verify_options
from feltwatch.edge.errors import UsageError

COMMANDS = {
    "demo": ("feltwatch.edge.cli.demo", "demo"),
    "run": ("feltwatch.edge.service.run", "run"),
    "replay": ("feltwatch.edge.replay.run", "replay"),
    "detect": ("feltwatch.edge.cli.detect", "detect"),
    "judge": ("feltwatch.edge.cli.judge", "judge"),
    "verify": ("feltwatch.edge.journal.verify", "verify"),
    "doctor": ("feltwatch.edge.doctor.command", "doctor"),
    "books": ("feltwatch.edge.cli.books", "books"),
    "calibrate": ("feltwatch.edge.calibrate.command", "calibrate"),
    "bench": ("feltwatch.edge.cli.bench", "bench"),
}


def _amount(text: str) -> Decimal:
    try:
        value = Decimal(text)
    except InvalidOperation:
        raise argparse.ArgumentTypeError(f"expected an amount such as 25, found {text!r}") from None
    if not value.is_finite() or value < 0:
        raise argparse.ArgumentTypeError(f"expected an amount such as 25, found {text!r}")
    return value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, found {text!r}")
    return int(text)


def _table_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--decks", type=int, metavar="N", help="decks in the shoe")
    parser.add_argument("--min", type=_amount, metavar="N", dest="minimum", help="minimum bet of a box")
    parser.add_argument("--max", type=_amount, metavar="N", dest="maximum", help="maximum bet of a box")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the book (feltwatch books BOOK lists them)",
    )


def _detect_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("images", nargs="+", metavar="IMAGE", help="JPEG, PNG, WebP or BMP, in colour")
    parser.add_argument("--json", action="store_true", dest="as_json", help="one JSON object a line and picture")
    parser.add_argument("--annotate", metavar="DIR", help="draw on each picture what was seen, into this directory")
    parser.add_argument("--provider", default="cpu", metavar="NAME", help="what runs the models (default: cpu)")
    parser.add_argument("--threads", type=_count, default=2, metavar="N", help="threads of the models (default: 2)")


class _Parser(argparse.ArgumentParser):
    """Says what is wrong in one line."""

    def error(self, message: str) -> NoReturn:
        raise UsageError(f"{message} ('{self.prog} --help' says more)")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(prog="feltwatch", description="Watches a casino table by its approved rule book.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser("demo", help="the bundled footage through the whole pipeline, and its report")
    add_run_options(commands.add_parser("run", help="live: a camera in, events and verdicts out"))
    add_replay_options(
        commands.add_parser("replay", help="recorded footage in; events, verdicts, evidence, report out")
    )
    add_calibrate_options(commands.add_parser("calibrate", help="a picture of the table in, table.toml out"))
    judge = commands.add_parser("judge", help="table events in, verdicts out; no camera, no broker")
    judge.add_argument("file", nargs="?", default="-", help="JSON lines, or a *.round; - is standard input")
    judge.add_argument("--book", help="the rule book (feltwatch books lists them)")
    judge.add_argument("--watch", action="store_true", help="show the table to a person instead of JSON lines")
    _table_options(judge)
    add_verify_options(
        commands.add_parser("verify", help="proves that a record is whole and unaltered, or names what is not")
    )
    doctor = commands.add_parser("doctor", help="looks at all that a table needs, and says what to do")
    doctor.add_argument("-c", "--table", required=True, action="append", metavar="FILE", help="as `run` takes it")
    detect = commands.add_parser("detect", help="pictures in, the cards and chips on them out")
    _detect_options(detect)
    books = commands.add_parser("books", help="the books, their pay tables, settings and clauses")
    books.add_argument("book", nargs="?")
    books.add_argument("clause", nargs="?")
    books.add_argument("--json", action="store_true", dest="as_json", help="the same as JSON")
    bench = commands.add_parser("bench", help="speed as ratios, each beside its yardstick in the same run")
    bench.add_argument("what", nargs="?", default="engine", choices=("engine", "datasets", "vision", "mqtt"))
    bench.add_argument("--rounds", type=int, default=10_000, metavar="N", help="rounds of the long shoe history")
    return parser


def _run(options: argparse.Namespace) -> int:
    """Import only what the command needs: `feltwatch --help` must stay light."""
    module, name = COMMANDS[options.command]
    command: Callable[[argparse.Namespace], int] = getattr(import_module(module), name)
    return command(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give 0 done, 1 a fault found in what was checked, 2 wrong usage or bad input."""
    try:
        return _run(_parser().parse_args(arguments))
    except UsageError as error:
        sys.stdout.flush()
        print(f"feltwatch: {error}", file=sys.stderr)  # noqa: T201  this is the command line
        return 2
    except BrokenPipeError:  # whoever read our verdicts has gone; nothing is left to say
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
