"""How a dealing error is put right by each blackjack book."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.round import Seen
from engine.spots import Zone, hand_zone
from engine.verdicts import Remedy

if TYPE_CHECKING:
    from engine.blackjack.round import BlackjackRound

Targets = Sequence[tuple[Seen, Zone]]


def error_remedy(r: "BlackjackRound", targets: Targets, *, says: str = "", can: bool = True) -> Remedy:
    """Reconstruct and offer the options (5.7, 5.9); Version 4 only reconstructs; the live game cancels (errors-2)."""
    book, can = r.book, can and r.may_reconstruct()
    if book.reconstructs == "void":
        if r.switches.live_error == "cancel":
            return Remedy("void", "errors-2", says="The round is cancelled, the deck reshuffled, every bet returned.")
        return Remedy("options", "errors-2", ("continue", "void"), says="The operator decides.")
    hands = resulting_hands(r, targets) if can else {}
    moves = r.moves(targets) if can else ()
    if book.reconstructs == "reconstruct" and r.switches.v4_fallback == "supervisor":
        return _version4(r, can, hands, moves, says)
    ask = asked_again(r, targets) if can else ()
    boxes = tuple(r.boxes)
    if r.switches.options_scope == "affected":
        touched = {seen.zone.box for seen, _ in targets} | {zone.box for _, zone in targets}
        boxes = tuple(box for box in r.boxes if box in touched)
    if can:
        options = ("continue-reconstructed", "return-bet")
        return Remedy("reconstruct", book.clauses.get("reconstruct", ""), options, hands, moves, ask, boxes, says)
    clause = book.clause("options") if r.may_reconstruct() else book.clause("no-reconstruct")
    note = says or "A settlement has taken place: the cards stay as they lie unless the House decides otherwise."
    return Remedy("options", clause, ("continue", "return-bet"), boxes=boxes, says=note)


def _version4(r: "BlackjackRound", can: bool, hands: dict[str, tuple[str | None, ...]], moves: object, says: str) -> Remedy:  # noqa: FBT001
    clause = r.book.clause("reconstruct")
    if can:
        return Remedy("reconstruct", clause, (), hands, moves, says=says or "Put the cards right and go on.")  # type: ignore[arg-type]
    if r.interim or r.subsequent:
        return Remedy("options", clause, ("continue", "void"), says="The book does not say; the supervisor decides.")
    return Remedy("void", clause, says="The cards cannot be put right: the round is void.")


def resulting_hands(r: "BlackjackRound", targets: Targets) -> dict[str, tuple[str | None, ...]]:
    """Give every hand that a reconstruction touches, as it then is."""
    where = {seen.id: zone for seen, zone in targets}
    found: dict[str, list[Seen]] = {}
    lying = {hand_zone(h.box, h.number).text: h.cards for h in (*r.all_hands(), r.dealer)}
    touched = {zone.text for _, zone in targets} | {seen.zone.text for seen, _ in targets}
    for zone, cards in lying.items():
        if zone in touched:
            found[zone] = [one for one in cards if one.id not in where or where[one.id].text == zone]
    for seen, zone in targets:
        cards = found.setdefault(zone.text, [])
        if seen not in cards:
            cards.append(seen)
    return {
        zone: tuple(one.card.text if one.card else None for one in sorted(cards, key=lambda one: one.n))
        for zone, cards in found.items()
        if zone != "discard" and (cards or zone.startswith(("box", "dealer")))
    }


def asked_again(r: "BlackjackRound", targets: Targets) -> tuple[str, ...]:
    """Name the hands whose decision was made on a wrong card."""
    found = []
    zones = {zone.text for _, zone in targets} | {seen.zone.text for seen, _ in targets}
    for hand in r.all_hands():
        zone = hand_zone(hand.box, hand.number).text
        if zone in zones and (hand.stood or hand.asked or hand.doubled or hand.surrendered):
            found.append(f"box {hand.box} hand {hand.number}")
    return tuple(found)
