"""The controlled pictures behind the robustness curves, and how their answers are counted."""

from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene import Scene
from feltwatch.models.evaluation import sweeps
from feltwatch.models.evaluation.sweeps import VALUES, Sweep, SweepStep, measure, scene, steps
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detections import DetectedCard, Detections


@pytest.mark.parametrize(("factor", "value"), [("height px", 30.0), ("height px", 200.0), ("rotation deg", 90.0)])
def test_a_card_is_as_tall_as_the_step_says(factor: str, value: float) -> None:
    found = render(scene("test", SweepStep(factor, value, 0), np.random.default_rng(4)))
    (card,) = found.truth.cards
    tall = value if factor == "height px" else 85.0
    assert card.index_px * 88 / 10.5 == pytest.approx(tall, rel=0.06)
    assert card.visible > 0.99


@pytest.mark.parametrize("share", VALUES["coverage"])
def test_a_card_is_covered_as_far_as_the_step_says(share: float) -> None:
    found = render(scene("test", SweepStep("coverage", share, 5), np.random.default_rng(5)))
    card = found.truth.cards[0]
    assert card.visible == pytest.approx(1 - share, abs=0.03)
    assert len(found.truth.cards) == 1 + bool(share)
    assert (card.index > 0.9) == (share <= 0.8)  # the index at the top left shows to the last


def test_every_face_is_met_at_every_step() -> None:
    todo = steps(52)
    assert len(todo) == 52 * sum(map(len, VALUES.values()))
    found = {scene("test", SweepStep("glare", 0.0, n), np.random.default_rng(n)).cards[0].face for n in range(52)}
    assert len(found) == 52


@dataclass
class Knowing:
    """Eyes that are reported the truth of each scene before it is drawn, and take hearts for diamonds."""

    truth: object = None

    def read(self, picture: Pixels, quads: object) -> list[SimpleNamespace]:
        del picture, quads
        return [SimpleNamespace(face=self.face().replace("h", "d"))]

    def look(self, picture: Pixels) -> Detections:
        del picture
        card = self.truth.cards[0]  # type: ignore[attr-defined]  # a Truth, once a scene was drawn
        return Detections((DetectedCard(card.quad, up=True, face=self.face(), confidence=1.0),))

    def face(self) -> str:
        return str(self.truth.cards[0].face)  # type: ignore[attr-defined]  # as above


def test_answers_are_counted_by_step(monkeypatch: pytest.MonkeyPatch) -> None:
    knowing = Knowing()

    def rendered(table: Scene) -> object:
        found = render(table)
        knowing.truth = found.truth
        return found

    monkeypatch.setattr(sweeps, "VALUES", {"blur px": (0.0, 1.0)})
    monkeypatch.setattr(sweeps, "render", rendered)
    monkeypatch.setattr(sweeps, "eyes_of", lambda *_: SimpleNamespace(reader=knowing, look=knowing.look))
    found = measure(Sweep(Path("manifest.toml"), "test", 1), 26)
    assert found == {"blur px": {value: _row() for value in ("0", "1")}}


def _row() -> dict[str, object]:
    return {
        "of": 26,
        "rank %": 100.0,
        "suit %": 50.0,
        "face %": 50.0,
        "right %": 100.0,
        "wrong %": 0.0,
        "cannot tell %": 0.0,
        "reported down %": 0.0,
        "not found %": 0.0,
    }
