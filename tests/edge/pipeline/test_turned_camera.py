"""A camera that is turned away in mid-round, as the whole pipeline sees it with the networks that ship."""

from dataclasses import dataclass, field

import cv2
import numpy as np
import pytest

from feltwatch.edge.video.decoder import Decoding
from feltwatch.engine.model.verdicts import Verdict
from feltwatch.vision.arrays import Pixels
from tests.film_watched import CAMERA, SECOND, begun, clip
from tests.json_events import Event, as_json

AWAY_S = 3.0
SAID_S = 5.0  # within which it must be reported; here it is sooner


@dataclass
class Told:
    """What came while the camera was turned away, when that was said, and when it was no longer."""

    events: list[Event] = field(default_factory=list)
    verdicts: list[Verdict] = field(default_factory=list)
    said: list[tuple[float, tuple[str, ...]]] = field(default_factory=list)


def turned(picture: Pixels, degrees: float, aside: float) -> Pixels:
    height, width = picture.shape[:2]
    way = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, 1.0) + np.array([[0, 0, aside], [0, 0, 0]])
    return np.asarray(cv2.warpAffine(picture, way, (width, height), borderMode=cv2.BORDER_REFLECT), np.uint8)


def watched(at: float, degrees: float, aside: float) -> Told:
    """Watch the film's second round, turned away from a moment on for AWAY_S."""
    told, pipeline = Told(), begun()
    doubts: tuple[str, ...] = ()
    with Decoding(clip()[0], SECOND) as frames:
        for frame in frames:
            if frame.t > at + AWAY_S + 1.0:
                break
            away = at <= frame.t < at + AWAY_S
            step = pipeline.step(CAMERA, frame.t, turned(frame.picture, degrees, aside) if away else frame.picture)
            if away:
                told.events += as_json(step.events)
                told.verdicts += step.verdicts
            if pipeline.doubts() != doubts:
                doubts = pipeline.doubts()
                told.said.append((frame.t - at, doubts))
    return told


@pytest.mark.parametrize(("at", "degrees", "aside"), [(24.6, 20.0, 100.0), (28.9, 2.0, 0.0)])
def test_a_camera_turned_away_in_mid_round_is_said_and_nothing_comes_of_what_it_sees(
    at: float, degrees: float, aside: float
) -> None:
    told = watched(at, degrees, aside)
    (said, doubts), (over, none) = told.said
    assert said <= SAID_S
    assert "the camera was moved" in doubts[0]
    assert AWAY_S <= over <= AWAY_S + 0.5
    assert none == ()
    assert {event["event"] for event in told.events} <= {"tick"}
    assert told.verdicts == []
