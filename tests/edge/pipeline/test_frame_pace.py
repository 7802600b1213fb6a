"""Frames that come too seldom: what happens between them is a gap, and it is reported."""

from feltwatch.edge.pipeline.table_pipeline import TablePipeline
from feltwatch.edge.video.decoder import Decoding
from feltwatch.engine.model.verdicts import Alert, Ended, Verdict
from feltwatch.vision.motion.change_detector import shrunk
from tests.film_watched import clip, eyes


def followed(every: int) -> tuple[list[str], list[str], set[str]]:
    """Watch every so manieth frame of the bundled video; give its alerts, how its rounds ended, and the doubts."""
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


def test_each_frame_analysed_gives_the_alerts_and_the_endings_of_the_film() -> None:
    assert followed(1) == (["dealer-overdraw"], ["completed", "completed"], set())


def test_frames_that_come_too_seldom_raise_no_alert_and_are_reported() -> None:
    alerts, ends, doubts = followed(12)
    assert alerts == []
    assert "completed" not in ends
    assert any("fewer than 3 frames/s are analysed" in one for one in doubts)
