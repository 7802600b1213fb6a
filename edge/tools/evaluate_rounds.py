"""`python -m feltwatch.edge.tools.evaluate_rounds`: films of simulated rounds, scored against their truth.

What came of each film under each condition is kept beside the figures: a run that was stopped, or is made again with
more films, does only what is missing or was made by other code or networks. Decoding alone is timed before each film.
"""

import argparse
import hashlib
import json
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from feltwatch.datasets.common.cache import check_writable, write_whole
from feltwatch.datasets.common.errors import Arguments, DataError, number_from
from feltwatch.datasets.common.parallel import ordered
from feltwatch.edge.config.camera_parts import fit_camera
from feltwatch.edge.config.table_file import read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_pipeline import StepResult, TablePipeline
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import Video, open_video
from feltwatch.engine.model.events import to_dict
from feltwatch.models.evaluation.report import lines, reported
from feltwatch.models.evaluation.rounds import conditions as camera_conditions
from feltwatch.models.evaluation.rounds.conditions import NAMES, Conditions
from feltwatch.models.evaluation.rounds.figures import FilmScores, Work, figures
from feltwatch.models.evaluation.rounds.scoring import FilmReport, FilmTruth, scores
from feltwatch.models.shipped.registry import models
from feltwatch.vision.detection.still_reader import StillReader, open_eyes

ROOT = Path(__file__).resolve().parents[2]
CODE = (
    "vision",
    "engine",
    "models/shipped/manifest.toml",
    "edge/pipeline",
    "edge/config/table_file.py",
)
LAWS = (".py", ".toml")


@dataclass(frozen=True, slots=True)
class Run:
    """One film under one condition, and where what came of it is kept."""

    film: Path
    condition: str
    kept: Path
    code: str
    threads: int

    def key(self) -> dict[str, object]:
        """Give by what it is known: another key, another result."""
        size = self.film.stat()
        return {
            "film": [self.film.name, size.st_size, size.st_mtime_ns],
            "condition": [self.condition, camera_conditions.LAW],
            "code": self.code,
        }


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what is missing, then give the figures of all that is there."""
    try:
        options = _parser().parse_args(arguments)
        check_writable(options.o)
        return _main(options)
    except (DataError, UsageError) as error:
        sys.stderr.write(f"feltwatch.edge.tools.evaluate_rounds: {error}\n")
        return 2


def _main(options: argparse.Namespace) -> int:
    kept = options.kept or options.o.with_suffix(".parts")
    films = _films(options.folder, options.films)
    wanted = options.conditions.split(",")
    if unknown := [name for name in wanted if name not in NAMES]:
        raise DataError(f"--conditions {unknown[0]!r}: expected some of {', '.join(NAMES)}")
    code = code_digest()
    runs = [
        Run(film, name, kept / name / f"{film.stem}.json", code, options.threads) for name in NAMES for film in films
    ]
    missing = [run for run in runs if run.condition in wanted and _kept(run) is None]
    for _ in reported(ordered(watch, missing, options.jobs, run=1), len(missing), "films"):
        pass
    found = figures({name: [*_seen(runs, name)] for name in NAMES})
    sys.stdout.writelines(f"{line}\n" for line in lines(found, "rounds"))
    networks = {name: one.sha256 for name, one in models().items()}
    papers = {"command": "python -m feltwatch.edge.tools.evaluate_rounds", "models": networks, "figures": found}
    write_whole(options.o, (json.dumps(papers, indent=1) + "\n").encode())
    return 0


def _films(folder: Path, most: int) -> list[Path]:
    """Give the films that are whole, and of each book the first so many."""
    found = sorted(path for path in folder.glob("*.mp4") if path.with_suffix(".owed.json").is_file())
    if not found:
        raise DataError(f"{folder}: expected films of `python -m feltwatch.datasets footage`, found none")
    books = [path.name.rpartition("-")[0] for path in found]
    return [path for n, path in enumerate(found) if not most or books[:n].count(books[n]) < most]


def _kept(run: Run) -> dict[str, Any] | None:  # as it was written
    try:
        found = json.loads(run.kept.read_text("utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and found.get("key") == run.key() else None


def _seen(runs: Sequence[Run], condition: str) -> Iterator[FilmScores]:
    """Give what is kept of one condition, compared with the truth as it is now."""
    for run in runs:
        found = _kept(run) if run.condition == condition else None
        if found is not None:
            film = film_of(run.film)
            marks = scores(film, FilmReport(tuple(found["events"]), tuple(found["verdicts"])))
            yield FilmScores(film.book, tuple(marks), Work(**found["work"]))


def film_of(path: Path) -> FilmTruth:
    """Read what is true of a film."""
    owed = json.loads(path.with_suffix(".owed.json").read_text("utf-8"))
    truth = path.with_suffix(".events.jsonl").read_text("utf-8").splitlines()
    return FilmTruth(path.stem, owed["book"], tuple(json.loads(line) for line in truth), tuple(owed["rounds"]))


@cache
def code_digest() -> str:
    """Give the digest of the code and data that decide what is reported."""
    found = hashlib.sha256()
    for name in CODE:
        place = ROOT / name
        for path in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if path.suffix in LAWS:
                found.update(path.relative_to(ROOT).as_posix().encode() + b"\0" + path.read_bytes())
    return found.hexdigest()


# ---- watching -------------------------------------------------------------------------------------------------------


@cache
def _eyes(threads: int) -> StillReader:
    return open_eyes(threads=threads)


def watch(run: Run) -> str:
    """Watch one film and keep what was reported; give its name."""
    video, table = open_video(run.film), read_table(run.film.with_suffix(".table.toml"))
    pipeline = TablePipeline(table, _eyes(run.threads), everywhere=run.condition == "everywhere")
    camera = fit_camera(table.path, table.first, video.size, table.layout).camera
    conditions = Conditions(run.film.stem, table.site, camera, table.layout)
    disturb = conditions.named(run.condition)
    alone = decoding_s(video)
    results, work = [StepResult()], Work(0, 0, 0, 0.0, 0.0, alone)
    start, aside = time.perf_counter(), 0.0
    with Decoding(video, small=True) as frames:
        for frame in frames:
            before = time.perf_counter()
            picture = disturb(frame.number, frame.t, frame.picture)
            aside += time.perf_counter() - before
            work = replace(work, frames=frame.number, lost=work.lost + (picture is None), seconds=frame.t)
            if picture is not None:
                small = frame.small if picture is frame.picture else None
                results.append(pipeline.step(table.first.name, frame.t, picture, small))
    results.append(pipeline.finish())
    took = time.perf_counter() - start - aside
    work = replace(work, looks=sum(track.watcher.looks for track in pipeline.fusion.tracks.values()), watching_s=took)
    reported = {"events": [to_dict(one) for step in results for one in step.events]}
    reported["verdicts"] = [one.to_dict() for step in results for one in step.verdicts]
    papers = {"key": run.key(), "work": asdict(work), **reported}
    write_whole(run.kept, json.dumps(papers).encode())
    return run.kept.stem


def decoding_s(video: Video) -> float:
    """Give how long it takes to decode a film, and to do nothing with it."""
    start = time.perf_counter()
    with Decoding(video) as frames:
        for _ in frames:
            pass
    return time.perf_counter() - start


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.edge.tools.evaluate_rounds", description=__doc__)
    parser.add_argument("folder", type=Path, help="films made by `python -m feltwatch.datasets footage`")
    parser.add_argument("-o", type=Path, required=True, metavar="FILE", help="write the figures there, as JSON")
    parser.add_argument("--kept", type=Path, metavar="DIR", help="what is done already; FILE.parts, if not said")
    parser.add_argument("--conditions", default="plain", metavar="A,B", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--films", type=number_from(0), default=0, metavar="N", help="of each book; 0: all")
    parser.add_argument("--jobs", type=number_from(1), default=1, help="processes")
    parser.add_argument("--threads", type=number_from(1), default=1, help="of the networks, in each process")
    return parser


if __name__ == "__main__":
    sys.exit(main())
