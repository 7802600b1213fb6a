"""Laws that hold for every order of any events."""

import json
from decimal import Decimal

from hypothesis import given, settings
from hypothesis import strategies as st

from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.events import ACTIONS, CHOICES, SIGNALS, Correct, Dealt, Event, parse
from feltwatch.engine.model.spots import ZONES
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Verdict, Withdrawn, encode
from feltwatch.engine.table import Table
from tests.test_rounds import CASES
from tests.test_schemas import VERDICT
from tests.transcripts import exact

Found = dict[str, object]

IDS = st.sampled_from([f"c{n}" for n in range(1, 13)])
BOXES = st.integers(1, 4)
FACES = st.none() | st.sampled_from(sorted(CARDS))
SPOTS = st.sampled_from(
    [None]
    + [
        f"box{b}.{kind}"
        for b in (1, 2, 3)
        for kind in ("main", "pair", "over13", "rws-pairs", "boom-busted", "insurance")
    ]
    + [
        "box1.main/standing1",
        "box2.behind1",
        "box2.hand2",
        "box1.bonus",
        "box1.dealer-bonus",
        "box1.insurance/standing1",
    ]
)
NEAR = st.sampled_from(
    ["box1.cards", "box2.cards", "box3.cards", "dealer.cards", "box1.hand2", "box1.low", "box1.high", "shoe"]
)
PLACES = NEAR | st.sampled_from(sorted(ZONES))
AMOUNTS = st.none() | st.sampled_from([0, 25, 50, 75, 100, 150, 200, 300]) | st.decimals(0, 500, places=2)
BY = st.sampled_from([None, "player", "dealer"])


def some(kind: str, **members: st.SearchStrategy[object]) -> st.SearchStrategy[Found]:
    return st.fixed_dictionaries({"event": st.just(kind), **members})


EVENTS = st.one_of(
    some("signal", name=st.sampled_from(sorted(SIGNALS)), box=BOXES, choice=st.sampled_from(sorted(CHOICES))),
    some("signal", name=st.just("no-more-bets")),
    some("chips", spot=SPOTS, amount=AMOUNTS, by=BY),
    some("card", id=IDS, zone=NEAR, card=FACES, face=st.sampled_from(["up", "down"])),
    some("card", id=IDS, zone=PLACES, card=FACES, together=st.booleans(), crosswise=st.booleans()),
    some("turn", id=IDS, card=FACES, face=st.sampled_from(["up", "down"]), by=BY),
    some("move", id=IDS, zone=PLACES, by=BY),
    some("remove", id=IDS),
    some("decision", box=BOXES, hand=st.integers(1, 3), action=st.sampled_from(sorted(ACTIONS)), amount=AMOUNTS),
    some("correct", id=IDS, card=FACES),
    some("tick"),
    some("clear"),
    some("gap", since=st.just(0), lost=st.booleans()),
)


@st.composite
def streams(draw: st.DrawFn) -> list[Event]:
    """Any events in any order, or a golden round with events dropped, doubled, swapped and put in."""
    if draw(st.booleans()):
        found: list[Found] = draw(st.lists(EVENTS, max_size=40))
    else:
        scenario = CASES[draw(st.integers(0, len(CASES) - 1))][1]
        found = [{k: v for k, v in event.items() if k != "t"} for event in scenario.events()]
        for _ in range(draw(st.integers(0, 4))):
            place = draw(st.integers(0, len(found)))
            change = draw(st.sampled_from(["drop", "double", "swap", "put"]))
            if change == "put" or not found:
                found.insert(place, draw(EVENTS))
            elif change == "drop":
                del found[place % len(found)]
            elif change == "double":
                found.insert(place, found[place % len(found)])
            else:
                one, two = place % len(found), draw(st.integers(0, len(found) - 1))
                found[one], found[two] = found[two], found[one]
    steps = draw(st.sampled_from([0, 1, 1, 1, 7, 40]))
    return [parse(exact({"t": n * steps, **event})) for n, event in enumerate(found)]


def lived(book: str, events: list[Event]) -> list[Verdict]:
    table = Table(BOOKS[book].at_table(minimum=Decimal(50), maximum=Decimal(150)))
    return [verdict for event in events for verdict in table.apply(event)]


def standing(verdicts: list[Verdict]) -> dict[str, Alert]:
    found: dict[str, Alert] = {}
    for verdict in verdicts:
        if isinstance(verdict, Alert):
            assert verdict.id not in found, f"{verdict.id} is raised twice"
            found[verdict.id] = verdict
        elif isinstance(verdict, Withdrawn):
            assert verdict.alert in found, f"{verdict.alert} is withdrawn and was never raised"
            del found[verdict.alert]
    return found


@settings(max_examples=400, deadline=None)
@given(book=st.sampled_from(sorted(BOOKS)), events=streams())
def test_any_order_of_events_is_judged(book: str, events: list[Event]) -> None:
    verdicts = lived(book, events)
    standing(verdicts)
    rounds = 0
    for verdict in verdicts:
        VERDICT.validate(json.loads(encode(verdict)))
        assert verdict.round >= rounds - 1
        rounds = max(rounds, verdict.round)
        if isinstance(verdict, Settlement) and verdict.stake is not None and verdict.returned is not None:
            assert verdict.net == verdict.returned - verdict.stake
            assert verdict.returned >= 0
        if isinstance(verdict, Alert):
            assert verdict.clause in BOOKS[book].clauses.values() or verdict.code in BOOKS[book].faults


@settings(max_examples=200, deadline=None)
@given(book=st.sampled_from(sorted(BOOKS)), events=streams())
def test_the_same_log_gives_the_same_verdicts(book: str, events: list[Event]) -> None:
    assert [encode(v) for v in lived(book, events)] == [encode(v) for v in lived(book, events)]


def known_from_the_start(events: list[Event]) -> list[Event]:
    """Give the stream as it would have been had every corrected card been read rightly at once."""
    last: dict[str, Correct] = {event.id: event for event in events if isinstance(event, Correct)}
    return [
        event._replace(card=last[event.id].card, sure=1.0) if isinstance(event, Dealt) and event.id in last else event
        for event in events
        if not isinstance(event, Correct)
    ]


def last_settlements(verdicts: list[Verdict]) -> dict[object, tuple[str, object]]:
    lines = {(v.round, *v.key): (v.result, v.net) for v in verdicts if isinstance(v, Settlement)}
    return {key: line for key, line in lines.items() if line[0] != "no-action"}


GOLDEN = [(name, scenario, book) for name, scenario, book in CASES if "turn" not in str(list(scenario.events()))]


@settings(max_examples=200, deadline=None)
@given(data=st.data())
def test_a_late_read_comes_to_the_same_as_an_early_one(data: st.DataObject) -> None:
    """Hide the face of some cards of a golden round and tell them before it ends: nothing may differ in the end."""
    _, scenario, book = data.draw(st.sampled_from(GOLDEN))
    found = [dict(event) for event in scenario.events()]
    dealt = [
        n
        for n, event in enumerate(found)
        if event["event"] == "card" and event.get("card") and "confidence" not in event
    ]
    may_be_backs = book == "si-ki-pi-v3" and any("stacks" in event for event in found)  # a camera alone reads no face
    if not dealt or may_be_backs or any(event["event"] in ("correct", "clear") for event in found):
        return
    hidden = data.draw(st.lists(st.sampled_from(dealt), max_size=3, unique=True))
    told = [{"t": found[-1]["t"], "event": "correct", "id": found[n]["id"], "card": found[n]["card"]} for n in hidden]
    for n in hidden:
        found[n]["card"] = None
    table = Table(BOOKS[book].at_table(decks=scenario.decks, settings=scenario.settings))
    late = [v for event in [*found, *told] for v in table.apply(parse(exact(event)))]
    table = Table(BOOKS[book].at_table(decks=scenario.decks, settings=scenario.settings))
    early = [v for event in scenario.events() for v in table.apply(parse(exact(event)))]
    assert {a.code for a in standing(late).values()} == {a.code for a in standing(early).values()}
    assert last_settlements(late) == last_settlements(early)


def test_every_round_that_starts_ends_once() -> None:
    for _, scenario, book in CASES:
        verdicts = lived(book, [parse(exact(event)) for event in scenario.events()])
        ended = [v.round for v in verdicts if isinstance(v, Ended)]
        assert len(ended) >= len(set(ended))


def test_an_event_late_in_the_shoe_costs_no_more_than_an_early_one() -> None:
    """Counted in calls, not seconds: the 5,000th event makes no more calls than the 50th round's same event did."""
    import sys  # noqa: PLC0415  only here

    from feltwatch.edge.tools.bench_engine import lines_of_a_round  # noqa: PLC0415  only here

    events = [parse(json.loads(line, parse_float=Decimal)) for line in lines_of_a_round()]
    table = Table(BOOKS["blackjack-rws-v5"])

    def calls() -> int:
        count = 0

        def note(*_: object) -> None:
            nonlocal count
            count += 1

        sys.setprofile(note)
        for event in events:
            table.apply(event)
        sys.setprofile(None)
        return count

    table.apply(events[0])
    first = calls()
    for _ in range(5_000 // len(events)):
        for event in events:
            table.apply(event)
        table.shoe.shuffled(0)
    assert calls() <= 1.3 * first
