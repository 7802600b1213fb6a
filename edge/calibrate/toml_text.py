"""TOML as text: a file is changed in places, and keeps its comments, order and spelling everywhere else."""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

HEADER = re.compile(r"\s*\[\[?\s*([\w-]+)\s*(?:\.\s*([\w-]+))?[\w.\s-]*\]\]?\s*(?:#.*)?$")
KEY = re.compile(r"\s*\"?([\w-]+)\"?\s*=")
COMMENT = re.compile(r"\s+#[^\"']*$")


@dataclass(frozen=True, slots=True)
class TextBlock:
    """A header with its keys, and the comments above it: `[part]`, or `[part.inner]`."""

    part: str  # empty before the first header
    inner: str
    lines: tuple[str, ...]
    header: int  # where the header is among the lines

    @property
    def keys(self) -> Mapping[str, str]:
        return {key[1]: line for line in self.lines if (key := KEY.match(line))}


def changed(text: str, wanted: str) -> str:
    r"""Give a text that holds the same as `wanted`, in the words of `text` for all that it holds already.

    >>> print(changed("[a]\nb = 1  # one\nc = 2  # two\n\n# of d\n[d]  # kept\n", "[a]\nb = 1\nc = 3\n[d]\n"), end="")
    [a]
    b = 1  # one
    c = 3  # two
    <BLANKLINE>
    # of d
    [d]  # kept
    """
    before, after = tomllib.loads(text), tomllib.loads(wanted)
    lines = [*_lines(before, after, [*_blocks(text)], [*_blocks(wanted)])]
    found = "\n".join(lines).strip("\n") + "\n"
    try:
        return found if tomllib.loads(found) == after else wanted
    except tomllib.TOMLDecodeError:  # of a form that is not understood here: its comments are lost
        return wanted


def _lines(
    before: Mapping[str, object], after: Mapping[str, object], old: Sequence[TextBlock], new: Sequence[TextBlock]
) -> Iterator[str]:
    done: set[str] = set()
    above = {(one.part, one.inner): one.lines[: one.header] for one in reversed(old)}  # comments of the first of each
    for block in old:
        part = block.part
        if not part or before[part] == after.get(part) or block.inner in (same := _same(before[part], after.get(part))):
            yield from block.lines
        elif part in after and part not in done:
            fresh = [one for one in new if one.part == part and one.inner not in same]
            whole = next((one for one in fresh if not one.inner), None)
            if whole is not None and not block.inner:
                yield from _merged(block, whole, before[part], after[part], same)
                fresh.remove(whole)
            for one in fresh:
                yield from above.pop((part, one.inner), one.lines[: one.header])
                yield from one.lines[one.header :]
        done.add(part)
    for one in new:
        if one.part not in done:
            yield from one.lines


def _same(before: object, after: object) -> Collection[str]:
    """Give the inner parts that hold the same in both."""
    if not isinstance(before, dict) or not isinstance(after, dict):
        return ()
    return [key for key, value in before.items() if isinstance(value, dict | list) and after.get(key) == value]


def _merged(old: TextBlock, new: TextBlock, before: object, after: object, same: Collection[str]) -> Iterator[str]:
    """Give the old lines, with the values that changed, and the keys that are new."""
    assert isinstance(before, dict)  # noqa: S101  both are parts with keys
    assert isinstance(after, dict)  # noqa: S101  as above
    for line in old.lines:
        key = found[1] if (found := KEY.match(line)) else ""
        if not key or before.get(key) == after.get(key):
            yield line
        elif key in new.keys:
            comment = COMMENT.search(line)
            yield new.keys[key] + (comment[0] if comment else "")
    yield from (line for key, line in new.keys.items() if key not in old.keys and key not in same)


def _blocks(text: str) -> Iterator[TextBlock]:
    part, inner, lines, header = "", "", list[str](), 0
    for line in text.splitlines():
        if found := HEADER.match(line):
            above = _above(lines)
            yield TextBlock(part, inner, tuple(lines[: len(lines) - above]), header)
            lines = lines[len(lines) - above :]
            part, inner, header = found[1], found[2] or "", above
        lines.append(line)
    yield TextBlock(part, inner, tuple(lines), header)


def _above(lines: Sequence[str]) -> int:
    """Count the lines at the end that belong to the header below: comments, and the empty lines above them."""
    count = 0
    while count < len(lines) and lines[-1 - count].lstrip().startswith("#"):
        count += 1
    while count < len(lines) and not lines[-1 - count].strip():
        count += 1
    return count
