"""How a dealing error is put right by each blackjack book."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from feltwatch.engine.model.cards import spoken
from feltwatch.engine.model.spots import SHOE, Zone, hand_zone
from feltwatch.engine.model.verdicts import CardMove, Remedy
from feltwatch.engine.round.base import CardSeen

if TYPE_CHECKING:
    from feltwatch.engine.blackjack.state import BlackjackState

Targets = Sequence[tuple[CardSeen, Zone]]
Hands = dict[str, tuple[str | None, ...]]


def error_remedy(r: "BlackjackState", targets: Targets, *, says: str = "", can: bool = True) -> Remedy:
    """Reconstruct and offer the options (5.7, 5.9); Version 4 only reconstructs; the live game cancels (errors-2)."""
    book, can = r.book, can and r.may_reconstruct()
    if book.reconstructs == "void":
        if r.switches.live_error == "cancel":
            return Remedy("void", "errors-2", says="The round is cancelled, the deck reshuffled, every bet returned.")
        return Remedy("options", "errors-2", ("continue", "void"), says="The operator decides.")
    hands = resulting_hands(r, targets) if can else {}
    moves = r.moves(targets) if can else ()
    says = says or _said(targets if can else ())
    if book.reconstructs == "reconstruct" and r.switches.v4_fallback == "supervisor":
        return _version4(r, hands if can else None, moves, says)
    ask = asked_again(r, targets) if can else ()
    boxes = tuple(r.boxes)
    if r.switches.options_scope == "affected":
        touched = {seen.zone.box for seen, _ in targets} | {zone.box for _, zone in targets}
        boxes = tuple(box for box in r.boxes if box in touched)
    if can:
        options = ("continue-reconstructed", "return-bet")
        return Remedy("reconstruct", book.clauses.get("reconstruct", ""), options, hands, moves, ask, boxes, says)
    if r.may_reconstruct():
        return Remedy("options", book.clause("options"), ("continue", "return-bet"), boxes=boxes, says=says)
    note = "A settlement has taken place: the cards stay as they lie unless the House decides otherwise."
    return Remedy("options", book.clause("no-reconstruct"), ("continue", "return-bet"), boxes=boxes, says=note)


def _said(targets: Targets) -> str:
    """Say the moves as one would to a dealer."""
    moves = [f"the {spoken(seen.card)} to {spoken_zone(zone)}" for seen, zone in targets if seen.zone != zone]
    return f"Move {', '.join(moves)}." if moves else ""


def spoken_zone(zone: Zone) -> str:
    """Say where a card goes."""
    if zone.box is None:
        return "the next hand that draws" if zone.part == "shoe" else zone.part
    hand = f" hand {zone.hand}" if zone.hand > 1 else ""
    return f"box {zone.box}{hand}" if zone.box else "the dealer"


def _version4(r: "BlackjackState", hands: Hands | None, moves: tuple[CardMove, ...], says: str) -> Remedy:
    """Put the cards right and go on; if that cannot be and play has not gone on, the round is void (5.1.2)."""
    clause = r.book.clause("reconstruct")
    if hands is not None:
        return Remedy("reconstruct", clause, (), hands, moves, says=says or "Put the cards right and go on.")
    if r.settling or r.subsequent:
        return Remedy("options", clause, ("continue", "void"), says="The book does not say; the supervisor decides.")
    return Remedy("void", clause, says="The cards cannot be put right: the round is void.")


def resulting_hands(r: "BlackjackState", targets: Targets) -> Hands:
    """Give every hand that a reconstruction touches, as it then is."""
    where = {seen.id: zone for seen, zone in targets}
    found: dict[str, list[CardSeen]] = {}
    lying = {hand_zone(h.box, h.number).text: h.cards for h in (*r.all_hands(), r.dealer)}
    touched = {zone.text for _, zone in targets} | {seen.zone.text for seen, _ in targets}
    for name, cards in lying.items():
        if name in touched:
            found[name] = [one for one in cards if one.id not in where or where[one.id].text == name]
    for seen, zone in targets:
        cards = found.setdefault(zone.text, [])
        if seen not in cards:
            cards.append(seen)
    return {
        zone: tuple(one.card.text if one.card else None for one in sorted(cards, key=lambda one: one.n))
        for zone, cards in found.items()
        if zone != "discard" and (cards or zone.startswith(("box", "dealer")))
    }


def asked_again(r: "BlackjackState", targets: Targets) -> tuple[str, ...]:
    """Name the hands whose decision was made on a wrong card."""
    found = []
    zones = {zone.text for _, zone in targets} | {seen.zone.text for seen, _ in targets}
    for hand in r.all_hands():
        zone = hand_zone(hand.box, hand.number).text
        if zone in zones and (hand.stood or hand.asked or hand.doubled or hand.surrendered):
            found.append(f"box {hand.box} hand {hand.number}")
    return tuple(found)


def assignment(r: "BlackjackState") -> list[tuple[CardSeen, Zone]]:
    """Lay the sequence of cards over the slots of the Initial Deal; what is left over is the next card."""
    slots = [hand_zone(box) for box in r.order]
    return [(seen, slots[index] if index < len(slots) else SHOE) for index, seen in enumerate(r.sequence)]


def settled_by_book(r: "BlackjackState", name: str) -> None:
    """Where the book itself voids the round for the error, it is void."""
    remedy = r.alerts[name].remedy
    if remedy.outcome == "void" and not remedy.options and not r.only_seen:
        r.plans.pop(name, None)
        r.void_round(r.alerts[name].says)
