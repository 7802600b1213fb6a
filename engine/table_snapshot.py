"""A snapshot of a table between two rounds, as JSON values: all that later rounds depend on."""

from collections.abc import Mapping
from decimal import Decimal

from feltwatch.engine.books import Book
from feltwatch.engine.model.cards import Card
from feltwatch.engine.model.events import Gap
from feltwatch.engine.model.shoe import Shoe
from feltwatch.engine.model.spots import ZONES, parse_spot
from feltwatch.engine.table import Table


def taken(table: Table) -> dict[str, object]:
    """Take a snapshot of a table on which no round is being played; it holds nothing of the last round."""
    shoe = table.shoe.copy()
    if table.last is not None and table.last.round.only_seen and not table.heard:
        shoe.shuffled(0)  # as the next round would begin
    return {
        "round": table.number,
        "events": table.events,
        "heard": table.heard,
        "blind": table.blind,
        "after": None if table.after is None else [table.after.t, table.after.since],
        "stale": {name: zone.text for name, zone in table.stale.items()},
        "lying": {
            name: [None if amount is None else str(amount), left] for name, (_, amount, left) in table.lying.items()
        },
        "seats": {player: sorted(boxes) for player, boxes in table.seats.items()},
        "shoe": {
            "copies": {card.text: copies for card, copies in shoe.copies.items()},
            "opening": [card and card.text for card in shoe.opening],
            "before": [card and card.text for card in shoe.before],
            "burn": shoe.burn,
        },
    }


def restored(book: Book, found: Mapping[str, object]) -> Table:
    """Give the table of a snapshot. Raises KeyError, TypeError or ValueError where it is no snapshot of ours."""
    table = Table(book)
    table.number, table.events = _whole(found["round"]), _whole(found["events"])
    table.heard, table.blind = bool(found["heard"]), bool(found["blind"])
    if found.get("after") is not None:
        t, since = _list(found["after"])
        table.after = Gap(float(str(t)), float(str(since)))
    table.stale = {name: ZONES[str(zone)] for name, zone in _mapping(found["stale"]).items()}
    for name, (amount, left) in _pairs(found["lying"]):
        table.lying[name] = (parse_spot(name), None if amount is None else Decimal(str(amount)), bool(left))
    table.seats = {player: set(_list(boxes)) for player, boxes in _mapping(found["seats"]).items()}  # type: ignore[arg-type]  # numbers
    shoe = _mapping(found["shoe"])
    copies = {Card.parse(card): _whole(many) for card, many in _mapping(shoe["copies"]).items()}
    opening, before = ([card and Card.parse(card) for card in _list(shoe[name])] for name in ("opening", "before"))
    table.shoe = Shoe(copies, opening, tuple(before), _whole(shoe["burn"]))  # type: ignore[arg-type]  # cards, or none
    return table


def _whole(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"expected a whole number, found {value!r}")
    return value


def _list(value: object) -> list[object]:
    if not isinstance(value, list):
        raise TypeError(f"expected a list, found {value!r}")
    return value


def _mapping(value: object) -> Mapping[str, object]:
    if not isinstance(value, dict):
        raise TypeError(f"expected an object, found {value!r}")
    return value


def _pairs(value: object) -> list[tuple[str, tuple[object, object]]]:
    found = []
    for name, pair in _mapping(value).items():
        one, other = _list(pair)
        found.append((name, (one, other)))
    return found
