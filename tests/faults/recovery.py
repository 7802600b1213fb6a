"""The power fails in mid-round: `python -m tests.faults.recovery --rounds 600`.

Rounds of the simulated casino come as a camera reports them. At a random moment watching stops; for 1 to 60 seconds
the table goes on; then a watcher that knows nothing finds what lies there, and goes on. Every report about the round
must be true, or the round must end unresolved.
"""

import argparse
import json
import sys
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from math import inf
from random import Random
from time import perf_counter

from feltwatch.datasets.deal.play import session
from feltwatch.datasets.deal.story import ChipMove, DealtRound
from feltwatch.datasets.deal.visible import STALE, VISIBLE
from feltwatch.edge.pipeline.reconciler import Reconciler
from feltwatch.edge.pipeline.table_state import TableState
from feltwatch.edge.service.recovery import SNAPSHOT, recall
from feltwatch.engine.books import find_book
from feltwatch.engine.books.error_catalogue import BOOK_ORDER
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Started, Verdict, Withdrawn
from tests.json_events import Event, as_json, typed

LATER = 2  # rounds that follow, to see what comes of it
FRAME_S = 0.1
LOOKS_S = 4.0  # so long each frame is looked at after a gap
HAND_S = 0.3  # a hand lies over chips as it sets them down
UNREAD = 0.3  # of the cards found are read a moment later
SPELLS = (5, 15, 60)
GRAVE = ("void", "stop", "correct")


@dataclass(frozen=True, slots=True)
class Row:
    seq: int
    body: str


@dataclass(slots=True)
class Memory:
    """A journal on no disk."""

    rows: list[Row] = field(default_factory=list)
    kept: tuple[int, bytes] | None = None

    def add(self, events: Sequence[Event], memory: bytes | None) -> None:
        self.rows += [Row(len(self.rows) + n, json.dumps(event)) for n, event in enumerate(events, 1)]
        if memory is not None:
            self.kept = (len(self.rows), memory)

    def remembered(self, name: str) -> tuple[int, bytes] | None:
        assert name == SNAPSHOT
        return self.kept

    def read(self, after: int, most: int, kinds: Sequence[str] = ()) -> Sequence[Row]:
        assert kinds == ("event",)
        return self.rows[after : after + most]


def told(stories: Sequence[DealtRound], *, signals: bool = False, amounts: bool = False) -> list[Event]:
    """Give the events of rounds as a camera reports them: the number of stacks, and announcements only on request."""
    found: list[Event] = []
    for story in stories:
        for event in story.events:
            if event["event"] in ("signal", "decision"):
                found += [_plain(event)] if signals else []
            elif event["event"] == "chips":
                found.append(_plain(event) if amounts else _stacks(story, event))
            else:
                found.append({key: value for key, value in _plain(event).items() if key != "together"})
    found.sort(key=lambda event: float(str(event["t"])))
    return [*_ticking(found)]


def _plain(event: Mapping[str, object]) -> Event:
    found = {key: float(value) if isinstance(value, Decimal) else value for key, value in event.items()}
    return found | {"t": float(str(event["t"]))}


def _stacks(story: DealtRound, event: Mapping[str, object]) -> Event:
    found = _plain(event)
    t = float(str(event["t"]))
    moves = (move for move in story.moves if isinstance(move, ChipMove))
    number = next(len(move.stacks) for move in moves if (move.spot, move.end) == (event["spot"], t))
    if number:
        found |= {"amount": None, "stacks": [{"top": None, "count": None}] * number}
    return found | {"since": max(round(t - HAND_S, 3), 0.0)}


def _ticking(events: Sequence[Event]) -> Iterator[Event]:
    second = 0
    for event in events:
        t = float(str(event["t"]))
        while second + 1 < t:
            second += 1
            yield {"t": float(second), "event": "tick"}
        second = max(second, int(t))
        yield event


def found_again(
    lies: TableState, across: Collection[object], t: float, rng: Random
) -> tuple[list[Event], dict[str, str]]:
    """Give what a new watcher tells of what lies there (`across` crosswise), and what it calls the cards."""
    events: list[Event] = []
    names: dict[str, str] = {}
    for number, (name, card) in enumerate(lies.cards.items()):
        zone, known = card.zone.text, None if card.face is None else card.face.text
        names[name] = own = f"n{round(t * 1000) + number}"
        late = card.up and rng.random() < UNREAD
        face = known if card.up and not late else None
        side = "up" if card.up else "down"
        event = {"t": t, "event": "card", "id": own, "zone": zone, "card": face, "face": side}
        event |= {"crosswise": True} if name in across else {}
        events.append(event | {"rested": t, "found": True})
        if late:
            events.append({"t": round(t + rng.uniform(0.1, 1.5), 3), "event": "correct", "id": own, "card": known})
    for chips in as_json(lies.chips.values()):
        seen = {key: value for key, value in chips.items() if key != "by"}
        events.append(seen | {"t": t, "since": t})
    return events, names


@dataclass(slots=True)
class Trial:
    """One power cut, and what came of it."""

    stories: Sequence[DealtRound]
    cut: float
    back: float
    course: TableState
    said: list[tuple[float, Verdict]] = field(default_factory=list)  # and when
    rebuilt_s: float = 0.0
    dealt: dict[int, float] = field(default_factory=dict)  # when the first card of a round was judged
    anyway: set[object] = field(default_factory=set)  # false reports that occur also without a power failure

    def takes(self, course: TableState, event: Event) -> None:
        for verdict in course.apply(typed(event)):
            self.said.append((max(course.t, verdict.t), verdict))
        life = course.table.life
        if life is not None and life.round.drawn:
            self.dealt.setdefault(life.number, course.t)

    def story_of(self, number: int) -> DealtRound:
        """Give the true round of a reported one: that whose cards are dealt in it."""
        began = next(t for t, one in self.said if isinstance(one, Started) and one.round == number)
        return self.stories[self.story_at(self.dealt.get(number, began))]

    def wrong(self) -> dict[object, str]:
        """Give the alerts and the settlements that are not owed, each with what is reported of it."""
        found: dict[object, str] = {}
        lines: dict[object, Settlement] = {}
        for t, one in self.said:
            story = self.story_of(one.round) if t > self.cut else self.stories[self.story_at(t)]
            if isinstance(one, Alert) and one.severity in GRAVE and one.code not in story.owed.alerts:
                found["alert", id(story), one.code] = one.id
            elif isinstance(one, Settlement):
                lines[one.round, *one.key] = one
        for line in lines.values():
            story = self.story_of(line.round)
            owed = story.owed.settlements.get(line.key, ("", Decimal(0)))[0]
            if line.result != owed and story.owed.result != "void":  # of a round that was declared void
                found["line", id(story), line.key] = f"round {line.round} {line.key} {line.result}, owed {owed or '-'}"
        return found

    def live(self) -> int | None:
        """Give the round that was being played when the power failed."""
        started = [one.round for t, one in self.said if isinstance(one, Started) and t <= self.cut]
        ended = [one.round for t, one in self.said if isinstance(one, Ended) and t <= self.cut]
        return started[-1] if started and started[-1] not in ended else None

    def story_at(self, t: float) -> int:
        starts = [float(str(story.events[0]["t"])) for story in self.stories]
        return max(bisect_right(starts, t + 1e-6) - 1, 0)


def tried(stories: Sequence[DealtRound], rng: Random, *, signals: bool = False, amounts: bool = False) -> Trial:
    """Cut the power somewhere in the first rounds."""
    events = told(stories, signals=signals, amounts=amounts)
    first, last = float(str(stories[0].events[0]["t"])), float(str(stories[-LATER].events[0]["t"]))
    cut = rng.uniform(first, last)
    back = round(cut + rng.uniform(1.0, 60.0), 3)
    return cut_off(stories, events, (cut, back), rng)


def cut_off(stories: Sequence[DealtRound], events: Sequence[Event], when: tuple[float, float], rng: Random) -> Trial:
    """Judge events but for those between two times, as two processes do that know of each other by a journal alone."""
    cut, back = when
    story = stories[0]
    book = find_book(story.book).at_table(
        decks=story.decks, minimum=story.minimum, maximum=story.maximum, settings=story.settings
    )
    before, lies, journal = TableState(book), TableState(book), Memory()
    trial = Trial(stories, cut, back, before)
    for event in events:
        if float(str(event["t"])) > cut:
            break
        trial.takes(before, event)
        journal.add([event], before.to_snapshot() if before.is_due else None)
    for event in events:
        if float(str(event["t"])) <= back:
            lies.apply(typed(event))
    start = perf_counter()
    trial.course = recall(book, journal) or TableState(book)
    trial.rebuilt_s = perf_counter() - start
    watched, names = found_again(lies, {event["id"] for event in events if event.get("crosswise")}, back, rng)
    old = {str(event["id"]) for event in events if "id" in event and float(str(event["t"])) <= cut}
    names = {name: name for name in old} | names  # a card that fell off the table comes back as itself
    watched += [_anew(event, names, back) for event in events if float(str(event["t"])) > back]
    _watch(trial, sorted(watched, key=lambda event: float(str(event["t"]))))
    whole = Trial(stories, inf, inf, TableState(book))
    for event in events:
        whole.takes(whole.course, event)
    trial.anyway = set(whole.wrong())
    return trial


def _anew(event: Event, names: Mapping[str, str], back: float) -> Event:
    """Give an event as the new watcher tells it: by its own names, and it saw nothing before it began."""
    more: Event = {}
    if "id" in event:
        more["id"] = names.get(str(event["id"]), f"n{event['id']}")
    if "since" in event or event["event"] == "card":
        seen = float(str(event.get("since", float(str(event["t"])) - HAND_S)))
        more["since"] = max(round(seen, 3), back)
    return event | more


def _watch(trial: Trial, events: Sequence[Event]) -> None:
    """Show a new watcher's events frame by frame."""
    reconciler, course = Reconciler(trial.course, trial.course.t), trial.course
    frames = {round(trial.back + FRAME_S * n, 3) for n in range(int(LOOKS_S / FRAME_S) + 1)}
    by_time: dict[float, list[Event]] = {t: [] for t in frames}
    for event in events:
        by_time.setdefault(float(str(event["t"])), []).append(event)
    for t in sorted(by_time):
        for event in as_json(reconciler.take(t, map(typed, by_time[t]))):
            assert float(str(event["t"])) >= course.t, "time ran backwards"
            trial.takes(course, event)


# ---- what came of it ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Count:
    """How many trials came to what."""

    trials: int = 0
    idle: int = 0  # no round was being played
    recovered: int = 0  # it was settled as it should be
    unresolved: int = 0  # and said so
    other: int = 0
    false_alerts: list[str] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    flashed: list[str] = field(default_factory=list)  # false, and withdrawn later
    twice: list[str] = field(default_factory=list)  # alerts raised under a name that was used before
    whys: Counter[str] = field(default_factory=Counter)
    by_gap: dict[str, list[int]] = field(default_factory=dict)  # of the rounds in play: recovered, of how many
    slowest_s: float = 0.0

    def add(self, trial: Trial, tag: str) -> None:
        self.trials += 1
        self.slowest_s = max(self.slowest_s, trial.rebuilt_s)
        live = trial.live()
        self._said(trial, tag)
        if live is None:
            self.idle += 1
            return
        ends = [one for _, one in trial.said if isinstance(one, Ended) and one.round == live]
        story = trial.story_of(live)
        result = ends[-1].result if ends else "open"
        spell = next(f"to {most} s" for most in SPELLS if trial.back - trial.cut <= most)
        mine = self.by_gap.setdefault(spell, [0, 0])
        mine[0] += result == story.owed.result
        mine[1] += 1
        if result == "unresolved":
            self.unresolved += 1
            self.whys[_kind(ends[-1].why)] += 1
        elif result == story.owed.result:
            self.recovered += 1
        else:
            self.other += 1
            self.whys[f"{result}, owed {story.owed.result}"] += 1

    def _said(self, trial: Trial, tag: str) -> None:
        """Look at all that was said, and how often."""
        raised: set[str] = set()
        back: set[str] = set()
        for _, one in trial.said:
            if isinstance(one, Alert):
                if one.id in raised - back:
                    self.twice.append(f"{tag} {one.id}")
                raised.add(one.id)
                back.discard(one.id)
            elif isinstance(one, Withdrawn):
                back.add(one.alert)
        for what, says in trial.wrong().items():
            if what in trial.anyway:
                continue
            if says in raised:
                (self.flashed if says in back else self.false_alerts).append(f"{tag} {says}")
            else:
                self.wrong.append(f"{tag} {says}")

    def facts(self) -> dict[str, object]:
        return {
            "trials": self.trials,
            "idle": self.idle,
            "recovered": self.recovered,
            "unresolved": self.unresolved,
            "other": self.other,
            "false alerts": len(self.false_alerts),
            "wrong settlements": len(self.wrong),
            "false for a while": len(self.flashed),
            "raised twice": len(self.twice),
            "recovered by gap": {spell: f"{some} of {all_}" for spell, (some, all_) in sorted(self.by_gap.items())},
            "slowest rebuilt s": round(self.slowest_s, 3),
            "unresolved why": dict(self.whys.most_common()),
        }


def _kind(why: str) -> str:
    _, _, found = why.partition(" s, and ")
    return found or why


def rounds(count: int, seed: int, *, errors: bool = False, signals: bool = False, amounts: bool = False) -> Count:
    """Cut the power so often, at tables of all five books in turn."""
    found = Count()
    for number in range(count):
        book = BOOK_ORDER[number % len(BOOK_ORDER)]
        rng = Random(f"{seed} {number}")  # noqa: S311  a seed makes the run repeatable
        error = rng.choice([code for code in VISIBLE[book] if code != STALE]) if errors else None
        stories = session(book, seed * 100_000 + number, [error, *[None] * LATER], apart=bool(number % 2))
        trial = tried(stories, rng, signals=signals, amounts=amounts)
        found.add(trial, f"{book}:{number}")
    return found


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--errors", action="store_true")
    parser.add_argument("--signals", action="store_true")
    parser.add_argument("--amounts", action="store_true")
    parser.add_argument("--list", action="store_true")
    options = parser.parse_args(arguments)
    found = rounds(
        options.rounds, options.seed, errors=options.errors, signals=options.signals, amounts=options.amounts
    )
    if options.list:
        for line in [*found.false_alerts, *found.wrong, *found.flashed, *found.twice]:
            sys.stderr.write(f"{line}\n")
    sys.stdout.write(json.dumps(found.facts()) + "\n")
    return 1 if found.false_alerts or found.wrong or found.twice else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
