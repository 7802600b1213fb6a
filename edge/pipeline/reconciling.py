"""What lies on a table when somebody watches it again, held against what lay there before: what changed unseen.

A watcher that begins anew finds cards and chips, and calls the cards by names of its own. The reconciler says which of
them are those that lay before, tells the rest as what came unseen, and from then on gives each card the name it always
had. Where what lies does not follow from what lay, it says so: then the round is lost, not guessed.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from feltwatch.edge.pipeline.table_state import Course, Event, Lay
from feltwatch.engine.model.cards import CARDS, spoken
from feltwatch.engine.model.spots import ZONES

LEAST_S: Final = 0.5  # chips are told a moment after the cards
FACES_S: Final = 2.0  # so long what is not found, or not read, may still be
HANDS_S: Final = 3.5  # and where a hand lies over the place
AGAIN_S: Final = 15.0  # after so long another round may lie there that looks alike,
SAME: Final = 2  # unless so many faces lie where they lay
BEGUN: Final = "cards lie there of a round that nobody saw begin"
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Pair:
    """A card that lay there before, and as what it is found."""

    name: str
    found: str
    read: bool  # its face says so


@dataclass(frozen=True, slots=True)
class Match:
    pairs: tuple[Pair, ...]
    gone: tuple[str, ...]  # names of before
    new: tuple[str, ...]  # names of now


class Reconciler:
    """Holds back what a new watcher tells until it is clear what it found; then names cards as before."""

    def __init__(self, course: Course, since: float) -> None:
        self.course = course
        self.since = since  # nobody watched from then on
        self.begun = 0.0
        self.held: list[Event] = []
        self.names: dict[str, str] = {}
        self.trusted: dict[str, str] = {}  # ours: faces of cards that were known by their place alone
        self.done = False
        self.started = False

    def take(self, t: float, events: Sequence[Event], hidden: Collection[str] = ()) -> list[Event]:
        """Take what was told of a frame; give what is to be told of it now. `hidden` are zones that nobody sees."""
        if self.done:
            return [told for event in events for told in self._named(event)]
        if not self.started:
            self.started, self.begun = True, t
        self.held += events
        lay = self._lay()
        match = self._match(lay)
        if not self._ready(t, match, lay, hidden):
            return []
        self.done = True
        why = self._lost(match, lay)
        told = self._goes_on(match, lay) if why is None else self._is_lost(why, lay)
        if why is None and self._is_over(match):
            told = self._over(match, lay)
        rest = [event for event in self.held if not self._is_of_now(event, lay)]
        return told + [one for event in rest for one in self._named(event)]

    # ---- what lies there ------------------------------------------------------------------------------------------

    def _lay(self) -> dict[str, Lay]:
        """Give the cards that lay there when watching began again, as far as is known by now."""
        found: dict[str, Lay] = {}
        for event in self.held:
            name = str(event.get("id"))
            if event["event"] == "card" and (event.get("found") or self._is_old(event)):
                face = event.get("card")
                found[name] = Lay(str(event["zone"]), None if face is None else str(face), event.get("face") != "down")
            elif event["event"] == "correct" and name in found:
                found[name] = replace(found[name], face=None if event["card"] is None else str(event["card"]))
        return found

    def _match(self, lay: dict[str, Lay]) -> Match:
        """Say which of the cards lay there before; a back that came and is gone at once was a sleeve."""
        match = matched(self.course.cards, lay)
        gone = {str(event["id"]) for event in self.held if event["event"] == "remove"} & set(match.new)
        gone = {name for name in gone if not lay[name].up and all(card.up for card in self.course.cards.values())}
        for name in gone:
            del lay[name]
        self.held = [event for event in self.held if str(event.get("id")) not in gone]
        return matched(self.course.cards, lay) if gone else match

    def _is_old(self, event: Event) -> bool:
        """Tell whether it may have been as it is when watching began again."""
        return "since" in event and float(str(event["since"])) <= self.begun

    def _is_of_now(self, event: Event, lay: Mapping[str, Lay]) -> bool:
        """Tell whether an event only says what lay there."""
        if event["event"] in ("card", "correct"):
            return str(event["id"]) in lay
        if event["event"] == "chips":
            return event is self._chips().get(_spot(event))
        return event["event"] == "tick"

    def _chips(self) -> dict[str, Event]:
        """Give the chips that stood there."""
        found: dict[str, Event] = {}
        for event in self.held:
            if event["event"] == "chips" and self._is_old(event):
                found.setdefault(_spot(event), event)
        return found

    def _ready(self, t: float, match: Match, lay: Mapping[str, Lay], hidden: Collection[str]) -> bool:
        waited = t - self.begun
        cards = self.course.cards
        if any(cards[name].zone in hidden for name in match.gone):
            return waited >= HANDS_S
        chips = {spot: _stacks(event) for spot, event in self._chips().items()}
        known = {spot: _stacks(event) for spot, event in self.course.chips.items()}
        unread = any(lay[name].face is None for name in match.new)
        unread = unread or any(cards[pair.name].face and lay[pair.found].face is None for pair in match.pairs)
        settled = not (match.gone or unread) and all(chips.get(spot) == known[spot] for spot in known)
        return waited >= (LEAST_S if settled else FACES_S)

    # ---- what follows ---------------------------------------------------------------------------------------------

    def _lost(self, match: Match, lay: Mapping[str, Lay]) -> str | None:
        """Say why what lies does not follow from what lay; None where it does."""
        course, new = self.course, [name for name in match.new if _counts(lay[name])]
        gone = [name for name in match.gone if _counts(course.cards[name]) and not self._is_done(course.cards[name])]
        if not course.judges or course.table.blind:
            return "what lay there was not known before" if lay else None
        if course.table.life is None or self._is_over(match):
            return BEGUN if new and course.table.life is None else None
        known = sum(_counts(card) for card in course.cards.values())
        all_ = len(gone) == known > 1
        same = sum(pair.read for pair in match.pairs)
        again = self.begun - self.since > AGAIN_S and same < SAME and bool(new or match.pairs)
        reasons = {
            "all cards are gone" if all_ else f"{_number(len(gone), 'is', 'are')} gone": bool(gone),
            "a card that came cannot be read": any(lay[name].up and lay[name].face is None for name in new),
            "it may be another round that lies there": again or (self._is_closed() and not known),
        }
        return next((why for why, holds in reasons.items() if holds), None)

    def _is_closed(self) -> bool:
        """Tell whether no more bets were to come, and yet others lie there, or it was long ago."""
        life = self.course.table.life
        late = self.begun - self.since > AGAIN_S or bool(self._changed_chips())
        return late and life is not None and life.round.closed

    def _is_done(self, card: Lay) -> bool:
        """Tell whether a card decided nothing any more when it was last seen: it may be taken up."""
        life, zone = self.course.table.life, ZONES.get(card.zone)
        return life is None or (zone is not None and zone.box is not None and life.round.done(zone))

    def _goes_on(self, match: Match, lay: Mapping[str, Lay]) -> list[Event]:
        """Tell what changed, as of a gap in which nobody watched."""
        known, told = self.course.cards, [self._gap()]
        told += self._changed_chips()
        for pair in match.pairs:
            self.names[pair.found] = pair.name
            before, now = known[pair.name], lay[pair.found]
            if before.face is None and now.face is not None and before.up:
                told.insert(0, {"t": self.begun, "event": "correct", "id": pair.name, "card": now.face})
            elif before.face is not None and not pair.read:
                self.trusted[pair.name] = before.face
            if now.zone != before.zone:
                told.append({"t": self.begun, "event": "move", "id": pair.name, "zone": now.zone})
            if now.up and not before.up:
                told.append({"t": self.begun, "event": "turn", "id": pair.name, "face": "up", "card": now.face})
        told += [{"t": self.begun, "event": "remove", "id": name, "since": self.since} for name in match.gone]
        came = {"t": self.begun, "since": self.since, "rested": self.begun}
        told += [_but(event, "found", "together", "hidden") | came for event in self._found(match.new, lay)]
        if (self.course.table.blind or not self.course.judges) and not lay:
            told.append({"t": self.begun, "event": "clear"})
        return told

    def _is_over(self, match: Match) -> bool:
        """Tell whether a round that was decided was taken up: of its cards none lies there any more."""
        cards = [name for name, card in self.course.cards.items() if _counts(card)]
        return (
            self.course.table.life is not None
            and bool(cards)
            and all(name in match.gone and self._is_done(self.course.cards[name]) for name in cards)
        )

    def _over(self, match: Match, lay: Mapping[str, Lay]) -> list[Event]:
        """Tell that a decided round was taken up; one that was begun since nobody saw begin."""
        taken = [{"t": self.begun, "event": "remove", "id": name, "since": self.since} for name in match.gone]
        clear = {"t": self.begun, "event": "clear"}
        rest = self._is_lost(BEGUN, lay) if any(_counts(lay[name]) for name in match.new) else self._changed_chips()
        return [self._gap(), *taken, clear, *rest]

    def _is_lost(self, why: str, lay: Mapping[str, Lay]) -> list[Event]:
        """Tell what lies there as it is found; of the round before nothing more is known."""
        told = [self._gap() | {"lost": True, "why": why}]
        told += [event | {"t": self.begun, "found": True} for event in self._found(lay, lay)]
        clear: list[Event] = [] if lay else [{"t": self.begun, "event": "clear"}]  # then what stands there is the next
        return [*told, *clear, *self._changed_chips()]

    def _found(self, names: Collection[str], lay: Mapping[str, Lay]) -> list[Event]:
        """Give what was told of these cards, with the faces that are known by now."""
        cards = [event for event in self.held if event["event"] == "card" and event["id"] in names]
        return [event | {"card": lay[str(event["id"])].face} for event in cards]

    def _gap(self) -> Event:
        return {"t": self.begun, "event": "gap", "since": self.since}

    def _changed_chips(self) -> list[Event]:
        """Tell where other chips stand than before, or none; by whose hand nobody saw."""
        now, known = self._chips(), self.course.chips
        others = [event for spot, event in now.items() if _stacks(event) != _stacks(known.get(spot))]
        unseen = {"t": self.begun, "since": self.since}
        told = [_but(event, "by", "hidden") | unseen for event in others if event["amount"] != 0]
        gone = [spot for spot in known if spot not in now or now[spot]["amount"] == 0]
        return [{"t": self.begun, "event": "chips", "spot": spot, "amount": 0} | unseen for spot in gone] + told

    # ---- from then on ---------------------------------------------------------------------------------------------

    def _named(self, event: Event) -> list[Event]:
        """Give an event with the name its card had before; nothing is told to have come before the gap."""
        name = self.names.get(str(event.get("id")))
        found = event if name is None else event | {"id": name}
        if "since" in found and float(str(found["since"])) < self.since:
            found = found | {"since": self.since}
        face = self.trusted.get(name or "")
        if face is None or event["event"] not in ("correct", "turn") or event["card"] in (None, face):
            return [found]
        self.trusted.clear()
        why = f"the {spoken(CARDS[face])} is no longer there"
        return [{"t": event["t"], "event": "gap", "since": self.since, "lost": True, "why": why}]


# ---- matching -------------------------------------------------------------------------------------------------------


def matched(before: Mapping[str, Lay], now: Mapping[str, Lay]) -> Match:
    """Say which card is which: by place and face, by place, or by face alone where a card was moved."""
    left, found = dict(before), dict(now)
    pairs: list[Pair] = []
    for alike in ALIKE:
        for name, card in [*left.items()]:
            if alike is _parted and card.zone not in [before[pair.name].zone for pair in pairs]:
                continue  # its fellow stays
            other = next((one for one, lies in found.items() if alike(card, lies)), None)
            if other is not None:
                read = card.face is not None and card.face == found[other].face
                pairs.append(Pair(name, other, read))
                del left[name], found[other]
    return Match(tuple(pairs), tuple(left), tuple(found))


def _in_place(card: Lay, other: Lay) -> bool:
    return card.zone == other.zone and card.up == other.up and card.face == other.face


def _unread(card: Lay, other: Lay) -> bool:
    return card.zone == other.zone and card.up == other.up and None in (card.face, other.face)


def _turned(card: Lay, other: Lay) -> bool:
    return card.zone == other.zone and not card.up and other.up


def _parted(card: Lay, other: Lay) -> bool:
    """One of a pair was moved to a place of its own; any other card may be a new one that looks the same."""
    apart = other.zone.removeprefix(f"{card.zone.removesuffix('cards')}hand")
    return card.up and other.up and card.face is not None and card.face == other.face and apart.isdigit()


def _set(card: Lay, other: Lay) -> bool:
    """A card of a hand that lay face down was laid elsewhere in that hand."""
    return not card.up and _box(card) is not None and _box(card) == _box(other)


ALIKE: Final = (_in_place, _unread, _turned, _parted, _set)


def _box(card: Lay) -> int | None:
    place = ZONES.get(card.zone)
    return None if place is None else place.box


def _counts(card: Lay) -> bool:
    """Tell whether a card lies in somebody's hand."""
    return _box(card) is not None


def _but(event: Event, *names: str) -> Event:
    return {name: value for name, value in event.items() if name not in names}


def _spot(event: Event) -> str:
    return str(event.get("spot") or "outside")


def _stacks(event: Event | None) -> object:
    """Give what is known of the chips on a spot: how much, or how many stacks."""
    if event is None:
        return None
    stacks = event.get("stacks")
    if event["amount"] is not None or not isinstance(stacks, list):
        return event["amount"] if event["amount"] is not None else "some"
    return f"{len(stacks)} stacks"


def _number(count: int, one: str = "", many: str = "") -> str:
    """Say how many cards.

    >>> _number(3, "is", "are"), _number(1, "is", "are")
    ('three cards are', 'a card is')
    """
    said = "a card" if count == 1 else f"{NUMBERS[count] if count < len(NUMBERS) else count} cards"
    return f"{said} {one if count == 1 else many}".rstrip()
