"""The bundled film as the service watches it, with the networks that ship, and no one watches for a while.

    python -m tests.faults.unwatched_film --times 25

Half of the times the process is killed and begins again with the journal alone; the other half it lives on, and no
picture comes. The reports about the rounds must be the undisturbed ones, or that they are unresolved.
"""

import argparse
import json
import pickle
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Final

from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.service.recovery import recall
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import Frame
from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Started, Verdict, Withdrawn
from feltwatch.vision.motion.change_detector import shrunk
from tests.faults.recovery import GRAVE, Memory
from tests.film_watched import SECOND, clip, eyes
from tests.json_events import as_json

CAMERA: Final = "camera"
EVERY: Final = 2  # so many frames apart the film is looked at: 12.5 a second
GAP_S: Final = (0.5, 5.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """What was said of a frame, and what the journal held after it."""

    t: float
    verdicts: Sequence[Verdict]
    rows: int  # of the journal
    kept: tuple[int, bytes] | None


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """The whole film, watched once; the process itself is stored only at the cuts, because each copy takes 11 MB."""

    journal: Memory
    moments: Sequence[Moment]
    processes: Mapping[float, bytes]  # by cut

    @property
    def verdicts(self) -> list[Verdict]:
        return [verdict for one in self.moments for verdict in one.verdicts]

    def before(self, cut: float) -> list[Verdict]:
        return [verdict for one in self.moments if one.t <= cut for verdict in one.verdicts]

    def at(self, cut: float) -> Moment:
        return [one for one in self.moments if one.t <= cut][-1]


def watch_undisturbed(cuts: Iterable[float]) -> Undisturbed:
    """Watch the whole film; the cuts lie before its last frame."""
    pipeline, journal, moments = TablePipeline(clip()[1], eyes()), Memory(), list[Moment]()
    pending, processes = sorted({*cuts}), dict[float, bytes]()
    for frame in _frames(0.0):
        while pending and pending[0] < frame.t:
            processes[pending.pop(0)] = pickle.dumps(pipeline)
        result = _step(pipeline, frame)
        journal.add(as_json(result.events), pipeline.state.to_snapshot() if pipeline.state.is_due else None)
        moments.append(Moment(frame.t, result.verdicts, len(journal.rows), journal.kept))
    end = replace(moments[-1], verdicts=pipeline.finish().verdicts)
    return Undisturbed(journal, (*moments, end), processes)


def killed(whole: Undisturbed, cut: float, back: float) -> list[Verdict]:
    """Have a new process go on with the journal alone."""
    at, table = whole.at(cut), clip()[1]
    state = recall(table.book, Memory(whole.journal.rows[: at.rows], at.kept))
    return [*whole.before(cut), *_on(TablePipeline(table, eyes(), state), back)]


def blinded(whole: Undisturbed, cut: float, back: float) -> list[Verdict]:
    """Have the process live on without a picture."""
    pipeline: TablePipeline = pickle.loads(whole.processes[cut])  # noqa: S301  our own
    pipeline.resume(clip()[1], eyes())
    return [*whole.before(cut), *_on(pipeline, back)]


def _on(pipeline: TablePipeline, since: float) -> Iterator[Verdict]:
    for frame in _frames(since):
        yield from _step(pipeline, frame).verdicts
    yield from pipeline.finish().verdicts


def _frames(since: float) -> Iterator[Frame]:
    with Decoding(clip()[0], since) as frames:
        for number, frame in enumerate(frames):
            if number % EVERY == 0:
                yield frame


def _step(pipeline: TablePipeline, frame: Frame) -> StepResult:
    return pipeline.step(CAMERA, frame.t, frame.picture, shrunk(frame.picture))


# ---- what came of it ------------------------------------------------------------------------------------------------


@dataclass(slots=True)
class Said:
    """What stands of a round."""

    alerts: dict[str, str] = field(default_factory=dict)  # code and clause by id
    lines: dict[tuple[int, int, str], str] = field(default_factory=dict)
    result: str = ""
    why: str = ""


def standing(verdicts: Sequence[Verdict]) -> dict[int, Said]:
    """Give what stands of each round of the film in the end; one that no one saw was not counted."""
    found: dict[int, Said] = {}
    numbers = {one.round: 1 if one.t < SECOND else 2 for one in verdicts if isinstance(one, Started)}
    for one in verdicts:
        said = found.setdefault(numbers[one.round], Said())
        if isinstance(one, Alert) and one.severity in GRAVE:
            said.alerts[one.id] = f"{one.code} {one.clause}"
        elif isinstance(one, Withdrawn):
            said.alerts.pop(one.alert, None)
        elif isinstance(one, Settlement):
            said.lines[one.key] = one.result
        elif isinstance(one, Ended):
            said.result, said.why = one.result, one.why
    return found


@dataclass(slots=True)
class Outcome:
    """What came of all times."""

    how: str
    times: int = 0
    as_undisturbed: int = 0  # rounds
    unresolved: int = 0
    false: list[str] = field(default_factory=list)
    lost: list[str] = field(default_factory=list)  # rounds without any report in the end
    missed: list[str] = field(default_factory=list)  # missing alerts of a round that is reported as undisturbed
    whys: list[str] = field(default_factory=list)

    def add(self, tag: str, owed: Mapping[int, Said], verdicts: Sequence[Verdict]) -> None:
        self.times += 1
        for number, said in standing(verdicts).items():
            due = owed.get(number, Said())
            self.false += [f"{tag} {one}" for one in said.alerts.values() if one not in due.alerts.values()]
            self.false += [f"{tag} {key} {one}" for key, one in said.lines.items() if due.lines.get(key, one) != one]
            if said.result == "unresolved":
                self.unresolved += 1
                self.whys.append(f"{tag} {said.why}")
            elif not said.result and due.result:
                self.lost.append(f"{tag} round {number}")
            elif said.result == due.result:
                self.as_undisturbed += 1
                self.missed += [f"{tag} {one}" for one in due.alerts.values() if one not in said.alerts.values()]

    def line(self) -> dict[str, object]:
        return {
            "nobody watches": self.how,
            "times": self.times,
            "rounds as undisturbed": self.as_undisturbed,
            "unresolved": self.unresolved,
            "false": self.false,
            "missed": self.missed,
            "not ended": self.lost,
        }


def random_cuts(times: int, seed: int) -> list[tuple[float, float]]:
    """Give moments at which no one watches any more, each with the moment from which someone does again."""
    dice = Random(seed)  # noqa: S311  repeatable
    return [(cut := dice.uniform(1.0, clip()[0].seconds - 2.0), cut + dice.uniform(*GAP_S)) for _ in range(times)]


def film(whole: Undisturbed, cuts: Sequence[tuple[float, float]]) -> Iterator[Outcome]:
    """Stop watching in each of these times, in each way."""
    owed = standing(whole.verdicts)
    for how, watch in (("killed", killed), ("no picture", blinded)):
        found = Outcome(how)
        for cut, back in cuts:
            found.add(f"{cut:.2f} to {back:.2f}", owed, watch(whole, cut, back))
        yield found


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.faults.unwatched_film")
    parser.add_argument("--times", type=int, default=25)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--whys", action="store_true", help="say why rounds are unresolved")
    options = parser.parse_args()
    failed = False
    cuts = random_cuts(options.times, options.seed)
    for found in film(watch_undisturbed(cut for cut, _ in cuts), cuts):
        sys.stdout.write(f"{json.dumps(found.line())}\n")
        sys.stdout.writelines(f"  {why}\n" for why in found.whys if options.whys)
        sys.stdout.flush()
        failed |= bool(found.false)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
