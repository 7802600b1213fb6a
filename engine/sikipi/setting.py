"""Low Hand and High Hand: set by the Player or the House Way, and left alone afterwards (3.5, 3.17 to 3.21)."""

from typing import TYPE_CHECKING

from feltwatch.engine.model.verdicts import Remedy
from feltwatch.engine.sikipi.hand import FourCards
from feltwatch.engine.sikipi.house_way import agrees, house_way
from feltwatch.engine.sikipi.ranking import Part, strength

if TYPE_CHECKING:
    from feltwatch.engine.model.cards import Card
    from feltwatch.engine.model.events import Signal
    from feltwatch.engine.sikipi.state import SikipiState

SUPERVISED = ("continue", "return-bet")


def lies(r: "SikipiState", hand: FourCards, by: str | None) -> None:
    """A card of a hand has changed its place: take note of the two parts once both are there."""
    if hand.placed is not None and hand.box:
        if by == "player" and not r.revealed:
            _touched(r, hand)
        if hand.touched or (r.revealed and not r.by_house(hand.box)):
            return  # the set stands as it was placed
    lying = hand.lying()
    if lying is None:
        return
    first = hand.placed is None
    hand.placed = lying
    if first and hand.box and not r.revealed:
        r.sets(hand)
    if not r.void:
        r.known(hand)


def house_parts(r: "SikipiState", cards: "list[Card]") -> tuple[Part, Part]:
    return house_way(cards, r.switches.two_pairs, r.switches.nine_or_ace)


def due_parts(r: "SikipiState", hand: FourCards, cards: "list[Card]") -> tuple[Part, Part] | None:
    """Give the parts a hand is compared by, None while they are not known."""
    if r.by_house(hand.box):
        return house_parts(r, cards)
    parts = hand.parts()
    if parts is not None and strength(parts[1]) < strength(parts[0]):
        return parts[1], parts[0]  # 1.8: the higher part is the High Hand
    return parts


def judge(r: "SikipiState", hand: FourCards, cards: "list[Card]") -> None:
    """Look whether four known cards are set as they have to be."""
    parts = hand.parts()
    if parts is None:
        return
    if not r.by_house(hand.box):
        if strength(parts[1]) < strength(parts[0]):
            _foul(r, hand, parts)
    else:
        due = house_parts(r, cards)
        if not agrees(*parts, due):
            _wrong_house_way(r, hand, parts, due)


def _hands(hand: FourCards, parts: tuple[Part, Part]) -> dict[str, tuple[str | None, ...]]:
    where = f"box{hand.box}" if hand.box else "dealer"
    return {
        f"{where}.{name}": tuple(card.text for card in part) for name, part in zip(("low", "high"), parts, strict=True)
    }


def _told(parts: tuple[Part, Part]) -> str:
    low, high = (",".join(card.rank for card in part) for part in parts)
    return f"Low {low} and High {high}"


def _wrong_house_way(r: "SikipiState", hand: FourCards, parts: tuple[Part, Part], due: tuple[Part, Part]) -> None:
    topic = "house-way" if hand.box == 0 else "absent" if hand.box in r.absent else "house-way-asked"
    clause = r.book.clause(topic)
    r.alert(
        "wrong-house-way",
        f"The hand of {hand.name} is set as {_told(parts)}; the House Way is {_told(due)}.",
        Remedy("continue", clause, hands=_hands(hand, due), says=f"Reset it to {_told(due)} before it is compared."),
        anchor=f"box{hand.box}",
        box=hand.box or None,
        evidence=tuple(seen.id for seen in hand.cards),
        clause=clause,
    )


def _foul(r: "SikipiState", hand: FourCards, parts: tuple[Part, Part]) -> None:
    """S-11: the higher part counts as the High Hand, or the supervisor decides."""
    relabel = r.switches.foul_hand == "relabel"
    clause = r.faultclause("foul-hand")
    hands = _hands(hand, (parts[1], parts[0]))
    says = f"It counts as {_told((parts[1], parts[0]))}."
    if relabel:
        remedy = Remedy("continue", clause, hands=hands, says=says)
    else:
        remedy = Remedy(
            "options", r.book.clause("ruling"), SUPERVISED, hands, boxes=(hand.box,), says=f"Going on, {says}"
        )
    name = r.alert(
        "foul-hand",
        f"Box {hand.box} has set {_told(parts)}: the High Hand is below the Low Hand.",
        remedy,
        anchor=f"box{hand.box}",
        box=hand.box,
        evidence=tuple(seen.id for seen in hand.cards),
    )
    if name and not relabel:
        r.waits(name, hand)


# ---- reports from outside -------------------------------------------------------------------------------------------


def _touched(r: "SikipiState", hand: FourCards) -> None:
    hand.touched = True
    r.alert(
        "cards-touched-after-set",
        f"The cards of box {hand.box} were handled again after both parts had been placed.",
        Remedy("continue", r.faultclause("cards-touched-after-set"), says="Warn the Player; the set stands as placed."),
        anchor=f"box{hand.box}",
        box=hand.box,
        evidence=tuple(seen.id for seen in hand.cards),
    )


def handled(r: "SikipiState", hand: FourCards, event: "Signal") -> None:
    """A hand reached over the cards of a box: its own Player's after the set, or another's."""
    stands = event.player is not None and event.player.startswith("standing")
    if event.seat in (None, hand.box) and not stands:
        if hand.placed is not None and not r.revealed:
            _touched(r, hand)
        return
    who = f"The Player of seat {event.seat}" if event.seat else "A Standing Player"
    r.alert(
        "other-player-handles-cards",
        f"{who} reached over the cards of box {hand.box}.",
        Remedy("continue", r.faultclause("other-player-handles-cards"), says="Warn him; only its own Player decides."),
        anchor=f"box{hand.box}-{event.seat or event.player}",
        box=hand.box,
    )


def shown(r: "SikipiState", hand: FourCards) -> None:
    r.alert(
        "card-shown-to-other",
        f"Cards of box {hand.box} were turned toward another Player.",
        Remedy("continue", r.faultclause("card-shown-to-other"), says="Advise the Player; the round goes on."),
        anchor=f"box{hand.box}",
        box=hand.box,
    )


def viewed(r: "SikipiState", hand: FourCards, player: str | None) -> None:
    """A Player looks at his cards; no Player may examine two hands (3.11, 5.13)."""
    first = r.examiners.setdefault(player, hand.box) if player is not None else hand.box
    if first != hand.box:
        name = r.alert(
            "additional-hand-examined",
            f"Player {player} has looked at the cards of box {hand.box} after those of box {first}.",
            Remedy(
                "options",
                r.book.clause("extra-hand"),
                ("uphold", "dismiss"),
                boxes=(hand.box,),
                says=f"If he meant to, box {hand.box} is out and its bets go back; box {first} stands.",
            ),
            anchor=f"box{hand.box}",
            box=hand.box,
        )
        if name:
            r.waits(name, hand, lost="extra-hand")
    r.looks(hand)
