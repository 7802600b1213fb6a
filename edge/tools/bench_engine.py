"""`feltwatch bench engine`: what judging costs, as a ratio to parsing the same lines with the standard library."""

import argparse
import json
import sys
import time
import tracemalloc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import partial

from feltwatch.engine.books import BOOKS
from feltwatch.engine.model.events import Event, decode, parse
from feltwatch.engine.model.verdicts import encode
from feltwatch.engine.table import Table
from feltwatch.engine.transcript import parse as transcript

BUDGET = 12  # judging a round's events costs at most this many times the parsing of its lines
BUDGET_WITH_JSON = 20  # likewise, with events that come as JSON and verdicts that leave as JSON
REPEATS = 60
BEST_OF = 7

ROUND = """round "seven boxes"
book v5
place bets
bets 1:100 2:50 3:200 4:25 5:100 6:75 7:100 1.pair:10 4.over13:20
no more bets
deal 1 Tc 8d, 2 9s 7h, 3 5d 6c, 4 Ah Ks, 5 8s 8h, 6 Qd 2c, 7 Jh 9c, dealer 6h
dealer takes 10 from box1.pair
dealer takes 20 from box4.over13
dealer pays 37.5 on box4.main
4h to box 2
player adds 200 on box3.main
9d to box 3
player adds 100 on box5.main
c13 moves to box 5 hand 2
3s to box 5
Tc to box 5
2d to box 5 hand 2
Kd to box 5 hand 2
5h to box 6
4s to box 6
Td to dealer
9s to dealer
dealer pays 100 on box1.main
dealer pays 50 on box2.main
dealer pays 400 on box3.main
dealer pays 200 on box5.main
dealer pays 75 on box6.main
dealer pays 100 on box7.main
clear
"""


def lines_of_a_round() -> list[bytes]:
    """Give a full seven-box round as the JSON lines a camera would send."""
    scenario = transcript.parse(ROUND)[0]
    return [json.dumps(event, default=float).encode() for event in scenario.events()]


def _best(work: Callable[[], object]) -> float:
    """Give the shortest of several timings in seconds of the processor: other work of the device does not count."""
    found = []
    for _ in range(BEST_OF):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


@dataclass(frozen=True, slots=True)
class RoundCost:
    """What a round costs, in seconds of the processor."""

    parsed_s: float  # its lines by the standard library's json
    judged_s: float  # its events, as the pipeline gives them
    with_json_s: float  # its lines, from JSON to JSON

    @property
    def ratio(self) -> float:
        return self.judged_s / self.parsed_s

    @property
    def ratio_with_json(self) -> float:
        return self.with_json_s / self.parsed_s


def parse_lines(lines: Sequence[bytes]) -> None:
    for _ in range(REPEATS):
        for line in lines:
            json.loads(line)


def judge_events(events: Sequence[Event]) -> None:
    table = Table(BOOKS["blackjack-rws-v5"])
    for _ in range(REPEATS):
        for event in events:
            table.apply(event)
        table.shoe.shuffled(0)


def judge_lines(lines: Sequence[bytes]) -> None:
    table = Table(BOOKS["blackjack-rws-v5"])
    for _ in range(REPEATS):
        for line in lines:
            for verdict in table.apply(decode(line)):
                encode(verdict)
        table.shoe.shuffled(0)


def cost() -> RoundCost:
    """Measure each way in the same run."""
    lines = lines_of_a_round()
    events = [decode(line) for line in lines]
    works = (partial(parse_lines, lines), partial(judge_events, events), partial(judge_lines, lines))
    return RoundCost(*(_best(work) / REPEATS for work in works))


def history(rounds: int) -> tuple[float, int]:
    """Live through a long history; give rounds a second, and the bytes held at its end."""
    events = [parse(json.loads(line, parse_float=Decimal)) for line in lines_of_a_round()]
    table = Table(BOOKS["blackjack-rws-v5"])
    start = time.perf_counter()
    for number in range(rounds):
        for event in events:
            table.apply(event)
        if number % 5 == 0:
            table.shoe.shuffled(0)
    seconds = time.perf_counter() - start
    tracemalloc.start()
    fresh = Table(BOOKS["blackjack-rws-v5"])
    for number in range(min(rounds, 200)):
        for event in events:
            fresh.apply(event)
        if number % 5 == 0:
            fresh.shoe.shuffled(0)
    held = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    return rounds / seconds, held


def bench(options: argparse.Namespace) -> int:
    """Print the figures; 1 where judging costs more than its budget."""
    found = cost()
    speed, held = history(options.rounds)
    lines = len(lines_of_a_round())
    sys.stdout.write(
        f"a seven-box round of {lines} lines\n"
        f"  parsed by the standard library's json   {found.parsed_s * 1e6:9.0f} µs\n"
        f"  judged, as events of the pipeline       {found.judged_s * 1e6:9.0f} µs\n"
        f"  ratio                                   {found.ratio:9.1f}   (at most {BUDGET})\n"
        f"  read from JSON, judged and written      {found.with_json_s * 1e6:9.0f} µs\n"
        f"  ratio                                   {found.ratio_with_json:9.1f}   (at most {BUDGET_WITH_JSON})\n"
        f"a history of {options.rounds} rounds\n"
        f"  rounds a second                         {speed:9.0f}\n"
        f"  memory held by the table at its end     {held / 1024:9.0f} KiB\n"
    )
    return 0 if found.ratio <= BUDGET and found.ratio_with_json <= BUDGET_WITH_JSON else 1
