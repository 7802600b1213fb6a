"""What msgspec refuses in a file, in one line for a person: line, key, what was expected, what was found."""

import difflib
import re
from collections.abc import Sequence

import msgspec
from msgspec import inspect

from feltwatch.edge.errors import without_login

PathStep = str | int  # a key, or the number of an item from 0

PATH = re.compile(r"\.([^.\[]+)|\[(\d+)\]")
UNKNOWN = re.compile(r"Object contains unknown field `(.*)`")
MISSING = re.compile(r"Object missing required field `(.*)`")
OURS = re.compile(r"[a-z_]+: .*, found ")  # a struct's own check: the key, then the fault
LONGEST = 120  # letters of a value that are shown


def explain(error: msgspec.ValidationError, kind: type, found: object, text: str) -> str:
    """Say what is wrong in a file of that kind; `found` is its content, `text` its source."""
    fault, _, where = str(error).partition(" - at `$")
    way: list[PathStep] = [int(number) if number else key for key, number in PATH.findall(where.rstrip("`"))]
    if unknown := UNKNOWN.match(fault):
        known = [one.encode_name for one in _fields(_kind_at(kind, way)[0])]
        said = f"{_section(way, found)}: unknown key {unknown[1]!r}: {_nearest(unknown[1], known)}"
        return _at_line(text, [*way, unknown[1]], said)
    if missing := MISSING.match(fault):
        name = _name([*way, missing[1]], found)
        return _at_line(text, way, f"{name}: expected {_kind_at(kind, [*way, missing[1]])[1]}, found none")
    if OURS.match(fault):
        key = fault.partition(":")[0]
        said, _, value = fault.rpartition(", found ")
        said = f"{said}, found {without_login(value)}"
        return _at_line(text, [*way, key], f"{_name(way, found)}.{said}" if way else said)
    _, expected, depth = _kind_at(kind, way)
    way = way[:depth]
    return _at_line(text, way, f"{_name(way, found)}: expected {expected}, found {_shown(_value(found, way))}")


def _kind_at(kind: type, way: Sequence[PathStep]) -> tuple[inspect.Type, str, int]:
    """Give the type at a place, and what the deepest key on the way there expects, with its depth."""
    here: inspect.Type = inspect.type_info(kind)
    expected, depth = "", 0
    for number, step in enumerate(way, 1):
        here = _plain(here)
        if isinstance(step, int):
            if not isinstance(here, inspect.ListType):
                break  # an item of a tuple: the whole of it is expected otherwise
            here = here.item_type
            continue
        of_name = {one.encode_name: one.type for one in _fields(here)}
        if step not in of_name:
            break
        here = of_name[step]
        if isinstance(here, inspect.Metadata) and here.extra:
            expected, depth = str(here.extra["expected"]), number
    return _plain(here), expected, depth


def _plain(kind: inspect.Type) -> inspect.Type:
    """Strip descriptions from a type, and that it may be absent."""
    while True:
        if isinstance(kind, inspect.Metadata):
            kind = kind.type
        elif isinstance(kind, inspect.UnionType):
            kind = next(one for one in kind.types if not isinstance(one, inspect.NoneType))
        else:
            return kind


def _fields(kind: inspect.Type) -> tuple[inspect.Field, ...]:
    return kind.fields if isinstance(kind, inspect.StructType) else ()


def _nearest(key: str, known: Sequence[str]) -> str:
    near = difflib.get_close_matches(key, known, n=1)
    return f"did you mean {near[0]!r}?" if near else f"expected {', '.join(sorted(known))}"


def _value(found: object, way: Sequence[PathStep]) -> object:
    for step in way:
        found = found[step]  # type: ignore[index]  # msgspec came this way too
    return found


def _name(way: Sequence[PathStep], found: object) -> str:
    """Name a place: `camera.points 2.image`; an item that has a name is named by it too."""
    name = ""
    for number, step in enumerate(way, 1):
        if isinstance(step, str):
            name += f".{step}" if name else step
            continue
        item = _value(found, way[:number])
        called = item.get("name") if isinstance(item, dict) else None
        name += f" {step + 1}" + (f" ({called})" if isinstance(called, str) else "")
    return name


def _section(way: Sequence[PathStep], found: object) -> str:
    if not way:
        return "the file"
    return f"[{way[0]}]" if len(way) == 1 else _name(way, found)


def _shown(value: object) -> str:
    shown = repr(value)
    return without_login(shown if len(shown) <= LONGEST else f"{shown[:LONGEST]}…")


def _at_line(text: str, way: Sequence[PathStep], said: str) -> str:
    line = line_of(text, way)
    return said if line is None else f"line {line}: {said}"


def line_of(text: str, way: Sequence[PathStep]) -> int | None:
    r"""Give the line of a TOML text that holds a place, or the nearest around it that has a line; None if none has.

    >>> line_of('[a]\nb = 1\n[[c.d]]\ne = 1\n[[c.d]]\ne = 2\n', ["c", "d", 1, "e"])
    6
    """
    lines: dict[tuple[PathStep, ...], int] = {}
    count: dict[tuple[PathStep, ...], int] = {}
    here: tuple[PathStep, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        if header := re.match(r"\s*(\[\[?)([\w.\s-]+)\]", line):
            here = ()
            for key in header[2].split("."):
                here += (key.strip(),)
                if here in count and len(here) < len(header[2].split(".")):
                    here += (count[here],)
            if header[1] == "[[":
                count[here] = count.get(here, -1) + 1
                lines.setdefault(here, number)
                here += (count[here],)
            lines.setdefault(here, number)
        elif key_of := re.match(r"\s*\"?([\w-]+)\"?\s*=", line):
            lines.setdefault((*here, key_of[1]), number)
    return next((lines[found] for end in range(len(way), 0, -1) if (found := tuple(way[:end])) in lines), None)
