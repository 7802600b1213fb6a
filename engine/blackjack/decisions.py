"""Players' decisions: told from outside, or inferred from chips and cards; a later fact corrects an inference."""

from decimal import Decimal
from typing import TYPE_CHECKING

from engine.blackjack import settle
from engine.blackjack.hands import LIMIT, MUST_DRAW_BELOW, Hand
from engine.money import plain
from engine.spots import MAX_HANDS, hand_zone
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.bets import Stack
    from engine.blackjack.round import BlackjackRound
    from engine.events import Decision
    from engine.round import Seen


def told(r: "BlackjackRound", event: "Decision") -> None:
    """Take a decision that was told."""
    if event.action == "insurance":
        _insures(r, event)
        return
    hand = r.hand(event.box, event.hand)
    if hand is None or hand.box == 0 or hand.invalid:
        return
    TOLD[event.action](r, hand, event)


def _hit(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    del event
    if not r.finished(hand):
        hand.asked = "hit"


def _stand(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    del event
    short = hand.points is not None and hand.points < MUST_DRAW_BELOW and len(hand) > 1 and not hand.doubled
    if short and "player-under-12-not-drawn" in r.book.faults:
        r.alert(
            "player-under-12-not-drawn",
            f"Box {hand.box} would stand on {hand.points}; it must draw until it has {MUST_DRAW_BELOW}.",
            r.error_remedy([], says=f"The next card is box {hand.box}'s."),
            anchor=f"box{hand.box}-hand{hand.number}-{len(hand)}",
            box=hand.box,
            hand=hand.number,
            evidence=tuple(seen.id for seen in hand.cards),
        )
        return
    hand.asked = ""
    hand.stood = "told"


def _double(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    hand.asked = "double" if may_double(r, hand) else "bad-double"
    text = r.seat(hand.box).spot.text
    base, extra = r.wagers.get((text, hand.number), (None, None))
    if hand.extra:
        extra, hand.extra = hand.extra, None
    elif not extra:
        extra = base if event.amount is None else event.amount
        r.told_extra.add((text, hand.number))
    if hand.asked == "double":
        r.wagers[text, hand.number] = (base, _fit(r, hand, extra, base))
    elif (text, hand.number) not in r.told_extra:
        _not_allowed(r, hand, "double-not-allowed")


def _fit(r: "BlackjackRound", hand: Hand, extra: Decimal | None, base: Decimal | None) -> Decimal | None:
    """A double is at most the Initial Bet (live: just it); what is above is given back."""
    if extra is None or base is None:
        return extra
    exact = r.book.id == "live-blackjack"
    if extra <= base and not (exact and extra != base):
        return extra
    r.alert(
        "double-bet-wrong-amount",
        f"Box {hand.box} doubles with {plain(extra)} on {plain(base)}.",
        Remedy(
            "correct-payment",
            r.faultclause("double-bet-wrong-amount"),
            says=f"Make it {plain(base)} before the card; afterwards only {plain(base)} plays.",
        ),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=(r.seat(hand.box).spot.text,),
    )
    return min(extra, base)


def may_double(r: "BlackjackRound", hand: Hand) -> bool:
    """First two cards, also of a split hand; not on split Aces, Blackjack or Soft 21 (3.22)."""
    if len(hand) != 2 or hand.natural or hand.soft21 or hand.aces or hand.doubled:  # noqa: PLR2004
        return False
    return not (hand.split and r.book.id == "live-blackjack" and r.switches.live_das == "false")


def _split(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    code = split_error(r, hand)
    if code:
        hand.asked = f"bad-split {code}"
        if hand.extra:
            hand.extra = None
            _not_allowed(r, hand, code)
        return
    paid, hand.extra = hand.extra, None
    new = part(r, hand, hand.cards[1])
    if paid is not None:
        split_paid(r, new, paid)
    elif event.amount is not None:
        split_paid(r, new, event.amount)
        r.told_extra.add((r.seat(hand.box).spot.text, new.number))
    else:
        r.split_wait = (new, event.t)


def split_error(r: "BlackjackRound", hand: Hand) -> str:
    """Name what forbids a split of this hand, or ""."""
    if len(hand) != 2:  # noqa: PLR2004
        return "split-not-identical-value"
    pair = hand.pair(unlike_tens=r.switches.split_unlike_tens == "true")
    if pair is False:
        return "split-not-identical-value"
    if hand.aces:
        return "split-aces-resplit"
    return "split-too-many-hands" if len(r.hands[hand.box]) >= min(r.book.max_hands, MAX_HANDS) else ""


def part(r: "BlackjackRound", hand: Hand, seen: "Seen", number: int = 0) -> Hand:
    """Move one card of a pair to a hand of its own."""
    hands = r.hands[hand.box]
    free = number if number and all(h.number != number for h in hands) else max(h.number for h in hands) + 1
    new = Hand(hand.box, free, split=True)
    one = seen.card
    hand.split = True
    hand.aces = new.aces = one is not None and one.rank == "A"
    hand.drop(seen)
    new.add(seen)
    seen.zone = hand_zone(hand.box, free)
    hands.insert(hands.index(hand) + 1, new)
    seat = r.seat(hand.box)
    r.wagers[seat.spot.text, free] = (r.wagers[seat.spot.text, hand.number][0], None)
    hand.asked = hand.stood = ""
    return new


def split_paid(r: "BlackjackRound", hand: Hand, delta: Decimal | None) -> None:
    """The second stack of a split: equal to the first."""
    r.split_wait = None
    text = r.seat(hand.box).spot.text
    base = r.wagers.get((text, hand.number), (None, None))[0]
    if delta is None or base is None or delta == base:
        return
    r.alert(
        "split-bet-wrong-amount",
        f"Box {hand.box} splits with {plain(delta)} beside {plain(base)}.",
        Remedy(
            "correct-payment",
            r.faultclause("split-bet-wrong-amount"),
            says=f"Make it {plain(base)} before the next card.",
        ),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=(text,),
    )


def split_unpaid(r: "BlackjackRound") -> None:
    """Cards parted and no second stack: without a bet it is no split (3.21)."""
    if r.split_wait is None:
        return
    hand, _ = r.split_wait
    r.split_wait = None
    r.alert(
        "split-bet-missing",
        f"Box {hand.box} was split and no second bet lies there.",
        Remedy("options", r.faultclause("split-bet-missing"), says="Ask for the bet; without it there is no split."),
        anchor=f"box{hand.box}-hand{hand.number}",
        box=hand.box,
        hand=hand.number,
        evidence=tuple(seen.id for seen in hand.cards),
    )


def _surrender(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    del event
    if r.hit or r.dealer_shown:
        r.alert(
            "surrender-too-late",
            f"Box {hand.box} would surrender after a card beyond the second was dealt.",
            Remedy("continue", r.faultclause("surrender-too-late"), says="Refuse it; the hand plays on."),
            anchor=f"box{hand.box}",
            box=hand.box,
            hand=hand.number,
        )
    elif r.playing and may_surrender(r, hand):
        surrender(r, hand, inferred=False)
    else:
        hand.asked = "surrender"


def may_surrender(r: "BlackjackRound", hand: Hand) -> bool:
    """Not against an Ace (live: nor a ten), not after a split, on two cards (3.16)."""
    if hand.split or len(hand) != 2 or r.upcard_is_ace or r.dealer_shown:  # noqa: PLR2004
        return False
    return not (r.book.id == "live-blackjack" and r.switches.live_surrender == "2-9" and r.upcard_is_ten)


def surrender(r: "BlackjackRound", hand: Hand, *, inferred: bool) -> None:
    hand.surrendered = True
    hand.asked = ""
    if inferred:
        r.infer(hand.box, hand.number, "surrender")
    settle.surrendered(r, hand)


def _even(r: "BlackjackRound", hand: Hand, event: "Decision") -> None:
    if not (hand.natural and r.upcard_is_ace) or r.book.id == "live-blackjack":
        hand.asked = "even-money"
    elif r.hit:
        r.alert(
            "even-money-too-late",
            f"Box {hand.box} asks for even money after a third card was dealt.",
            Remedy("continue", r.faultclause("even-money-too-late"), says="Wait for the dealer's second card."),
            anchor=r.seat(hand.box).spot.text,
            box=hand.box,
            hand=hand.number,
        )
    else:
        stack = next((s for s in settle.betting(r, hand) if s.spot.who == event.who), None) or r.seat(hand.box)
        even_money(r, stack, hand, inferred=False)


def even_money(r: "BlackjackRound", stack: "Stack", hand: Hand, *, inferred: bool) -> None:
    r.even.add(stack.spot.text)
    if inferred:
        r.infer(hand.box, hand.number, "even-money")
    settle.even_money(r, stack, hand)


def _insures(r: "BlackjackRound", event: "Decision") -> None:
    """Insurance told: half the Initial Bet unless an amount is told, or chips are seen."""
    seat = r.stacks.get(f"box{event.box}.main{f'/{event.who}' if event.who else ''}")
    r.offered = True
    if seat is None or seat.stake is None or not r.upcard_is_ace or r.hit or r.dealer_shown:
        return
    text = f"box{event.box}.insurance{f'/{event.who}' if event.who else ''}"
    r.told_insurance.add(text)
    stack = r.stack(text)
    if not stack.at_close:
        stack.at_close, stack.stake = True, seat.stake / 2 if event.amount is None else event.amount


TOLD = {
    "hit": _hit,
    "stand": _stand,
    "double": _double,
    "split": _split,
    "surrender": _surrender,
    "even-money": _even,
}


# ---- inferred -------------------------------------------------------------------------------------------------------


def chips_added(r: "BlackjackRound", hand: Hand, delta: Decimal | None) -> bool:
    """A second stack came to a box: a double or a split, told or about to show."""
    text = r.seat(hand.box).spot.text
    base, extra = r.wagers.get((text, hand.number), (None, None))
    if hand.asked.startswith("bad-split"):
        code, hand.asked = hand.asked.split()[1], ""
        _not_allowed(r, hand, code)
        return True
    if hand.asked == "double" or (text, hand.number) in r.told_extra:
        if delta is not None and (text, hand.number) in r.told_extra:
            r.told_extra.discard((text, hand.number))
            if not hand.split or hand.asked == "double" or hand.doubled:
                r.wagers[text, hand.number] = (base, _fit(r, hand, delta, base))
        return True
    if (text, _newest(r, hand)) in r.told_extra:  # the chips of a split whose amount was told
        r.told_extra.discard((text, _newest(r, hand)))
        return True
    if extra and hand.doubled:
        return False
    if len(hand) > 1 and not may_double(r, hand) and not _may_split(r, hand):
        _not_allowed(r, hand, _forbidden(r, hand))
        return True
    if len(hand) == 2 and _absurd_double(r, hand):  # noqa: PLR2004
        _not_allowed(r, hand, "split-too-many-hands")
        return True
    hand.extra = (hand.extra or 0) + (delta if delta is not None else base or Decimal(1))
    if len(hand) == 2 and not _may_split(r, hand):  # noqa: PLR2004
        hand.extra = _fit(r, hand, hand.extra, base)
    elif base is not None and hand.extra > base:
        hand.extra = _fit(r, hand, hand.extra, base)
    return True


def _newest(r: "BlackjackRound", hand: Hand) -> int:
    return max(h.number for h in r.hands[hand.box])


def _may_split(r: "BlackjackRound", hand: Hand) -> bool:
    return len(hand) == 2 and not split_error(r, hand)  # noqa: PLR2004


def _forbidden(r: "BlackjackRound", hand: Hand) -> str:
    return "split-aces-resplit" if hand.aces and len(hand) == 2 and hand.pair() else "double-not-allowed"  # noqa: PLR2004


def _absurd_double(r: "BlackjackRound", hand: Hand) -> bool:
    """A second stack on a hard pair of 12 or more means a split, also where no hand may be added."""
    if split_error(r, hand) != "split-too-many-hands":
        return False
    return hand.points is not None and MUST_DRAW_BELOW <= hand.points < LIMIT


SAYS = {
    "split-not-identical-value": "splits two cards of different value",
    "split-aces-resplit": "splits Aces a second time",
    "split-too-many-hands": "splits into more hands than the book allows",
    "double-not-allowed": "puts a second bet on a hand that may not be doubled",
}


def _not_allowed(r: "BlackjackRound", hand: Hand, code: str) -> None:
    what = "split" if code.startswith("split") else "double"
    name = r.alert(
        code,
        f"Box {hand.box} {SAYS[code]}" + (f" ({hand.points})." if hand.points is not None else "."),
        Remedy("reject-bet", r.faultclause(code), says=f"Undo the {what} and give the second bet back."),
        anchor=f"box{hand.box}-hand{hand.number}-{len(hand)}",
        box=hand.box,
        hand=hand.number,
        evidence=tuple(seen.id for seen in hand.cards),
    )
    if name:
        r.cancel(name)


def doubled_by_chips(r: "BlackjackRound", hand: Hand) -> None:
    """A second stack, then one card: a double."""
    text = r.seat(hand.box).spot.text
    base = r.wagers[text, hand.number][0]
    r.wagers[text, hand.number] = (base, _fit(r, hand, hand.extra, base))
    hand.doubled, hand.extra = True, None
    r.infer(hand.box, hand.number, "double")


def crosswise(r: "BlackjackRound", hand: Hand) -> None:
    """A card laid crosswise marks a double whose chips could not be counted."""
    seat = r.seat(hand.box)
    if hand.extra or not may_double(r, hand) or seat.now is not None:
        return
    hand.doubled = True
    r.infer(hand.box, hand.number, "double")


def moved_apart(r: "BlackjackRound", old: Hand, seen: "Seen") -> None:
    """A card of a pair was moved to a place of its own: a split, unless it was already told."""
    number = seen.zone.hand
    known = next((h for h in r.hands[old.box] if h.number == number), None)
    if known is not None and known is not old:
        _swap(old, known, seen)
        return
    if known is old or len(old) != 2:  # noqa: PLR2004
        return
    code = split_error(r, old)
    if code:
        old.extra = None
        old.asked = ""
        _not_allowed(r, old, code)
        return
    paid, old.extra = old.extra, None
    new = part(r, old, seen, number)
    r.infer(old.box, old.number, "split")
    if paid is None:
        r.split_wait = (new, r.t)
    else:
        split_paid(r, new, paid)


def _swap(old: Hand, known: Hand, seen: "Seen") -> None:
    """The split was told, and the other card of the pair is the one that moved."""
    if len(old) == 1 and len(known) == 1:
        other = known.cards[0]
        old.drop(seen)
        known.drop(other)
        known.add(seen)
        old.add(other)
    elif seen in old.cards:
        old.drop(seen)
        known.add(seen)


def split_unseen(r: "BlackjackRound", hand: Hand, number: int) -> Hand:
    """A card falls on a second hand nobody saw being made: a pair with a second stack was split."""
    pairs = [h for h in r.hands[hand.box] if h.extra and _may_split(r, h)]
    if not pairs:
        return hand
    paid, pairs[0].extra = pairs[0].extra, None
    new = part(r, pairs[0], pairs[0].cards[1], number)
    r.infer(hand.box, pairs[0].number, "split")
    split_paid(r, new, paid)
    return new
