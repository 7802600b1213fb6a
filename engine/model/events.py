"""The closed set of table events, and their one JSON shape: `decode` and `encode`."""

import json
from collections.abc import Callable, Mapping
from decimal import Decimal, DecimalException
from typing import NamedTuple

from feltwatch.engine.model.cards import CARDS, Card, CardTextError
from feltwatch.engine.model.spots import PlaceTextError, Spot, Zone, parse_spot, parse_zone

SIGNALS = frozenset(
    (
        "place-bets",
        "no-more-bets",
        "players-viewed",
        "walked-away",
        "house-way-requested",
        "squeeze-granted",
        "technical-interruption",
        "shuffled",
        "not-shuffled",
        "shoe-exhausted",
        "foreign-card",
        "ruling",
        "card-count",
        "card-dropped",
        "cards-touched",
        "cards-shown",
        "seated",
        "left-seat",
        "insurance-offered",
    )
)
CHOICES = frozenset(("continue", "continue-reconstructed", "return-bet", "void", "uphold", "dismiss"))
ACTIONS = frozenset(("hit", "stand", "double", "split", "surrender", "even-money", "insurance"))


class EventError(ValueError):
    """What came is not a table event; the text says what was expected and what was found."""


class Signal(NamedTuple):
    """A report from outside: an announcement, a request, a ruling."""

    t: float
    name: str
    box: int | None = None
    choice: str | None = None  # of a ruling
    alert: str | None = None
    code: str | None = None
    number: int | None = None  # cards counted, or cards to burn
    card: str | None = None  # id of the card it is about
    player: str | None = None  # who, where that is known
    seat: int | None = None  # from which seat


class Chips(NamedTuple):
    """What now lies on a spot. `spot` None: chips on a line or outside every spot."""

    t: float
    spot: Spot | None
    amount: Decimal | None
    by: str | None = None
    units: int | None = None
    player: str | None = None
    stacks: int | None = None  # how many stand there, where they were counted
    since: float | None = None  # when the spot was last seen otherwise
    hidden: tuple[Zone, ...] = ()  # places for cards that were hidden by then
    changed: bool = False  # as many stacks as before, and one is not as it was: more chips, fewer or others


class Dealt(NamedTuple):
    """A card came to rest that was not on the layout before."""

    t: float
    id: str
    zone: Zone
    card: Card | None
    up: bool = True
    sure: float = 1.0
    crosswise: bool = False
    order_lost: bool = False  # drawn together with the card before it
    since: float | None = None  # when its place was last seen without it: it came between then and
    rested: float | None = None  # when it lay there at the latest
    hidden: tuple[Zone, ...] = ()  # places that were hidden by then: a card may be there
    late: bool = False  # its face was not known when it fell
    found: bool = False  # it lay there already when watching began


class Turn(NamedTuple):
    """A card was turned over."""

    t: float
    id: str
    up: bool
    card: Card | None
    by: str | None = None
    sure: float = 1.0
    late: bool = False  # its face was not known when it was turned


class Move(NamedTuple):
    """A card now lies elsewhere."""

    t: float
    id: str
    zone: Zone
    by: str | None = None


class Remove(NamedTuple):
    """A card left the layout."""

    t: float
    id: str
    since: float | None = None  # when it left, if reported later


class Decision(NamedTuple):
    """A player's decision, reported from outside."""

    t: float
    box: int
    hand: int
    action: str
    amount: Decimal | None = None
    who: str = ""


class Correct(NamedTuple):
    """An earlier read was wrong, or is possible only now."""

    t: float
    id: str
    card: Card | None


class Clear(NamedTuple):
    """All cards of the round are off the layout."""

    t: float


class Tick(NamedTuple):
    """Time went by and nothing happened."""

    t: float
    hidden: tuple[Zone, ...] = ()  # hidden places


class Gap(NamedTuple):
    """No camera watched since then; what is reported at exactly its time came unseen."""

    t: float
    since: float
    lost: bool = False  # what lies now does not follow from what was known
    why: str = ""  # and how that shows

    @property
    def says(self) -> str:
        told = f"nobody watched from {self.since:.1f} s to {self.t:.1f} s"
        return f"{told}, and {self.why}" if self.why else told


Event = Signal | Chips | Dealt | Turn | Move | Remove | Decision | Correct | Clear | Tick | Gap


def _field(found: Mapping[str, object], key: str, what: str) -> object:
    if key not in found:
        raise EventError(f"a {found['event']!r} event needs {key!r} ({what}), and has none")
    return found[key]


def _text(found: Mapping[str, object], key: str, what: str) -> str:
    value = _field(found, key, what)
    if not isinstance(value, str) or not value:
        raise EventError(f"{key!r}: expected {what}, found {value!r}")
    return value


def _choice(value: object, key: str, allowed: frozenset[str] | tuple[str, ...]) -> str:
    if not isinstance(value, str) or value not in allowed:
        raise EventError(f"{key!r}: expected one of {', '.join(sorted(allowed))}; found {value!r}")
    return value


def _box(value: object, key: str = "box") -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 9:
        raise EventError(f"{key!r}: expected a box number from 1 to 9, found {value!r}")
    return value


def _optional_text(found: Mapping[str, object], key: str) -> str | None:
    value = found.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str):
        raise EventError(f"{key!r}: expected text, found {value!r}")
    return value


def _optional_box(found: Mapping[str, object], key: str) -> int | None:
    value = found.get(key)
    return None if value is None else _box(value, key)


def _count(found: Mapping[str, object], key: str) -> int | None:
    value = found.get(key)
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise EventError(f"{key!r}: expected a whole number, found {value!r}")
    return value


_MOST = Decimal(10) ** 15


def _amount(value: object, key: str = "amount") -> Decimal | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise EventError(f"{key!r}: expected a number or null, found {value!r}")
    amount = Decimal(value)
    if not 0 <= amount <= _MOST or amount != round(amount, 6):
        raise EventError(f"{key!r}: expected an amount from 0 to {_MOST:f} with at most six decimals, found {value!r}")
    return amount


def _card(value: object) -> Card | None:
    return None if value is None else Card.parse(value)


def _sure(found: Mapping[str, object]) -> float:
    value = found.get("confidence", 1)
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= 1:
        raise EventError(f"'confidence': expected a number from 0 to 1, found {value!r}")
    return float(value)


def _up(found: Mapping[str, object]) -> bool:
    face = found.get("face", "up")
    if face not in ("up", "down"):
        raise EventError(f"'face': expected up or down; found {face!r}")
    return face == "up"


def _by(found: Mapping[str, object]) -> str | None:
    value = found.get("by")
    return None if value is None else _choice(value, "by", ("player", "dealer"))


def _signal(t: float, found: Mapping[str, object]) -> Signal:
    name = _choice(_field(found, "name", "which signal"), "name", SIGNALS)
    choice = _choice(found.get("choice"), "choice", CHOICES) if name == "ruling" else None
    needs_box = name in ("players-viewed", "walked-away", "house-way-requested", "squeeze-granted")
    return Signal(
        t,
        name,
        _box(_field(found, "box", "which box")) if needs_box else _optional_box(found, "box"),
        choice,
        _optional_text(found, "alert"),
        _optional_text(found, "code"),
        _count(found, "count"),
        _optional_text(found, "id"),
        _optional_text(found, "player"),
        _optional_box(found, "seat"),
    )


def _units(value: object) -> int | None:
    if value is None:
        return None
    if not isinstance(value, list):
        raise EventError(f'\'stacks\': expected a list such as [{{"top":25,"count":4}}], found {value!r}')
    total: int | None = 0
    for stack in value:
        if not isinstance(stack, dict):
            raise EventError(f'\'stacks\': expected stacks such as {{"top":25,"count":4}}, found {stack!r}')
        count = _count(stack, "count")
        total = None if count is None or total is None else total + count
    return total


def _moment(found: Mapping[str, object], key: str) -> float | None:
    value = found.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal) or not 0 <= value <= 1e9:
        raise EventError(f"{key!r}: expected seconds from the start, found {value!r}")
    return float(value)


def _hidden(found: Mapping[str, object]) -> tuple[Zone, ...]:
    value = found.get("hidden", [])
    if not isinstance(value, list):
        raise EventError(f"'hidden': expected a list of zones such as [\"box3.cards\"], found {value!r}")
    return tuple(dict.fromkeys(parse_zone(zone) for zone in value))


def _chips(t: float, found: Mapping[str, object]) -> Chips:
    text = _field(found, "spot", "where the chips lie")
    if text is not None and not isinstance(text, str):
        raise EventError(f"'spot': expected a spot such as box3.main, found {text!r}")
    spot = None if text is None or text == "outside" else parse_spot(text)
    amount = _amount(_field(found, "amount", "the amount now there, or null"))
    stacks = found.get("stacks")
    units, standing = _units(stacks), len(stacks) if isinstance(stacks, list) else None
    player, since = _optional_text(found, "player"), _moment(found, "since")
    changed = bool(found.get("changed", False))
    return Chips(t, spot, amount, _by(found), units, player, standing, since, _hidden(found), changed)


def _dealt(t: float, found: Mapping[str, object]) -> Dealt:
    zone = parse_zone(_field(found, "zone", "where the card lies"), found.get("hand"))
    card = found.get("card")
    return Dealt(
        t,
        _text(found, "id", "the card's id"),
        zone,
        None if card is None else CARDS.get(card) or Card.parse(card) if isinstance(card, str) else Card.parse(card),
        found.get("face", "up") == "up" or _up(found),
        1.0 if "confidence" not in found else _sure(found),
        bool(found.get("crosswise", False)),
        bool(found.get("together", False)),
        _moment(found, "since"),
        _moment(found, "rested"),
        _hidden(found),
        found=bool(found.get("found", False)),
    )


def _decision(t: float, found: Mapping[str, object]) -> Decision:
    hand = found.get("hand", 1)
    if not isinstance(hand, int) or isinstance(hand, bool) or not 1 <= hand <= 4:
        raise EventError(f"'hand': expected a hand from 1 to 4, found {hand!r}")
    action = _choice(_field(found, "action", "what was decided"), "action", ACTIONS)
    box = _box(_field(found, "box", "which box"))
    return Decision(t, box, hand, action, _amount(found.get("amount")), _optional_text(found, "player") or "")


def _turn(t: float, found: Mapping[str, object]) -> Turn:
    name = _text(found, "id", "the card's id")
    return Turn(t, name, _up(found), _card(found.get("card")), _by(found), _sure(found))


def _move(t: float, found: Mapping[str, object]) -> Move:
    name = _text(found, "id", "the card's id")
    return Move(t, name, parse_zone(_field(found, "zone", "where the card lies"), found.get("hand")), _by(found))


def _correct(t: float, found: Mapping[str, object]) -> Correct:
    name = _text(found, "id", "the card's id")
    return Correct(t, name, _card(_field(found, "card", "the card's face, or null")))


def _gap(t: float, found: Mapping[str, object]) -> Gap:
    _field(found, "since", "since when nobody watched")
    since, lost = _moment(found, "since"), found.get("lost", False)
    if since is None or since > t:
        raise EventError(f"'since': expected a time before {t:g}, found {found['since']!r}")
    if not isinstance(lost, bool):
        raise EventError(f"'lost': expected true or false, found {lost!r}")
    return Gap(t, since, lost, _optional_text(found, "why") or "")


PARSERS: Mapping[str, Callable[[float, Mapping[str, object]], Event]] = {
    "signal": _signal,
    "chips": _chips,
    "card": _dealt,
    "turn": _turn,
    "move": _move,
    "remove": lambda t, found: Remove(t, _text(found, "id", "the card's id"), _moment(found, "since")),
    "decision": _decision,
    "correct": _correct,
    "clear": lambda t, _: Clear(t),
    "tick": lambda t, found: Tick(t, _hidden(found)),
    "gap": _gap,
}


def parse(found: object) -> Event:
    """Make an event of a JSON object whose decimals were kept exact (`parse_float=Decimal`).

    >>> parse({"t": 1, "event": "remove", "id": "c1"})
    Remove(t=1.0, id='c1', since=None)
    """
    if not isinstance(found, dict):
        raise EventError(f'expected a JSON object such as {{"t":0,"event":"clear"}}, found {str(found)[:40]}')
    t = found.get("t")
    if isinstance(t, bool) or not isinstance(t, int | Decimal) or not 0 <= t <= 1e9:
        raise EventError(f"'t': expected seconds from the start, found {t!r}")
    kind = found.get("event")
    parser = PARSERS.get(kind) if isinstance(kind, str) else None
    if parser is None:
        raise EventError(f"unknown event {kind!r}: expected one of {', '.join(PARSERS)}")
    try:
        return parser(float(t), found)
    except (CardTextError, PlaceTextError) as error:
        raise EventError(str(error)) from error


# ---- JSON -----------------------------------------------------------------------------------------------------------


def _constant(text: str) -> object:
    raise ValueError(f"{text} is no JSON number")


_DECODER = json.JSONDecoder(parse_float=Decimal, parse_constant=_constant)
_ENCODER = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False, check_circular=False)


def decode(raw: bytes) -> Event:
    """Make an event of one line of JSON; whatever is wrong with the line is an EventError."""
    return parse(decode_json(raw))


def decode_json(raw: bytes) -> object:
    """Decode JSON, its decimals kept exact; whatever is wrong with it is an EventError."""
    try:
        return _DECODER.decode(raw.decode("utf-8").rstrip("\r\n"))
    except json.JSONDecodeError as error:
        raise EventError(f"not JSON: {error.msg} at column {error.colno}") from error
    except UnicodeDecodeError as error:
        raise EventError(f"not UTF-8 text: byte {error.start + 1} of the line") from error
    except (ValueError, DecimalException, RecursionError) as error:
        raise EventError(f"not an event: {str(error).partition(';')[0]}") from error


def encode(event: Event) -> str:
    """Give an event as one line of JSON, its amounts exact; `decode` makes the same event of it again.

    >>> encode(Remove(1.5, "c1"))
    '{"t":1.5,"event":"remove","id":"c1"}'
    """
    return "{" + ",".join(f'"{key}":{_encoded(value)}' for key, value in to_dict(event).items()) + "}"


def _encoded(value: object) -> str:
    return f"{value:f}" if isinstance(value, Decimal) else _ENCODER.encode(value)


def to_dict(event: Event) -> dict[str, object]:
    """Give an event as a JSON object has it: what is unknown or usual is left out."""
    kind, items = _WRITERS[type(event)](event)
    return {"t": event.t, "event": kind} | items


def _exact(amount: Decimal | None) -> Decimal | int | None:
    """Give an amount without zeros that say nothing."""
    if amount is None:
        return None
    return int(amount) if amount == int(amount) else amount.normalize()


def _known(**items: object) -> dict[str, object]:
    """Leave out what is unknown or not so."""
    return {key: value for key, value in items.items() if value is not None and value is not False and value != ""}


def _zones(zones: tuple[Zone, ...]) -> dict[str, object]:
    return {"hidden": [zone.text for zone in zones]} if zones else {}


def _place(zone: Zone) -> dict[str, object]:
    """Say which hand of a box a zone is of."""
    return {"hand": zone.hand} if zone.box and zone.part == "cards" else {}


def _side(card: Card | None, *, up: bool) -> dict[str, object]:
    return {"card": None if card is None else card.text, "face": "up" if up else "down"}


def _confidence(sure: float) -> float | None:
    return None if sure == 1.0 else sure


def _write_signal(event: Signal) -> dict[str, object]:
    about = {"alert": event.alert, "code": event.code, "count": event.number, "id": event.card}
    return _known(name=event.name, box=event.box, choice=event.choice, **about, player=event.player, seat=event.seat)


def _write_chips(event: Chips) -> dict[str, object]:
    found: dict[str, object] = {"spot": "outside" if event.spot is None else event.spot.text}
    found["amount"] = _exact(event.amount)
    if event.stacks is not None:  # of the chips in each no more is known than how many they are in all
        counts = [event.units, *[None if event.units is None else 0] * (event.stacks - 1)]
        found["stacks"] = [{"top": None, "count": count} for count in counts[: event.stacks]]
    found |= _known(changed=event.changed or None, by=event.by, player=event.player, since=event.since)
    return found | _zones(event.hidden)


def _write_dealt(event: Dealt) -> dict[str, object]:
    found = {"id": event.id, "zone": event.zone.text, **_side(event.card, up=event.up), **_place(event.zone)}
    how = _known(crosswise=event.crosswise, together=event.order_lost, confidence=_confidence(event.sure))
    when = _known(rested=event.rested, found=event.found, since=event.since)
    return found | how | when | _zones(event.hidden)


def _write_decision(event: Decision) -> dict[str, object]:
    found: dict[str, object] = {"box": event.box, "hand": event.hand, "action": event.action}
    return found | _known(amount=_exact(event.amount), player=event.who)


_WRITERS: Mapping[type, Callable[..., tuple[str, dict[str, object]]]] = {
    Signal: lambda one: ("signal", _write_signal(one)),
    Chips: lambda one: ("chips", _write_chips(one)),
    Dealt: lambda one: ("card", _write_dealt(one)),
    Turn: lambda one: (
        "turn",
        {"id": one.id, **_side(one.card, up=one.up), **_known(by=one.by, confidence=_confidence(one.sure))},
    ),
    Move: lambda one: ("move", {"id": one.id, "zone": one.zone.text, **_place(one.zone), **_known(by=one.by)}),
    Remove: lambda one: ("remove", {"id": one.id, **_known(since=one.since)}),
    Decision: lambda one: ("decision", _write_decision(one)),
    Correct: lambda one: ("correct", {"id": one.id, "card": None if one.card is None else one.card.text}),
    Clear: lambda _: ("clear", {}),
    Tick: lambda one: ("tick", _zones(one.hidden)),
    Gap: lambda one: ("gap", {"since": one.since, **_known(lost=one.lost, why=one.why)}),
}
