"""A camera's feed: the newest live and good picture, or a sentence that says why there is none."""

import select
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from time import monotonic

import numpy as np
import pytest

from feltwatch.edge.camera.feed import Feed, FrameSink, LiveFrame, Source, Timeouts, Trouble
from feltwatch.edge.camera.sources import CameraSource, FileSource, answers, open_source
from feltwatch.edge.errors import UsageError
from feltwatch.vision.arrays import Pixels, PixelSize
from feltwatch.vision.motion.change_detector import shrunk
from tests.edge.scripted_watcher import write_video
from tests.faults.cameras import SHORT, Table, number_of
from tests.faults.network_camera import Client, NetworkCamera

DEADLINE_S = 30.0
PATIENT = Timeouts(open_s=6.0, read_s=1.0)
TABLE = Table(np.random.default_rng(5))


def until(holds: Callable[[], object]) -> None:
    """Wait for what another thread will do."""
    deadline, never = monotonic() + DEADLINE_S, threading.Event()
    while not holds():
        assert monotonic() < deadline
        never.wait(0.005)


def picture(number: int = 0) -> Pixels:
    return TABLE(number, 0.0)


def said(feed: Feed) -> str | None:
    trouble = feed.trouble
    return None if trouble is None else trouble.kind


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Script:
    """A camera that a test moves on: each step is done in the reader's thread, and is over when it is."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self._steps: list[Callable[[FrameSink], object]] = []
        self._news = threading.Condition()
        self._over = False

    def read(self, sink: FrameSink, stop: threading.Event) -> None:
        while not stop.is_set():
            with self._news:
                if not self._news.wait_for(lambda: self._steps or self._over, 0.05):
                    continue
                if not self._steps:
                    return
                self._steps[0](sink)
                self._steps.pop(0)
                self._news.notify_all()

    def does(self, step: Callable[[FrameSink], object]) -> None:
        with self._news:
            self._steps.append(step)
            self._news.notify_all()
            assert self._news.wait_for(lambda: not self._steps, DEADLINE_S)

    def takes(self, shown: Pixels, later_s: float = 0.04) -> None:
        """Take a picture some time after the last."""
        self.clock.now += later_s
        taken = self.clock.now
        self.does(lambda sink: sink.put(LiveFrame(taken - 1000.0, taken, shown, shrunk(shown))))

    def breaks(self, step: Callable[[FrameSink], object]) -> None:
        with self._news:
            self._steps.append(step)
            self._news.notify_all()

    def ends(self) -> None:
        with self._news:
            self._over = True
            self._news.notify_all()


@contextmanager
def feeding(source: Source, **more: object) -> Iterator[Feed]:
    with closing(Feed(source, "front", "bj-07.toml", **more)) as feed:  # type: ignore[arg-type]
        feed.start()
        yield feed


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def script(clock: Clock) -> Script:
    return Script(clock)


@pytest.fixture
def feed(script: Script, clock: Clock) -> Iterator[Feed]:
    with feeding(script, offset=500.0, now=clock) as found:
        yield found


# ---- what is given --------------------------------------------------------------------------------------------------


def test_the_newest_picture_is_given_once_and_what_it_replaced_is_counted(script: Script, feed: Feed) -> None:
    shown = [picture(number) for number in range(4)]
    for one in shown[:3]:
        script.takes(one)
    shot = feed.take(DEADLINE_S)
    assert shot is not None
    assert shot.picture is shown[2]
    assert shot.t == 500.12
    assert shot.taken == pytest.approx(1000.12)
    assert np.array_equal(shot.small, shrunk(shown[2]))
    assert (feed.came, feed.dropped) == (3, 2)
    assert feed.take(0.0) is None
    script.takes(shown[3])
    assert (feed.came, feed.dropped, feed.refused) == (4, 2, 0)
    assert feed.size == (320, 180)


def test_a_picture_is_given_as_soon_as_it_comes(script: Script, feed: Feed) -> None:
    late = threading.Timer(0.1, lambda: script.takes(picture()))
    late.start()
    assert feed.take(DEADLINE_S) is not None
    late.join()


def test_time_never_stands_still(script: Script, feed: Feed) -> None:
    times = []
    for number in range(3):
        script.takes(picture(number), 0.0)
        shot = feed.take(DEADLINE_S)
        assert shot is not None
        times.append(shot.t)
    assert times == [500.0, 500.001, 500.002]


def test_every_frame_that_came_is_counted(script: Script, feed: Feed) -> None:
    for number in range(250):
        script.takes(picture(number % 7))
    assert (feed.came, feed.dropped, feed.refused) == (250, 249, 0)


def test_what_goes_wrong_in_the_reader_is_raised_where_pictures_are_taken(script: Script, feed: Feed) -> None:
    def breaks(sink: FrameSink) -> None:
        del sink
        raise ZeroDivisionError("a bug")

    script.takes(picture())
    script.breaks(breaks)
    until(lambda: feed.fault)
    assert feed.take(0.0) is not None
    for _ in range(2):
        with pytest.raises(ZeroDivisionError, match="a bug"):
            feed.take(0.0)


def test_footage_that_is_over_has_ended_when_all_of_it_was_taken(script: Script, clock: Clock, feed: Feed) -> None:
    script.takes(picture())
    script.ends()
    clock.now += 60.0
    until(lambda: feed.trouble is None)  # it has stalled as long as no one knows that it is over
    assert not feed.ended
    assert feed.take(0.0) is not None
    assert feed.ended
    assert (feed.take(DEADLINE_S), feed.trouble) == (None, None)


def test_a_feed_that_was_closed_gives_nothing_more_and_keeps_nobody_waiting(script: Script, feed: Feed) -> None:
    feed.close()
    assert feed.take(DEADLINE_S) is None
    assert feed.ended
    script.breaks(lambda _: None)  # which no one does any more
    assert [thread for thread in threading.enumerate() if thread.name == "camera front"] == []


def test_a_feed_that_was_never_started_can_be_closed(script: Script) -> None:
    Feed(script, "front", "bj-07.toml").close()


# ---- trouble --------------------------------------------------------------------------------------------------------


def test_a_reader_that_hangs_has_stalled_and_what_it_left_is_not_live(script: Script, clock: Clock, feed: Feed) -> None:
    script.takes(picture())
    assert feed.trouble is None
    clock.now += 2.9
    assert feed.trouble is None
    clock.now += 0.2
    says = "camera front has stalled: it sends no frames"
    assert feed.trouble == Trouble("stalled", 500.04, says)
    assert feed.take(0.0) is None  # it lay there too long
    assert feed.dropped == 1
    script.takes(picture(1))
    assert feed.trouble is None
    assert feed.take(0.0) is not None


def test_a_camera_that_never_sent_a_picture_has_stalled(clock: Clock, feed: Feed) -> None:
    clock.now += 3.1
    assert feed.trouble == Trouble("stalled", 500.0, "camera front has stalled: it sends no frames")


def test_pictures_that_have_waited_are_none(script: Script, clock: Clock, feed: Feed) -> None:
    script.takes(picture())
    for _ in range(4):
        clock.now += 1.0
        script.does(lambda sink: sink.old((320, 180)))
    says = "camera front has stalled: it sends only delayed frames"
    assert feed.trouble == Trouble("stalled", 500.04, says)
    assert (feed.came, feed.refused) == (5, 4)


def test_a_picture_of_another_size_is_said_though_it_has_waited(script: Script, clock: Clock, feed: Feed) -> None:
    script.takes(picture())
    script.does(lambda sink: sink.lost())
    clock.now += 1.0
    script.does(lambda sink: sink.old((640, 360)))
    says = "camera front sends pictures of 640 x 360, not of 320 x 180; set it back, or calibrate it again"
    assert feed.trouble == Trouble("resized", 501.04, says)
    script.takes(picture(1))
    assert feed.trouble is None


def test_a_camera_that_is_lost_is_lost_until_a_picture_comes(script: Script, clock: Clock, feed: Feed) -> None:
    script.takes(picture())
    clock.now += 1.0
    script.does(lambda sink: sink.lost())
    clock.now += 10.0
    script.does(lambda sink: sink.lost())
    says = "camera front is lost: it does not answer; retrying"
    assert feed.trouble == Trouble("lost", 501.04, says)
    script.takes(picture(1))
    assert feed.trouble is None


def test_bad_pictures_are_not_given_and_are_said(script: Script, feed: Feed) -> None:
    script.takes(picture())
    assert feed.take(0.0) is not None
    black = np.zeros_like(picture())
    script.takes(black)
    assert (feed.take(0.0), feed.trouble) == (None, None)  # not at once: it may be a flash
    script.takes(black, 1.5)
    assert said(feed) == "black"
    script.takes(np.ascontiguousarray(picture(1)[::2, ::2]))
    assert said(feed) == "resized"
    script.takes(picture(2))
    assert feed.trouble is None
    still = picture(3)
    for _ in range(17):
        script.takes(still, 0.2)
    assert said(feed) == "frozen"
    assert (feed.refused, feed.size) == (4, (320, 180))
    script.takes(picture(44), 0.3)
    assert feed.trouble is None
    shot = feed.take(0.0)
    assert shot is not None


# ---- films ----------------------------------------------------------------------------------------------------------


class Waits(threading.Event):
    """Waits no time at all, but has a clock believe so; asks to stop after so many pictures."""

    def __init__(self, most: int = 10**9) -> None:
        super().__init__()
        self.now, self.most = 100.0, most
        self.waits: list[float] = []
        self.shots: list[LiveFrame] = []

    def wait(self, timeout: float | None = None) -> bool:
        self.waits.append(round(timeout or 0.0, 3))
        self.now += timeout or 0.0
        return self.is_set()

    def put(self, shot: LiveFrame) -> None:
        self.shots.append(shot)
        if len(self.shots) >= self.most:
            self.set()

    def old(self, _size: PixelSize) -> None:
        raise AssertionError

    def lost(self) -> None:
        raise AssertionError


def played(film: Path, most: int = 10**9, *, loop: bool = False) -> Waits:
    waits = Waits(most)
    FileSource(film, loop=loop, now=lambda: waits.now).read(waits, waits)
    return waits


def test_a_film_as_a_camera_keeps_its_own_pace(tmp_path: Path) -> None:
    waits = played(write_video(tmp_path / "film.mp4", [0.0, 0.04, 0.2, 0.24, 1.0]))
    assert waits.waits == [0.0, 0.04, 0.16, 0.04, 0.76]
    assert [shot.t for shot in waits.shots] == [0.0, 0.04, 0.2, 0.24, 1.0]
    assert [shot.taken for shot in waits.shots] == pytest.approx([100.0, 100.04, 100.2, 100.24, 101.0])
    assert all(np.array_equal(shot.small, shrunk(shot.picture)) for shot in waits.shots)


def test_a_film_that_is_played_over_and_over_has_time_go_on_across_the_seam(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", [n / 25 for n in range(10)])
    waits = played(film, 35, loop=True)
    assert [shot.t for shot in waits.shots] == pytest.approx([n / 25 for n in range(35)])
    assert waits.waits[1:35] == pytest.approx([0.04] * 34)
    assert np.array_equal(waits.shots[0].picture, waits.shots[10].picture)
    assert len(played(film).shots) == 10


def test_a_film_that_cannot_be_played_so_fast_goes_on_from_where_it_is(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mp4", [n / 25 for n in range(60)])

    class Sleeps(Waits):
        def put(self, shot: LiveFrame) -> None:
            super().put(shot)
            self.now += 600.0 if len(self.shots) == 10 else 0.0

    waits = Sleeps()
    FileSource(film, now=lambda: waits.now).read(waits, waits)
    assert len(waits.shots) == 60
    late = [shot.taken - 100.0 - shot.t for shot in waits.shots[10:]]
    assert late == pytest.approx([600.0 - 0.04] * len(late), abs=1.1)  # a second of it is made up for, not ten minutes
    assert waits.waits.count(0.04) >= 20


def test_a_film_is_a_camera_from_its_first_frame_to_its_last(tmp_path: Path) -> None:
    """Through the feed, in real time."""
    film = write_video(tmp_path / "film.mp4", [n / 25 for n in range(12)])
    times = []
    with feeding(open_source("film.mp4", tmp_path, "table.toml"), offset=7.0) as feed:
        while not feed.ended:
            shot = feed.take(0.5)
            if shot is not None:
                times.append(shot.t)
    assert len(times) + feed.dropped == feed.came == 12
    assert times[-1] == 7.44
    assert film.exists()


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("", "table.toml: camera.source: expected a URL, a device's number or a file, found none; name the camera"),
        ("nowhere.mp4", "nowhere.mp4: expected a video that can be read, found none"),
    ],
)
def test_a_camera_that_nobody_named_or_a_film_that_is_not_there_is_one_line(
    source: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError) as told:
        open_source(source, tmp_path, "table.toml: camera.source")
    assert str(told.value).startswith(says)


# ---- networks and devices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("source", ["99", "/dev/video99", "rtsp://127.0.0.1:1/table", "http://127.0.0.1:1/table"])
def test_a_camera_that_is_not_there_is_tried_again_more_and_more_seldom(
    source: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    class Lost(Waits):
        def __init__(self) -> None:
            super().__init__()
            self.times = 0

        def lost(self) -> None:
            self.times += 1
            if self.times == 7:
                self.set()

    waits = Lost()
    open_source(source, tmp_path, "table.toml").read(waits, waits)
    assert waits.waits == [1.0, 2.0, 5.0, 10.0, 30.0, 30.0, 30.0]
    assert capfd.readouterr() == ("", "")


def test_nothing_that_is_said_holds_a_password(tmp_path: Path) -> None:
    with feeding(open_source("rtsp://admin:secret@127.0.0.1:1/table", tmp_path, "t"), timeouts=SHORT) as feed:
        until(lambda: said(feed) == "lost")
        assert feed.trouble is not None
        assert "secret" not in feed.trouble.says


@pytest.mark.parametrize("kind", ["rtsp", "http"])
def test_a_camera_that_comes_late_is_watched_from_then_on(kind: str) -> None:
    camera = NetworkCamera(Table(np.random.default_rng(3)), kind)
    with camera:
        camera.unplug()
        with feeding(CameraSource(camera.url, timeouts=SHORT), timeouts=SHORT) as feed:
            until(lambda: said(feed) == "lost")
            camera.plug()
            shot = feed.take(DEADLINE_S)
            assert shot is not None
            assert feed.trouble is None
            assert shot.key or kind == "rtsp"
            assert feed.refused > 0  # what the stream had in store when it was opened


def test_a_camera_that_never_answers_holds_up_no_other() -> None:
    """OpenCV opens one stream at a time, and would wait for the dead one all the while."""
    with closing(socket.create_server(("127.0.0.1", 0))) as dead, NetworkCamera(TABLE) as camera:
        url = f"rtsp://127.0.0.1:{dead.getsockname()[1]}/table"
        with feeding(CameraSource(url, timeouts=PATIENT), timeouts=PATIENT):
            until(lambda: select.select([dead], [], [], 0)[0])  # it is being waited for
            with feeding(CameraSource(camera.url, timeouts=PATIENT), timeouts=PATIENT) as feed:
                assert feed.take(PATIENT.open_s / 2) is not None


@pytest.mark.parametrize(
    ("source", "answer"),
    [("rtsp://127.0.0.1:1/a", False), ("http://127.0.0.1:99999/a", False), ("udp://127.0.0.1:1", True)],
)
def test_what_can_be_known_of_a_camera_before_it_is_opened(source: str, *, answer: bool) -> None:
    assert answers(source, 1.0) == answer


def test_a_stream_that_comes_back_late_is_opened_anew() -> None:
    """The camera answers again and at its own pace, but shows what was two seconds ago."""
    table = Table(np.random.default_rng(3))
    timeouts = Timeouts(stalled_s=30.0, again_s=(0.1,), open_s=5.0, read_s=20.0)
    with (
        Delayed(table) as camera,
        feeding(CameraSource(camera.url, timeouts=timeouts), timeouts=timeouts) as feed,
    ):
        assert feed.take(DEADLINE_S) is not None
        until(lambda: feed.take(0.1) is not None)
        camera.delay()
        until(lambda: camera.answered == 2)
        since, shot = monotonic(), None
        while shot is None or shot.taken < since:
            shot = feed.take(DEADLINE_S)
        assert feed.trouble is None
    number = number_of(shot.picture)
    assert number is not None
    assert shot.taken - camera.left[number] <= 1.0


class Delayed(NetworkCamera):
    """Sends to those who are there all that it takes from now on two seconds late; to those who come, at once."""

    DELAY_S = 2.0

    def __init__(self, scene: Table) -> None:
        super().__init__(scene)
        self.answered = 0
        self._late: list[Client] = []
        self._kept: list[tuple[float, bytes, float, bool]] = []

    def delay(self) -> None:
        self._late = [*self._clients]

    def _rtsp(self, client: Client, request: str) -> None:
        self.answered += request.startswith("PLAY")
        super()._rtsp(client, request)

    def _send(self, data: bytes, t: float, key: bool) -> None:  # noqa: FBT001  as it is sent
        everybody = self._clients
        self._kept.append((monotonic() + self.DELAY_S, data, t, key))
        self._clients = [client for client in everybody if client not in self._late]
        super()._send(data, t, key)
        self._clients = [client for client in everybody if client in self._late]
        while self._kept and (self._kept[0][0] <= monotonic() or not self._late):
            super()._send(*self._kept.pop(0)[1:])
        self._clients = everybody
