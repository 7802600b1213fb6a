"""Goes on after a restart: what lies on the table now, compared with what lay there before.

A watcher that begins with a restart finds cards and chips, and gives the cards new names. The reconciler finds which of
them are those that lay before, reports the rest as changes during the outage, and from then on gives each card the name
it always had. Where the scene does not follow from the one before, it reports the round as lost and guesses nothing.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from math import inf
from typing import Final

from feltwatch.edge.pipeline.scene_diff import RESTARTED, SceneAfterOutage, id_of, match, scene_of
from feltwatch.edge.pipeline.table_state import SceneCard, TableState
from feltwatch.engine.model.cards import Card, spoken
from feltwatch.engine.model.events import Chips, Clear, Correct, Dealt, Event, Gap, Move, Remove, Turn
from feltwatch.engine.model.money import ZERO
from feltwatch.engine.model.spots import Zone

LEAST_S: Final = 0.5  # chips are reported a moment after the cards
FACES_S: Final = 2.0  # so long what is not found, or not read, may still be
HANDS_S: Final = 3.5  # and where a hand lies over the place
AGAIN_S: Final = 15.0  # after so long another round may lie there that looks alike,
SAME: Final = 2  # unless so many faces lie where they lay
BEGUN: Final = "the cards are of a round whose start was not seen"
NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")


@dataclass(frozen=True, slots=True)
class Match:
    """Which card is which."""

    scene: SceneAfterOutage
    pairs: dict[str, str]  # names of before, by those of now
    gone: tuple[str, ...]  # names of before
    new: tuple[str, ...]  # names of now


class Reconciler:
    """Holds back the events of a new watcher until it is clear what it found; then names cards as before."""

    def __init__(self, state: TableState, since: float) -> None:
        self.state = state
        self.since = since  # unwatched from then on
        self.begun: float | None = None
        self.held: list[Event] = []
        self.names: dict[str, str] = {}
        self.trusted: dict[str, Card] = {}  # by our names: faces of cards that were known by their place alone
        self.is_done = False

    def take(self, t: float, events: Iterable[Event], hidden: Collection[Zone] = ()) -> list[Event]:
        """Take the events of a frame; give those to be reported now. `hidden` are zones that cannot be seen."""
        if self.is_done:
            return [self._named(event) for event in events]
        if self.begun is None:
            self.begun = t
        self.held += events
        found = self._match()
        if not self._is_ready(t - self.begun, found, hidden):
            return []
        self.is_done = True
        why = self._lost(found)
        if why is not None:
            reported = self._lose(why, found.scene)
        elif self._is_over(found):
            reported = self._end(found)
        else:
            reported = self._go_on(found)
        return reported + [self._named(event) for event in found.scene.since]

    # ---- what lies there ------------------------------------------------------------------------------------------

    @property
    def _t(self) -> float:
        assert self.begun is not None  # noqa: S101  set by the first frame
        return self.begun

    def _match(self) -> Match:
        """Find which of the cards lay there before; a back that came and is gone at once was a sleeve."""
        before, scene = self.state.cards, scene_of(self.held, self._t)
        pairs = match(before, scene.cards, RESTARTED)
        gone = {event.id for event in self.held if isinstance(event, Remove)}
        sleeves = {name for name in gone & (scene.cards.keys() - pairs.keys()) if not scene.cards[name].up}
        if sleeves and all(card.up for card in before.values()):
            self.held = [event for event in self.held if id_of(event) not in sleeves]
            scene = scene.without(sleeves)
        left = tuple(name for name in before if name not in pairs.values())
        return Match(scene, pairs, left, tuple(name for name in scene.cards if name not in pairs))

    def _is_ready(self, waited: float, found: Match, hidden: Collection[Zone]) -> bool:
        before, now = self.state.cards, found.scene.cards
        if any(before[name].zone in hidden for name in found.gone):
            return waited >= HANDS_S
        chips = {spot: _amount(event) for spot, event in found.scene.chips.items()}
        known = {spot: _amount(event) for spot, event in self.state.chips.items()}
        unread = any(now[name].face is None for name in found.new)
        unread = unread or any(before[was].face and now[name].face is None for name, was in found.pairs.items())
        settled = not (found.gone or unread) and all(chips.get(spot) == known[spot] for spot in known)
        return waited >= (LEAST_S if settled else FACES_S)

    # ---- what follows ---------------------------------------------------------------------------------------------

    def _lost(self, found: Match) -> str | None:
        """Say why the scene does not follow from the one before; None where it does."""
        state, now = self.state, found.scene.cards
        new = [name for name in found.new if _counts(now[name])]
        gone = [name for name in found.gone if _counts(state.cards[name]) and not self._is_done(state.cards[name])]
        if not state.judges or state.table.blind:
            return "what lay there was not known before" if now else None
        if state.table.life is None or self._is_over(found):
            return BEGUN if new and state.table.life is None else None
        known = sum(_counts(card) for card in state.cards.values())
        all_ = len(gone) == known > 1
        same = sum(self._is_read(found, name) for name in found.pairs)
        again = self._t - self.since > AGAIN_S and same < SAME and bool(new or found.pairs)
        reasons = {
            "all cards are gone" if all_ else f"{_number(len(gone), 'is', 'are')} gone": bool(gone),
            "a card that came cannot be read": any(now[name].up and now[name].face is None for name in new),
            "it may be another round that lies there": again or (self._is_closed(found.scene) and not known),
        }
        return next((why for why, holds in reasons.items() if holds), None)

    def _is_read(self, found: Match, name: str) -> bool:
        """True if its face says that a card is the one that lay there."""
        face = found.scene.cards[name].face
        return face is not None and face is self.state.cards[found.pairs[name]].face

    def _is_closed(self, scene: SceneAfterOutage) -> bool:
        """True if no more bets were to come, and yet others lie there, or it was long ago."""
        life = self.state.table.life
        late = self._t - self.since > AGAIN_S or bool(self._changed_chips(scene))
        return late and life is not None and life.round.closed

    def _is_done(self, card: SceneCard) -> bool:
        """True if a card decided nothing any more when it was last seen: it may be taken up."""
        life = self.state.table.life
        return life is None or (card.zone.box is not None and life.round.done(card.zone))

    def _go_on(self, found: Match) -> list[Event]:
        """Report what changed, as of a gap in watching."""
        known, scene, t = self.state.cards, found.scene, self._t
        reported: list[Event] = [Gap(t, self.since), *self._changed_chips(scene)]
        for name, was in found.pairs.items():
            self.names[name] = was
            before, now = known[was], scene.cards[name]
            if before.face is None and now.face is not None and before.up:
                reported.insert(0, Correct(t, was, now.face))
            elif before.face is not None and not self._is_read(found, name):
                self.trusted[was] = before.face
            if now.zone != before.zone:
                reported.append(Move(t, was, now.zone))
            if now.up and not before.up:
                reported.append(Turn(t, was, up=True, card=now.face))
        reported += [Remove(t, was, self.since) for was in found.gone]
        came = (one for name, one in _arrivals(scene).items() if name in found.new)
        reported += [
            one._replace(t=t, since=self.since, rested=t, found=False, order_lost=False, hidden=()) for one in came
        ]
        if (self.state.table.blind or not self.state.judges) and not scene.cards:
            reported.append(Clear(t))
        return reported

    def _is_over(self, found: Match) -> bool:
        """True if a decided round was taken up: of its cards none lies there any more."""
        cards = {name: card for name, card in self.state.cards.items() if _counts(card)}
        taken = all(name in found.gone and self._is_done(card) for name, card in cards.items())
        return self.state.table.life is not None and bool(cards) and taken

    def _end(self, found: Match) -> list[Event]:
        """Report that a decided round was taken up; the start of a round that began since then was not seen."""
        t, scene = self._t, found.scene
        taken = [Remove(t, name, self.since) for name in found.gone]
        begun = any(_counts(scene.cards[name]) for name in found.new)
        rest = self._lose(BEGUN, scene) if begun else self._changed_chips(scene)
        return [Gap(t, self.since), *taken, Clear(t), *rest]

    def _lose(self, why: str, scene: SceneAfterOutage) -> list[Event]:
        """Report what lies there as it is found; of the round before nothing more is known."""
        t = self._t
        cards = [one._replace(t=t, found=True) for one in _arrivals(scene).values()]
        clear = [] if cards else [Clear(t)]  # then the chips that lie there are of the next round
        return [Gap(t, self.since, lost=True, why=why), *cards, *clear, *self._changed_chips(scene)]

    def _changed_chips(self, scene: SceneAfterOutage) -> list[Event]:
        """Report where other chips are than before, or none; whose hand moved them was not seen."""
        t, now, known = self._t, scene.chips, self.state.chips
        gone = [event for spot, event in known.items() if spot not in now or now[spot].amount == 0]
        others = [one for spot, one in now.items() if one.amount != 0 and _amount(one) != _amount(known.get(spot))]
        return [
            *(Chips(t, event.spot, ZERO, since=self.since) for event in gone),
            *(event._replace(t=t, since=self.since, hidden=()) for event in others),
        ]

    # ---- from then on ---------------------------------------------------------------------------------------------

    def _named(self, event: Event) -> Event:
        """Give an event with the name its card had before; none is dated before the gap."""
        name = self.names.get(id_of(event) or "")
        if name is not None:
            event = event._replace(id=name)  # type: ignore[call-arg]  # it has an id
        if (getattr(event, "since", None) or inf) < self.since:
            event = event._replace(since=self.since)  # type: ignore[call-arg]  # it has one
        face = self.trusted.get(name or "")
        if face is None or not isinstance(event, Correct | Turn) or event.card in (None, face):
            return event
        self.trusted.clear()
        return Gap(event.t, self.since, lost=True, why=f"the {spoken(face)} is no longer there")


def _arrivals(scene: SceneAfterOutage) -> dict[str, Dealt]:
    """Give the cards as they were reported, with the faces that are known by now."""
    return {
        name: one._replace(card=scene.cards[name].face) for name, one in scene.arrivals.items() if name in scene.cards
    }


def _counts(card: SceneCard) -> bool:
    """True if a card lies in a Player's hand."""
    return card.zone.box is not None


def _amount(event: Chips | None) -> object:
    """Give what is known of the chips on a spot: how much, or how many stacks."""
    if event is None or event.amount is not None:
        return None if event is None else event.amount
    return "some" if event.stacks is None else f"{event.stacks} stacks"


def _number(count: int, one: str = "", many: str = "") -> str:
    """Give a number of cards in words.

    >>> _number(3, "is", "are"), _number(1, "is", "are")
    ('three cards are', 'a card is')
    """
    said = "a card" if count == 1 else f"{NUMBERS[count] if count < len(NUMBERS) else count} cards"
    return f"{said} {one if count == 1 else many}".rstrip()
