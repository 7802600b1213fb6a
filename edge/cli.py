"""The `feltwatch` command."""

import argparse
import os
import sys
from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import NoReturn

from edge.usage import UsageError


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
    commands.add_parser("demo", help="watch the bundled rounds being judged")
    judge = commands.add_parser("judge", help="table events in, verdicts out; no camera, no broker")
    judge.add_argument("file", nargs="?", default="-", help="JSON lines, or a *.round; - is standard input")
    judge.add_argument("--book", help="the rule book (feltwatch books lists them)")
    judge.add_argument("--watch", action="store_true", help="show the table to a person instead of JSON lines")
    _table_options(judge)
    detect = commands.add_parser("detect", help="pictures in, the cards and chips on them out")
    _detect_options(detect)
    books = commands.add_parser("books", help="the books, their pay tables, settings and clauses")
    books.add_argument("book", nargs="?")
    books.add_argument("clause", nargs="?")
    books.add_argument("--json", action="store_true", dest="as_json", help="the same as JSON")
    bench = commands.add_parser("bench", help="speed as ratios, each beside its yardstick in the same run")
    bench.add_argument("what", nargs="?", default="engine", choices=("engine", "datasets", "vision"))
    bench.add_argument("--rounds", type=int, default=10_000, metavar="N", help="rounds of the long shoe history")
    return parser


def _run(options: argparse.Namespace) -> int:
    """Import only what the command needs: `feltwatch --help` must stay light."""
    if options.command == "judge":
        from edge.judge import judge  # noqa: PLC0415  light start

        return judge(options)
    if options.command == "detect":
        from edge.detect import detect  # noqa: PLC0415  light start

        return detect(options)
    if options.command == "books":
        from edge.books import books  # noqa: PLC0415  light start

        return books(options)
    if options.command == "bench":
        return _bench(options)
    from edge.demo import demo  # noqa: PLC0415  light start

    return demo()


def _bench(options: argparse.Namespace) -> int:
    if options.what == "datasets":
        from edge.bench_datasets import bench as bench_datasets  # noqa: PLC0415  light start

        return bench_datasets(options)
    if options.what == "vision":
        from edge.bench_vision import bench as bench_vision  # noqa: PLC0415  light start

        return bench_vision(options)
    from edge.bench import bench  # noqa: PLC0415  light start

    return bench(options)


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
