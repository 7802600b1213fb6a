"""Figures: nested by name, the same as JSON and as tables for a person; how far a run has come."""

import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeVar

T = TypeVar("T")
Figures = dict[str, object]
Tally = Counter[tuple[str, str, str]]  # measure, row, answer

EVERY_S = 20.0


def shares(counts: Mapping[str, int], answers: Sequence[str]) -> Figures:
    """Give how many there are, how many of each answer, and what part of all that is.

    >>> shares({"right": 3, "wrong": 1}, ("right", "wrong"))
    {'of': 4, 'right': 3, 'right %': 75.0, 'wrong': 1, 'wrong %': 25.0}
    """
    total = sum(counts.get(answer, 0) for answer in answers)
    found: Figures = {"of": total}
    for answer in answers:
        found[answer] = counts.get(answer, 0)
        found[f"{answer} %"] = percent(counts.get(answer, 0), total)
    return found


def percent(part: float, whole: float) -> float | None:
    return round(100 * part / whole, 4) if whole else None


def table(tally: Tally, measure: str, answers: Sequence[str]) -> Figures:
    """Give the rows of one measure, sorted, each with its shares."""
    rows = sorted({row for name, row, _ in tally if name == measure})
    return {row: shares({answer: tally[measure, row, answer] for answer in answers}, answers) for row in rows}


def lines(found: Mapping[str, object], title: str = "") -> Iterator[str]:
    """Write figures for a person: rows of one shape as a table, single ones each on a line."""
    single = {name: value for name, value in found.items() if not isinstance(value, Mapping | list)}
    if title:
        yield f"{title}"
    for name, value in single.items():
        yield f"  {name:44} {_cell(value)}"
    rows = {name: value for name, value in found.items() if isinstance(value, Mapping) and _is_row(value)}
    if rows:
        yield from _table(list(rows), [row for row in rows.values() if isinstance(row, Mapping)])
    for name, value in found.items():
        if name in rows or name in single:
            continue
        inner = f"{title}: {name}" if title else name
        if isinstance(value, Mapping):
            yield ""
            yield from lines(value, inner)
        elif isinstance(value, list) and value:
            yield from ("", inner)
            yield from _table([""] * len(value), value)


def _is_row(value: Mapping[str, object]) -> bool:
    return bool(value) and not any(isinstance(cell, Mapping | list) for cell in value.values())


def _table(names: Sequence[str], rows: Sequence[Mapping[str, object]]) -> Iterator[str]:
    columns = list(dict.fromkeys(column for row in rows for column in row))
    cells = [[_cell(row.get(column)) for column in columns] for row in rows]
    wide = [max(len(text) for text in (column, *(row[n] for row in cells))) for n, column in enumerate(columns)]
    first = max(len(name) for name in names)
    yield "  " + " " * first + "".join(f"  {name:>{size}}" for name, size in zip(columns, wide, strict=True))
    for name, row in zip(names, cells, strict=True):
        yield f"  {name:{first}}" + "".join(f"  {text:>{size}}" for text, size in zip(row, wide, strict=True))


def _cell(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:.5g}" if isinstance(value, float) else str(value)


def reported(things: Iterable[T], total: int, what: str) -> Iterator[T]:
    """Pass things on, and say now and then how far it is."""
    start = last = time.monotonic()
    for number, thing in enumerate(things, 1):
        yield thing
        now = time.monotonic()
        if now - last >= EVERY_S or number == total:
            last = now
            sys.stderr.write(f"{what}: {number}{f' of {total}' if total else ''}, {now - start:.0f} s\n")
            sys.stderr.flush()
