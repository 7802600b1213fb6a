"""Pictures that hold no cards: every card reported there is false."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from feltwatch.datasets.common.cache import read_picture
from feltwatch.datasets.common.parallel import ordered
from feltwatch.models.evaluation.looking import Look, Mistake, Worst
from feltwatch.models.evaluation.report import Figures, reported
from feltwatch.vision.arrays import Pixels
from feltwatch.vision.detection.detections import Detections


@dataclass(frozen=True, slots=True)
class CardlessLook:
    """A picture's path -> what was reported of it; picklable."""

    look: Look

    def __call__(self, path: Path) -> Detections:
        return self.look(picture(path))


def picture(path: Path) -> Pixels:
    return np.ascontiguousarray(read_picture(path)[..., :3])


def measure(look: Look, paths: Sequence[Path], jobs: int = 1, show: Path | None = None) -> Figures:
    worst = Worst()
    rows: list[Figures] = []
    stacks = hands = 0
    for path, seen in zip(
        paths, reported(ordered(CardlessLook(look), paths, jobs), len(paths), "cardless"), strict=True
    ):
        stacks, hands = stacks + len(seen.stacks), hands + len(seen.hands)
        where = f"{path.parent.name}/{path.name}"
        for card in seen.cards:
            says = card.face or ("up" if card.up else "down")
            rows.append({"picture": where, "reported": says, "confidence": round(card.confidence, 4)})
            load = partial(picture, path)
            worst.add([Mistake(card.confidence + bool(card.face), f"{says}-{where}", card.quad, card, load)])
    worst.write(show)
    return {
        "pictures": len(paths),
        "reported cards": len(rows),
        "of these with a face": sum(row["reported"] not in ("up", "down") for row in rows),
        "pictures with a reported card": len({row["picture"] for row in rows}),
        "reported stacks": stacks,
        "reported hands": hands,
        "reported": rows,
    }
