"""Every command: what it does, what it takes, and which function runs it.

Only argparse is loaded here, so that `feltwatch --help` and shell completion stay fast.
"""

import argparse
import sys
from collections.abc import Callable
from math import isfinite
from typing import NamedTuple

from feltwatch.datasets.common.errors import Arguments

PROVIDERS = ("cpu", "openvino", "cuda", "tensorrt")
SHELLS = ("bash", "zsh", "fish")
DECK_WAYS = ("learn", "photographs", "spread", "show")
BENCHMARKS = ("engine", "datasets", "vision", "mqtt")


class CommandSpec(NamedTuple):
    """One command of `feltwatch`."""

    name: str
    run: str  # module:function; the function takes the options and gives the exit code
    summary: str  # one line in `feltwatch --help`
    description: str  # the first paragraph of the command's own help
    examples: tuple[str, ...]
    add_options: Callable[[argparse.ArgumentParser], None]


class _Version(argparse.Action):
    """Prints the version and ends."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from importlib.metadata import version  # noqa: PLC0415  takes longer to load than all of `feltwatch --help`

        sys.stdout.write(f"feltwatch {version('feltwatch')}\n")
        parser.exit()


def command_parser() -> Arguments:
    """Give the parser of all commands."""
    parser = Arguments(
        prog="feltwatch",
        description="Watches a casino table by camera, follows the round and reports where its rule book is broken.",
        epilog="`feltwatch COMMAND --help` explains a command and gives examples.",
    )
    parser.add_argument("--version", action=_Version, nargs=0, help="print the version and end")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    for one in COMMANDS.values():
        examples = "\n".join(f"  {line}" for line in one.examples)
        one.add_options(
            commands.add_parser(
                one.name,
                help=one.summary,
                description=one.description,
                epilog=f"examples:\n{examples}",
                formatter_class=argparse.RawDescriptionHelpFormatter,
            )
        )
    return parser


# ---- values ---------------------------------------------------------------------------------------------------------


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"expected seconds such as 12.5, found {text!r}")
    return value


def _port(text: str) -> int:
    if not text.isascii() or not text.isdigit() or int(text) >= 65_536:
        raise argparse.ArgumentTypeError(f"expected a port from 0 to 65535, found {text!r}")
    return int(text)


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, found {text!r}")
    return int(text)


def _amount(text: str) -> object:
    from decimal import Decimal, InvalidOperation  # noqa: PLC0415  only `judge` takes amounts; others start faster

    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not value.is_finite() or value < 0:
        raise argparse.ArgumentTypeError(f"expected an amount such as 25, found {text!r}")
    return value


# ---- what each command takes ----------------------------------------------------------------------------------------


def _no_options(parser: argparse.ArgumentParser) -> None:
    """Take nothing."""


def _model_options(parser: argparse.ArgumentParser, threads: str = "2", provider: str | None = "cpu") -> None:
    usual = provider or "[vision] provider in the table's file, else cpu"
    parser.add_argument(
        "--provider",
        default=provider,
        metavar="NAME",
        help=f"what runs the models: {', '.join(PROVIDERS)} (default: {usual})",
    )
    default = int(threads) if threads.isdigit() else None
    parser.add_argument(
        "--threads", type=_count, default=default, metavar="N", help=f"threads for the models (default: {threads})"
    )


def _run_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c",
        "--table",
        required=True,
        action="append",
        dest="tables",
        metavar="FILE",
        help="a table's file (table.toml); repeat the option for each table",
    )
    parser.add_argument(
        "--seconds", type=_seconds, metavar="N", help="stop after N seconds (default: run until it is stopped)"
    )
    parser.add_argument(
        "--journal", metavar="FILE", help="the journal (default: ID.record/ID.journal beside the table's file)"
    )
    parser.add_argument(
        "--broker-port",
        type=_port,
        default=1883,
        metavar="N",
        help="port of the built-in MQTT broker, used if a table's file has no [mqtt] (default: 1883; 0: any free port)",
    )
    output = parser.add_mutually_exclusive_group()
    output.add_argument("--quiet", action="store_true", help="do not print events and verdicts on standard output")
    output.add_argument("--watch", action="store_true", help="show the table in plain text instead of JSON lines")
    _model_options(parser, provider=None)


def _replay_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "videos",
        nargs="+",
        metavar="VIDEO",
        help="a video file in any common format; for a table with several cameras, one of each, in the file's order",
    )
    parser.add_argument("-c", "--table", required=True, metavar="FILE", help="the table's file (table.toml)")
    parser.add_argument(
        "-o", "--out", required=True, metavar="OUT", help="folder for the results: OUT/VIDEO/report.html and more"
    )
    parser.add_argument("--annotate", action="store_true", help="also write the video with the detections drawn in")
    parser.add_argument(
        "--from",
        type=_seconds,
        default=0.0,
        metavar="SECONDS",
        dest="since",
        help="start at this time of the video (default: %(default)g)",
    )
    parser.add_argument("--force", action="store_true", help="replay again from the start, even if it is done")
    parser.add_argument(
        "--jobs", type=_count, default=1, metavar="N", help="videos to replay at the same time (default: %(default)s)"
    )
    parser.add_argument("--ray", metavar="ADDRESS", help="share the videos among the nodes of a Ray cluster")
    _model_options(parser, "CPU cores / jobs", provider=None)
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def _detect_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "images", nargs="+", metavar="IMAGE", help="an image, a video, a folder or a pattern such as '*.jpg'"
    )
    parser.add_argument(
        "--every",
        type=_seconds,
        default=1.0,
        metavar="SECONDS",
        help="of a video, analyse a frame every so many seconds (default: %(default)g)",
    )
    parser.add_argument("--json", action="store_true", dest="as_json", help="print one JSON object a line and image")
    parser.add_argument("--annotate", metavar="DIR", help="write each image with its detections drawn in to DIR")
    _model_options(parser)


def _judge_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "file", nargs="?", default="-", help="JSON lines, or a *.round file; - is standard input (default: %(default)s)"
    )
    parser.add_argument("--book", help="the rule book; `feltwatch books` lists them (default: a *.round file's own)")
    parser.add_argument("--watch", action="store_true", help="show the table in plain text instead of JSON lines")
    parser.add_argument("--decks", type=int, metavar="N", help="decks in the shoe (default: the book's)")
    parser.add_argument("--min", type=_amount, metavar="N", dest="minimum", help="minimum bet on a box (default: none)")
    parser.add_argument("--max", type=_amount, metavar="N", dest="maximum", help="maximum bet on a box (default: none)")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="settings",
        help="a setting of the book; `feltwatch books BOOK` lists them with their defaults",
    )


def _verify_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("journal", metavar="JOURNAL", help="a journal of `feltwatch run`, or the folder that holds it")
    parser.add_argument(
        "--head", metavar="N:HASH", help="a head that `verify` printed before: proves that nothing was cut off since"
    )
    parser.add_argument("--heads", metavar="FILE", help="messages of the topic `head`, one a line; needs --key")
    parser.add_argument("--key", metavar="KEY", help="the public key from the topic `status`, or a file that holds it")
    parser.add_argument("--evidence", action="store_true", help="also check the images and clips beside the journal")


def _doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-c",
        "--table",
        required=True,
        action="append",
        metavar="FILE",
        help="a table's file (table.toml); repeat the option for each table",
    )


def _books_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("book", nargs="?", metavar="BOOK", help="show this book (default: list all books)")
    parser.add_argument("clause", nargs="?", metavar="CLAUSE", help="show this clause of the book, such as 3.23")
    parser.add_argument("--json", action="store_true", dest="as_json", help="print JSON instead of text")


def _calibrate_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "source", nargs="?", metavar="SOURCE", help="an image, a video, a stream's URL or a device number"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the table's file to write, such as table.toml")
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--markers", action="store_true", help="find the table by printed sheets that lie on it")
    how.add_argument(
        "--points", metavar="FILE", help="take the points from this file (default: a web page opens to click them)"
    )
    how.add_argument("--sheet", metavar="FILE", help="write the sheets to print: one .pdf, or a .png for each")
    parser.add_argument(
        "--paper", default="a4", choices=("a3", "a4", "letter"), help="paper of the sheets (default: %(default)s)"
    )
    parser.add_argument(
        "--places", metavar="FILE", help="positions of the sheets on the felt (default: those printed on them)"
    )
    parser.add_argument(
        "--overlay", metavar="FILE", help="write the image with zones and points drawn in, .png or .jpg"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="port of the web page (default: any free one)")
    parser.add_argument("--no-open", action="store_true", help="print the page's address; do not open a browser")
    parser.add_argument("--force", action="store_true", help="overwrite files that exist")
    _calibrated_table_options(parser)


def _calibrated_table_options(parser: argparse.ArgumentParser) -> None:
    table = parser.add_argument_group("the table")
    table.add_argument(
        "--preset", metavar="NAME", help="layout: blackjack-7, blackjack-5, si-ki-pi-6 (default: the book's usual one)"
    )
    table.add_argument(
        "--like", metavar="FILE", help="copy all that no other option gives from this table file, comments included"
    )
    table.add_argument("--id", metavar="NAME", help="name of the table (default: the file's name)")
    table.add_argument("--site", metavar="NAME", help="name of the site (default: main)")
    table.add_argument("--book", help="the rule book; `feltwatch books` lists them (default: blackjack-rws-v5)")
    table.add_argument("--decks", type=int, metavar="N", help="decks in the shoe (default: the book's)")
    table.add_argument("--min", metavar="N", dest="minimum", help="minimum bet on a box (default: none)")
    table.add_argument("--max", metavar="N", dest="maximum", help="maximum bet on a box (default: none)")
    table.add_argument(
        "--watches", metavar="PARTS", help="with several cameras, what this one must see, such as box1,box2,dealer"
    )
    table.add_argument(
        "--password-file",
        metavar="FILE",
        help="the camera's password; SOURCE then names the user alone: rtsp://viewer@camera/7 (default: none)",
    )
    table.add_argument("--camera", metavar="SOURCE", help="the live camera to write to the file, if SOURCE is an image")
    table.add_argument(
        "--lens", metavar="K1,K2,P1,P2,K3", help="lens distortion as OpenCV gives it; needs --camera-matrix"
    )
    table.add_argument("--camera-matrix", metavar="FX,FY,CX,CY", help="focal lengths and centre of the lens in pixels")


def _deck_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "way",
        choices=DECK_WAYS,
        help="learn: from recorded videos of the table; photographs: from 52 pictures, one of each card; "
        "spread: from one picture of all 52; show: say what is in a deck file",
    )
    parser.add_argument(
        "sources", nargs="+", metavar="SOURCE", help="videos, the folder of the pictures, one picture, or deck files"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help="the deck file to write, such as bj-07.deck")
    parser.add_argument("-c", "--table", metavar="FILE", help="learn: the table's file (table.toml)")
    parser.add_argument("--back", metavar="PICTURE", help="photographs: a picture of the back (default: back.* there)")
    parser.add_argument("--maker", metavar="NAME", help="what the deck is called (default: the output's name)")
    parser.add_argument("--force", action="store_true", help="overwrite a file that exists")
    _model_options(parser)


def _bench_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "what",
        nargs="?",
        default="engine",
        choices=BENCHMARKS,
        help="engine: judging events; datasets: rendering; vision: a frame through the models; "
        "mqtt: from a frame to its message (default: %(default)s)",
    )
    parser.add_argument(
        "--rounds",
        type=int,
        default=10_000,
        metavar="N",
        help="engine: rounds in the long shoe history (default: %(default)s)",
    )


def _completion_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("shell", choices=SHELLS, help="the shell that you use")


COMMANDS = {
    one.name: one
    for one in (
        CommandSpec(
            "demo",
            "feltwatch.edge.cli.demo:demo",
            "replay the bundled video with commentary, MQTT messages and a report",
            "Replays a bundled video of two rounds as a live camera would show them: a commentary, the messages of a\n"
            "local MQTT broker, and a report in ./feltwatch-demo that opens in your browser. Takes about 20 s.",
            ("feltwatch demo",),
            _no_options,
        ),
        CommandSpec(
            "run",
            "feltwatch.edge.cli.main:run",
            "watch live tables and publish events, verdicts and alerts over MQTT",
            "Watches the cameras of one or more tables until it is stopped. Every message is written to the table's\n"
            "journal before it is published. Events and verdicts go to standard output, log lines to standard error.",
            (
                "feltwatch run -c bj-07.toml --watch",
                "feltwatch run -c bj-07.toml -c bj-08.toml --quiet",
            ),
            _run_options,
        ),
        CommandSpec(
            "replay",
            "feltwatch.edge.replay.run:replay",
            "watch recorded videos; write events, verdicts, evidence and a report",
            "Watches recorded videos as `run` watches a camera. Writes a folder for each video: events.jsonl,\n"
            "verdicts.jsonl, report.html and the evidence of each alert. An interrupted replay continues when the\n"
            "same command is given again.",
            (
                "feltwatch replay shift.mp4 -c bj-07.toml -o found",
                "feltwatch replay *.mp4 -c bj-07.toml -o found --jobs 4",
                "feltwatch replay left.mp4 right.mp4 -c two-cameras.toml -o found",
            ),
            _replay_options,
        ),
        CommandSpec(
            "detect",
            "feltwatch.edge.cli.detect:detect",
            "find the cards, chips and hands in images and videos",
            "Finds the cards, stacks of chips and hands in images and videos, without a table file or a rule book.\n"
            "Images are JPEG, PNG, WebP or BMP, in colour. A card shown as ?? lies face up and was not read; a line\n"
            "below says why.",
            (
                "feltwatch detect table.jpg",
                "feltwatch detect photographs --json --annotate drawn",
                "feltwatch detect shift.mp4 --every 5",
            ),
            _detect_options,
        ),
        CommandSpec(
            "judge",
            "feltwatch.edge.cli.judge:judge",
            "judge table events from a file or a pipe; print verdicts",
            "Judges table events by a rule book: no camera and no broker. Prints each verdict as soon as its event\n"
            "has arrived.",
            (
                "feltwatch judge events.jsonl --book blackjack-rws-v5 --min 25 --max 5000",
                "feltwatch judge --watch overdraw.round",
            ),
            _judge_options,
        ),
        CommandSpec(
            "books",
            "feltwatch.edge.cli.books:books",
            "show the rule books, their pay tables, settings and clauses",
            "Lists the approved rule books; shows one book with its pay table, settings and clauses; or shows what\n"
            "one clause demands and where it is checked.",
            ("feltwatch books", "feltwatch books blackjack-rws-v5 3.23"),
            _books_options,
        ),
        CommandSpec(
            "calibrate",
            "feltwatch.edge.calibrate.command:calibrate",
            "make a table's file from a view of the table",
            "Finds where the felt lies in the camera's image and writes table.toml. You click points on a web page,\n"
            "lay printed sheets on the table (--markers), or give the points in a file (--points).",
            (
                "feltwatch calibrate rtsp://camera/stream -o bj-07.toml",
                "feltwatch calibrate --sheet sheets.pdf",
                "feltwatch calibrate table.jpg --markers -o bj-07.toml --overlay check.jpg",
            ),
            _calibrate_options,
        ),
        CommandSpec(
            "deck",
            "feltwatch.edge.deck.command:deck",
            "teach a table its own deck from videos, 52 pictures or one spread",
            "Learns the pictures of a table's own deck and writes them to one file; name it in the table's file as\n"
            "[table] deck. Nothing is written before all 52 faces are clean; each fault is reported with its picture.",
            (
                "feltwatch deck learn shift.mp4 -c bj-07.toml -o bj-07.deck",
                'feltwatch deck photographs cards -o bj-07.deck --maker "Example Cards, blue"',
                "feltwatch deck spread spread.jpg -o bj-07.deck",
                "feltwatch deck show bj-07.deck",
            ),
            _deck_options,
        ),
        CommandSpec(
            "doctor",
            "feltwatch.edge.doctor.command:doctor",
            "check cameras, models, broker, clock and disk, and say what to repair",
            "Checks everything that a table needs and prints one line for each finding, with what to do about it.\n"
            "Exit code 0: no faults; 1: at least one fault.",
            ("feltwatch doctor -c bj-07.toml",),
            _doctor_options,
        ),
        CommandSpec(
            "verify",
            "feltwatch.edge.journal.verify:verify",
            "prove that a journal is whole and unaltered, or name the first bad entry",
            "Proves that a journal is whole and unaltered, or names the first bad entry.\n"
            "Exit code 0: whole; 1: altered.",
            (
                "feltwatch verify bj-07.record --evidence",
                "feltwatch verify bj-07.record --heads heads.jsonl --key key.txt",
            ),
            _verify_options,
        ),
        CommandSpec(
            "bench",
            "feltwatch.edge.cli.main:bench",
            "measure speed, each figure relative to a reference in the same run",
            "Measures speed. Each figure is a ratio to a reference that is measured in the same run, so that results\n"
            "of different computers can be compared.",
            ("feltwatch bench", "feltwatch bench vision"),
            _bench_options,
        ),
        CommandSpec(
            "completion",
            "feltwatch.edge.cli.completion:completion",
            "print a completion script for bash, zsh or fish",
            "Prints a script that completes commands and options of `feltwatch` in your shell.",
            (
                "source <(feltwatch completion bash)      # in ~/.bashrc",
                "source <(feltwatch completion zsh)       # in ~/.zshrc, after compinit",
                "feltwatch completion fish | source       # in ~/.config/fish/config.fish",
            ),
            _completion_options,
        ),
    )
}
