"""Cards that lie on each other: is the back on top another, or the same, and was the one on top taken away.

All backs look alike, so one laid on another changes little; what tells is where exactly the one on top lies, and who
was there.
"""

from collections.abc import Iterator, Sequence
from typing import Final

import numpy as np

from feltwatch.vision.arrays import Mask
from feltwatch.vision.detection.reader_classes import SURE
from feltwatch.vision.detection.roi_detection import CardGlimpse
from feltwatch.vision.geometry.patch import Patch
from feltwatch.vision.motion.change_detector import ChangeDetector
from feltwatch.vision.tracking.four_card_hands import FOUR, box
from feltwatch.vision.tracking.roi_context import RoiContext
from feltwatch.vision.tracking.track import CardTrack, bearing, distance

PILE_MM: Final = 25.0  # backs so near lie on each other
EXACT_MM: Final = 1.2  # so near its place a back is found whose place is known exactly
TOP_MM: Final = 2.5  # the same of the one on top: another is hardly laid so near
EXACT_DEG: Final = 3.0
HAIR_MM: Final = 3.0  # so far off lies another back, or the same that was pushed by a hair
FRESH_S: Final = 0.45  # so soon after a card another does not follow in the same place
LAID: Final = 0.15  # of a back changes at least where another is laid on it
ON_TOP: Final = 0.3  # of a card that came to lie wholly on others has changed
FELT: Final = 0.55  # of what shows beside a back may look like felt, and yet it is another back
EMPTY: Final = 0.85  # the same, if it was known to a hair where the back lay
MOST: Final = 0.6  # of a back lies on another
TOUCHES: Final = 0.06  # of it does
LAST: Final = 0.8  # of where a back lies has come to rest when it has: its print hides what moves
LOOKED_AT: Final = 0.35  # of a face has changed and come to rest
FACES: Final = 3  # looks that do not show it
STIRS: Final = 0.05  # of a back may be in motion, and yet it can be found by its print
STIRRED: Final = 0.1  # of a back was moved over


def blurred(seen: CardGlimpse, patch: Patch, cards: Sequence[CardTrack]) -> bool:
    """Tell whether a back is seen where one is known to a hair, but not so well: it says too little."""
    return not seen.exact and any(one.exact and not one.up and patch.overlap(one.patch) > ON_TOP for one in cards)


def near(seen: CardGlimpse, cards: Sequence[CardTrack]) -> list[CardTrack]:
    """Give the backs of the pile on which a back is seen."""
    return [one for one in cards if not one.up and distance(one.place, seen.place) <= PILE_MM]


def known(
    seen: CardGlimpse, backs: Sequence[CardTrack], cards: Sequence[CardTrack], look: RoiContext
) -> CardTrack | None:
    """Give the card that a back on top is: where it was, or seen better, or pushed away from bare felt."""
    top = max(backs, key=lambda one: one.layer)
    for card in sorted(backs, key=lambda one: -one.layer):
        apart, turned = distance(card.place, seen.place), abs(bearing(card.angle, seen.angle))
        near_mm = TOP_MM if card is top else EXACT_MM
        if apart <= near_mm and turned <= EXACT_DEG if card.exact else apart <= HAIR_MM:
            return card
    moved = look.attention.moved_at[top.patch.box][top.patch.mask]
    last = float(np.quantile(moved, LAST)) if len(moved) else look.t
    if top.exact and min(last, look.t) - top.rested < FRESH_S:
        return top  # what moved there last brought that one
    bare = look.bare_outside(top.quad, [seen.quad, *(one.quad for one in cards if one is not top)])
    same = bare >= (EMPTY if top.exact else FELT) if bare is not None else not top.exact
    return top if same else None


def laid_on(card: CardTrack, seen: CardGlimpse, patch: Patch, look: RoiContext) -> bool:
    """Tell whether another back was laid on a back: its print lies elsewhere, and a dealer was there."""
    if look.under_hand(patch) or patch.share(look.sight.changed) < LAID or card.zone is None:
        return False
    if look.sides.by(card.zone, look.t) == "player":
        return False
    if distance(card.place, seen.place) < HAIR_MM:
        return look.sides.by(card.zone, look.t) == "dealer" and patch.share(look.sight.changed) >= ON_TOP
    bare = look.bare_outside(card.quad, [seen.quad])
    return bare is None or bare < FELT


def players(patch: Patch, cards: Sequence[CardTrack], look: RoiContext) -> bool:
    """Tell whether it is a Player who handles the backs that lie there: he brings no card.

    To a hand that has its four cards none is brought but by the dealer.
    """
    for card in cards:
        touches = not card.up and patch.overlap(card.patch) > TOUCHES
        if touches and (card.zone or "").endswith(".cards"):
            by = look.sides.by(card.zone or "", look.t)
            full = sum(box(one.zone) == box(card.zone) and not one.up for one in cards) >= FOUR
            if by == "player" or (full and by != "dealer"):
                return True
    return False


def dealt_on(patch: Patch, cards: Sequence[CardTrack], look: RoiContext) -> bool:
    """Tell whether a dealer laid a back on most of another."""
    under = [one for one in cards if on_most(patch, [one])]
    return any(look.sides.by(one.zone or "", look.t) == "dealer" for one in under)


def on_most(patch: Patch, cards: Sequence[CardTrack]) -> bool:
    """Tell whether it covers most of a back."""
    return any(not one.up and patch.overlap(one.patch) > MOST for one in cards)


def on_known(patch: Patch, cards: Sequence[CardTrack]) -> bool:
    """Tell whether a back lies on others."""
    return any(not one.up and patch.overlap(one.patch) > ON_TOP for one in cards)


def touched(card: CardTrack, cards: Sequence[CardTrack]) -> bool:
    """Tell whether another card lies on it or under it."""
    return card.patch.without([one.patch for one in cards if one is not card]).size < card.patch.size


def lifted(card: CardTrack, tops: Sequence[CardTrack], look: RoiContext) -> bool:
    """Tell whether a card that lay under another is seen whole, again and again: the one on it is gone."""
    under = [one for one in tops if one.layer < card.layer and one.up == card.up]
    least = ON_TOP if card.up else LAID
    return any(one.patch.overlap(card.patch) > least for one in under) and card.missed_again(look.t)


def uncovered(card: CardTrack, cards: Sequence[CardTrack], look: RoiContext) -> bool:
    """Tell whether other faces are read where one lay on top, and it is not, again and again: it is gone."""
    over = [one.patch for one in cards if one.layer > card.layer]
    if not card.up or card.patch.without(over).size < (1 - TOUCHES) * card.patch.size:
        return False
    if look.under_hand(card.patch) or card.patch.share(look.where) < LOOKED_AT:
        return False
    read = [one for one in look.glimpse.cards if one.up > 1 - one.up and float(one.faces.max()) >= SURE]
    return any(look.patch(one.quad).overlap(card.patch) > ON_TOP for one in read) and card.missed_again(look.t, FACES)


def stirred(cards: Sequence[CardTrack], attention: ChangeDetector, moving: Mask) -> Iterator[CardTrack]:
    """Give the backs on top over which something has moved since they were seen: another may lie on them now."""
    for card in cards:
        over = [one.patch for one in cards if one.layer > card.layer]
        if card.up or not card.exact or card.patch.share(moving) > STIRS:
            continue
        covered = 1 - card.patch.without(over).size / max(card.patch.size, 1)
        if covered <= ON_TOP and card.patch.share(attention.moved_at > card.met_at) > STIRRED:
            yield card
