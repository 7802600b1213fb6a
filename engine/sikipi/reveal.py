"""Cards turned up before the reveal, and the reveal itself (3.21, 5.5.2, 5.6 to 5.9, S-13)."""

from typing import TYPE_CHECKING

from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.round.phase import Trigger
from feltwatch.engine.sikipi import deal_checks
from feltwatch.engine.sikipi.deal_checks import AS_THEY_LIE
from feltwatch.engine.sikipi.deal_order import DealOrder
from feltwatch.engine.sikipi.hand import FOUR, FourCards

if TYPE_CHECKING:
    from feltwatch.engine.round.base import CardSeen
    from feltwatch.engine.sikipi.state import SikipiState

TWO = 2  # exposed cards from which 5.5.2, 5.7 and 5.8 speak


def turned_up(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    """A card is turned up that was face down, before the dealer has revealed his hand."""
    if hand.box == 0:
        if may_reveal(r):
            reveal(r)
        elif seen.turned_by != "player" and not unread(r, seen):
            _dealer_exposed(r, seen)
    elif (r.dealer.all_up() or _unseen(r, seen)) and may_reveal(r):
        reveal(r)
    elif r.plays(hand):
        _of_box(r, seen, hand)


def dealt_up(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    """A card is dealt face up: that is the dealer's doing."""
    if unread(r, seen):
        return
    if hand.box == 0:
        _dealer_exposed(r, seen)
    elif r.plays(hand):
        _box_exposed(r, seen, hand)


def may_reveal(r: "SikipiState") -> bool:
    """The dealer turns his cards once a Player has set his hand, or all have looked and the deal is complete."""
    if r.any_set or (r.only_seen and (r.complete() or _as_good_as_dealt(r) or _begins_to_set(r))):
        return True  # whether a Player has looked is reported, or unknown
    return r.over() and all(hand.viewed or hand.lifted or r.by_house(hand.box) for hand in r.playing())


def _as_good_as_dealt(r: "SikipiState") -> bool:
    """Tell whether a deal with miscounted backs may be over."""
    hands = (*r.playing(), r.dealer)
    return r.deal.order is DealOrder.LOOSE and all(len(hand.cards) >= FOUR - 1 for hand in hands)


def _begins_to_set(r: "SikipiState") -> bool:
    """Tell whether a Player has parted his cards, however many of them are seen."""
    return any(hand.parted() for hand in r.playing())


def _unseen(r: "SikipiState", seen: "CardSeen") -> bool:
    """Tell whether the dealer has shown his hand, and no camera read it: he turns what was set."""
    hands = r.playing()
    return r.only_seen and seen.turned_by == "dealer" and all(hand.placed is not None for hand in hands)


def unread(r: "SikipiState", seen: "CardSeen") -> bool:
    """Tell whether a camera alone takes a card for one that lies face up, and reads no face then: it may be a back."""
    return r.only_seen and (seen.card is None or seen.late)


def reveal(r: "SikipiState") -> None:
    """The dealer shows his hand: four cards each should lie there, set as they are to be compared."""
    r.change_phase(Trigger.DEALER_REVEALS)
    deal_checks.count(r, late=True)
    if r.void:
        return
    for hand in r.playing():
        hand.placed = hand.placed or hand.lying()  # dealt where Low and High Hand belong, and left there
        if hand.placed is not None or (r.only_seen and hand.parted()):
            continue  # it is set, as far as a camera sees cards that lie on each other
        if hand.box in r.asked:
            _unset(r, hand, "house-way-late", "asked for the House Way and is not set", "Set it during the settlement.")
        elif hand.box not in r.absent:
            says = "Ask the Player to set it; the House Way only at his request."
            _unset(r, hand, "hand-not-set", "has not placed its Low and High Hand", says)


def _unset(r: "SikipiState", hand: FourCards, code: str, what: str, says: str) -> None:
    r.alert(
        code,
        f"The dealer reveals his hand and box {hand.box} {what}.",
        Remedy("continue", r.faultclause(code), says=says),
        anchor=f"box{hand.box}",
        box=hand.box,
        evidence=tuple(seen.id for seen in hand.cards),
    )


# ---- exposed cards --------------------------------------------------------------------------------------------------


def _dealer_exposed(r: "SikipiState", seen: "CardSeen") -> None:
    """One card: options; two or more: void, unless a Player has seen his cards already."""
    hand = r.dealer
    hand.exposed.add(seen.id)
    many = len(hand.exposed)
    if many == 1:
        boxes = tuple(one.box for one in r.playing())
        says = "The dealer has exposed a card of his own hand."
        remedy = Remedy("options", r.book.clause("options"), AS_THEY_LIE, boxes=boxes, says="Ask the Players.")
        _exposed(r, "dealer-cards-exposed", says, hand, remedy, "stop")
    elif many == TWO:
        says = "The dealer has exposed two cards of his own hand"
        if r.looked() or any(one.lifted for one in r.playing()):
            _exposed(r, "dealer-cards-exposed", f"{says} after a Player had seen his.", hand, _play_on(r), "advise")
            return
        remedy = Remedy("void", r.book.clause("exposed"), says="The round is void.")
        if _exposed(r, "dealer-cards-exposed", f"{says}, and no Player has seen his.", hand, remedy, "void"):
            r.void_round(f"{says}.")


def _of_box(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    """A card of a box is turned up: what follows depends on whose doing it was."""
    if unread(r, seen):
        return
    if seen.turned_by == "dealer":
        if not (r.by_house(hand.box) and r.over()):  # he looks at what he has to set
            _box_exposed(r, seen, hand)
    elif seen.turned_by == "player":
        _own_exposed(r, seen, hand)
    else:
        r.shows(hand)


def _box_exposed(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    """5.6 for one card, 5.7 for two or more, 5.8 if a Player has seen his cards."""
    looked = r.looked(but=hand)
    hand.exposed.add(seen.id)
    many = len(hand.exposed)
    boxes = (hand.box,) if r.switches.options_scope == "affected" else tuple(one.box for one in r.playing())
    if many <= TWO:
        what = "a card" if many == 1 else "two cards"
        says = f"The dealer has exposed {what} of box {hand.box}."
        clause = r.book.clause("options" if many == 1 else "options-player")
        remedy = Remedy("options", clause, AS_THEY_LIE, boxes=boxes, says="Ask the Player.")
        if many == TWO and looked:
            _exposed(r, "player-cards-exposed-by-dealer", says, hand, _play_on(r), "advise")
        else:
            _exposed(r, "player-cards-exposed-by-dealer", says, hand, remedy, "stop")
    r.shows(hand)


def _play_on(r: "SikipiState") -> Remedy:
    return Remedy("continue", r.book.clause("continue-seen"), says="A Player has seen his cards: the round goes on.")


def _exposed(r: "SikipiState", code: str, says: str, hand: FourCards, remedy: Remedy, severity: str) -> str:
    many = len(hand.exposed)
    name = f"r{r.number}-{code}-box{hand.box}"
    found = r.alert(
        code,
        says,
        remedy,
        anchor=f"box{hand.box}" if many == 1 else f"box{hand.box}-two",
        box=hand.box or None,
        evidence=tuple(seen.id for seen in hand.cards if seen.id in hand.exposed),
        severity=severity,
        clause=remedy.clause,
        replaces=name if many > 1 else "",
    )
    if found and remedy.options:
        r.plan(found, waits=False)  # play going on says what was chosen
    return found


def _own_exposed(r: "SikipiState", seen: "CardSeen", hand: FourCards) -> None:
    """5.9: a Player may show his own cards."""
    r.alert(
        "player-exposed-own-cards",
        f"The Player of box {hand.box} has turned up a card of his own hand.",
        Remedy("continue", r.book.clause("continue-own"), says="The round goes on."),
        anchor=f"box{hand.box}",
        box=hand.box,
        evidence=(seen.id,),
    )
    r.looks(hand)
