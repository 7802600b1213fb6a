"""Frames that come too seldom: what came in between was not seen, and that is reported."""

from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.video.decoder import Decoding
from feltwatch.engine.model.verdicts import Alert, Ended, Verdict
from feltwatch.vision.motion.change_detector import shrunk
from tests.film_watched import clip, eyes


def followed(every: int) -> tuple[list[str], list[str], set[str]]:
    """Watch every so manieth frame of the bundled film; give its alerts, how its rounds ended, and the doubts."""
    video, table = clip()
    pipeline = TablePipeline(table, eyes())
    verdicts: list[Verdict] = []
    doubts: set[str] = set()
    with Decoding(video) as frames:
        for frame in frames:
            if frame.number % every == 0:
                verdicts += pipeline.step("camera", frame.t, frame.picture, shrunk(frame.picture)).verdicts
                doubts |= {*pipeline.doubts()}
    verdicts += pipeline.finish().verdicts
    alerts = [one.code for one in verdicts if isinstance(one, Alert)]
    return alerts, [one.result for one in verdicts if isinstance(one, Ended)], doubts


def test_what_is_seen_well_is_told_as_in_a_replay() -> None:
    assert followed(1) == (["dealer-overdraw"], ["completed", "completed"], set())


def test_what_is_seen_too_seldom_accuses_nobody_and_is_said() -> None:
    alerts, ends, doubts = followed(12)
    assert alerts == []
    assert "completed" not in ends
    assert any("too seldom to follow a round" in one for one in doubts)
