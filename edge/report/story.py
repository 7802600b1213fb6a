"""Events and verdicts of a video, folded into rounds as the page shows them, with the cards of each."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Final

from feltwatch.edge.pipeline.round_story import RoundStory
from feltwatch.engine.model.events import Clear, Correct, Dealt, Decision, Event, Move, Remove, Tick, Turn
from feltwatch.engine.model.verdicts import Alert, Remedied, Remedy, Started, Verdict

OFF_LAYOUT: Final = ("discard", "shoe", "float")  # a card that is moved there has left the layout
CLEARING: Final = (Remove, Clear, Tick)  # events that report only that cards are taken up


@dataclass(slots=True)
class CardStory:
    """One card of a round: where it lay, and what is known of it in the end."""

    id: str
    t: float
    zone: str
    face: str | None
    up: bool
    gone: float | None = None
    is_early: bool = False  # taken away while its hand still lay there
    reads: list[tuple[float, str | None]] = field(default_factory=list)  # earlier faces, and when they were corrected


@dataclass(slots=True)
class PlayedRound(RoundStory):
    """A round with its cards."""

    cards: dict[str, CardStory] = field(default_factory=dict)
    hands: dict[str, dict[str, list[CardStory]]] = field(default_factory=dict)  # of alerts: what lay where by then

    @property
    def result(self) -> str:
        return "open" if self.end is None else self.end.result

    @property
    def why(self) -> str:
        return "" if self.end is None else self.end.why

    def lying(self, remedy: Remedy) -> dict[str, list[CardStory]]:
        """Give the cards that lie now in the zones of a remedy."""
        there = [card for card in self.cards.values() if card.gone is None]
        return {zone: [card for card in there if card.zone == zone] for zone in remedy.hands}


def played_rounds(events: Sequence[Event], verdicts: Sequence[Verdict]) -> list[PlayedRound]:
    """Give the rounds in their order."""
    found = {one.round: PlayedRound(one.round, one.t) for one in verdicts if isinstance(one, Started)}
    if not found:
        return []
    rounds = sorted(found.values(), key=lambda one: one.number)
    fold, left = _CardFold(rounds), [*reversed(events)]
    for verdict in verdicts:
        while left and left[-1].t <= verdict.t:
            fold.take(left.pop())
        if (round_ := found.get(verdict.round)) is not None:
            round_.take(verdict)
            if isinstance(verdict, Alert):
                round_.hands[verdict.id] = round_.lying(verdict.remedy)
            elif isinstance(verdict, Remedied):
                round_.hands[verdict.alert] = round_.lying(verdict.remedy)
    while left:
        fold.take(left.pop())
    _mark_early(rounds, events)
    return rounds


class _CardFold:
    """Gives each card its place in the rounds."""

    def __init__(self, rounds: list[PlayedRound]) -> None:
        self.rounds = rounds
        self.starts = [one.start for one in rounds]
        self.cards: dict[str, CardStory] = {}  # by id, the latest

    def take(self, event: Event) -> None:
        if isinstance(event, Dealt):
            self._deal(event)
        elif isinstance(event, Decision):
            self._round(event.t).decisions.append(event)
        elif isinstance(event, Turn | Correct | Remove | Move) and event.id in self.cards:
            _change(self.cards[event.id], event)

    def _round(self, t: float) -> PlayedRound:
        return self.rounds[max(0, bisect_right(self.starts, t) - 1)]

    def _deal(self, event: Dealt) -> None:
        cards = self._round(event.t).cards
        if event.id in cards:
            cards[event.id].gone, cards[event.id].zone = None, event.zone.text
            return
        face = None if event.card is None else event.card.text
        cards[event.id] = self.cards[event.id] = CardStory(event.id, event.t, event.zone.text, face, event.up)


def _change(card: CardStory, event: Turn | Correct | Remove | Move) -> None:
    """Take what happens to a card after it was dealt."""
    if isinstance(event, Turn):
        card.up = event.up
        card.face = card.face if event.card is None else event.card.text
    elif isinstance(event, Correct):
        face = None if event.card is None else event.card.text
        if card.face != face:
            card.reads.append((event.t, card.face))
        card.face = face
    elif isinstance(event, Remove) or event.zone.text in OFF_LAYOUT:
        card.gone = event.t
    else:
        card.zone, card.gone = event.zone.text, None


def _mark_early(rounds: Iterable[PlayedRound], events: Sequence[Event]) -> None:
    """Mark the cards that went while their hand stayed: something happened at the table before the others went."""
    times = [event.t for event in events if not isinstance(event, CLEARING)]
    for one in rounds:
        for card in one.cards.values():
            others = [other.gone for other in one.cards.values() if other.zone == card.zone and other is not card]
            if card.gone is not None and others:
                last = max(inf if gone is None else gone for gone in others)
                done = bisect_right(times, card.gone)
                card.is_early = done < len(times) and times[done] < last
