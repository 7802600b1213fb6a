"""`python -m feltwatch.edge.tools.evaluate_stills FOLDER`: photographs of real tables, watched by a still camera.

What the pipeline tells of the cards that lie there is held against what was labelled: each in its zone, with its face
or as not known. The zones are drawn by hand: `edge/tools/stills/`.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.cache import check_writable, write_whole
from feltwatch.datasets.common.errors import Arguments, DataError
from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.models.evaluation.report import Figures, lines, shares
from feltwatch.models.shipped.registry import models
from feltwatch.vision.detection.still_reader import StillReader, open_eyes

TABLES = Path(__file__).with_name("stills")
SECONDS, STEP_S = 6.0, 0.04
ANSWERS = ("right", "wrong zone", "wrong face", "cannot tell", "not reported")

Lies = tuple[str, str | None]  # zone, face


def main(arguments: Sequence[str] | None = None) -> int:
    try:
        options = _parser().parse_args(arguments)
        if options.o:
            check_writable(options.o)
        found = measure(options.folder)
    except (DataError, UsageError) as error:
        sys.stderr.write(f"feltwatch.edge.tools.evaluate_stills: {error}\n")
        return 2
    sys.stdout.writelines(f"{line}\n" for line in lines(found, "stills"))
    if options.o:
        networks = {name: one.sha256 for name, one in models().items()}
        kept = {"command": "python -m feltwatch.edge.tools.evaluate_stills", "models": networks, "figures": found}
        write_whole(options.o, (json.dumps(kept, indent=1) + "\n").encode())
    return 0


def measure(folder: Path) -> Figures:
    """Watch every photograph for which there is a table's file."""
    tables = {table.source: table for table in map(read_table, sorted(TABLES.glob("*.toml")))}
    photos = [photo for photo in photographs(folder) if Path(photo.name).name in tables]
    if not photos:
        raise DataError(f"{folder}: expected photographs such as {next(iter(tables))}, found none")
    eyes = open_eyes()
    found: Figures = {}
    whole: Counter[str] = Counter()
    for photo in photos:
        name = Path(photo.name).name
        counts = compared(lying(photo, tables[name]), reported(photo, tables[name], eyes))
        found[name] = _row(counts)
        whole += counts
    return {"cards by photograph": {**found, "all": _row(whole)}}


def _row(counts: Counter[str]) -> Figures:
    return shares(counts, ANSWERS) | {"reported too many": counts["reported too many"]}


def lying(photo: Photograph, table: TableFile) -> list[Lies]:
    """Give what lies there, as it was labelled."""
    camera = table.camera((photo.truth.width, photo.truth.height)).camera
    found = []
    for card in photo.truth.cards:
        x, y = camera.to_felt(np.array(card.quad)).mean(axis=0)
        found.append((table.layout.zone_at((float(x), float(y))) or "outside", card.face))
    return found


def reported(photo: Photograph, table: TableFile, eyes: StillReader) -> list[Lies]:
    """Give what the pipeline tells of it, once it has looked for a while."""
    picture = photo.load()
    pipeline = TablePipeline(table, eyes)
    for t in np.arange(0.0, SECONDS, STEP_S):
        pipeline.step(table.first.name, round(float(t), 3), picture)
    return [(card.zone.text, None if card.face is None else card.face.text) for card in pipeline.state.cards.values()]


def compared(lies: Iterable[Lies], said: Iterable[Lies]) -> Counter[str]:
    """Count the report of each true card: right, its face in another zone, another face in its zone, or none.

    >>> said = [("box1.cards", "9h"), ("box1.cards", None)]
    >>> sorted(compared([("box1.cards", "9h"), ("box1.cards", "Ks")], said).items())
    [('cannot tell', 1), ('right', 1)]
    """
    counts: Counter[str] = Counter()
    left, rest = list(said), []
    for one in lies:
        if one in left:
            left.remove(one)
            counts["right"] += 1
        else:
            rest.append(one)
    for zone, face in rest:
        fits: dict[str, list[Lies]] = {
            "wrong zone": [one for one in left if one[1] == face],
            "cannot tell": [one for one in left if one == (zone, None)],
            "wrong face": [one for one in left if one[0] == zone],
        }
        answer = next((answer for answer, those in fits.items() if those), "not reported")
        counts[answer] += 1
        if answer != "not reported":
            left.remove(fits[answer][0])
    if left:
        counts["reported too many"] = len(left)
    return counts


def _parser() -> argparse.ArgumentParser:
    parser = Arguments(prog="python -m feltwatch.edge.tools.evaluate_stills", description=__doc__)
    parser.add_argument("folder", type=Path, help="the source maslana_redtable, or a folder of sources")
    parser.add_argument("-o", type=Path, metavar="FILE", help="write the figures there, as JSON")
    return parser


if __name__ == "__main__":
    sys.exit(main())
