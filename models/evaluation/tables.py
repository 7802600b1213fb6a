"""Rendered tables of art that was not used in training: each is analysed, counted and dropped."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path

from feltwatch.datasets.art.chips.chips import chip_set
from feltwatch.datasets.common.parallel import ordered
from feltwatch.datasets.render.compose import render
from feltwatch.datasets.scene.scene_sampler import NOTHING, Own, cast
from feltwatch.datasets.sets.sets import SPREAD
from feltwatch.models.evaluation.counting import SEEN, WHOLE, CardOutcome, Outcome, add, figures, outcome
from feltwatch.models.evaluation.looking import Look, Mistake, Worst
from feltwatch.models.evaluation.matching import FOUND, answer_to
from feltwatch.models.evaluation.report import Figures, Tally, reported
from feltwatch.vision.arrays import Pixels

SIZE = (1920, 1080)
KEPT = 16  # pictures drawn once more to be shown: a bad one has many faults


@dataclass(frozen=True, slots=True)
class TableLooks:
    """index -> what came of that table; picklable, so that workers can be given it."""

    look: Look
    split: str
    seed: int
    size: tuple[int, int] = SIZE
    own: Own = NOTHING

    def __call__(self, index: int) -> tuple[Outcome, tuple[Mistake, ...]]:
        seed = self.seed * SPREAD + index
        scene = cast(self.split, seed, self.size, self.own)
        drawn = render(scene)
        found = outcome(self.look(drawn.image), drawn.truth, chip_set(scene.chips).radius_mm, scene.deck)
        load = partial(picture, self.split, seed, self.size, self.own)
        return found, tuple(_faults(found, f"{scene.deck}-{index}", load))


@lru_cache(maxsize=KEPT)
def picture(split: str, seed: int, size: tuple[int, int], own: Own) -> Pixels:
    return render(cast(split, seed, size, own)).image


def measure(run: TableLooks, count: int, jobs: int = 1, show: Path | None = None) -> Figures:
    """Look at so many tables."""
    tally, worst = Tally(), Worst()
    for one, faults in reported(ordered(run, range(count), jobs), count, "tables"):
        add(tally, one)
        worst.add(faults)
    worst.write(show)
    return figures(tally)


def _faults(found: Outcome, where: str, load: Callable[[], Pixels]) -> Iterator[Mistake]:
    """Give what to look at: wrong faces first, the surest before; then what is not there, then what was missed."""
    for card in found.cards:
        if (fault := _of_card(card)) is not None:
            weight, says = fault
            yield Mistake(weight, f"{says}-{where}", card.true.quad, card.reported, load)
    for false in found.false:
        if false.kind != "hidden":
            says = f"false-{false.kind}-{false.reported.face}-{where}"
            yield Mistake(2 + false.reported.confidence, says, false.reported.quad, false.reported, load)
    for stack in found.stacks:
        if stack.off_mm is None:
            yield Mistake(0.5 * stack.true.visible, f"missed-stack-{where}", stack.true.hull, None, load)


def _of_card(card: CardOutcome) -> tuple[float, str] | None:
    true, said = card.true, answer_to(card.reported, card.true)
    if said == "wrong" and card.reported:
        return 4 + card.reported.confidence, f"wrong-{true.face}-reported-{card.reported.face}"
    if said in ("reported down", "reported up"):
        return 3 + true.visible, f"{said}-{true.face}"
    if true.visible >= SEEN and card.overlap < FOUND:
        return 1 + true.visible, f"missed-{true.face}"
    if said == "cannot tell" and true.visible >= WHOLE:
        return 0.9, f"untold-{true.face}"
    return None
