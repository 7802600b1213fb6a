"""Cards that come to a place while a hand hides it: they are reported only later."""

from collections.abc import Iterator, Mapping, Sequence

from feltwatch.vision.arrays import Mask
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.tracking.track import CardTrack

FIRST = ".cards"  # where a hand's cards come to from the shoe; elsewhere only once some lie there


def unseen(zones: Mapping[str, Patch], disturbed: Mask, cards: Sequence[CardTrack], least: float) -> Iterator[str]:
    """Give the zones with at least so many points covered, or not yet understood."""
    used = {card.zone for card in cards}
    for name, patch in zones.items():
        if (name.endswith(FIRST) or name in used) and patch.share(disturbed) * patch.size >= least:
            yield name
