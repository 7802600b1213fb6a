"""Unreported decisions: what chips and cards show by themselves."""

from decimal import Decimal
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, BlackjackHand
from feltwatch.engine.blackjack.money import additional_bets, followers
from feltwatch.engine.blackjack.play.decisions import may_double, not_allowed, part, refuse, refused_card, split_error
from feltwatch.engine.model.spots import MAX_HANDS, hand_zone

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState
    from feltwatch.engine.round.base import CardSeen


def chips_added(r: "BlackjackState", hand: BlackjackHand, delta: Decimal | None) -> bool:
    """A second stack came to a box: a double or a split, reported or about to show."""
    if hand.asked.startswith("bad "):
        refuse(r, hand, hand.asked.split()[1], delta)
        return True
    if additional_bets.came(r, hand, delta):
        return True
    code = _forbidden(r, hand)
    if code:
        refuse(r, hand, code, delta)
        return True
    base = r.wagers.get((r.seat(hand.box).spot.text, hand.number), (None, None))[0]
    hand.extra = (hand.extra or 0) + (delta if delta is not None else base or Decimal(1))
    if len(hand) == 2 and not _may_split(r, hand):
        additional_bets.fit(r, hand, hand.extra, base)
    return True


def _may_split(r: "BlackjackState", hand: BlackjackHand) -> bool:
    return len(hand) == 2 and not split_error(r, hand)


def _forbidden(r: "BlackjackState", hand: BlackjackHand) -> str:
    """Name what forbids both a double and a split of this hand, or ""."""
    if len(hand) > 1 and not may_double(r, hand) and not _may_split(r, hand):
        again = hand.aces and len(hand) == 2 and hand.pair()
        return "split-aces-resplit" if again else "double-not-allowed"
    return "split-too-many-hands" if len(hand) == 2 and _absurd_double(r, hand) else ""


def _absurd_double(r: "BlackjackState", hand: BlackjackHand) -> bool:
    """A second stack on a hard pair of 12 or more means a split, also where no hand may be added."""
    if split_error(r, hand) != "split-too-many-hands":
        return False
    return hand.points is not None and MUST_DRAW_BELOW <= hand.points < LIMIT


def doubled_by_chips(r: "BlackjackState", hand: BlackjackHand) -> None:
    """A second stack, then one card: a double."""
    text = r.seat(hand.box).spot.text
    base = r.wagers[text, hand.number][0]
    r.wagers[text, hand.number] = (base, additional_bets.fit(r, hand, hand.extra, base))
    hand.doubled, hand.extra = True, None
    followers.doubled(r, hand)
    r.infer(hand.box, hand.number, "double")


def no_double(r: "BlackjackState", hand: BlackjackHand, seen: "CardSeen") -> None:
    """The card of a double was another hand's: the double still waits for its own."""
    if not hand.doubled or len(hand) > 2:
        return
    hand.doubled = False
    if r.inferred.get((hand.box, hand.number)) != (seen.n, "double"):
        hand.asked = "double"
        return
    key = (r.seat(hand.box).spot.text, hand.number)
    hand.extra = r.wagers[key][1]
    r.wagers[key] = (r.wagers[key][0], None)


def crosswise(r: "BlackjackState", hand: BlackjackHand) -> None:
    """A card laid crosswise marks a double whose chips could not be counted."""
    seat = r.seat(hand.box)
    if hand.extra or not may_double(r, hand) or seat.now.amount is not None:
        return
    hand.doubled = True
    r.infer(hand.box, hand.number, "double")


def moved_apart(r: "BlackjackState", old: BlackjackHand, seen: "CardSeen") -> None:
    """A card of a pair was moved to a place of its own: a split, unless it was already reported."""
    number = seen.zone.hand
    known = next((h for h in r.hands[old.box] if h.number == number), None)
    if known is not None and known is not old:
        _swap(old, known, seen)
        return
    if known is old or len(old) != 2:
        return
    paid, old.extra = old.extra, None
    code = split_error(r, old)
    if code and not_allowed(r, old, code):
        old.asked = ""
        return
    new = part(r, old, seen, number)
    r.infer(old.box, old.number, "split")
    if paid is None:
        r.split_wait = (new, r.t)
    else:
        additional_bets.split_paid(r, new, paid)


def _swap(old: BlackjackHand, known: BlackjackHand, seen: "CardSeen") -> None:
    """The split was reported, and the other card of the pair is the one that moved."""
    other = known.cards[0]
    other.zone = hand_zone(old.box, old.number)
    known.drop(other)
    old.drop(seen)
    known.add(seen)
    old.add(other)


def played_apart(r: "BlackjackState", hand: BlackjackHand, number: int) -> BlackjackHand:
    """A card falls although the cards were not to be parted: the split is played all the same."""
    apart = next((seen for seen in hand.cards if seen.zone.hand != hand.number), None)
    if apart is None or len(r.hands[hand.box]) >= MAX_HANDS:
        return hand
    refused_card(r, hand)
    new = part(r, hand, apart, apart.zone.hand)
    return new if new.number == number else hand


def split_unseen(r: "BlackjackState", hand: BlackjackHand, number: int) -> BlackjackHand:
    """A card falls on a second hand that was made unseen: a pair with a second stack was split."""
    pairs = [h for h in r.hands[hand.box] if h.extra and _may_split(r, h)]
    if not pairs:
        return hand
    paid, pairs[0].extra = pairs[0].extra, None
    new = part(r, pairs[0], pairs[0].cards[1], number)
    r.infer(hand.box, pairs[0].number, "split")
    additional_bets.split_paid(r, new, paid)
    return new
