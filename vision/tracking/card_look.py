"""How a card looks, as far as it was seen."""

from dataclasses import dataclass

from feltwatch.vision.arrays import Mask, Pixels


@dataclass(slots=True)
class CardLook:
    """Its picture, upright, a pixel a millimetre."""

    picture: Pixels
    seen: Mask
