"""Frames in, table events and verdicts out: the one way that live cameras and recorded footage go.

Frames of one or several cameras come in the order in which they were taken. The time at which a frame was taken is the
only clock: the same frames give the same events and verdicts, live or recorded, and however fast they come.
"""

from dataclasses import dataclass, replace
from typing import Final

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.pipeline.camera_fusion import CameraFusion
from feltwatch.edge.pipeline.reconciler import Reconciler
from feltwatch.edge.pipeline.table_deck import deck_of
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.engine.history.round_record import Life
from feltwatch.engine.model.events import Event
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.engine.table import Table
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.deck_learner import DeckLearner
from feltwatch.vision.detection.deck_use import DeckInUse, DeckTrust
from feltwatch.vision.detection.known_deck import DeckOrigin, KnownDeck
from feltwatch.vision.detection.still_reader import StillReader
from feltwatch.vision.drawing.view import TableView

TICK_S: Final = 1.0  # so often a tick reports that nothing happened, if nothing did


@dataclass(frozen=True, slots=True)
class JudgedEvent:
    """An event, the verdicts it brought, and the rounds as they were then. `event` None: the footage ended."""

    event: Event | None
    verdicts: tuple[Verdict, ...]
    rounds: tuple[Life, ...] = ()


@dataclass(frozen=True, slots=True)
class StepResult:
    """What one frame brought, or one command from outside."""

    judged: tuple[JudgedEvent, ...] = ()

    @property
    def events(self) -> tuple[Event, ...]:
        return tuple(one.event for one in self.judged if one.event is not None)

    @property
    def verdicts(self) -> tuple[Verdict, ...]:
        return tuple(verdict for one in self.judged for verdict in one.verdicts)


class TablePipeline:
    """Watches one table with all its cameras, and judges it.

    With the `state` of an earlier run it goes on from there. It can be pickled; `resume` then hands in the table's file
    and the networks again.
    """

    def __init__(
        self, table: TableFile, eyes: StillReader, state: TableState | None = None, *, everywhere: bool = False
    ) -> None:
        self.deck_trust = DeckTrust()
        self.deck: DeckInUse | None = None
        self.fusion = CameraFusion(table, self._with_deck(table, eyes), everywhere=everywhere)
        self.state = state or TableState(table.book)
        self.reconciler = None if state is None else Reconciler(state, state.t)
        self.t: float | None = None if state is None else state.t  # of the last frame

    @property
    def table(self) -> Table:
        return self.state.table

    def __getstate__(self) -> dict[str, object]:
        return {name: value for name, value in self.__dict__.items() if name != "deck"}

    def resume(self, table: TableFile, eyes: StillReader) -> None:
        """Go on, as it comes out of a file."""
        self.fusion.resume(table, self._with_deck(table, eyes))

    def _with_deck(self, table: TableFile, eyes: StillReader) -> StillReader:
        """Give the eyes with the table's own deck, where its file names one."""
        self.deck = None
        if table.deck is None:
            return eyes
        self.deck = DeckInUse(eyes.reader.classes, deck_of(table), self.deck_trust)
        return replace(eyes, deck=self.deck)

    def learn_deck(self) -> bool:
        """Begin to learn the table's deck, if its file names one that is not there yet; give whether it does."""
        if self.deck is None or self.deck.templates is not None:
            return False
        self.deck.learner = DeckLearner()
        return True

    def learnt_deck(self, origin: DeckOrigin) -> KnownDeck | None:
        """Give the deck once it is learnt, and use it from then on."""
        if self.deck is None or not isinstance(self.deck.learner, DeckLearner):
            return None
        found = self.deck.learner.learnt(origin)
        if found is not None:
            self.deck.use(found)
        return found

    def step(self, camera: str, t: float, picture: Pixels, small: Pixels | None = None) -> StepResult:
        """Take a frame of one of the cameras, with its small picture if that was made."""
        self.fusion.check_pace(camera, t)
        return self._judge(t, self.fusion.step(camera, t, picture, small))

    def apply(self, event: Event) -> StepResult:
        """Take an event from outside: an announcement, a decision, a ruling."""
        return StepResult((self._apply(event),))

    def finish(self) -> StepResult:
        """Give what still waits when the footage ends."""
        found = self._judge(self.t or 0.0, self.fusion.finish())
        return StepResult((*found.judged, JudgedEvent(None, tuple(self.table.finish()), self.table.rounds)))

    def blind(self, camera: str, since: float) -> None:
        """Know that a camera is blind since then: no frame comes, or none that can be used."""
        self.fusion.blind(camera, since)

    def view(self, camera: str) -> TableView:
        """Give what a camera believes to lie there now, for people."""
        return self.fusion.view(camera)

    def doubts(self) -> tuple[str, ...]:
        """Say what cannot be seen well now."""
        return (*self.fusion.doubts(), *(() if self.deck is None else self.deck.doubts()))

    def _judge(self, t: float, events: list[Event]) -> StepResult:
        is_tick = self.t is not None and t // TICK_S > self.t // TICK_S
        self.t = t if self.t is None else max(t, self.t)
        if self.reconciler is not None:
            if not self.reconciler.is_done:
                is_tick, seen = False, self.fusion.tick(t)
                events = self.reconciler.take(t, events, () if seen is None else seen.hidden)
            else:
                events = self.reconciler.take(t, events)
        if is_tick and not events and (tick := self.fusion.tick(t)) is not None:
            events = [tick]
        return StepResult(tuple(map(self._apply, events)))

    def _apply(self, event: Event) -> JudgedEvent:
        return JudgedEvent(event, tuple(self.state.apply(event)), self.table.rounds)
