"""Rows of the manifest that say how a deck or a back of our own is drawn."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DeckRecipe:
    """Everything that tells one of our decks from another."""

    name: str
    courts: str  # the name of the court art; the deck is of its family and split
    font: str
    cut: str = "classic"
    index: str = "standard"
    palette: str = "two"
    paper: str = "white"
    frame: str = "line"
    ace: str = "under"
    word: str = "FELTWATCH"
    court_mm: float = 62.0
    mark_mm: float = 12.5
    spread: float = 0.92  # 1 the usual places of the marks; less leaves room for a big index


@dataclass(frozen=True, slots=True)
class BackRecipe:
    """A pattern in two colours, a border, perhaps an emblem."""

    name: str
    split: str
    pattern: str
    step_mm: float
    ground: str
    ink: str
    border_mm: float = 4.0  # white paper round the pattern; 0 runs to the edge
    lines: int = 1  # thin lines inside the border
    emblem: str = "none"
