"""How a card looks, as far as it was seen."""

from dataclasses import dataclass

from feltwatch.vision.arrays import Mask, Pixels


@dataclass(slots=True)
class CardLook:
    """A pixel a millimetre, upright as it lies."""

    picture: Pixels
    seen: Mask
