"""The phases of a round: the transitions of its game's table happen, each in some golden round, and no others."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from feltwatch.engine.blackjack.round import BlackjackRound
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import Event
from feltwatch.engine.round.phase import Phase, Transitions, Trigger
from feltwatch.engine.round.state import RoundState
from feltwatch.engine.sikipi.round import SikipiRound
from tests.engine.test_laws import lived, streams
from tests.test_rounds import CASES
from tests.transcripts import Run

Taken = dict[type[RoundState], set[tuple[Phase, Trigger]]]
GAMES: Mapping[type[RoundState], Transitions] = {game: game.NEXT for game in (BlackjackRound, SikipiRound)}


@contextmanager
def watched() -> Iterator[Taken]:
    """Collect the transitions that rounds take; refuse a change of phase that is not in their table."""
    taken: Taken = {game: set() for game in GAMES}
    change_phase = RoundState.change_phase

    def watch(self: RoundState, trigger: Trigger) -> None:
        before = self.phase
        change_phase(self, trigger)
        if self.phase is not before:
            taken[type(self)].add((before, trigger))

    def assign(self: RoundState, name: str, value: object) -> None:
        if name == "phase" and hasattr(self, "phase") and value is not self.phase:
            assert (self.phase, value) in {(phase, to) for (phase, _), to in self.NEXT.items()}
        object.__setattr__(self, name, value)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(RoundState, "change_phase", watch)
        patch.setattr(RoundState, "__setattr__", assign, raising=False)
        yield taken


def test_golden_rounds_take_every_transition_of_the_tables_and_no_other() -> None:
    with watched() as taken:
        for _, scenario, book in CASES:
            Run(scenario, book).play()
    assert taken == {game: set(table) for game, table in GAMES.items()}


@settings(max_examples=200)
@given(book=st.sampled_from(sorted(BOOKS)), events=streams())
def test_no_order_of_events_leaves_the_tables(book: str, events: list[Event]) -> None:
    with watched():
        lived(book, events)


@pytest.mark.parametrize("table", GAMES.values(), ids=["blackjack", "si-ki-pi"])
def test_a_round_begins_with_betting_and_ends_from_every_phase(table: Transitions) -> None:
    before, after = {phase for phase, _ in table}, set(table.values())
    assert before - after == {Phase.BETTING}
    assert after - before == {Phase.ENDED}
    assert {phase for phase, trigger in table if trigger is Trigger.ROUND_ENDS} == before


def test_every_phase_and_every_trigger_belong_to_a_game() -> None:
    found = [(phase, trigger, to) for table in GAMES.values() for (phase, trigger), to in table.items()]
    assert {phase for phase, _, to in found} | {to for _, _, to in found} == set(Phase)
    assert {trigger for _, trigger, _ in found} == set(Trigger)
