"""What can be measured on a crop of a card, and how well measures tell two kinds of crops apart."""

from collections.abc import Callable, Sequence

import cv2
import numpy as np

from feltwatch.vision.arrays import Floats, Floats32, Mask, Pixels

VIEW = (96, 128)
GRID = (4, 3)  # patches down and across
RIDGE = 1.0
FOLDS = 5
FILTERS = 32
PAPER = 70  # a pixel of this percentile of lightness is paper


def features(crop: Pixels) -> dict[str, float]:
    """Measure a crop of VIEW: each number has a name that says what to change in a renderer."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32)
    inner = (slice(14, -14), slice(11, -11))  # the card without its surroundings
    light, colour = lab[inner][..., 0], lab[inner]
    level = float(np.percentile(light, PAPER))
    paper = np.abs(light - level) < 14
    flat = cv2.erode(paper.astype(np.uint8), np.ones((5, 5), np.uint8)) > 0
    found = _bands(grey[inner])
    rest = (grey - cv2.GaussianBlur(grey, (0, 0), 1.2))[inner]
    steps = np.hypot(cv2.Sobel(grey, cv2.CV_32F, 1, 0), cv2.Sobel(grey, cv2.CV_32F, 0, 1))
    found["noise in flat paper"] = float(rest[flat].std()) if flat.sum() > 40 else 0.0
    found["paper lightness"] = level
    found["paper green to red"] = float(np.median(colour[paper][:, 1])) - 128
    found["paper blue to yellow"] = float(np.median(colour[paper][:, 2])) - 128
    found["paper uneven"] = float(light[paper].std())
    found["light top to bottom"] = _slope(light, paper, 0)
    found["light left to right"] = _slope(light, paper, 1)
    found["ink depth"] = level - float(np.percentile(light, 2))
    chroma = np.hypot(colour[..., 1] - 128, colour[..., 2] - 128)
    found["saturation, most"] = float(np.percentile(chroma, 98))
    found["saturation, mean"] = float(chroma.mean())
    found["highlights"] = float((light > 250).mean())
    found["blackest"] = float(np.percentile(light, 0.5))
    found["steepest print"] = float(np.percentile(steps[inner], 99.5)) / 4
    found["steepness over ink depth"] = found["steepest print"] / max(1.0, found["ink depth"])
    found["card edge contrast"] = _edge(lab)
    found["ringing"] = float(np.percentile(light, 99.7)) - level
    found["blockiness"] = _blockiness(grey)
    found["colour blur"] = _chroma_blur(lab[inner])
    found["surround lightness"] = float(np.median(np.concatenate([lab[:4, :, 0].ravel(), lab[-4:, :, 0].ravel()])))
    return found


def _bands(grey: Floats32) -> dict[str, float]:
    """Give how the energy of the picture is spread over four octaves, as logarithms."""
    found, last = {}, grey
    for name, sigma in (("finest", 0.7), ("fine", 1.4), ("middle", 2.8), ("coarse", 5.6)):
        smooth = cv2.GaussianBlur(grey, (0, 0), sigma)
        found[f"detail, {name}"] = float(np.log(0.05 + np.square(last - smooth).mean()))
        last = smooth.astype(np.float32)
    return found


def _slope(light: Floats32, paper: Mask, axis: int) -> float:
    """Give by how much paper is lighter at one end of the card than at the other; the way round does not matter."""
    half = light.shape[axis] // 2
    first, second = np.split(light, [half], axis), np.split(paper, [half], axis)
    means = [float(part[mark].mean()) if mark.any() else 0.0 for part, mark in zip(first, second, strict=True)]
    return abs(means[0] - means[1])


def _edge(lab: Floats32) -> float:
    inner, outer = lab[30:-30, 9:12].mean(axis=(0, 1)), lab[30:-30, :3].mean(axis=(0, 1))
    return float(np.linalg.norm(inner - outer))


def _blockiness(grey: Floats32) -> float:
    steps = np.abs(np.diff(grey, axis=1)).mean(axis=0)
    by_phase = [steps[phase::8].mean() for phase in range(8)]
    return float(max(by_phase) / (np.median(by_phase) + 0.1))


def _chroma_blur(lab: Floats32) -> float:
    """Give how much flatter colour is than lightness in fine detail."""
    fine = lab - cv2.GaussianBlur(lab, (0, 0), 1.4)
    return float(np.log((0.05 + fine[..., 0].var()) / (0.05 + fine[..., 1:].var())))


def patch_features(crop: Pixels) -> Floats:
    """Give, for each patch of a GRID, its colour, spread and steepness: patches x measures."""
    lab = cv2.cvtColor(crop, cv2.COLOR_BGR2LAB).astype(np.float32)
    fine = np.abs(lab - cv2.GaussianBlur(lab, (0, 0), 1.2))
    found = []
    for row in np.split(np.concatenate([lab, fine], axis=2), GRID[0], axis=0):
        for patch in np.split(row, GRID[1], axis=1):
            found.append([*patch.mean(axis=(0, 1)), *patch.std(axis=(0, 1))])  # noqa: PERF401  reads as what it is
    return np.array(found, dtype=np.float64)


def texture_features(crops: Sequence[Pixels], seed: int = 0) -> Floats:
    """Give the mean and spread of the answers of random small filters: what no named measure thought of."""
    dice = np.random.default_rng(seed)
    kernels = dice.normal(size=(FILTERS, 5, 5)).astype(np.float32)
    kernels -= kernels.mean(axis=(1, 2), keepdims=True)
    rows = []
    for crop in crops:
        grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
        answers = [np.maximum(cv2.filter2D(grey, cv2.CV_32F, kernel), 0)[10:-10, 8:-8] for kernel in kernels]
        rows.append([np.log(1 + part) for answer in answers for part in (answer.mean(), answer.std())])
    return np.array(rows, dtype=np.float64)


def auc(scores: Floats, real: Mask) -> float:
    """Give how often a real crop scores above a rendered one.

    >>> auc(np.array([1.0, 2.0, 3.0, 4.0]), np.array([False, False, True, True]))
    1.0
    """
    order = np.unique(scores, return_inverse=True, return_counts=True)
    ends = np.cumsum(order[2])
    ranks = (ends - (order[2] - 1) / 2)[order[1]]
    count, rest = int(real.sum()), int((~real).sum())
    return float((ranks[real].sum() - count * (count + 1) / 2) / (count * rest))


def fit(rows: Floats, real: Mask) -> Callable[[Floats], Floats]:
    """Learn a logistic regression, both kinds weighing the same; give what scores rows."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    inputs = np.column_stack([np.clip((rows - mean) / spread, -4, 4), np.ones(len(rows))])
    goal = real.astype(np.float64)
    weight = np.where(real, 0.5 / max(1, real.sum()), 0.5 / max(1, (~real).sum())) * len(rows)
    penalty = RIDGE * np.eye(inputs.shape[1])
    penalty[-1, -1] = 1e-6
    found = np.zeros(inputs.shape[1])
    for _ in range(8):
        chance = 1 / (1 + np.exp(-np.clip(inputs @ found, -30, 30)))
        slope = inputs.T @ (weight * (chance - goal)) + penalty @ found
        bend = (inputs * (weight * chance * (1 - chance) + 1e-6)[:, None]).T @ inputs + penalty
        found = found - np.linalg.solve(bend, slope)
    return lambda new: np.column_stack([np.clip((new - mean) / spread, -4, 4), np.ones(len(new))]) @ found


def judged(rows: Floats, real: Mask, groups: Sequence[int]) -> tuple[float, float]:
    """Give accuracy and AUC over groups, each judged by what was learnt from the others.

    A group counts only if it and the others hold both kinds; if none does, the result is unknown: NaN.
    """
    marks = np.array(groups)
    found = []
    for group in sorted(set(groups)):
        out = marks == group
        if all(part.any() and not part.all() for part in (real[out], real[~out])):
            scores = fit(rows[~out], real[~out])(rows[out])
            hits = ((scores[real[out]] > 0).mean() + (scores[~real[out]] <= 0).mean()) / 2
            found.append((float(hits), auc(scores, real[out])))
    if not found:
        return float("nan"), float("nan")
    return float(np.mean([one[0] for one in found])), float(np.mean([one[1] for one in found]))


def shuffled_groups(count: int, seed: int = 0) -> list[int]:
    return [int(one) for one in np.random.default_rng(seed).permutation(np.arange(count) % FOLDS)]


def groups_by_source(names: Sequence[str], real: Mask) -> list[int]:
    """Give each real source its own group, and the rendered designs, whole, in turn to the same groups.

    Where there are fewer designs than sources, rendered cards are dealt out one by one: only real ones are then unseen.
    """
    sources = sorted({name for name, is_real in zip(names, real, strict=True) if is_real})
    decks = sorted({name for name, is_real in zip(names, real, strict=True) if not is_real})
    whole = len(decks) >= len(sources)
    found, dealt = [], 0
    for name, is_real in zip(names, real, strict=True):
        if is_real:
            found.append(sources.index(name))
        else:
            found.append((decks.index(name) if whole else dealt) % len(sources))
            dealt += 1
    return found
