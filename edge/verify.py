"""`feltwatch verify`: proves that a journal is whole and unaltered, or names the first bad entry."""

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from edge.journal import BrokenError, Entry, entries
from edge.usage import UsageError


def verify(options: argparse.Namespace) -> int:
    """Give 0 where every entry is as it was written, 1 where one is not."""
    path, known = Path(options.journal), _head(options.head)
    count, first, last, link = 0, "", "", b""
    try:
        for entry in _proved(path, known):
            first, last, link, count = first or entry.at, entry.at, entry.hash, entry.seq
    except BrokenError as fault:
        sys.stdout.write(f"{path}: {fault}; the {count} entries before it are as they were written\n")
        return 1
    span = f", {first} to {last}; head {count}:{link.hex()}" if count else ""
    sys.stdout.write(f"{path}: whole: {count} entries{span}\n")
    return 0


def _proved(path: Path, known: tuple[int, str] | None) -> Iterator[Entry]:
    """Give the entries of a journal that goes at least as far as a head that is known."""
    seq = 0
    for entry in entries(path):
        if known is not None and entry.seq == known[0] and entry.hash.hex() != known[1]:
            raise BrokenError(f"entry {entry.seq} is not the one of the head that was given: the record was rewritten")
        seq = entry.seq
        yield entry
    if known is not None and known[0] > seq:
        raise BrokenError(f"entry {seq + 1} is missing: the record went to entry {known[0]} and was cut off")


def _head(text: str | None) -> tuple[int, str] | None:
    if text is None:
        return None
    found = re.fullmatch(r"(\d+):([0-9a-f]{64})", text)
    if found is None:
        raise UsageError(f"--head {text!r}: expected N:HASH as `feltwatch verify` gives it")
    return int(found[1]), found[2]
