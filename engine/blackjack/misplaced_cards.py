"""Cards that lie where they should not: kept apart from every hand until they are moved or ruled upon."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from feltwatch.engine.blackjack import dealer, inferred, initial_deal, settlement, subsequent_deal
from feltwatch.engine.blackjack.hands import Hand
from feltwatch.engine.blackjack.remedies import spoken_zone
from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.spots import SHOE, Zone, hand_zone
from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.base import Plan, Seen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.round import BlackjackRound

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
AT_THE_CARD = ("split-wrong-order", "extra-card-to-hand")  # told of the hand that got it, not of the one passed over


@dataclass(slots=True)
class Stray:
    """A card that does not count, and what a ruling can make of it."""

    alert: str
    code: str
    seen: Seen
    hand: Hand | None  # on which it lies
    target: Zone
    plan: Plan
    passed: tuple[Hand, ...] = ()
    other: Seen | None = None  # the card it was drawn with, which counts


def slip(r: "BlackjackRound", code: str, hand: Hand, seen: Seen, says: str, *, passed: tuple[Hand, ...] = ()) -> None:
    """Raise it; keep the card apart: it is the next card of the shoe (or discarded)."""
    blocked = next((one for one in passed if subsequent_deal.blocks(r, one)), None)
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
        subsequent_deal.stands(r, tuple(one for one in passed if not one.left))
        hand.stood = ""
        settlement.reopen(r, hand)
        count(r, hand, seen)
        return
    r.frozen = r.frozen or hand.box == 0
    name = name or f"r{r.number}-{code}-{seen.id}"  # it may err twice
    _keep(r, Stray(name, code, seen, hand, target, r.plan(name), passed))


@dataclass(frozen=True, slots=True, eq=False)
class _Ruling:
    """What a ruling on a stray card does: a value, so that a round in the middle can be kept and gone on with."""

    round: "BlackjackRound"
    stray: Stray

    def __call__(self, choice: str, _: int | None) -> None:
        ruled(self.round, self.stray, choice)


def _keep(r: "BlackjackRound", stray: Stray) -> None:
    stray.plan.rule = _Ruling(r, stray)
    r.stray = r.apart[stray.seen.id] = stray
    initial_deal.settled_by_book(r, stray.alert)


def _what_next(seen: Seen, target: Zone) -> str:
    if target is SHOE:
        return f"The {spoken(seen.card)} is the next card: for the next hand that draws."
    return f"The {spoken(seen.card)} belongs to {spoken_zone(target)}."


def next_place(r: "BlackjackRound", seen: Seen, blocked: Hand | None = None) -> Zone:
    """Give the place of the next card: the acting hand if it must draw, the dealer if only he does, else not known."""
    hand = blocked or r.acting()
    if hand is not None:
        must = r.must_take(hand) and hand_zone(hand.box, hand.number) is not seen.zone
        return hand_zone(hand.box, hand.number) if must else SHOE
    return hand_zone(0) if dealer.draws(r) and seen.zone.box != 0 else SHOE


def no_bet(r: "BlackjackRound", seen: Seen) -> None:
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
        _keep(r, Stray(name, code, seen, None, target, r.plan(name, waits=remedy.outcome != "discard")))


def _remedy(r: "BlackjackRound", code: str, seen: Seen, target: Zone) -> Remedy:
    if code == "card-to-box-without-bet" and not r.may_reconstruct() and r.book.reconstructs == "options":
        says = f"The {spoken(seen.card)} is discarded; go on with the next card of the shoe."
        options = ("continue", "return-bet")
        return Remedy("discard", r.book.clause("discard"), options, boxes=tuple(r.boxes), says=says)
    return r.error_remedy([(seen, target)], says=_what_next(seen, target))


def reviewed(r: "BlackjackRound") -> None:
    """A settlement has taken place while an error was open: that ends reconstruction (5.10.1)."""
    if r.misdeal is not None and r.misdeal.code != "simultaneous-cards":
        r.remedied(r.misdeal.alert, r.error_remedy(initial_deal.assignment(r)))
    if r.stray is not None and r.stray.other is None:
        stray = r.stray
        r.remedied(stray.alert, _remedy(r, stray.code, stray.seen, stray.target))


def simultaneous(r: "BlackjackRound", seen: Seen) -> None:
    """Two cards drawn together: the Player chooses which comes first, the dealer's are discarded (5.12)."""
    other = r.sequence[-2] if len(r.sequence) > 1 else seen
    hand = r.hand(seen.zone.box or 0, seen.zone.hand)
    step = subsequent_deal.dealt if r.playing else initial_deal.dealt
    if hand is None or other not in hand.cards:
        step(r, seen)
        return
    name = r.alert(
        "simultaneous-cards",
        f"The {spoken(other.card)} and the {spoken(seen.card)} left the shoe together; their order is not known.",
        _simultaneous_remedy(r, hand, other, seen),
        anchor=seen.id,
        box=hand.box or None,
        hand=hand.number if hand.box else None,
        evidence=(other.id, seen.id),
    )
    if not name:
        step(r, seen)
    elif hand.box == 0:
        _discard(r, other)
        r.plan(name, waits=False)
        initial_deal.settled_by_book(r, name)
    elif r.playing:
        _keep(r, Stray(name, "simultaneous-cards", seen, hand, SHOE, r.plan(name), other=other))
    else:
        initial_deal.together(r, seen, name)


def _simultaneous_remedy(r: "BlackjackRound", hand: Hand, other: Seen, seen: Seen) -> Remedy:
    if r.book.reconstructs != "options":
        return r.error_remedy([], can=False)
    both = f"the {spoken(other.card)} and the {spoken(seen.card)}"
    options, boxes = ("continue", "return-bet"), tuple(r.boxes)
    if hand.box == 0:
        says = f"Discard {both} and draw another card."
        return Remedy("discard", r.book.clause("simultaneous-dealer"), options, boxes=boxes, says=says)
    says = f"Ask box {hand.box}: {both}, which first? The other is the next card."
    return Remedy("options", r.book.clause("simultaneous"), options, boxes=boxes, says=says)


def _discard(r: "BlackjackRound", other: Seen) -> None:
    """Both of the dealer's cards are out of the round; another is drawn (5.12.1)."""
    r.dealer.drop(other)
    r.sequence[-2:] = []
    dealer.opened_again(r)


# ---- put right, or left to lie --------------------------------------------------------------------------------------


def count(r: "BlackjackRound", hand: Hand, seen: Seen) -> None:
    """A card counts where it lies."""
    hand.add(seen)
    if hand.box == 0:
        dealer.after(r)
    elif hand.bust:
        settlement.bust(r, hand)


def let_lie(r: "BlackjackRound") -> None:
    """Play went on without a ruling: an error of order lies as it lies, a card on a complete hand does not count."""
    stray, r.stray = r.stray, None
    if stray is None or stray.hand is None or stray.code in FULL:
        return
    r.apart.pop(stray.seen.id, None)
    for one in stray.passed:
        one.left = not one.asked
    count(r, stray.hand, stray.seen)


def ruled(r: "BlackjackRound", stray: Stray, choice: str) -> None:
    """Carry a ruling through."""
    if stray.seen.id not in r.apart or choice == "return-bet":
        return
    reconstructs = choice == "continue-reconstructed" or stray.code == "simultaneous-cards"
    if r.stray is not stray:  # play has gone on; the card waits to be moved
        stray.seen.zone = SHOE if reconstructs else stray.seen.zone
    elif reconstructs:
        r.stray = None
        due = r.hand(stray.target.box, stray.target.hand) if stray.target.box else None
        if due in stray.passed:
            before = stray.passed[: stray.passed.index(due)]
            subsequent_deal.stands(r, tuple(one for one in before if not subsequent_deal.blocks(r, one)))
        next_card(r, stray.seen)
    else:
        let_lie(r)


def next_card(r: "BlackjackRound", seen: Seen) -> None:
    """A card kept apart is dealt as the next card, to the hand that must draw; else it waits in the shoe."""
    r.apart.pop(seen.id, None)
    r.waiting.append(seen)
    seen.zone = SHOE
    serve(r)


def serve(r: "BlackjackRound") -> None:
    """Cards that wait to be the next go to the hand that asks for one, or to the dealer when his turn has come."""
    while r.waiting:
        seen = r.waiting[0]
        target = next_place(r, seen)
        if target.box is None:
            return
        del r.waiting[0]
        seen.zone = target
        hand = r.hand(target.box, target.hand) or r.dealer
        if hand is r.dealer:
            dealer.dealt(r, seen)
        else:
            subsequent_deal.take(r, hand, seen)


def returned(r: "BlackjackRound", seen: Seen) -> None:
    """A card that was taken off the table and comes back with the same face was put right by it."""
    for stray in list(r.apart.values()):
        if stray.seen.gone and stray.seen.card is not None and stray.seen.card is seen.card:
            _put_right(r, stray)
            return


def _put_right(r: "BlackjackRound", stray: Stray) -> None:
    stray.plan.waits = False
    r.apart.pop(stray.seen.id, None)
    if r.stray is stray:
        r.stray = None


def moved(r: "BlackjackRound", seen: Seen, source: Zone) -> None:
    """A card is carried to another place: an error put right, a pair moved apart, or the next card from the shoe."""
    to = r.hand(seen.zone.box, seen.zone.hand) if seen.zone.box is not None else None
    stray = r.apart.get(seen.id)
    if stray is not None:
        _put_right(r, stray)
        _lands(r, to, seen)
        return
    if source.box is None:
        if to is not None:
            r.waiting = [one for one in r.waiting if one is not seen]
        _lands(r, to, seen)
        return
    old = r.hand(source.box, source.hand)
    if old is None or seen not in old.cards:
        return
    if r.stray is not None and r.stray.other is seen:
        _second_first(r, r.stray, old, seen)
        _lands(r, to, seen)
    elif to is not None and source.box and _parts(old, to, seen):
        inferred.moved_apart(r, old, seen)
    elif to is not None and to is not old:
        _carried(r, old, to, seen)


def _parts(old: Hand, to: Hand, seen: Seen) -> bool:
    """Tell whether a card moved within its box makes a new hand, or shows which of a pair had been moved."""
    known = to.number == seen.zone.hand
    return old.box == to.box and (not known or to is old or (len(old), len(to)) == (1, 1))


def _second_first(r: "BlackjackRound", stray: Stray, hand: Hand, first: Seen) -> None:
    """Of two cards drawn together the Player takes the second; the first is the next card."""
    _put_right(r, stray)
    hand.drop(first)
    settlement.reopen(r, hand)
    count(r, hand, stray.seen)


def _lands(r: "BlackjackRound", to: Hand | None, seen: Seen) -> None:
    """A card that was kept apart comes to a hand."""
    if to is None:
        return
    if to.box == 0:
        dealer.dealt(r, seen)
        return
    r.hit = True
    if r.finished(to):
        subsequent_deal.to_player(r, to, seen)
        return
    passed = subsequent_deal.between(r, r.acting(), to)
    subsequent_deal.stands(r, tuple(one for one in passed if not subsequent_deal.blocks(r, one)))
    to.asked = to.asked or "hit"
    subsequent_deal.take(r, to, seen)


def _carried(r: "BlackjackRound", old: Hand, to: Hand, seen: Seen) -> None:
    """A card that counted goes to another hand: what rested on it is open again."""
    for code in ("card-without-request", "hit-on-21"):
        if (plan := r.plans.get(f"r{r.number}-{code}-{seen.id}")) is not None:
            plan.waits = False
    old.drop(seen)
    if old.box == 0:
        dealer.opened_again(r)
    else:
        settlement.reopen(r, old)
        inferred.no_double(r, old, seen)
    for hand in r.all_hands():
        found = r.inferred.get((hand.box, hand.number))
        if found is not None and found[0] == seen.n:
            del r.inferred[hand.box, hand.number]
            hand.stood = "" if found[1] == "stand" else hand.stood
    to.stood = to.stood if to.stood == "told" else ""
    _lands(r, to, seen)
