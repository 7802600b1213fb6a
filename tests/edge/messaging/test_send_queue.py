"""What is sent when: whatever happens to entries and connections, every one is sent, in order, and none is lost."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from feltwatch.edge.journal.store import SeqRange
from feltwatch.edge.messaging.ranges import Ranges
from feltwatch.edge.messaging.send_queue import Lanes, NextEntry, Pace

NUMBERS = st.frozensets(st.integers(1, 60))
RATE = 1.0  # so that a backlog of more than thirty has a lane of its own


def ranges(numbers: Iterable[int]) -> Ranges:
    return Ranges.of((one, one) for one in numbers)


@given(NUMBERS, NUMBERS)
def test_ranges_are_sets(these: frozenset[int], those: frozenset[int]) -> None:
    one, other = ranges(these), ranges(those)
    assert [*one] == sorted(these)
    assert [*(one | other)] == sorted(these | those)
    assert [*(one - other)] == sorted(these - those)
    assert len(one) == len(these)
    assert bool(one) == bool(these)
    assert one.first == min(these, default=None)
    assert all((number in one) == (number in these) for number in range(62))
    for number in those:
        assert [*one.without(number)] == sorted(these - {number})


@given(NUMBERS, NUMBERS)
def test_ranges_have_one_shape(these: frozenset[int], those: frozenset[int]) -> None:
    for found in (ranges(these) | ranges(those), ranges(these) - ranges(those)):
        assert found == ranges(found)
        assert all(first <= last for first, last in found.spans)
        assert all(one[1] + 1 < other[0] for one, other in zip(found.spans, found.spans[1:], strict=False))


@given(NUMBERS, st.integers(0, 70))
def test_what_a_journal_keeps_comes_back(these: frozenset[int], head: int) -> None:
    left = ranges(one for one in these if one <= head)
    kept = left.unsent(head)
    assert kept[-1][1] is None
    assert all(last is not None for _, last in kept[:-1])
    assert Ranges.upto(kept, head) == left
    assert [*Ranges.upto(kept, head + 2)] == [*left, head + 1, head + 2]


@pytest.mark.parametrize(
    ("unsent", "head", "left"),
    [
        ([(1, None)], 0, []),
        ([(1, None)], 3, [1, 2, 3]),
        ([(2, 3), (5, None)], 6, [2, 3, 5, 6]),
        ([(2, 3), (9, None)], 6, [2, 3]),
    ],
)
def test_what_is_unsent_goes_as_far_as_the_journal(unsent: list[SeqRange], head: int, left: list[int]) -> None:
    assert [*Ranges.upto(unsent, head)] == left


def drained(lanes: Lanes, *, late_may: bool = True) -> list[NextEntry]:
    found = []
    while (due := lanes.due(late_may=late_may)) is not None:
        found.append(due)
        lanes = lanes.gone(due.seq)
    return found


def test_a_short_backlog_goes_before_what_is_new() -> None:
    lanes = Lanes.begun([(1, None)], 30, RATE).grown(32)
    assert [due.seq for due in drained(lanes)] == [*range(1, 33)]
    assert [due.late for due in drained(lanes)] == [True] * 30 + [False] * 2
    assert drained(lanes, late_may=False) == []


def test_beside_a_long_backlog_what_is_new_goes_at_once() -> None:
    lanes = Lanes.begun([(1, None)], 31, RATE).grown(33)
    assert drained(lanes, late_may=False) == [NextEntry(32, late=False), NextEntry(33, late=False)]
    assert [due.seq for due in drained(lanes)] == [32, 33, *range(1, 32)]


def test_what_is_new_gets_a_lane_when_it_waits_for_too_long() -> None:
    lanes = Lanes.begun([(1, None)], 5, RATE).grown(7)
    assert [due.seq for due in drained(lanes.widened())] == [6, 7, 1, 2, 3, 4, 5]
    again = lanes.widened().widened().grown(8)
    assert [(due.seq, due.late) for due in drained(again)] == [(8, False), *((one, True) for one in range(1, 8))]


def test_several_outages_leave_their_holes_behind() -> None:
    lanes = Lanes.begun([(1, None)], 40, RATE).grown(50)
    for seq in (41, 42, 44, 1, 2, 4):
        lanes = lanes.gone(seq).acknowledged(ranges([seq]))
    kept = lanes.left.unsent(lanes.head)
    assert kept == [(3, 3), (5, 40), (43, 43), (45, None)]
    again = Lanes.begun(kept, 60, RATE)
    assert [due.seq for due in drained(again)] == [3, *range(5, 41), 43, *range(45, 61)]


def test_what_the_journal_has_no_more_is_not_waited_for() -> None:
    lanes = Lanes.begun([(1, None)], 5, RATE).grown(6).forgotten(Ranges(((1, 3),)))
    assert [due.seq for due in drained(lanes)] == [4, 5, 6]
    assert [*lanes.left] == [4, 5, 6]


@given(st.lists(st.floats(0, 0.5), max_size=80), st.sampled_from([1.0, 10.0, 200.0]))
def test_no_second_has_more_than_its_rate(waits: list[float], rate: float) -> None:
    pace, now, went = Pace(rate, 0.0), 0.0, list[float]()
    for wait in waits:
        now += wait
        while pace.may(now):
            went.append(now)
            pace = pace.went(now)
        assert pace.next_s(now) > 0
        assert pace.may(now + pace.next_s(now) + 1e-6)
    for start in went:
        assert sum(start <= one <= start + 1.0 for one in went) <= rate + max(1.0, rate * 0.05) + 1


def test_a_backlog_goes_as_fast_as_it_may() -> None:
    pace, now, gone = Pace(200.0, 5.0), 5.0, 0
    while now < 15.0:
        if pace.may(now):
            pace, gone = pace.went(now), gone + 1
        else:
            now += pace.next_s(now)
    assert 1_990 <= gone <= 2_012


class Sending(RuleBasedStateMachine):
    """Entries come, are sent, acknowledged or not; connections break; the device is started again."""

    @initialize(head=st.integers(0, 80))
    def begin(self, head: int) -> None:
        self.head = head
        self.kept: list[SeqRange] = [(1, None)]  # as the journal has it on disk
        self.sent: set[int] = set()
        self.acknowledged: set[int] = set()
        self.connect()

    def connect(self) -> None:
        self.lanes = Lanes.begun(self.kept, self.head, RATE)
        self.flying: list[NextEntry] = []
        self.last = {True: 0, False: 0}

    @rule(number=st.integers(1, 50))
    def add(self, number: int) -> None:
        self.head += number
        self.lanes = self.lanes.grown(self.head)

    @rule(late_may=st.booleans(), most=st.integers(1, 60))
    def send(self, late_may: bool, most: int) -> None:  # noqa: FBT001  hypothesis gives it so
        for _ in range(most):
            due = self.lanes.due(late_may=late_may)
            if due is None:
                return
            assert 1 <= due.seq <= self.head
            assert due.seq not in self.acknowledged
            assert due.seq > self.last[due.late]  # in each lane ascending
            self.last[due.late] = due.seq
            self.sent.add(due.seq)
            self.flying.append(due)
            self.lanes = self.lanes.gone(due.seq)

    @precondition(lambda self: self.flying)
    @rule(data=st.data())
    def acknowledge(self, data: st.DataObject) -> None:
        due = self.flying.pop(data.draw(st.integers(0, len(self.flying) - 1)))
        self.acknowledged.add(due.seq)
        self.lanes = self.lanes.acknowledged(ranges([due.seq]))

    @rule()
    def keep(self) -> None:
        self.kept = self.lanes.left.unsent(self.lanes.head)

    @rule()
    def widen(self) -> None:
        self.lanes = self.lanes.widened()

    @rule()
    def lose(self) -> None:
        self.keep()
        self.connect()

    @rule()
    def restart(self) -> None:
        """What was acknowledged and not kept is sent again."""
        self.acknowledged -= {*Ranges.upto(self.kept, self.head)}
        self.connect()

    @invariant()
    def nothing_is_left_out(self) -> None:
        if not hasattr(self, "lanes"):
            return
        assert {*self.lanes.left} == {*range(1, self.head + 1)} - self.acknowledged
        waiting = {*self.lanes.late, *self.lanes.live}
        assert waiting | {due.seq for due in self.flying} == {*self.lanes.left}

    def teardown(self) -> None:
        """A quiet time, and everything is there."""
        if not hasattr(self, "lanes"):
            return
        self.send(late_may=True, most=self.head + 1)
        self.lanes = self.lanes.acknowledged(ranges(due.seq for due in self.flying))
        assert self.sent == {*range(1, self.head + 1)}
        assert not self.lanes.left
        assert self.lanes.left.unsent(self.head) == [(self.head + 1, None)]


TestSending = Sending.TestCase
