"""Real photographs, end to end: what was reported of each card that a person can read, by source."""

import tomllib
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from feltwatch.datasets.common.errors import DataError
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.photos.photo_sources import source_named
from feltwatch.datasets.photos.real import Photograph, photographs
from feltwatch.models.evaluation.labels import JudgedLabel, judged
from feltwatch.models.evaluation.looking import Look, Mistake, Worst
from feltwatch.models.evaluation.matching import DOWN_ANSWERS
from feltwatch.models.evaluation.report import Figures, Tally, reported, shares, table
from feltwatch.models.shipped.registry import HERE

UNREADABLE = HERE / "unreadable.toml"
ANSWERS = ("right", "wrong", "cannot tell", "not found")
JOKERS = ("right", "wrong", "not found")  # a joker has no face to be reported
WEIGHTS = {"wrong": 3.0, "reported up": 2.0, "reported down": 2.0, "not found": 1.0, "cannot tell": 0.0}
RUN = 4  # photographs a worker is given at a time

Left = Mapping[tuple[str, str, str], str]  # source, picture, card -> why no person can read it


@dataclass(frozen=True, slots=True)
class Photographs:
    """A photograph -> what came of its labels, and how many cards were reported; picklable."""

    look: Look
    upright: bool = False  # reported boxes do not turn with the cards

    def __call__(self, photo: Photograph) -> tuple[tuple[JudgedLabel, ...], int]:
        seen = self.look(photo.load())
        return judged(seen, photo, upright=self.upright), len(seen.cards)


@dataclass
class PhotographCounts:
    """What is counted over many photographs."""

    left: Left
    tally: Tally = field(default_factory=Tally)
    worst: Worst = field(default_factory=Worst)
    wrong: list[Figures] = field(default_factory=list)
    used: set[tuple[str, str, str]] = field(default_factory=set)

    def add(self, photo: Photograph, found: Collection[JudgedLabel], cards: int) -> None:
        source = photo.source.name
        self.tally["photographs", source, "count"] += 1
        self.tally["photographs", source, "labels"] += len(found)
        self.tally["photographs", source, "reported cards"] += cards
        for one in found:
            name = (source, photo.name, one.true.id)
            if name in self.left:
                self.used.add(name)
                self.tally["left out", source, "labels"] += 1
                continue
            self._count(source, one)
            if one.said != "right":
                self._note(photo, one)

    def _count(self, source: str, one: JudgedLabel) -> None:
        if one.is_joker:
            self.tally["jokers", source, one.said] += 1
        elif not one.true.up:
            self.tally["backs", source, one.said] += 1
        else:
            said = "cannot tell" if one.said == "reported down" else one.said
            self.tally["faces", source_named(source).view, said] += 1
            kind = {"card": "whole cards", "box": "whole cards, boxes", "index": "indices"}[one.true.label]
            self.tally["kinds", f"{source}, {kind}", said] += 1
            self.tally["reported down", source, "cards"] += one.said == "reported down"

    def _note(self, photo: Photograph, one: JudgedLabel) -> None:
        true = one.wanted or ("joker" if one.true.up else "back")
        sure = one.reported.confidence if one.reported else 0.0
        face = one.reported.face if one.reported else None
        says = f"{one.said}-{true}-reported-{face}-{photo.source.name}-{photo.name}-{one.true.id}"
        self.worst.add([Mistake(WEIGHTS[one.said] + 0.9 * sure, says, one.true.quad, one.reported, photo.load)])
        if one.said == "wrong" and one.reported:
            row = {"source": photo.source.name, "picture": photo.name, "card": one.true.id, "is": true}
            self.wrong.append({**row, "reported": one.reported.face, "confidence": round(one.reported.confidence, 5)})

    def figures(self) -> Figures:
        names = sorted({row for name, row, _ in self.tally if name == "photographs"})
        columns = ("count", "labels", "reported cards")
        rows = {name: {column: self.tally["photographs", name, column] for column in columns} for name in names}
        for name, row in rows.items():
            row["left out"] = self.tally["left out", name, "labels"]
            row["reported down"] = self.tally["reported down", name, "cards"]
        return {
            "photographs": rows,
            "faces": table(self.tally, "faces", ANSWERS),
            "faces, by kind of label": table(self.tally, "kinds", ANSWERS),
            "cards face down": table(self.tally, "backs", DOWN_ANSWERS),
            "jokers": {
                row: shares({said: self.tally["jokers", row, said] for said in JOKERS}, JOKERS)
                for row in sorted({row for name, row, _ in self.tally if name == "jokers"})
            },
            "left out as unreadable": [
                {"source": name[0], "picture": name[1], "card": name[2], "why": self.left[name]}
                for name in sorted(self.used)
            ],
            "wrong": self.wrong,
        }


def measure(run: Photographs, folder: Path, split: str, jobs: int = 1, show: Path | None = None) -> Figures:
    """Look at every photograph of a split."""
    photos = list(reported(photographs(folder, (split,)), 0, "photographs measured"))
    if not photos:
        raise DataError(
            f"{folder}: no photographs of the split {split!r}; expected a source of it, or a folder of such"
        )
    count = PhotographCounts(unreadable())
    outcomes = reported(ordered(run, photos, jobs, RUN), len(photos), "photographs")
    for photo, (found, cards) in zip(photos, outcomes, strict=True):
        count.add(photo, found, cards)
    _check_used(count, photos)
    count.worst.write(show)
    return count.figures()


def unreadable(path: Path = UNREADABLE) -> Left:
    """Read which labels no person can read."""
    try:
        rows = tomllib.loads(path.read_text("utf-8")).get("unreadable", [])
        return {(row["source"], row["picture"], row["card"]): row["why"] for row in rows}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError, KeyError, TypeError, AttributeError) as fault:
        raise DataError(f"{path}: expected [[unreadable]] of source, picture, card and why: {fault!r}") from fault


def _check_used(count: PhotographCounts, photos: Collection[Photograph]) -> None:
    """Refuse an entry that leaves nothing out: its picture or card has another name now."""
    here = {photo.source.name for photo in photos}
    for name in _unused(count.left, count.used):
        if name[0] in here:
            raise DataError(
                f"{UNREADABLE}: no card {name[2]} in {name[0]}/{name[1]}; remove the entry, or correct its name"
            )


def _unused(left: Left, used: Collection[tuple[str, str, str]]) -> Iterator[tuple[str, str, str]]:
    yield from sorted(name for name in left if name not in used)
