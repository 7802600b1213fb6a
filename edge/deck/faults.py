"""What keeps pictures from becoming a deck: a list of lines for a person, each with the picture that it is about."""

from collections.abc import Sequence
from typing import Final

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.deck_checks import ENDS, edge_width, ends_likeness

AT_MOST: Final = 12  # lines that one run reports


class DeckFaultsError(Exception):
    """At least one fault, so that no deck was made."""

    def __init__(self, faults: Sequence[str]) -> None:
        super().__init__("; ".join(faults))
        left = len(faults) - AT_MOST
        self.lines = [*faults[:AT_MOST], *([f"and {left} more"] if left > 0 else [])]


def unfit(where: str, picture: Pixels, blurred_px: float) -> list[str]:
    """Say what is wrong with the flat picture of one card."""
    wide = edge_width(picture)
    if wide > blurred_px:
        found = f"expected a sharp picture, found edges {wide:.0f} pixels wide on a card 176 high"
        return [f"{where}: {found}; take it again, closer, or with more light"]
    if ends_likeness(picture) < ENDS:
        found = "expected a whole card with an index at both ends, found ends that differ"
        return [f"{where}: {found}; take it again, with all of the card in the picture and nothing over it"]
    return []
