"""Sets of whole numbers that come in runs: which entries of a journal are still to be sent."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self

from feltwatch.edge.journal.store import SeqRange


@dataclass(frozen=True, slots=True)
class Ranges:
    """Runs of numbers, both ends in them: ascending, and none touches the next.

    >>> Ranges.of([(7, 9), (1, 3), (4, 4)]) - Ranges.of([(2, 2)])
    Ranges(spans=((1, 1), (3, 4), (7, 9)))
    """

    spans: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, spans: Iterable[tuple[int, int]]) -> Self:
        """Put any spans in order; those that end before they begin are empty."""
        found: list[tuple[int, int]] = []
        for first, last in sorted(span for span in spans if span[0] <= span[1]):
            if found and first <= found[-1][1] + 1:
                found[-1] = (found[-1][0], max(found[-1][1], last))
            else:
                found.append((first, last))
        return cls(tuple(found))

    @classmethod
    def upto(cls, unsent: Sequence[SeqRange], head: int) -> Self:
        """Give what a journal says is unsent, as far as it goes now."""
        return cls.of((first, head if last is None else min(last, head)) for first, last in unsent)

    def unsent(self, head: int) -> list[SeqRange]:
        """Give it as a journal keeps it: what is to come after its head is unsent as well."""
        open_from = head + 1
        spans: list[SeqRange] = [*self.spans]
        if self.spans and self.spans[-1][1] == head:
            open_from = self.spans[-1][0]
            spans.pop()
        return [*spans, (open_from, None)]

    def __or__(self, other: "Ranges") -> "Ranges":
        return Ranges.of((*self.spans, *other.spans))

    def __sub__(self, other: "Ranges") -> "Ranges":
        left = [*self.spans]
        for first, last in other.spans:
            cut = [((a, min(b, first - 1)), (max(a, last + 1), b)) for a, b in left]
            left = [span for pair in cut for span in pair if span[0] <= span[1]]
        return Ranges(tuple(left))

    def without(self, number: int) -> "Ranges":
        return self - Ranges(((number, number),))

    def __len__(self) -> int:
        return sum(last - first + 1 for first, last in self.spans)

    def __bool__(self) -> bool:
        return bool(self.spans)

    def __iter__(self) -> Iterator[int]:
        for first, last in self.spans:
            yield from range(first, last + 1)

    def __contains__(self, number: int) -> bool:
        return any(first <= number <= last for first, last in self.spans)

    @property
    def first(self) -> int | None:
        return self.spans[0][0] if self.spans else None
