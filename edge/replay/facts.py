"""The facts of a replay for its report: no clock, no path."""

from collections.abc import Mapping, Sequence
from importlib.metadata import version

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.replay import checkpoint
from feltwatch.edge.replay.job import ReplayOrder, ReplayState
from feltwatch.edge.report.page import Facts, TableFacts, VideoFacts
from feltwatch.edge.video.video_file import Video
from feltwatch.engine.books.settings import WHY
from feltwatch.engine.model.events import Event
from feltwatch.engine.model.money import plain
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.models.files import digest


def key_of(order: ReplayOrder, models: Mapping[str, str]) -> dict[str, object]:
    """Give all that decides what comes out: another key, another result."""
    return {
        "video": ", ".join(map(digest, order.videos)),
        "name": ", ".join(video.name for video in order.videos),
        "table": digest(order.table),
        "models": dict(models),
        "version": version("feltwatch"),
        "code": checkpoint.code(),
        "provider": order.provider,
        "since": order.since,
    }


def facts_of(
    key: Mapping[str, object],
    given: tuple[Video, TableFile],
    state: ReplayState,
    events: Sequence[Event],
    verdicts: Sequence[Verdict],
) -> Facts:
    video, table = given
    footage = VideoFacts(
        str(key["name"]),
        str(key["video"]),
        state.frames,
        round(state.t - state.first, 3),
        video.width,
        video.height,
        video.fps,
        state.damage,
    )
    models = key["models"]
    return Facts(
        footage,
        _table(table, str(key["table"])),
        models if isinstance(models, dict) else {},
        str(key["version"]),
        [round(float(off), 2) for off in table.camera(video.size).off_mm],
        tuple(state.doubts),
        events,
        verdicts,
        state.evidence.names if state.evidence is not None else {},
    )


def _table(table: TableFile, sha256: str) -> TableFacts:
    book = table.book
    least, most = plain(book.minimum), plain(book.maximum)
    values = book.switches.to_dict()
    settings = {name: str(values[name]) for name, (family, _) in WHY.items() if family in ("", book.family)}
    return TableFacts(
        table.id,
        table.site,
        book.id,
        book.title,
        book.decks,
        None if least is None else str(least),
        None if most is None else str(most),
        settings,
        sha256,
    )
