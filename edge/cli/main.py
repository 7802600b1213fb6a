"""The `feltwatch` command."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from feltwatch.datasets.common.errors import DataError
from feltwatch.edge.cli.options import COMMANDS, command_parser
from feltwatch.edge.errors import UsageError


def bench(options: argparse.Namespace) -> int:
    """Import only what is measured."""
    found: int = import_module(f"feltwatch.edge.tools.bench_{options.what}").bench(options)
    return found


def run(options: argparse.Namespace) -> int:
    """Watch tables live; with --watch, show people what happens."""
    from feltwatch.edge.service.run import run as watch_tables  # noqa: PLC0415  with it come the networks

    if not options.watch:
        return watch_tables(options)
    from feltwatch.edge.cli.terminal_view import Commentary  # noqa: PLC0415  as above

    return watch_tables(options, show=lambda pipeline, table: Commentary(pipeline, table, sys.stdout))


def _run(arguments: Sequence[str] | None) -> int:
    """Run the command, and import only what it needs."""
    parser = command_parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help(sys.stderr)
        return 2
    module, _, name = COMMANDS[options.command].run.partition(":")
    command: Callable[[argparse.Namespace], int] = getattr(import_module(module), name)
    return command(options)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command; give 0 done, 1 a fault found in what was checked, 2 wrong usage or bad input."""
    try:
        return _run(arguments)
    except (UsageError, DataError) as error:
        sys.stdout.flush()
        print(f"feltwatch: {error}", file=sys.stderr)  # noqa: T201  this is the command line
        return 2
    except BrokenPipeError:  # the reader of our output has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
