"""A fitter for tests whose candidates are already exact: it changes no quad."""

from collections.abc import Sequence

import numpy as np

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detector import Detection
from feltwatch.vision.detection.fitter import CardFit, FittedCard

SURE = {"sure": 0.95, "sure_index": 0.96, "sure_hard": 0.98}


class ExactFitter:
    """Takes every candidate for a card that lies just so; `visible` and `index` are what each of them shows."""

    def __init__(self, visible: float = 1.0, index: float = 1.0) -> None:
        self.visible, self.index = visible, index

    def settle(self, _: Pixels, candidates: Sequence[Detection]) -> list[FittedCard]:
        return [
            FittedCard(one, CardFit(one.quad, np.zeros(4), one.score, one.up, (self.index, self.index), self.visible))
            for one in candidates
        ]
