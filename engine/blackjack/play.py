"""The Subsequent Deal: every further card against the hand whose turn it is."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.blackjack import dealer, decisions, initial, settle, sides
from engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, Hand
from engine.cards import spoken
from engine.events import Dealt
from engine.money import plain
from engine.round import Plan, Seen
from engine.spots import SHOE, Zone, hand_zone
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.bets import Stack
    from engine.blackjack.round import BlackjackRound
    from engine.verdicts import Settlement

FULL = frozenset(  # errors of a card on a hand that was complete: the hand stays as it was
    "hit-on-soft-21 hit-on-blackjack hit-on-21 card-after-bust card-after-stand hit-after-double split-aces-extra-card "
    "absent-player-overdrawn dealer-overdraw card-to-box-without-bet simultaneous-cards".split()
)
OFFER_S = 2.0


@dataclass(slots=True)
class Stray:
    """A card that lies where it should not: kept apart from its hand until it is moved or ruled upon."""

    alert: str
    code: str
    seen: Seen
    hand: Hand | None
    target: Zone
    plan: Plan
    passed: tuple[Hand, ...] = ()


def begin(r: "BlackjackRound") -> None:
    """The Initial Deal is complete: decide what two cards decide."""
    r.playing = True
    r.complete_at = r.idle_from = r.t
    initial.check_insurance(r)
    sides.settle_first_two(r)
    for hand in r.all_hands():
        if hand.natural and r.upcard is not None and not r.upcard_is_ace and not r.upcard_is_ten:
            settle.natural(r, hand)


def dealt(r: "BlackjackRound", seen: Seen, event: Dealt | None = None) -> None:
    """A card after the Initial Deal."""
    if r.stray is not None:
        _let_lie(r)
    if not r.subsequent:
        _opened(r)
    if seen.zone.box == 0:
        dealer.dealt(r, seen)
        return
    hand = r.hand(seen.zone.box or 0, seen.zone.hand)
    if hand is None:
        _no_bet(r, seen)
    else:
        r.hit = True
        if event is not None and event.crosswise and not hand.asked and not hand.doubled:
            decisions.crosswise(r, hand)
        if seen.zone.hand != hand.number:
            hand = decisions.split_unseen(r, hand, seen.zone.hand)
        to_player(r, hand, seen)


def _opened(r: "BlackjackRound") -> None:
    """The first card of the Subsequent Deal: what should have been settled by now (3.13, 3.15)."""
    r.subsequent = True
    if "side-bet-not-settled" in r.book.faults:
        for stack in list(r.stacks.values()):
            line = r.settlements.get((stack.spot.box, 1, stack.spot.bet))
            if stack.spot.kind in sides.FIRST_TWO and stack.at_close and line is not None and not stack.touched:
                side_unsettled(r, stack, line)
    for hand in r.all_hands():
        if hand.natural and (hand.box, hand.number, "main") in r.settlements:
            _unpaid_blackjack(r, hand)
    late_offer = r.told and r.t - r.complete_at < OFFER_S and not r.offered
    if r.upcard_is_ace and late_offer and not sides.insured(r) and not r.even:
        r.alert(
            "insurance-not-offered",
            "The dealer shows an Ace and the next card fell before Insurance was offered.",
            Remedy("continue", r.faultclause("insurance-not-offered"), says="Offer Insurance before the first hit."),
            anchor="offer",
        )


def side_unsettled(r: "BlackjackRound", stack: "Stack", line: "Settlement") -> None:
    if line.result not in ("win", "lose") or line.key in stack.done or stack.rejected:
        return
    due = plain(abs(line.net)) if line.net is not None else "what is due"
    what = f"pay {due}" if line.result == "win" else f"take {due}"
    clause = r.book.clause("side-settle")
    boom = stack.spot.kind == "boom-busted"
    r.alert(
        "side-bet-not-settled",
        f"The {stack.spot.bet} bet of box {stack.spot.box} is decided and still lies: {what} now.",
        Remedy("correct-payment", "3.25" if boom else clause, says=f"{what.capitalize()} as soon as possible."),
        anchor=stack.spot.text,
        box=stack.spot.box,
        evidence=(stack.spot.text,),
        clause="3.25" if boom else "",
    )


def _unpaid_blackjack(r: "BlackjackRound", hand: Hand) -> None:
    for stack in settle.betting(r, hand):
        line = r.settlements.get((hand.box, hand.number, stack.spot.bet))
        if line is None or line.result != "blackjack" or line.key in stack.done or not stack.present or stack.touched:
            continue
        due = "what is due" if line.net is None else plain(line.net)
        r.alert(
            "blackjack-not-paid",
            f"Box {hand.box} has Blackjack against {spoken(r.upcard)} and is not paid; pay {due} now.",
            Remedy("correct-payment", r.book.clause("blackjack"), says=f"Pay {due} before play goes on."),
            anchor=stack.spot.text,
            box=hand.box,
            hand=hand.number,
            evidence=(stack.spot.text, *[seen.id for seen in hand.cards]),
        )


# ---- a card to a player ---------------------------------------------------------------------------------------------


def to_player(r: "BlackjackRound", hand: Hand, seen: Seen) -> None:
    """Judge a card on a player's hand, then let it count."""
    why = r.finished(hand)
    acting = r.acting()
    if why and not (why == "subsequent-deal-wrong-box" and acting is hand):
        slip(r, why, hand, seen, f"The hand was complete at {hand.points}." if hand.total else "The hand was complete.")
        return
    passed = _between(r, acting, hand)
    code = _passed_over(r, hand, passed)
    if code:
        blocked = passed[0]
        says = f"It was the turn of box {blocked.box}{f' hand {blocked.number}' if blocked.split else ''}"
        slip(r, code, hand, seen, f"{says}{f', at {blocked.points}' if blocked.total else ''}.", passed=passed)
        return
    stands(r, passed)
    _take(r, hand, seen)


def _between(r: "BlackjackRound", acting: Hand | None, hand: Hand) -> tuple[Hand, ...]:
    """Give the unfinished hands that come before this one."""
    if acting is None or acting is hand:
        return ()
    found = []
    for one in r.all_hands():
        if one is hand:
            break
        if not r.finished(one):
            found.append(one)
    return tuple(one for one in found if not (one.box == hand.box and len(one) == 1 and _later(r, hand, one)))


def _later(r: "BlackjackRound", hand: Hand, one: Hand) -> bool:
    """Of one box's re-split hands any may come next, once the hand in play is finished."""
    hands = r.hands[hand.box]
    return one.number > hand.number and all(h is hand or h is one or len(h) == 1 or r.finished(h) for h in hands)


def blocks(r: "BlackjackRound", hand: Hand) -> bool:
    """Tell whether a hand cannot have been left: it needs a card, asked for one, or (where told) has not stood."""
    if len(hand) < 2 or hand.asked in ("hit", "double") or hand.extra:  # noqa: PLR2004
        return True
    if hand.points is None:
        return False
    return hand.points < MUST_DRAW_BELOW or r.told


def _passed_over(r: "BlackjackRound", hand: Hand, passed: tuple[Hand, ...]) -> str:
    """Name the error of leaving the hands before this one, or ""."""
    one = next((h for h in passed if blocks(r, h)), None)
    if one is None:
        return ""
    if one.box == hand.box:
        return "split-wrong-order"
    if len(one) < 2:  # noqa: PLR2004
        return "missing-card"
    if one.asked == "double" or one.extra:
        return "double-card-missing"
    if one.asked == "hit":
        return "subsequent-deal-wrong-box"
    told_only = (one.points or 0) >= MUST_DRAW_BELOW
    first = told_only and not hand.asked and len(hand) == 2 and not any(len(h) > 2 or h.stood for h in r.all_hands())  # noqa: PLR2004
    return "extra-card-to-hand" if first else "acting-box-passed-over"


def stands(r: "BlackjackRound", hands: tuple[Hand, ...]) -> None:
    """The next hand got a card: those before it stood."""
    for hand in hands:
        hand.stood = "inferred"
        r.infer(hand.box, hand.number, "stand")


def _take(r: "BlackjackRound", hand: Hand, seen: Seen) -> None:
    asked, hand.asked = hand.asked, ""
    first_two = len(hand) == 2  # noqa: PLR2004
    if hand.extra and first_two:
        decisions.doubled_by_chips(r, hand)
    elif asked == "double":
        hand.doubled = True
    unasked = r.told and not asked and not hand.doubled and len(hand) > 1 and hand.box not in r.absent
    if unasked and (hand.points or 0) >= MUST_DRAW_BELOW:
        _unrequested(r, hand, seen)
    elif hand.points == LIMIT and len(hand) > 1:
        _hard21(r, hand, seen)
    hand.add(seen)
    if hand.bust:
        settle.bust(r, hand)


def _hard21(r: "BlackjackRound", hand: Hand, seen: Seen) -> None:
    """The words of the book allow it; nobody means it (B5b)."""
    r.alert(
        "hit-on-21",
        f"Box {hand.box} takes a card on a hard 21: make sure it was asked for.",
        Remedy("continue", r.faultclause("hit-on-21"), says="Confirm the request."),
        anchor=seen.id,
        box=hand.box,
        hand=hand.number,
        evidence=(seen.id,),
        severity="advise",
    )


def _unrequested(r: "BlackjackRound", hand: Hand, seen: Seen) -> None:
    """A card at 12 or more that nobody asked for: ask; if the Player stood, it is the next card."""
    code = "hit-on-21" if hand.points == LIMIT else "card-without-request"
    name = r.alert(
        code,
        f"Box {hand.box} at {hand.points} got the {spoken(seen.card)} without asking for it.",
        r.error_remedy([(seen, SHOE)], says=f"Ask box {hand.box}; if it stood, this is the next card."),
        anchor=seen.id,
        box=hand.box,
        hand=hand.number,
        evidence=(seen.id,),
    )

    def rule(choice: str, _: int | None) -> None:
        if choice == "continue-reconstructed" and seen in hand.cards:
            hand.drop(seen)
            hand.stood = "told"
            next_card(r, seen)

    if name:
        r.inferred[hand.box, hand.number] = (r.n, "unasked")
        r.plan(name, rule)
        r.cancel(name)


# ---- a card that should not lie there -------------------------------------------------------------------------------


def slip(  # noqa: PLR0913  one slip is one thing with all its sides
    r: "BlackjackRound", code: str, hand: Hand, seen: Seen, says: str, *, passed: tuple[Hand, ...] = ()
) -> None:
    """Raise it; keep the card apart: it is the next card of the shoe (or discarded)."""
    target = next_place(r, seen)
    where = "the dealer" if hand.box == 0 else f"box {hand.box}{f' hand {hand.number}' if hand.split else ''}"
    about = passed[0] if passed and code not in ("split-wrong-order", "extra-card-to-hand") else hand
    can = code != "simultaneous-cards"
    name = r.alert(
        code,
        f"The {spoken(seen.card)} fell on {where}. {says}",
        r.error_remedy([(seen, target)], says=_what_next(seen, target), can=can),
        anchor=seen.id,
        box=about.box or None,
        hand=about.number if about.box else None,
        evidence=(seen.id,),
    )
    if not name:
        stands(r, passed)
        hand.add(seen)
        if hand.box == 0:
            dealer.after(r)
        elif hand.bust:
            settle.bust(r, hand)
        return
    plan = r.plan(name, lambda choice, box: ruled(r, choice, box))
    r.stray = Stray(name, code, seen, hand, target, plan, passed)
    initial.settled_by_book(r, name)


def _what_next(seen: Seen, target: Zone) -> str:
    if target is SHOE:
        return f"The {spoken(seen.card)} is the next card: for the next hand that draws."
    return f"The {spoken(seen.card)} belongs to {'the dealer' if target.box == 0 else target.text}."


def next_place(r: "BlackjackRound", seen: Seen) -> Zone:
    """Give the place of the next card: the acting hand if it must draw, the dealer if only he does, else not known."""
    hand = r.acting()
    if hand is not None:
        must = r.must_take(hand) and hand_zone(hand.box, hand.number) is not seen.zone
        return hand_zone(hand.box, hand.number) if must else SHOE
    return hand_zone(0) if dealer.draws(r) and seen.zone.box != 0 else SHOE


def _let_lie(r: "BlackjackRound") -> None:
    """Play went on without a ruling: an error of order lies as it lies, a card on a complete hand does not count."""
    stray, r.stray = r.stray, None
    if stray is not None and stray.hand is not None and stray.code not in FULL:
        for one in stray.passed:
            one.stood = one.stood or "inferred"
        stray.hand.add(stray.seen)
        if stray.hand.box == 0:
            dealer.after(r)
        elif stray.hand.bust:
            settle.bust(r, stray.hand)


def ruled(r: "BlackjackRound", choice: str, box: int | None) -> None:
    """Carry a ruling through."""
    del box
    stray = r.stray
    if stray is None or choice == "return-bet":
        return
    if choice != "continue-reconstructed":
        _let_lie(r)
        return
    r.stray = None
    if stray.target is SHOE:
        stray.seen.zone = SHOE
    else:
        stray.seen.zone = stray.target
        next_card(r, stray.seen)


def next_card(r: "BlackjackRound", seen: Seen) -> None:
    """A card kept apart is dealt as the next card, to the hand that must draw; else it waits in the shoe."""
    hand = r.acting()
    if hand is not None and r.must_take(hand):
        seen.zone = hand_zone(hand.box, hand.number)
        _take(r, hand, seen)
    elif hand is None and seen.zone.box == 0:
        dealer.dealt(r, seen)
    else:
        seen.zone = SHOE


def put_away(r: "BlackjackRound") -> None:
    """The card was taken off the table: that is what a discard asks for."""
    if r.stray is not None:
        r.stray.plan.waits = False
        r.stray = None


def moved(r: "BlackjackRound", seen: Seen, source: Zone) -> None:
    """A card is carried to another place: an error put right, a pair moved apart, or the next card from the shoe."""
    stray = r.stray
    to = r.hand(seen.zone.box, seen.zone.hand) if seen.zone.box is not None else None
    if stray is not None and stray.seen is seen:
        stray.plan.waits, r.stray = False, None
        _lands(r, to, seen)
        return
    if source is SHOE:
        _lands(r, to, seen)
        return
    old = r.hand(source.box, source.hand) if source.box is not None else None
    if old is None or seen not in old.cards or to is None:
        return
    if stray is not None and stray.code == "simultaneous-cards" and stray.hand is old:
        stray.plan.waits, r.stray = False, None
        old.drop(seen)
        old.add(stray.seen)
        _lands(r, to, seen)
    elif seen.zone.box == source.box and seen.zone.box:
        decisions.moved_apart(r, old, seen)
    elif to is not old:
        old.drop(seen)
        to.add(seen)


def _lands(r: "BlackjackRound", to: Hand | None, seen: Seen) -> None:
    """A card that was kept apart comes to a hand."""
    if to is None:
        return
    if seen not in r.sequence:
        r.sequence.append(seen)
    r.subsequent = True
    if to.box == 0:
        dealer.dealt(r, seen)
        return
    r.hit = True
    passed = _between(r, r.acting(), to)
    if r.finished(to):
        to_player(r, to, seen)
        return
    stands(r, tuple(one for one in passed if not blocks(r, one)))
    to.asked = to.asked or "hit"
    _take(r, to, seen)


def _no_bet(r: "BlackjackRound", seen: Seen) -> None:
    """A card in a box without a bet: the next card, or after an Interim Settlement discarded (5.10.3)."""
    target = next_place(r, seen)
    discard = not r.may_reconstruct() and r.book.reconstructs == "options"
    remedy = r.error_remedy([(seen, target)], says=_what_next(seen, target))
    if discard:
        options = ("continue", "return-bet")
        says = f"The {spoken(seen.card)} is discarded; go on with the next card of the shoe."
        remedy = Remedy("discard", r.book.clause("discard"), options, boxes=tuple(r.boxes), says=says)
    name = r.alert(
        "card-to-box-without-bet",
        f"The {spoken(seen.card)} fell on box {seen.zone.box}, which has no bet.",
        remedy,
        anchor=seen.id,
        box=seen.zone.box,
        evidence=(seen.id,),
    )
    if name:
        plan = r.plan(name, lambda choice, box: ruled(r, choice, box), waits=not discard)
        r.stray = Stray(name, "card-to-box-without-bet", seen, None, target, plan)
        initial.settled_by_book(r, name)


def simultaneous(r: "BlackjackRound", seen: Seen) -> None:
    """Two cards drawn together: the Player chooses which comes first, the dealer's are discarded (5.12)."""
    other = r.sequence[-2] if len(r.sequence) > 1 else seen
    hand = r.hand(seen.zone.box or 0, seen.zone.hand)
    if hand is None:
        dealt(r, seen)
        return
    on_dealer = hand.box == 0
    remedy = r.error_remedy([], can=False)
    both = f"the {spoken(other.card)} and the {spoken(seen.card)}"
    if r.book.reconstructs == "options":
        clause = r.book.clause("simultaneous-dealer" if on_dealer else "simultaneous")
        says = f"Discard {both} and draw another card." if on_dealer else f"Ask box {hand.box}: {both}, which first?"
        outcome, options = ("discard" if on_dealer else "options"), ("continue", "return-bet")
        remedy = Remedy(outcome, clause, options, boxes=tuple(r.boxes), says=says)
    name = r.alert(
        "simultaneous-cards",
        f"{both.capitalize()} left the shoe together; their order is not known.",
        remedy,
        anchor=seen.id,
        box=hand.box or None,
        hand=hand.number if hand.box else None,
        evidence=(other.id, seen.id),
    )
    if not name:
        dealt(r, seen)
        return
    if on_dealer and other in hand.cards:
        hand.drop(other)
    plan = r.plan(name, lambda choice, box: ruled(r, choice, box))
    r.stray = Stray(name, "simultaneous-cards", seen, hand, SHOE, plan)
    initial.settled_by_book(r, name)


def squeeze_exposed(r: "BlackjackRound", seen: Seen) -> None:
    r.alert(
        "squeeze-card-exposed",
        f"The {spoken(seen.card)} for box {seen.zone.box} was dealt face up although it may be squeezed.",
        Remedy("continue", r.faultclause("squeeze-card-exposed"), says="Go on; the result stands."),
        anchor=seen.id,
        box=seen.zone.box,
        evidence=(seen.id,),
    )


def no_insurance(r: "BlackjackRound", stack: "Stack") -> None:
    stack.rejected = True
    r.alert(
        "insurance-not-allowed",
        f"Chips lie on the insurance line of box {stack.spot.box} and the dealer shows {spoken(r.upcard)}.",
        Remedy("reject-bet", r.faultclause("insurance-not-allowed"), says="Give them back: only an Ace is insured against."),
        anchor=f"{stack.spot.text}-{r.n}",
        box=stack.spot.box,
        evidence=(stack.spot.text,),
    )
