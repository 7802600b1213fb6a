"""feltwatch from Python: judge table events, find cards in an image, watch a recorded video.

`docs/api.md` has examples. Start at `judge`. Importing this package is cheap: what a function needs is loaded when it
is first called.
"""

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from decimal import Decimal
    from pathlib import Path

    from feltwatch.edge.errors import UsageError
    from feltwatch.engine.books import Book
    from feltwatch.engine.model.events import Event
    from feltwatch.engine.model.verdicts import Alert, Ended, Settlement, Started, Verdict, Withdrawn
    from feltwatch.vision.arrays import Pixels
    from feltwatch.vision.detection.detections import Detections
    from feltwatch.vision.detection.still_reader import StillReader

__all__ = [
    "Alert",
    "Ended",
    "Moment",
    "Settlement",
    "Started",
    "UsageError",
    "Withdrawn",
    "books",
    "detect",
    "judge",
    "replay",
]

_VERDICTS = "feltwatch.engine.model.verdicts"
_HOMES = {
    "UsageError": "feltwatch.edge.errors",
    **dict.fromkeys(("Alert", "Ended", "Settlement", "Started", "Withdrawn"), _VERDICTS),
}


class Moment(NamedTuple):
    """What one frame of a video brought."""

    t: float  # seconds from the start of the video
    events: "tuple[Event, ...]"
    verdicts: "tuple[Verdict, ...]"


def books() -> "list[Book]":
    """Give the approved rule books.

    >>> [book.id for book in books()][:2]
    ['blackjack-rws-v4', 'blackjack-rws-v5']
    """
    from feltwatch.engine.books import BOOKS  # noqa: PLC0415  `import feltwatch` stays cheap

    return [*BOOKS.values()]


def judge(
    events: "Iterable[Mapping[str, object] | Event]",
    book: str,
    *,
    decks: int | None = None,
    minimum: "Decimal | int | None" = None,
    maximum: "Decimal | int | None" = None,
    settings: Mapping[str, str] | None = None,
) -> "Iterator[Verdict]":
    """Judge table events by a rule book; give each verdict as soon as its event has come.

    Events are JSON objects as in docs/events.md, or those of `replay`. A bad event or setting raises a ValueError.

    >>> events = [{"t": 0, "event": "chips", "spot": "box1.main", "amount": 10}]
    >>> [verdict.to_dict()["verdict"] for verdict in judge(events, "blackjack-rws-v5")]
    ['round-started']
    """
    from decimal import Decimal  # noqa: PLC0415  `import feltwatch` stays cheap

    import msgspec  # noqa: PLC0415  as above

    from feltwatch.engine.books import find_book  # noqa: PLC0415  as above
    from feltwatch.engine.model.events import decode  # noqa: PLC0415  as above
    from feltwatch.engine.table import Table  # noqa: PLC0415  as above

    low, high = (None if amount is None else Decimal(amount) for amount in (minimum, maximum))
    table = Table(find_book(book).at_table(decks=decks, minimum=low, maximum=high, settings=settings or {}))
    encode = msgspec.json.Encoder(decimal_format="number").encode  # decimals stay exact
    for event in events:
        one = decode(encode(dict(event))) if isinstance(event, Mapping) else event
        yield from table.apply(one)
    yield from table.finish()


def detect(image: "str | Path | Pixels", *, provider: str = "cpu", threads: int = 2) -> "Detections":
    """Find the cards, stacks of chips and hands in an image: a file, or pixels, height x width x 3, blue first."""
    from pathlib import Path  # noqa: PLC0415  `import feltwatch` stays cheap

    from feltwatch.vision.image_file import read_picture  # noqa: PLC0415  as above

    return _eyes(provider, threads).look(read_picture(image) if isinstance(image, str | Path) else image)


def replay(
    video: "str | Path", table: "str | Path", *, since: float = 0.0, provider: str = "cpu", threads: int = 2
) -> Iterator[Moment]:
    """Watch a recorded video of a table; give a Moment for each frame that brought events or verdicts.

    `table` is the table's file, as `feltwatch calibrate` writes it; the video is of its first camera. What cannot be
    used raises a UsageError. Nothing is written: the command `feltwatch replay` makes evidence and a report.
    """
    from pathlib import Path  # noqa: PLC0415  `import feltwatch` stays cheap

    from feltwatch.edge import errors  # noqa: PLC0415  as above
    from feltwatch.edge.config.table_file import read_table  # noqa: PLC0415  as above
    from feltwatch.edge.pipeline.table_pipeline import TablePipeline  # noqa: PLC0415  as above
    from feltwatch.edge.video.decoder import Decoding  # noqa: PLC0415  as above
    from feltwatch.edge.video.video_file import open_video  # noqa: PLC0415  as above

    film, settings = open_video(Path(video)), read_table(Path(table))
    if len(settings.cameras) > 1:
        found = len(settings.cameras)
        raise errors.UsageError(
            f"{table}: expected one camera, found {found}; `feltwatch replay` takes a video of each"
        )
    pipeline, t = TablePipeline(settings, _eyes(provider, threads)), since
    with Decoding(film, since, small=True) as frames:
        for frame in frames:
            t = frame.t
            result = pipeline.step(settings.first.name, t, frame.picture, frame.small)
            if result.judged:
                yield Moment(t, result.events, result.verdicts)
    last = pipeline.finish()
    if last.verdicts or last.events:
        yield Moment(t, last.events, last.verdicts)


@cache
def _eyes(provider: str, threads: int) -> "StillReader":
    """Load the networks once."""
    from feltwatch.vision.detection.still_reader import open_eyes  # noqa: PLC0415  `import feltwatch` stays cheap

    return open_eyes(provider, threads)


def __getattr__(name: str) -> object:
    """Load a type, or look the version up, when it is asked for."""
    from importlib import import_module, metadata  # noqa: PLC0415  takes longer to load than all of `feltwatch --help`

    if name == "__version__":
        return metadata.version("feltwatch")
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'feltwatch' has no attribute {name!r}")
