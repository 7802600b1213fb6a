"""The figure of a look at a table: what is timed, and on what."""

from types import SimpleNamespace

import numpy as np

from feltwatch.edge.tools.bench_vision import (
    BUDGET,
    CARDS,
    SIZE,
    Replayed,
    Times,
    full_table,
    most_visible,
    replayed,
    times,
)


def test_a_look_is_timed_beside_a_bare_call_on_the_same_picture() -> None:
    asked: list[tuple[str, tuple[int, ...]]] = []

    def noted(name: str) -> object:
        return lambda *given: asked.append((name, np.shape(given[-1])))

    detector = SimpleNamespace(run=noted("bare"), survey=noted("find"), candidates=lambda _: [])
    drawn = full_table()
    eyes = SimpleNamespace(
        detector=detector,
        fitter=SimpleNamespace(settle=noted("fit")),
        reader=SimpleNamespace(read=noted("read")),
        look=noted("look"),
    )
    found = times(eyes, drawn, turns=2)  # type: ignore[arg-type]  # not real
    one = [
        ("bare", (1, 736, 1280, 3)),
        ("find", (SIZE[1], SIZE[0], 3)),
        ("fit", (0,)),
        ("read", (CARDS, 4, 2)),
        ("look", (SIZE[1], SIZE[0], 3)),
    ]
    assert asked == one * 5
    assert found.all_s >= max(found.find_s, found.fit_s, found.read_s)


def test_twenty_cards_show_on_the_table() -> None:
    drawn = full_table()
    assert most_visible(drawn).shape == (CARDS, 4, 2)
    assert drawn.image.shape == (SIZE[1], SIZE[0], 3)


def test_the_ratio_stands_with_its_budget() -> None:
    *_, last = Times(0.04, 0.04, 0.01, 0.014, 0.064, 0.07).lines()
    assert last.split() == ["ratio", "1.60", "(at", "most", f"{BUDGET})"]


def test_a_replay_is_timed_beside_decoding_alone() -> None:
    found = replayed(since=34.0, turns=1)
    assert 0 < found.film_s < 2
    assert 0 < found.decoding_s < found.replay_s


def test_the_speed_of_a_replay_stands_with_that_of_decoding() -> None:
    _, decoding, replay, ratio = Replayed(35.0, 5.0, 7.0).lines()
    assert decoding.split()[-4:] == ["7.0", "times", "real", "time"]
    assert replay.split()[:3] == ["replayed", "7.0", "s"]
    assert replay.split()[-4:] == ["5.0", "times", "real", "time"]
    assert ratio.split()[:2] == ["ratio", "1.40"]
