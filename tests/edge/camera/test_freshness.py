"""Which frames are live: known from when they came and how they are dated, and from nothing else."""

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from feltwatch.edge.camera.freshness import Freshness, Liveness
from feltwatch.edge.camera.picture_health import Timeouts

STEP = 0.04
Stream = list[tuple[float, float]]  # when frames come, and when they were taken
LATE_S = Timeouts().late_s


def steady(seconds: float, since: float = 0.0, step: float = STEP) -> Stream:
    return [(since + n * step, since + n * step) for n in range(round(seconds / step))]


def held(stream: Stream, since: float, until: float, decode_s: float = 0.001) -> Stream:
    """Let nothing through for a while, and then all of it, as fast as it can be decoded."""
    found: Stream = []
    free = until
    for came, taken in stream:
        arrives = came
        if since <= came and free > came:
            arrives, free = free, free + decode_s
        found.append((arrives, taken))
    return found


def judged(
    stream: Stream, dates: Iterable[float], fps: float = 25.0, *, trusts_none: bool = False
) -> list[tuple[Freshness, float]]:
    """Give what is found of each frame, and how old it then is; dates are no longer believed where they mislead."""
    liveness = Liveness(Timeouts(), fps)
    found: list[tuple[Freshness, float]] = []
    for (came, taken), date in zip(stream, [*dates], strict=True):
        one = liveness.judge(came, date)
        if one == "behind" and trusts_none:
            liveness.count()
        found.append((one, came - taken))
    return found


def true_dates(stream: Stream) -> list[float]:
    """Give dates by a clock of the camera's own."""
    return [taken + 1234.5 for _, taken in stream]


def nobodys(stream: Stream) -> list[float]:
    """Give dates that a demuxer makes up: so many frames a second, whatever the camera does."""
    return [n / 25 for n in range(len(stream))]


def none(stream: Stream) -> list[float]:
    return [0.0] * len(stream)


Dates = Callable[[Stream], list[float]]
DATED = pytest.mark.parametrize("dates", [true_dates, nobodys, none])


@DATED
@pytest.mark.parametrize("rate", [5, 12, 15, 24.9, 25, 30, 50, 60])
def test_a_steady_stream_is_live_after_a_moment_and_stays_so(dates: Dates, rate: float) -> None:
    stream = steady(60.0, step=1 / rate)
    found = [one for one, _ in judged(stream, dates(stream))]
    settled = [came for (came, _), one in zip(stream, found, strict=True) if one != "live"]
    assert "behind" not in found
    assert max(settled) <= 4.0
    if dates is true_dates:
        assert max(settled) <= 0.25 + 1 / rate


@DATED
def test_what_an_opened_stream_hands_over_at_once_is_not_live(dates: Dates) -> None:
    stream = held(steady(10.0), 0.0, 1.2)
    found = judged(stream, dates(stream))
    ages = [age for one, age in found if one == "live"]
    assert max(ages) <= 0.1
    assert len(ages) >= (10.0 - 1.2 - 1.2) / STEP


@DATED
@pytest.mark.parametrize("decode_s", [0.001, 0.01])
@pytest.mark.parametrize("gap_s", [0.7, 1.5, 6.0, 30.0])
def test_what_was_held_on_its_way_is_not_live_and_what_comes_after_is(
    dates: Dates, decode_s: float, gap_s: float
) -> None:
    stream = held(steady(60.0), 10.0, 10.0 + gap_s, decode_s)
    found = judged(stream, dates(stream))
    after = [(one, age) for (came, _), (one, age) in zip(stream, found, strict=True) if came >= 10.0]
    assert max(age for one, age in after if one == "live") <= LATE_S + 0.1
    late = [came for (came, _), (one, _) in zip(stream, found, strict=True) if came >= 10.0 and one != "live"]
    drained = 10.0 + gap_s + gap_s * decode_s / (STEP - decode_s)
    assert max(late) <= drained + (0.3 if dates is true_dates else 1.5)
    assert all(one != "behind" for one, _ in found)


@pytest.mark.parametrize("gap_s", [1.0, 5.0])
def test_frames_that_were_lost_on_their_way_leave_what_comes_after_live(gap_s: float) -> None:
    stream = [*steady(10.0), *steady(10.0, 10.0 + gap_s)]
    found = [one for one, _ in judged(stream, true_dates(stream))]
    assert {*found[250:]} == {"live"}


def test_a_stream_that_comes_back_late_at_its_own_pace_must_be_opened_anew() -> None:
    stream = [*steady(10.0), *((came + 4.0, came) for came, _ in steady(10.0, 10.0))]
    found = judged(stream, true_dates(stream))
    after = [one for one, _ in found[250:]]
    first = after.index("behind")
    assert first * STEP <= 0.4
    assert {*after[:first]} == {"old"}
    assert "live" not in after


def test_a_stream_without_dates_that_stood_still_and_goes_on_is_live_soon() -> None:
    stream = [*steady(10.0), *steady(10.0, 14.0)]  # the camera itself slept
    for dates in (nobodys, none):
        found = [one for one, _ in judged(stream, dates(stream), trusts_none=True)]
        assert found[250:].count("live") >= 225


def test_frames_that_pile_up_little_by_little_are_brought_in_by_taking_none() -> None:
    liveness, free, ages, given = Liveness(Timeouts(), 25.0), 0.0, [], 0
    for n in range(3000):
        came = max(n * STEP, free)
        one = liveness.judge(came, n * STEP)
        free = came + (0.045 if one == "live" else 0.002)  # longer than the camera, if the picture is taken
        if one == "live":
            ages.append(came - n * STEP)
        given += one == "live"
    assert max(ages) <= LATE_S + 0.1
    assert given >= 2000


def test_clocks_that_drift_apart_change_nothing_in_a_day() -> None:
    for drift in (-1e-4, 1e-4):
        liveness = Liveness(Timeouts(), 1.0)
        found = [liveness.judge(float(n), n * (1 + drift)) for n in range(86_400)]
        assert {*found[4:]} == {"live"}


@DATED
@pytest.mark.parametrize("rates", [(25.0, 12.5), (12.5, 25.0), (10.0, 50.0)])
def test_a_camera_that_takes_more_or_fewer_pictures_from_now_on_stays_live(
    dates: Dates, rates: tuple[float, float]
) -> None:
    for pause in (0.0, 1.0):
        stream = [*steady(10.0, step=1 / rates[0]), *steady(10.0, 10.0 + pause, 1 / rates[1])]
        found = [one for one, _ in judged(stream, dates(stream), trusts_none=True)]
        assert {*found[-round(5 * rates[1]) :]} == {"live"}
        assert found.count("live") >= 0.6 * len(found)


@given(
    opened=st.floats(0.0, 1.5),
    decode_s=st.floats(0.0005, 0.008),
    pauses=st.lists(st.tuples(st.integers(0, 150), st.floats(0.0, 0.7)), max_size=3),
)
def test_a_reader_that_gets_no_time_while_a_stream_is_opened_soon_takes_nothing_old_for_live(
    opened: float, decode_s: float, pauses: list[tuple[int, float]]
) -> None:
    """A reader that is let run only now and then sees frames come as if it had waited; what rushes in then tells."""
    free, found = opened, []
    liveness = Liveness(Timeouts(), 25.0)
    for number in range(300):
        free += sum(seconds for at, seconds in pauses if at == number)
        free = max(number * STEP, free) + decode_s
        found.append((liveness.judge(free, number * STEP), free - number * STEP))
    late = [age for one, age in found if one == "live" and age > LATE_S + 0.05]
    assert len(late) <= 8
    assert [one for one, _ in found[-25:]] == ["live"] * 25


@given(
    jitter=st.lists(st.floats(0.0, 0.2), min_size=100, max_size=400),
    gaps=st.lists(st.tuples(st.floats(0.0, 12.0), st.floats(0.5, 5.0)), max_size=3),
)
def test_nothing_live_is_ever_late_by_more_than_is_allowed(
    jitter: list[float], gaps: list[tuple[float, float]]
) -> None:
    """However a network mistreats a camera that dates its frames, once it was seen at its own pace."""
    stream = steady(4.0 + len(jitter) * STEP)
    stream = [(came + (jitter[n - 100] if n >= 100 else 0.0), taken) for n, (came, taken) in enumerate(stream)]
    for since, seconds in gaps:
        stream = held(stream, 4.0 + since, 4.0 + since + seconds)
    order = [*zip(_upwards(came for came, _ in stream), (taken for _, taken in stream), strict=True)]
    found = judged(order, true_dates(order))
    assert all(age <= LATE_S + 0.05 for one, age in found if one == "live")


def _upwards(times: Iterable[float]) -> Iterable[float]:
    last = 0.0
    for time in times:
        last = max(last, time)
        yield last
