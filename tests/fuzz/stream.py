"""Bytes to a stream of events: what the fuzzer plays with, and what the kept corpus is replayed through."""

import io
import json
from collections.abc import Callable, Sequence

from feltwatch.edge.cli.judge import events
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.cards import CARDS
from feltwatch.engine.model.events import ACTIONS, CHOICES, SIGNALS
from feltwatch.engine.model.spots import ZONES
from feltwatch.engine.model.verdicts import encode
from feltwatch.engine.table import Table

FACES = [None, *sorted(CARDS)]
PLACES = [
    "box1.cards",
    "box2.cards",
    "dealer.cards",
    "box1.hand2",
    "box1.low",
    "box1.high",
    "dealer.low",
    *sorted(ZONES),
]
SPOTS = [
    None,
    *(
        f"box{box}.{kind}"
        for box in (1, 2)
        for kind in ("main", "insurance", "pair", "over13", "rws-pairs", "boom-busted")
    ),
    *("box1.main/standing1", "box1.behind1", "box1.hand2", "box1.bonus", "box2.dealer-bonus"),
]
AMOUNTS = [None, 0, 25, 50, 100, 150, 200, 12.5]
BY = [None, "player", "dealer"]


Found = dict[str, object]


class Bytes:
    """Takes choices out of a string of bytes; an empty one always chooses the first."""

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def number(self, below: int) -> int:
        self.at += 1
        return self.data[self.at - 1] % below if self.at <= len(self.data) else 0

    def one(self, among: Sequence[object]) -> object:
        return among[self.number(len(among))]

    def card_id(self) -> str:
        return f"c{self.number(16)}"


def _signal(pick: Bytes) -> Found:
    return {"name": pick.one(sorted(SIGNALS)), "box": 1 + pick.number(3), "choice": pick.one(sorted(CHOICES))}


def _chips(pick: Bytes) -> Found:
    return {"spot": pick.one(SPOTS), "amount": pick.one(AMOUNTS), "by": pick.one(BY)}


def _card(pick: Bytes) -> Found:
    face = pick.one(["up", "up", "up", "down"])
    return {"id": pick.card_id(), "zone": pick.one(PLACES), "card": pick.one(FACES), "face": face}


def _turn(pick: Bytes) -> Found:
    return {"id": pick.card_id(), "card": pick.one(FACES), "face": pick.one(["up", "down"]), "by": pick.one(BY)}


def _move(pick: Bytes) -> Found:
    return {"id": pick.card_id(), "zone": pick.one(PLACES)}


def _decision(pick: Bytes) -> Found:
    return {"box": 1 + pick.number(3), "hand": 1 + pick.number(3), "action": pick.one(sorted(ACTIONS))}


def _correct(pick: Bytes) -> Found:
    return {"id": pick.card_id(), "card": pick.one(FACES)}


KINDS: Sequence[tuple[str, Callable[[Bytes], Found]]] = [
    ("card", _card),
    ("chips", _chips),
    ("move", _move),
    ("decision", _decision),
    ("turn", _turn),
    ("signal", _signal),
    ("correct", _correct),
    ("remove", lambda pick: {"id": pick.card_id()}),
    ("clear", lambda _: {}),
    ("tick", lambda _: {}),
    ("card", _card),
    ("chips", _chips),
]
STEPS = (0, 1, 1, 6)


def lines_of(data: bytes) -> bytes:
    """Give JSON lines: the bytes as they are behind a 0, else what they choose."""
    if data[1:2] == b"\0":
        return data[2:]
    pick, t = Bytes(data[1:]), 0
    found: list[str] = []
    while pick.at < len(data) and len(found) < 400:
        kind, more = KINDS[pick.number(len(KINDS))]
        found.append(json.dumps({"t": t, "event": kind, **more(pick)}))
        t += STEPS[pick.number(len(STEPS))]
    return "\n".join(found).encode()


def judge(data: bytes) -> None:
    """Judge what the bytes stand for; bad input may be refused, nothing else may be raised."""
    book = list(BOOKS.values())[data[0] % len(BOOKS) if data else 0]
    table = Table(book)
    try:
        for event in events("fuzz", io.BytesIO(lines_of(data))):
            for verdict in table.apply(event):
                encode(verdict)
    except UsageError:
        return
