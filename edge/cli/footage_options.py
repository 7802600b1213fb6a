"""What `feltwatch replay`, `run` and `verify` take: light, as the command's help needs it."""

import argparse
from math import isfinite


def add_replay_options(parser: argparse.ArgumentParser) -> None:
    """Say what `feltwatch replay` takes."""
    parser.add_argument("videos", nargs="+", metavar="VIDEO", help="any video that OpenCV opens")
    parser.add_argument("-c", "--table", required=True, metavar="FILE", help="the table's file (table.toml)")
    parser.add_argument("-o", "--out", required=True, metavar="OUT", help="writes OUT/VIDEO/ with report.html and all")
    parser.add_argument("--annotate", action="store_true", help="also write the video with what was seen drawn in")
    parser.add_argument("--from", type=_seconds, default=0.0, metavar="SECONDS", dest="since", help="start there")
    parser.add_argument("--force", action="store_true", help="do again what is done, and from its start")
    parser.add_argument("--jobs", type=_count, default=1, metavar="N", help="videos at the same time (default: 1)")
    parser.add_argument("--ray", metavar="ADDRESS", help="share the videos out over a Ray cluster")
    parser.add_argument("--provider", default="cpu", metavar="NAME", help="what runs the models (default: cpu)")
    parser.add_argument("--threads", type=_count, metavar="N", help="threads of the models (default: cores by jobs)")
    parser.add_argument("--quiet", action="store_true", help="no progress")


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """Say what `feltwatch run` takes."""
    parser.add_argument(
        "-c",
        "--table",
        required=True,
        action="append",
        dest="tables",
        metavar="FILE",
        help="a table's file (table.toml); again for each table of the box",
    )
    parser.add_argument("--seconds", type=_seconds, metavar="N", help="stop after so many seconds")
    parser.add_argument("--journal", metavar="FILE", help="the journal (default: ID.record/ID.journal beside the file)")
    parser.add_argument("--quiet", action="store_true", help="write no events and verdicts to standard output")
    parser.add_argument("--provider", default="cpu", metavar="NAME", help="what runs the models (default: cpu)")
    parser.add_argument("--threads", type=_count, default=2, metavar="N", help="threads of the models (default: 2)")


def add_verify_options(parser: argparse.ArgumentParser) -> None:
    """Say what `feltwatch verify` takes."""
    parser.add_argument("journal", metavar="JOURNAL", help="as `feltwatch run` keeps it")
    parser.add_argument("--head", metavar="N:HASH", help="as `verify` gave it before: what is cut off shows by it")
    parser.add_argument("--heads", metavar="FILE", help="messages of the topic `head`, one a line; with --key")
    parser.add_argument("--key", metavar="KEY", help="the box's public key, as `status` tells it, or a file of it")
    parser.add_argument("--evidence", action="store_true", help="check the files of evidence beside it too")


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not isfinite(value) or value < 0:
        raise argparse.ArgumentTypeError(f"expected seconds such as 12.5, found {text!r}")
    return value


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 1024:
        raise argparse.ArgumentTypeError(f"expected a number from 1 to 1024, found {text!r}")
    return int(text)
