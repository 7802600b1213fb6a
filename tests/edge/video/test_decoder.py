"""Any video is opened, or refused in one line; frames come in order with true times, from any place."""

import random
import shutil
import struct
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import av
import numpy as np
import pytest

from feltwatch.edge.errors import UsageError
from feltwatch.edge.video.decoder import Decoding
from feltwatch.edge.video.video_file import (
    Frame,
    FramePlace,
    PlaceLostError,
    Video,
    VideoClock,
    check_one_size,
    open_video,
)
from feltwatch.vision.motion.change_detector import shrunk
from tests.edge.scripted_watcher import CLIPS, SIZE, write_video

STEADY = [n / 25 for n in range(200)]
DICE = random.Random(1)  # noqa: S311  a made-up film
UNSTEADY = np.cumsum([0, *(1.5 if n == 100 else DICE.choice([0.02, 0.033, 0.1]) for n in range(199))]).round(3).tolist()


def decoded(video: Video, since: float = 0.0, after: FramePlace | None = None) -> tuple[list[Frame], str | None]:
    with Decoding(video, since, after) as frames:
        return list(frames), frames.end.damage


def test_small_pictures_are_made_where_that_is_asked_for() -> None:
    with Decoding(open_video(CLIPS / "demo.mp4"), 34.0, small=True) as frames:
        found = list(frames)
    assert len(found) > 20
    for frame in found:
        assert frame.small is not None
        assert (frame.small == shrunk(frame.picture)).all()


def cut(path: Path, source: Path, share: float) -> Path:
    data = source.read_bytes()
    path.write_bytes(data[: int(len(data) * share)])
    return path


@pytest.mark.parametrize(
    ("name", "times", "codec"),
    [
        ("steady.mp4", STEADY, "libx264"),
        ("unsteady.mp4", UNSTEADY, "libx264"),
        ("unsteady.mkv", UNSTEADY, "libx265"),
        ("unsteady.webm", UNSTEADY, "libvpx"),
        ("steady.ts", STEADY, "libx264"),
        ("steady.avi", STEADY, "mpeg4"),
        ("steady.h264", STEADY, "libx264"),
    ],
)
def test_frames_come_at_their_true_times_from_any_place(
    name: str, times: list[float], codec: str, tmp_path: Path
) -> None:
    video = open_video(write_video(tmp_path / name, times, codec=codec))
    assert video.size == SIZE
    check_one_size(video)
    whole, damage = decoded(video)
    assert damage is None
    assert [frame.t for frame in whole] == pytest.approx(times, abs=0.002)
    assert [frame.number for frame in whole] == list(range(1, len(times) + 1))
    later, _ = decoded(video, since=6.5)
    expected = [frame for frame in whole if frame.t >= 6.5]
    assert [(one.t, one.place().crc) for one in later] == [(one.t, one.place().crc) for one in expected]
    assert later[0].number == 1
    for number in (3, 150, 199):
        rest, _ = decoded(video, after=whole[number - 1].place())
        assert [one.place() for one in rest] == [one.place() for one in whole[number:]]
    rest, _ = decoded(video, since=6.5, after=later[9].place())
    assert [one.place() for one in rest] == [one.place() for one in later[10:]]


def test_another_video_in_the_place_of_the_first_is_noticed(tmp_path: Path) -> None:
    video = open_video(write_video(tmp_path / "one.mp4", STEADY))
    whole, _ = decoded(video)
    place = whole[150].place()
    write_video(tmp_path / "one.mp4", STEADY[:120])
    with pytest.raises(PlaceLostError):
        decoded(video, after=place)


def test_times_rise_whatever_the_file_says() -> None:
    video = Video(Path("x.ts"), *SIZE, 25.0, 100.0, timed=True)
    readings = [
        0.0,
        0.04,
        0.04,
        0.03,
        3.0,
        1.2,
        3.04,
        3.08,
        0.0,
        0.04,
        0.08,
    ]  # a stray frame, then a clock started again
    clock, times = VideoClock(), []
    for reading in readings:
        clock = clock.after(reading, video)
        times.append(clock.t)
    assert all(one < other for one, other in pairwise(times))
    assert times == pytest.approx([0, 0.04, 0.041, 0.042, 3.0, 3.04, 3.041, 3.08, 3.12, 3.16, 3.2])


def test_a_recorder_that_was_started_anew_goes_on(tmp_path: Path) -> None:
    one = write_video(tmp_path / "one.ts", STEADY[:100])
    (tmp_path / "two.ts").write_bytes(one.read_bytes() * 2)
    whole, _ = decoded(open_video(tmp_path / "two.ts"))
    assert [frame.t for frame in whole] == pytest.approx(STEADY, abs=0.002)
    rest, _ = decoded(open_video(tmp_path / "two.ts"), after=whole[159].place())
    assert [frame.place() for frame in rest] == [frame.place() for frame in whole[160:]]


@pytest.mark.parametrize(("width", "height"), [(1280, 720), (3840, 2160)])
def test_pictures_of_all_sizes_are_decoded(width: int, height: int, tmp_path: Path) -> None:
    video = open_video(write_video(tmp_path / "size.mp4", STEADY[:5], (width, height), "mpeg4"))
    whole, _ = decoded(video)
    assert video.size == (width, height)
    assert {frame.picture.shape for frame in whole} == {(height, width, 3)}
    assert len(whole) == 5


def test_of_a_damaged_film_all_that_decodes_is_used_and_the_rest_is_said(tmp_path: Path) -> None:
    film = write_video(tmp_path / "film.mkv", STEADY)
    whole, damage = decoded(open_video(cut(tmp_path / "tail.mkv", film, 0.6)))
    assert damage is not None
    assert damage.startswith(f"the footage ends at {whole[-1].t + 0.04:.1f} s of 8.0 s")
    assert 100 < len(whole) < 140
    data = bytearray(fast_start(tmp_path / "fast.mp4").read_bytes())
    at = data.index(b"mdat") + (len(data) - data.index(b"mdat")) // 2
    data[at : at + len(data) // 8] = bytes(byte ^ 0x5A for byte in data[at : at + len(data) // 8])
    (tmp_path / "middle.mp4").write_bytes(data)
    whole, damage = decoded(open_video(tmp_path / "middle.mp4"))
    assert damage is None
    assert whole[-1].t == pytest.approx(7.96)
    assert 100 < len(whole) < 200
    assert all(one.t < other.t for one, other in pairwise(whole))


def fast_start(path: Path) -> Path:
    """Write a film whose index comes first."""
    with av.open(str(path), "w", options={"movflags": "faststart"}) as container:
        stream = container.add_stream("libx264", rate=25)
        assert isinstance(stream, av.VideoStream)
        stream.width, stream.height, stream.pix_fmt, stream.gop_size = *SIZE, "yuv420p", 12
        dice = np.random.default_rng(1)
        for _ in STEADY:
            picture = dice.integers(0, 255, (SIZE[1], SIZE[0], 3), np.uint8)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="bgr24")))
        container.mux(stream.encode())
    return path


def test_pictures_that_change_their_size_are_refused(tmp_path: Path) -> None:
    parts = [write_video(tmp_path / f"{n}.ts", STEADY[:100], size) for n, size in enumerate((SIZE, (640, 360)))]
    (tmp_path / "both.ts").write_bytes(b"".join(part.read_bytes() for part in parts))
    with pytest.raises(
        UsageError, match=r"of one size, found 320 x 180 and from 4.0 s on 640 x 360; cut the file there"
    ):
        check_one_size(open_video(tmp_path / "both.ts"))


def sound(path: Path) -> Path:
    with av.open(str(path), "w") as container:
        stream = container.add_stream("aac" if path.suffix == ".m4a" else "mp3", rate=44_100)
        assert isinstance(stream, av.AudioStream)
        frame = av.AudioFrame.from_ndarray(np.zeros((2, 1024), np.float32), format="fltp", layout="stereo")
        frame.rate = 44_100
        container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return path


def unknown_codec(path: Path) -> Path:
    """Write a film with an unknown codec."""
    data = write_video(path, STEADY[:5]).read_bytes()
    path.write_bytes(data.replace(b"avc1", b"zzzz").replace(b"avcC", b"zzzC"))
    return path


def unknown_track(path: Path) -> Path:
    data = write_video(path, STEADY[:5]).read_bytes()
    path.write_bytes(data.replace(b"V_MPEG4/ISO/AVC", b"V_QUITE/UNKNOWN"))
    return path


def without_frames(path: Path) -> Path:
    """Write an MP4 whose index lists no frame."""
    data = write_video(path, STEADY[:1]).read_bytes()
    for name, skip in ((b"stsz", 8), (b"stts", 4), (b"stsc", 4), (b"stco", 4), (b"stss", 4)):
        at = data.find(name)
        if at > 0:
            at += 4 + skip
            data = data[:at] + struct.pack(">I", 0) + data[at + 4 :]
    path.write_bytes(data)
    return path


def written(data: bytes) -> Callable[[Path], Path]:
    def write(path: Path) -> Path:
        path.write_bytes(data)
        return path

    return write


def folder(path: Path) -> Path:
    path.mkdir()
    return path


@pytest.mark.parametrize(
    ("name", "make", "found"),
    [
        ("nowhere.mp4", lambda path: path, r"found none \(no such file or directory\); check the path"),
        ("folder.mp4", folder, "found a directory; name the videos in it"),
        ("empty.mp4", written(b""), "found an empty file; copy it again"),
        ("text.mp4", written(b"nine of hearts\n" * 99), "found another kind of file, or one damaged from its start"),
        ("table.jpg", lambda path: shutil.copy("docs/pictures/table.jpg", path), "found a picture; `feltwatch detect`"),
        ("sound.mp3", sound, "found sound without pictures; name the file that has the pictures"),
        ("sound.m4a", sound, "found sound without pictures; name the file that has the pictures"),
        ("codec.mp4", unknown_codec, "a codec that is there, found 'zzzz' in MP4; convert it"),
        ("codec.mkv", unknown_track, "a codec that is there, found 'QUITE/UNKNOWN' in Matroska, or no frame at all"),
        ("frames.mp4", without_frames, "found one without frames; record it again"),
        ("cut.mp4", lambda path: cut(path, CLIPS / "demo.mp4", 0.5), "found an MP4 without its index"),
    ],
)
def test_what_is_no_video_is_one_clear_line(
    name: str, make: Callable[[Path], Path], found: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    path = make(tmp_path / name)
    with pytest.raises(UsageError, match=found) as told:
        open_video(Path(path))
    assert str(told.value).startswith(f"{path}: expected ")
    assert "\n" not in str(told.value)
    assert capfd.readouterr() == ("", "")


def test_the_decoder_keeps_its_thoughts_to_itself(tmp_path: Path) -> None:
    film = cut(tmp_path / "tail.mkv", write_video(tmp_path / "film.mkv", STEADY), 0.55)
    data = bytearray(film.read_bytes())
    data[3000:5000] = bytes(2000)
    film.write_bytes(data)
    code = (
        "import sys; from pathlib import Path; from feltwatch.edge.video.video_file import open_video\n"
        "from feltwatch.edge.video.decoder import Decoding\n"
        "with Decoding(open_video(Path(sys.argv[1]))) as frames: print(sum(1 for _ in frames))"
    )
    done = subprocess.run(  # a process of its own: the decoder asks once how talkative it may be
        [sys.executable, "-c", code, str(film)], capture_output=True, text=True, check=True, timeout=60
    )
    assert int(done.stdout) > 20
    assert done.stderr == ""


def test_decoding_stops_when_nobody_wants_more(tmp_path: Path) -> None:
    video = open_video(write_video(tmp_path / "film.mp4", STEADY))
    with Decoding(video) as frames:
        first = next(iter(frames))
    assert first.number == 1
    assert not frames.thread.is_alive()
