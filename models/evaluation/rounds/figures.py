"""Many rounds and films as figures: a row for each condition, and what was not right by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from feltwatch.models.evaluation.report import Figures, percent, shares
from feltwatch.models.evaluation.rounds.scoring import ANSWERS, Score

SHORT = 100  # letters of what was not right, in a table


@dataclass(frozen=True, slots=True)
class Work:
    """What it took to watch one film."""

    frames: int
    lost: int
    looks: int
    seconds: float  # of footage
    watching_s: float  # decoding and all
    decoding_s: float  # decoding alone


@dataclass(frozen=True, slots=True)
class FilmScores:
    """One film under one condition."""

    book: str
    scores: tuple[Score, ...]
    work: Work


def figures(seen: Mapping[str, Sequence[FilmScores]]) -> Figures:
    """Give the figures of each condition's films."""

    def rows(measure: Callable[[Sequence[FilmScores]], Figures]) -> Figures:
        return {condition: measure(films) for condition, films in seen.items() if films}

    def named(list_of: Callable[[Score], Sequence[str]]) -> list[Figures]:
        return [
            {"condition": condition, "film": score.film, "round": score.number, "what": _short(what)}
            for condition, films in seen.items()
            for score in _scores(films)
            for what in list_of(score)
        ]

    plain = seen.get("plain", ())
    books = {film.book: [one for one in plain if one.book == film.book] for film in plain}
    return {
        "rounds": rows(lambda films: {"films": len(films), "rounds": len(_scores(films))}),
        "rounds whose card events are right, in order": rows(_events),
        "the same by book, plain": {book: _events(films) for book, films in sorted(books.items())},
        "settlements": rows(_settled),
        "errors a camera can see": rows(_errors),
        "false alerts of severity void, stop, correct": rows(_false),
        "seconds from rest to event": rows(_late),
        "work": rows(_work),
        "wrong rounds": named(lambda score: score.differs if score.events == "wrong" else ()),
        "unresolved rounds": named(lambda score: score.differs if score.events == "unresolved" else ()),
        "wrong settlements": named(lambda score: score.unsettled if _counts(score) else ()),
        "missed errors": named(lambda score: score.missed),
        "false alerts": named(lambda score: score.false),
    }


def _short(text: str) -> str:
    return text if len(text) <= SHORT else f"{text[: SHORT - 2]} …"


def _scores(films: Sequence[FilmScores]) -> list[Score]:
    return [score for film in films for score in film.scores]


def _counts(score: Score) -> bool:
    """True if settlements of a round count: after a ruling they do not, as no camera sees it."""
    return not score.ruled and score.result[1] != "unresolved"


def _events(films: Sequence[FilmScores]) -> Figures:
    found = _scores(films)
    counts = {answer: sum(score.events == answer for score in found) for answer in ANSWERS}
    return {**shares(counts, ANSWERS), "faces taken back": sum(score.misread for score in found)}


def _settled(films: Sequence[FilmScores]) -> Figures:
    found = _scores(films)
    counted = [score for score in found if _counts(score)]
    wrong = [score for score in counted if score.unsettled]
    lines = {name: sum(score.settled[name] for score in counted) for name in ("right", "wrong", "not reported")}
    completed = [score for score in counted if score.result[0] == "completed"]
    return {
        "rounds": len(counted),
        "wrong rounds": len(wrong),
        **{f"lines {name}": number for name, number in lines.items()},
        "ruled": sum(score.ruled for score in found),
        "unresolved": sum(score.result[1] == "unresolved" and not score.ruled for score in found),
        "of them wrong": sum(
            score.result[1] == "unresolved" and not score.ruled and bool(score.unsettled) for score in found
        ),
        "other result": sum(score.result[1] != "completed" for score in completed),
    }


def _errors(films: Sequence[FilmScores]) -> Figures:
    found = _scores(films)
    right, missed = (sum(len(of) for of in lists) for lists in zip(*((s.found, s.missed) for s in found), strict=True))
    return {
        "owed": right + missed,
        "found": right,
        "found %": percent(right, right + missed),
        "missed": missed,
        "not to be seen": sum(len(score.hidden) for score in found),
    }


def _false(films: Sequence[FilmScores]) -> Figures:
    found = _scores(films)
    alerts = sum(len(score.false) for score in found)
    return {
        "rounds": len(found),
        "alerts": alerts,
        "in 1000 rounds": round(1000 * alerts / len(found), 2) if found else None,
        "raised and withdrawn": sum(len(score.withdrawn) for score in found),
    }


def _late(films: Sequence[FilmScores]) -> Figures:
    late = np.array([t for score in _scores(films) for t in score.late_s])
    off = np.array([abs(t) for score in _scores(films) for t in score.rest_s])
    if not len(late):
        return {"cards": 0}
    found: Figures = {"cards": len(late), "not reported so": sum(score.untold for score in _scores(films))}
    for share in (50, 90, 99, 100):
        found[f"p{share}" if share < 100 else "most"] = round(float(np.percentile(late, share)), 3)
    return {**found, "rest p99": round(float(np.percentile(off, 99)), 3)}


def _work(films: Sequence[FilmScores]) -> Figures:
    works = [film.work for film in films]
    frames, seconds = sum(one.frames for one in works), sum(one.seconds for one in works)
    watching, decoding = sum(one.watching_s for one in works), sum(one.decoding_s for one in works)
    return {
        "frames": frames,
        "lost": sum(one.lost for one in works),
        "looks a frame": round(sum(one.looks for one in works) / max(frames, 1), 3),
        "times real time": round(seconds / max(watching, 1e-9), 2),
        "decoding alone": round(seconds / max(decoding, 1e-9), 2),
        "ratio": round(watching / max(decoding, 1e-9), 2),
    }
