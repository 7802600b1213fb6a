"""How large the cards of a table are, as they are seen: measured on those that lie alone."""

from typing import Final

import numpy as np

ENOUGH: Final = 2  # cards tell it
KEPT: Final = 24
WIDE_OFF: Final = 0.12  # of its width a card may be seen too wide or narrow
LONG_OFF: Final = 0.08

Size = tuple[float, float]


class CardSizes:
    """The last cards that were seen alone, in millimetres."""

    def __init__(self) -> None:
        self.seen: list[Size] = []
        self.usual: Size | None = None  # the measures of this table's cards, once some were seen

    def add(self, size: Size) -> None:
        self.seen = [*self.seen[1 - KEPT :], size]
        if len(self.seen) >= ENOUGH:
            wide, long = np.median(np.array(self.seen), axis=0)
            self.usual = float(wide), float(long)

    def fit(self, size: Size) -> bool:
        """Tell whether something may be one card: it is as large, as far as that is known."""
        if self.usual is None:
            return True
        wide, long = self.usual
        return abs(size[0] / wide - 1) <= WIDE_OFF and abs(size[1] / long - 1) <= LONG_OFF
