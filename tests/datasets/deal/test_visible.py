"""Rounds as a camera reports them: no signal, no decision, no amount; every verdict on them is true, or missing."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from random import Random

import pytest

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import ChipMove, DealtRound
from feltwatch.datasets.deal.visible import STALE, VISIBLE
from feltwatch.engine.books import find_book
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.engine.model.events import parse
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Withdrawn
from feltwatch.engine.table import Table
from feltwatch.models.evaluation.rounds.scoring import HIDDEN, HIDDEN_IN

CLEAN = 100  # sessions of SESSION rounds for every book
SESSION = 4
SEEDS = 2  # rounds for every error

MS = Decimal("0.001")
HAND = Decimal("0.3")  # a hand lies over chips as it sets them down

Json = Mapping[str, object]


@dataclass(slots=True)
class Said:
    """What stands of a round when all is over."""

    alerts: list[Alert] = field(default_factory=list)
    lines: dict[tuple[int, int, str], str] = field(default_factory=dict)
    ended: Ended | None = None


@dataclass(frozen=True, slots=True)
class Camera:
    """How well it sees chips."""

    hands: float = 1.0  # how often it sees whose hand it was
    late: float = 0.0  # seconds, at the most, for which a hand may cover them
    since: bool = True  # it says when it last saw a spot otherwise
    changes: bool = False  # it sees another number of stacks, and no other change


def seen(stories: Sequence[DealtRound], camera: Camera) -> list[Json]:
    """Give the events as a camera sees them."""
    rng = Random(f"{stories[0].seed}")  # noqa: S311  a seed makes the run repeatable
    told: list[Json] = []
    last: dict[object, Decimal] = {}
    for story in stories:
        for event in story.events:
            if event["event"] in ("signal", "decision"):
                continue
            if event["event"] == "chips":
                t = Decimal(str(event["t"])) + Decimal(round(camera.late * rng.uniform(0.5, 1), 3)).quantize(MS)
                last[event["spot"]] = max(t, last.get(event["spot"], t))
                told.append({**_chips(story, event, camera, rng), "t": last[event["spot"]]})
            else:
                told.append({key: value for key, value in event.items() if key != "together"})
    found = sorted(told, key=lambda event: Decimal(str(event["t"])))
    return [*_changes(found)] if camera.changes else found


def _chips(story: DealtRound, event: Json, camera: Camera, rng: Random) -> dict[str, object]:
    t = float(str(event["t"]))
    number = next(len(move.stacks) for move in story.moves if isinstance(move, ChipMove) and _is(move, event, t))
    found = dict(event)
    if number:
        found |= {"amount": None, "stacks": [{"top": None, "count": None}] * number}
    if camera.since:
        found["since"] = max(Decimal(str(event["t"])) - HAND, Decimal(0))
    if rng.random() >= camera.hands:
        del found["by"]
    return found


def _is(move: ChipMove, event: Json, t: float) -> bool:
    return (move.spot, move.end) == (event["spot"], t)


def _changes(events: list[Json]) -> Iterator[Json]:
    lies: dict[object, int] = {}
    for event in events:
        stacks = event.get("stacks", [])
        assert isinstance(stacks, list)
        if event["event"] != "chips" or lies.get(event["spot"], 0) != len(stacks):
            yield event
        if event["event"] == "chips":
            lies[event["spot"]] = len(stacks)


def judged(stories: Sequence[DealtRound], events: Sequence[Json]) -> dict[int, Said]:
    """Give what the engine has said in the end, round by round."""
    first = stories[0]
    book = find_book(first.book).at_table(
        decks=first.decks, minimum=first.minimum, maximum=first.maximum, settings=first.settings
    )
    table = Table(book)
    found = {number: Said() for number in range(1, len(stories) + 1)}
    for event in events:
        for verdict in table.apply(parse(event)):
            if isinstance(verdict, Alert):
                found[verdict.round].alerts.append(verdict)
            elif isinstance(verdict, Withdrawn):
                mine = found[verdict.round]
                mine.alerts = [alert for alert in mine.alerts if alert.id != verdict.alert]
            elif isinstance(verdict, Settlement):
                found[verdict.round].lines[verdict.key] = verdict.result
            elif isinstance(verdict, Ended):
                found[verdict.round].ended = verdict
    assert all(said.ended is not None for said in found.values())
    return found


def wrong(story: DealtRound, said: Said) -> list[object]:
    """Give the settlement lines that are not what the dealer knows."""
    owed = {key: result for key, (result, _) in story.owed.settlements.items()}
    return [(story.seed, key, result) for key, result in said.lines.items() if owed.get(key) != result]


def false(story: DealtRound, said: Said) -> list[object]:
    owed = set(story.owed.alerts)
    return [(story.seed, alert.code) for alert in said.alerts if alert.code not in owed]


WHOLE = Camera()
CAMERAS = {
    "whole": WHOLE,
    "changes only": Camera(changes=True),
    "half the hands": Camera(hands=0.5),
    "no hands, late": Camera(hands=0.0, late=0.8, since=False),
    "very late": Camera(late=2.0),
}


def sessions(book: str, seed: int, errors: Sequence[str | None], camera: Camera) -> Iterator[tuple[DealtRound, Said]]:
    stories = session(book, seed, errors, apart=bool(seed % 2))
    found = judged(stories, seen(stories, camera))
    for number, story in enumerate(stories, 1):
        yield story, found[number]


def with_error(code: str) -> list[str | None]:
    return [None, code] if code == STALE else [code]


@pytest.mark.parametrize("name", CAMERAS)
@pytest.mark.parametrize("book", BOOK_ORDER)
def test_clean_rounds_raise_nothing_and_are_settled_as_the_dealer_settles_them(book: str, name: str) -> None:
    owed = silent = 0
    camera = CAMERAS[name]
    for seed in range(CLEAN if camera is WHOLE else CLEAN // 3):
        for story, said in sessions(book, seed, [None] * SESSION, camera):
            assert not false(story, said)
            assert not wrong(story, said)
            owed += len(story.owed.settlements)
            silent += len(story.owed.settlements) - len(said.lines)
    assert silent <= (0 if camera is WHOLE else owed // 25)  # not known is allowed, where less is seen


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_errors_are_found_and_nothing_is_settled_wrong(book: str) -> None:
    for code in VISIBLE[book]:
        for seed in range(SEEDS):
            raised: set[str] = set()
            for story, said in sessions(book, seed, with_error(code), WHOLE):
                assert not false(story, said), code
                assert not wrong(story, said), code
                raised = {alert.code for alert in said.alerts}
            assert (code in raised) == (code not in HIDDEN and (book, code) not in HIDDEN_IN), (code, seed)


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_where_hands_are_not_seen_an_error_is_missed_rather_than_another_named(book: str) -> None:
    for code in VISIBLE[book]:
        for story, said in sessions(book, 7, with_error(code), Camera(hands=0.0)):
            assert not false(story, said), code
            assert said.ended is not None
            assert said.ended.result == "unresolved" or not wrong(story, said), code


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_errors_and_clean_rounds_follow_each_other(book: str) -> None:
    rng = Random(book)  # noqa: S311  a seed makes the run repeatable
    codes = [code for code in VISIBLE[book] if code not in ("box-skipped", "settlement-order", "burn-card-dealt")]
    for seed in range(4):
        errors = [None, STALE, *(rng.choice([None, *codes]) for _ in range(10))]
        for story, said in sessions(book, seed, errors, WHOLE):
            assert not false(story, said), (seed, story.error)
            assert not wrong(story, said), (seed, story.error)
