"""What came of watching filmed rounds: what was reported, beside what is true and what is owed, round by round."""

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from math import inf

from feltwatch.engine.books import find_book

Json = Mapping[str, object]
CardTold = tuple[str, str | None, str]  # zone, face, side

GRAVE = ("void", "stop", "correct")
ANSWERS = ("right", "unresolved", "wrong")
LATEST_S = 8.0  # what is reported alike so much later is another card

# What only an amount, an announcement or the look of a card makes an error.
HIDDEN = frozenset(
    [
        "bet-below-minimum",
        "box-over-maximum",
        "side-bet-over-initial",
        "wrong-payout",
        "commission-not-taken",
        "commission-on-bonus",
        "double-bet-wrong-amount",
        "split-bet-wrong-amount",
        "insurance-wrong-amount",
        "surrender-not-allowed",
        "surrender-half-wrong",
        "blackjack-paid-early",
        "even-money-not-allowed",
        "even-money-too-late",
        "foreign-card",
        "past-posting",  # this and what follows: before a card falls
        "bet-pinched",
        "chip-moved",
        "bet-outside-box",
        "new-player-mid-round",
    ]
)
HIDDEN_IN = frozenset({("si-ki-pi-v3", "side-bet-wrong-result")})  # paid, and too much


@dataclass(frozen=True, slots=True)
class FilmTruth:
    """What is true of a film: its events, and what is owed in each of its rounds."""

    name: str
    book: str
    truth: tuple[Json, ...]
    owed: tuple[Json, ...]


@dataclass(frozen=True, slots=True)
class FilmReport:
    """What was reported of it."""

    events: tuple[Json, ...]
    verdicts: tuple[Json, ...]


@dataclass(slots=True)
class Score:
    """One round: what was right of it, and what was not."""

    film: str
    number: int
    book: str
    events: str = "right"
    differs: list[str] = field(default_factory=list)
    misread: int = 0  # faces that were reported, and taken back
    ruled: bool = False  # there was a ruling, which no camera sees
    result: tuple[str, str] = ("", "")  # owed and reported
    settled: Counter[str] = field(default_factory=Counter)
    unsettled: list[str] = field(default_factory=list)  # lines that are wrong
    found: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    false: list[str] = field(default_factory=list)
    withdrawn: list[str] = field(default_factory=list)  # false too, for a while
    late_s: list[float] = field(default_factory=list)
    rest_s: list[float] = field(default_factory=list)  # by how much the time of coming to rest is off
    untold: int = 0  # cards without such a report


def scores(film: FilmTruth, reported: FilmReport) -> list[Score]:
    """Give a score for each round of a film."""
    rounds = _rounds(film.truth)
    falls = [next(_time(event) for event in one if event["event"] == "card") for one in rounds]
    clears = [max(_time(event) for event in one) for one in rounds]
    ends = [(clear + fall) / 2 for clear, fall in zip(clears, falls[1:], strict=False)]
    seen = _split(_corrected(reported.events), ends)
    said = _by_round(reported.verdicts, falls)
    found = []
    for number, (truth, owed) in enumerate(zip(rounds, film.owed, strict=True)):
        score = Score(film.name, number + 1, film.book)
        score.ruled = any(event.get("name") == "ruling" for event in truth)
        _results(score, owed, said[number])
        _events(score, truth, seen[number])
        _errors(score, owed, said[number])
        found.append(score)
    return found


# ---- events ---------------------------------------------------------------------------------------------------------


def _time(event: Json) -> float:
    return float(str(event["t"]))


def _rounds(truth: Sequence[Json]) -> list[list[Json]]:
    """Give the events of each round in which a card falls."""
    found: list[list[Json]] = [[]]
    for event in truth:
        if event.get("name") == "place-bets":
            found.append([])  # also where a card was left lying, and the layout was never clear
        found[-1].append(event)
        if event["event"] == "clear":
            found.append([])
    return [one for one in found if any(event["event"] == "card" for event in one)]


def _split(events: Sequence[Json], ends: Sequence[float]) -> list[list[Json]]:
    found: list[list[Json]] = [[] for _ in range(len(ends) + 1)]
    for event in events:
        found[bisect_right(ends, _time(event))].append(event)
    return found


def _corrected(events: Sequence[Json]) -> list[Json]:
    """Give the events as they stand in the end: a face that was corrected is reported at once, and marked."""
    found = [dict(event) for event in events]
    shown: dict[object, dict[str, object]] = {}
    for event in found:
        if event["event"] in ("card", "turn") and event.get("face") == "up":
            shown[event["id"]] = event
        elif event["event"] == "correct" and event["id"] in shown:
            first = shown[event["id"]]
            first["misread"] = bool(first.get("misread")) or first.get("card") not in (None, event["card"])
            first["card"] = event["card"]
    return [event for event in found if event["event"] != "correct"]


def _cards(events: Sequence[Json]) -> list[CardTold]:
    return [_card(event) for event in events if event["event"] == "card"]


def _ordered(reported: Sequence[Json], owed: Sequence[CardTold]) -> list[CardTold]:
    """Give the cards in the order in which they were reported; those that may have come before others, as they fell.

    A card whose place was hidden is reported with the moment it was last seen without it (`since`).
    """
    found: list[CardTold] = []
    left = [event for event in reported if event["event"] == "card"]
    while left:
        due = owed[len(found)] if len(found) < len(owed) else None
        first = [n for n, event in enumerate(left) if all(_since(event) < _rested(other) for other in left[:n])]
        found.append(_card(left.pop(next((n for n in first if _card(left[n]) == due), 0))))
    return found


def _since(event: Json) -> float:
    return float(str(event.get("since", inf)))


def _card(event: Json) -> CardTold:
    face = event.get("card")
    return str(event["zone"]), None if face is None else str(face), str(event.get("face", "up"))


def _handled(events: Sequence[Json]) -> Counter[str]:
    """Count what was moved and turned: which card, and where it lies."""
    lies: dict[object, CardTold] = {}
    found: Counter[str] = Counter()
    for event in events:
        kind, card = event["event"], event.get("id")
        if kind == "card":
            lies[card] = _card(event)
        elif kind == "move":
            _, face, side = lies.get(card, ("", None, ""))
            lies[card] = (str(event["zone"]), face, side)
            found[f"{face or 'a back'} moved to {event['zone']}"] += 1
        elif kind == "turn":
            zone, face, _ = lies.get(card, ("", None, ""))
            _, shown, side = _card({**event, "zone": zone})
            lies[card] = (zone, shown, side)
            found[f"{shown or face or '?'} turned {side} in {zone}"] += 1
    return found


def _events(score: Score, truth: Sequence[Json], reported: Sequence[Json]) -> None:
    """Compare what lay where, in order, and what was moved and turned."""
    owed, seen = _cards(truth), _ordered(reported, _cards(truth))
    matcher = SequenceMatcher(None, owed, seen, autojunk=False)
    for what, a, b, c, d in matcher.get_opcodes():
        if what != "equal":
            score.differs.append(f"expected {_said(owed[a:b])}, reported {_said(seen[c:d])}")
    _timed(score, truth, reported)
    owed_hands, seen_hands = _handled(truth), _handled(reported)
    if owed_hands != seen_hands:
        score.differs.append(
            f"not reported: {_listed(owed_hands - seen_hands)}; not so: {_listed(seen_hands - owed_hands)}"
        )
    score.misread = sum(bool(event.get("misread")) for event in reported)
    unread = any(event.get("face") == "up" and event.get("card") is None for event in reported)
    if score.differs:
        score.events = "unresolved" if unread or score.result[1] in ("unresolved", "") else "wrong"


def _timed(score: Score, truth: Sequence[Json], reported: Sequence[Json]) -> None:
    """Say how long after it came to rest each card was reported: the next that is reported alike in that place."""
    left = [event for event in reported if event["event"] == "card"]
    for one in (event for event in truth if event["event"] == "card"):
        alike = [other for other in left if _card(other) == _card(one) and abs(_time(other) - _time(one)) < LATEST_S]
        if not alike:
            score.untold += 1
            continue
        other = min(alike, key=lambda event: abs(_rested(event) - _time(one)))
        left.remove(other)
        score.late_s.append(_time(other) - _time(one))
        score.rest_s.append(_rested(other) - _time(one))


def _rested(event: Json) -> float:
    return float(str(event.get("rested", event["t"])))


def _said(cards: Sequence[CardTold]) -> str:
    return ", ".join(f"{face or ('a back' if side == 'down' else '?')} in {zone}" for zone, face, side in cards) or "-"


def _listed(counts: Counter[str]) -> str:
    return ", ".join(sorted(counts.elements())) or "-"


# ---- verdicts -------------------------------------------------------------------------------------------------------


def _by_round(verdicts: Sequence[Json], falls: Sequence[float]) -> list[list[Json]]:
    """Give the verdicts of each true round: a reported round is the one in whose time most of it was said."""
    votes: defaultdict[object, Counter[int]] = defaultdict(Counter)
    for verdict in verdicts:
        if verdict["verdict"] != "round-started":
            votes[verdict["round"]][max(bisect_right(falls, _time(verdict)) - 1, 0)] += 1
    found: list[list[Json]] = [[] for _ in falls]
    for verdict in verdicts:
        if verdict["round"] in votes:
            found[votes[verdict["round"]].most_common(1)[0][0]].append(verdict)
    return found


def _results(score: Score, owed: Json, said: Sequence[Json]) -> None:
    """Compare how bets are settled; what was not settled is not wrong."""
    ended = [str(verdict["result"]) for verdict in said if verdict["verdict"] == "round-ended"]
    reported = "unresolved" if "unresolved" in ended else (ended or [""])[-1]
    score.result = (str(owed["result"]), reported)
    lines = {_key(v): str(v["result"]) for v in said if v["verdict"] == "settlement"}
    owed_lines = owed["settlements"]
    assert isinstance(owed_lines, list)  # noqa: S101  as the film's papers have it
    due = {_key(line): str(line["result"]) for line in owed_lines}
    for key in sorted({*lines, *due}):
        if key not in lines:
            score.settled["not reported"] += 1
        elif lines[key] == due.get(key):
            score.settled["right"] += 1
        else:
            score.settled["wrong"] += 1
            score.unsettled.append(f"box {key[0]} hand {key[1]} {key[2]}: {due.get(key, '-')}, reported {lines[key]}")


def _key(line: Json) -> tuple[int, int, str]:
    return int(str(line["box"])), int(str(line["hand"])), str(line["bet"])


def _errors(score: Score, owed: Json, said: Sequence[Json]) -> None:
    """Compare what stands at the end of alerts that were raised, with those that are due."""
    faults, due = find_book(score.book).faults, owed["alerts"]
    assert isinstance(due, list)  # noqa: S101  as the film's papers have it
    back = {verdict["alert"] for verdict in said if verdict["verdict"] == "withdrawn"}
    alerts = [verdict for verdict in said if verdict["verdict"] == "alert"]
    standing = {(str(one["code"]), str(one["clause"])) for one in alerts if one["id"] not in back}
    for code in due:
        found = (code, faults[code].clause) in standing
        hidden = code in HIDDEN or (score.book, code) in HIDDEN_IN
        (score.found if found else score.hidden if hidden else score.missed).append(code)
    for one in alerts:
        if one["severity"] in GRAVE and one["code"] not in due:
            (score.withdrawn if one["id"] in back else score.false).append(str(one["code"]))
