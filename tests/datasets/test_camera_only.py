"""Rounds told as a camera tells them: no signal, no decision, no amount; what is said of them is true, or not said."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random

import pytest

from datasets.deal.play import session
from datasets.deal.story import ChipMove, Story
from datasets.deal.visible import STALE, VISIBLE
from engine.books import find_book
from engine.books.errors import BOOK_ORDER
from engine.events import parse
from engine.table import Table
from engine.verdicts import Alert, Ended, Settlement, Withdrawn

CLEAN = 100  # sessions of SESSION rounds for every book
SESSION = 4
SEEDS = 2  # rounds for every error

# What only an amount, an announcement or the look of a card makes an error.
BY_AMOUNT = {"bet-below-minimum", "box-over-maximum", "side-bet-over-initial", "wrong-payout", "commission-not-taken"}
BY_AMOUNT |= {"commission-on-bonus", "double-bet-wrong-amount", "split-bet-wrong-amount", "insurance-wrong-amount"}
BY_AMOUNT |= {"surrender-not-allowed", "surrender-half-wrong"}  # half of a bet, or chips set straight
BY_AMOUNT |= {"blackjack-paid-early", "even-money-not-allowed", "even-money-too-late"}  # one or the other
BY_WORD = {
    "past-posting",
    "bet-pinched",
    "chip-moved",
    "bet-outside-box",
    "new-player-mid-round",
}  # before a card falls
HIDDEN = BY_AMOUNT | BY_WORD | {"foreign-card"}
HIDDEN_IN = {("si-ki-pi-v3", "side-bet-wrong-result")}  # paid, and too much

Json = Mapping[str, object]


@dataclass(slots=True)
class Said:
    """What stands of a round when all is over."""

    alerts: list[Alert] = field(default_factory=list)
    lines: dict[tuple[int, int, str], str] = field(default_factory=dict)
    ended: Ended | None = None


def told(event: Json) -> bool:
    return event["event"] in ("signal", "decision")


def seen(stories: Sequence[Story], *, hands: float = 1.0, changes: bool = False) -> Iterator[Json]:
    """Give the events as a camera sees them; `hands`: how often it sees whose; `changes`: of number only."""
    rng = Random(f"{stories[0].seed}")  # noqa: S311  a seed makes the run repeatable
    lies: dict[object, int] = {}
    for story in stories:
        stacks = {(move.spot, move.end): len(move.stacks) for move in story.moves if isinstance(move, ChipMove)}
        for event in story.events:
            if event["event"] != "chips":
                if not told(event):
                    yield {key: value for key, value in event.items() if key != "together"}
                continue
            number = stacks[str(event["spot"]), float(str(event["t"]))]
            if changes and lies.get(event["spot"], 0) == number:
                continue
            lies[event["spot"]] = number
            found = dict(event)
            if number:
                found |= {"amount": None, "stacks": [{"top": None, "count": None}] * number}
            if rng.random() >= hands:
                del found["by"]
            yield found


def judged(stories: Sequence[Story], events: Iterator[Json]) -> dict[int, Said]:
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


def wrong(story: Story, said: Said) -> list[object]:
    """Give the settlement lines that are not what the dealer knows."""
    owed = {key: result for key, (result, _) in story.owed.settlements.items()}
    return [(story.seed, key, result) for key, result in said.lines.items() if owed.get(key) != result]


def false(story: Story, said: Said) -> list[object]:
    owed = set(story.owed.alerts)
    return [(story.seed, alert.code) for alert in said.alerts if alert.code not in owed]


WAYS: Sequence[dict[str, object]] = ({}, {"changes": True}, {"hands": 0.5}, {"hands": 0.0})


@pytest.mark.parametrize("way", WAYS, ids=["whole", "changes only", "half the hands", "no hands"])
@pytest.mark.parametrize("book", BOOK_ORDER)
def test_clean_rounds_raise_nothing_and_are_settled_as_the_dealer_settles_them(
    book: str, way: dict[str, object]
) -> None:
    owed = silent = 0
    for seed in range(CLEAN if way == {} else CLEAN // 3):
        stories = session(book, seed, [None] * SESSION, apart=bool(seed % 2))
        found = judged(stories, seen(stories, **way))  # type: ignore[arg-type]  # as each way names them
        for number, story in enumerate(stories, 1):
            assert not false(story, found[number])
            assert not wrong(story, found[number])
            owed += len(story.owed.settlements)
            silent += len(story.owed.settlements) - len(found[number].lines)
    assert silent <= (0 if way == {} else owed // 50)  # not known is allowed, where less is seen


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_errors_are_found_and_nothing_is_settled_wrong(book: str) -> None:
    for code in VISIBLE[book]:
        errors = [None, code] if code == STALE else [code]
        for seed in range(SEEDS):
            stories = session(book, seed, errors, apart=bool(seed % 2))
            found = judged(stories, seen(stories))
            for number, story in enumerate(stories, 1):
                assert not false(story, found[number]), code
                assert not wrong(story, found[number]), code
            raised = {alert.code for alert in found[len(stories)].alerts}
            assert (code in raised) == (code not in HIDDEN and (book, code) not in HIDDEN_IN), (code, seed)


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_where_hands_are_not_seen_an_error_is_missed_rather_than_another_named(book: str) -> None:
    for code in VISIBLE[book]:
        errors = [None, code] if code == STALE else [code]
        stories = session(book, 7, errors, apart=False)
        found = judged(stories, seen(stories, hands=0.0))
        for number, story in enumerate(stories, 1):
            assert not false(story, found[number]), code
            assert found[number].ended.result == "unresolved" or not wrong(story, found[number]), code  # type: ignore[union-attr]


@pytest.mark.parametrize("book", BOOK_ORDER)
def test_errors_and_clean_rounds_follow_each_other(book: str) -> None:
    rng = Random(book)  # noqa: S311  a seed makes the run repeatable
    codes = [code for code in VISIBLE[book] if code not in ("box-skipped", "settlement-order", "burn-card-dealt")]
    for seed in range(4):
        errors: list[str | None] = [None, STALE]
        errors += [rng.choice([None, *codes]) for _ in range(10)]
        stories = session(book, seed, errors, apart=False)
        found = judged(stories, seen(stories))
        for number, story in enumerate(stories, 1):
            assert not false(story, found[number]), (seed, number, story.error)
            assert not wrong(story, found[number]), (seed, number, story.error)
