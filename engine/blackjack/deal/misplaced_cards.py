"""Cards that lie where they should not: kept apart from every hand until they are moved or ruled upon."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack.deal.remedies import assignment, settled_by_book, spoken_zone
from feltwatch.engine.blackjack.hands import BlackjackHand
from feltwatch.engine.blackjack.money import settlement
from feltwatch.engine.blackjack.play import dealer, turns
from feltwatch.engine.blackjack.state import Stray
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.spots import SHOE, Zone, hand_zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.base import CardSeen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState

FULL = frozenset(  # errors of a card on a hand that was complete: the hand stays as it was
    {
        "hit-on-soft-21",
        "hit-on-blackjack",
        "hit-on-21",
        "card-after-bust",
        "card-after-stand",
        "hit-after-double",
        "split-aces-extra-card",
        "absent-player-overdrawn",
        "card-to-box-without-bet",
        "simultaneous-cards",
    }
)
AT_THE_CARD = ("split-wrong-order", "extra-card-to-hand")  # about the hand that got it, not the one passed over


def slip(
    r: "BlackjackState",
    code: str,
    hand: BlackjackHand,
    seen: CardSeen,
    says: str,
    *,
    passed: tuple[BlackjackHand, ...] = (),
) -> None:
    """Raise it; keep the card apart: it is the next card of the shoe (or discarded)."""
    blocked = next((one for one in passed if turns.blocks(r, one)), None)
    sure = hand.box or code in ("missing-card", "double-card-missing")  # the dealer's own card may be anybody's
    target = next_place(r, seen, blocked if sure else None)
    where = "the dealer" if hand.box == 0 else f"box {hand.box}{f' hand {hand.number}' if hand.split else ''}"
    about = hand if code in AT_THE_CARD else blocked or hand
    name = r.alert(
        code,
        f"The {spoken(seen.card)} fell on {where}. {says}",
        _remedy(r, code, seen, target),
        anchor=seen.id,
        box=about.box or None,
        hand=about.number if about.box else None,
        evidence=(seen.id,),
    )
    if r.waved(code, seen.id) or code not in r.book.faults:
        for one in passed:
            one.left = r.must_take(one)
        turns.stands(r, tuple(one for one in passed if not one.left))
        hand.stood = ""
        settlement.reopen(r, hand)
        count(r, hand, seen)
        return
    r.frozen = r.frozen or hand.box == 0
    name = name or f"r{r.number}-{code}-{seen.id}"  # it may err twice
    keep(r, Stray(name, code, seen, hand, target, r.plan(name), passed))


@dataclass(frozen=True, slots=True, eq=False)
class StrayRuling:
    """What a ruling on a stray card does: a value, so that a round in the middle can be kept and gone on with."""

    round: "BlackjackState"
    stray: Stray

    def __call__(self, choice: str, _: int | None) -> None:
        self.round.rule_on(self.stray, choice)


def keep(r: "BlackjackState", stray: Stray) -> None:
    stray.plan.rule = StrayRuling(r, stray)
    r.stray = r.apart[stray.seen.id] = stray
    settled_by_book(r, stray.alert)


def _what_next(seen: CardSeen, target: Zone) -> str:
    if target is SHOE:
        return f"The {spoken(seen.card)} is the next card: for the next hand that draws."
    return f"The {spoken(seen.card)} belongs to {spoken_zone(target)}."


def next_place(r: "BlackjackState", seen: CardSeen, blocked: BlackjackHand | None = None) -> Zone:
    """Give the place of the next card: the acting hand if it must draw, the dealer if only he does, else not known."""
    hand = blocked or r.acting()
    if hand is not None:
        must = r.must_take(hand) and hand_zone(hand.box, hand.number) is not seen.zone
        return hand_zone(hand.box, hand.number) if must else SHOE
    return hand_zone(0) if dealer.draws(r) and seen.zone.box != 0 else SHOE


def no_bet(r: "BlackjackState", seen: CardSeen) -> None:
    """A card in a box without a bet: the next card, or after an Interim Settlement discarded (5.10.3)."""
    target = next_place(r, seen)
    remedy = _remedy(r, "card-to-box-without-bet", seen, target)
    code = "card-to-box-without-bet"
    name = r.alert(
        code,
        f"The {spoken(seen.card)} fell on box {seen.zone.box}, which has no bet.",
        remedy,
        anchor=seen.id,
        box=seen.zone.box,
        evidence=(seen.id,),
    )
    if name:
        keep(r, Stray(name, code, seen, None, target, r.plan(name, waits=remedy.outcome != "discard")))


def _remedy(r: "BlackjackState", code: str, seen: CardSeen, target: Zone) -> Remedy:
    if code == "card-to-box-without-bet" and not r.may_reconstruct() and r.book.reconstructs == "options":
        says = f"The {spoken(seen.card)} is discarded; go on with the next card of the shoe."
        options = ("continue", "return-bet")
        return Remedy("discard", r.book.clause("discard"), options, boxes=tuple(r.boxes), says=says)
    return r.error_remedy([(seen, target)], says=_what_next(seen, target))


def reviewed(r: "BlackjackState") -> None:
    """A settlement has taken place while an error was open: that ends reconstruction (5.10.1)."""
    if r.misdeal is not None and r.misdeal.code != "simultaneous-cards":
        r.remedied(r.misdeal.alert, r.error_remedy(assignment(r)))
    if r.stray is not None and r.stray.other is None:
        stray = r.stray
        r.remedied(stray.alert, _remedy(r, stray.code, stray.seen, stray.target))


# ---- put right, or left to lie --------------------------------------------------------------------------------------


def count(r: "BlackjackState", hand: BlackjackHand, seen: CardSeen) -> None:
    """A card counts where it lies."""
    hand.add(seen)
    if hand.box == 0:
        dealer.after(r)
    elif hand.bust:
        settlement.bust(r, hand)


def let_lie(r: "BlackjackState") -> None:
    """Play went on without a ruling: cards out of order stay, a card on a complete hand does not count."""
    stray, r.stray = r.stray, None
    if stray is None or stray.hand is None or stray.code in FULL:
        return
    r.apart.pop(stray.seen.id, None)
    for one in stray.passed:
        one.left = not one.asked
    count(r, stray.hand, stray.seen)


def returned(r: "BlackjackState", seen: CardSeen) -> None:
    """A card that was taken off the table and comes back with the same face was put right by it."""
    for stray in list(r.apart.values()):
        if stray.seen.gone and stray.seen.card is not None and stray.seen.card == seen.card:
            put_right(r, stray)
            return


def put_right(r: "BlackjackState", stray: Stray) -> None:
    stray.plan.waits = False
    r.apart.pop(stray.seen.id, None)
    if r.stray is stray:
        r.stray = None
