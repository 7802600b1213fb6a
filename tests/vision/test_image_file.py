"""Photographs from disk: every kind that is read comes out as seen; every other kind is refused in one line."""

import io
import os
import struct
import subprocess
import sys
import zlib
from collections.abc import Callable
from pathlib import Path

import cv2
import numpy as np
import pytest
from PIL import Image

from feltwatch.vision.arrays import Pixels
from feltwatch.vision.image_file import LONGEST_SIDE, MOST_BYTES, PictureError, read_picture, spelled

ROOT = Path(__file__).parents[2]
EXIF_ORIENTATION = 0x0112


def scene(width: int = 90, height: int = 60) -> Pixels:
    """Something smooth in which no turn and no mirror looks like another."""
    rough = np.random.default_rng(4).integers(0, 255, (4, 6, 3), dtype=np.uint8)
    return np.asarray(cv2.resize(rough, (width, height), interpolation=cv2.INTER_CUBIC), np.uint8)


SCENE = scene()
AS_PIL = Image.fromarray(np.ascontiguousarray(SCENE[..., ::-1]))


def encoded(kind: str, picture: Pixels = SCENE, *how: int) -> bytes:
    return cv2.imencode(f".{kind}", picture, how)[1].tobytes()


def saved(image: Image.Image, kind: str, **how: object) -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **how)
    return out.getvalue()


def held(turn: int) -> Image.Exif:
    exif = Image.Exif()
    exif[EXIF_ORIENTATION] = turn
    return exif


def chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


def png(width: int, height: int, pixels: bytes, bits: int = 8, colours: int = 2) -> bytes:
    head = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(pixels)) + chunk(b"IEND", b"")


def resized_jpeg(width: int, height: int) -> bytes:
    """Give a JPEG that claims another size."""
    data = encoded("jpg")
    at = data.index(b"\xff\xc0") + 5
    return data[:at] + struct.pack(">HH", height, width) + data[at + 4 :]


def resized_webp(width: int, height: int) -> bytes:
    """Give a WebP that claims another size."""
    data = saved(AS_PIL, "WEBP", lossless=True)
    at = data.index(b"VP8L") + 9
    (packed,) = struct.unpack_from("<I", data, at)
    return data[:at] + struct.pack("<I", packed & ~0xFFFFFFF | width - 1 | height - 1 << 14) + data[at + 4 :]


def grey(kind: str) -> bytes:
    return saved(AS_PIL.convert("L"), kind)


def cut(data: bytes, share: float = 0.6) -> bytes:
    return data[: int(len(data) * share)]


def flipped(data: bytes, at: int) -> bytes:
    return data[:at] + bytes([data[at] ^ 0xFF]) + data[at + 1 :]


GOOD: dict[str, tuple[bytes, float]] = {  # what is read, and how far a pixel may be off on average
    "png": (encoded("png"), 0),
    "bmp": (encoded("bmp"), 0),
    "bmp with unused bytes": (saved(AS_PIL.convert("RGBA"), "BMP"), 0),
    "jpeg": (encoded("jpg", SCENE, cv2.IMWRITE_JPEG_QUALITY, 95), 4),
    "jpeg, progressive": (encoded("jpg", SCENE, cv2.IMWRITE_JPEG_PROGRESSIVE, 1), 4),
    "jpeg, restarts": (encoded("jpg", SCENE, cv2.IMWRITE_JPEG_RST_INTERVAL, 2), 4),
    "jpeg and more": (encoded("jpg") + b"\0" * 999, 4),
    "webp": (encoded("webp", SCENE, cv2.IMWRITE_WEBP_QUALITY, 90), 6),
    "webp, lossless": (saved(AS_PIL, "WEBP", lossless=True), 0),
    "webp, extended": (saved(AS_PIL, "WEBP", lossless=True, exif=held(1)), 0),
    "webp, animated": (saved(AS_PIL, "WEBP", lossless=True, save_all=True, append_images=[AS_PIL.rotate(180)]), 0),
    "png, palette": (saved(AS_PIL.quantize(256), "PNG"), 12),
    "bmp, palette": (saved(AS_PIL.quantize(256), "BMP"), 12),
    "png, opaque": (saved(AS_PIL.convert("RGBA"), "PNG"), 0),
}


@pytest.mark.parametrize("name", GOOD)
def test_a_good_picture_comes_out_as_it_went_in(name: str, tmp_path: Path) -> None:
    data, off = GOOD[name]
    path = tmp_path / "picture.any"
    path.write_bytes(data)
    found = read_picture(path)
    assert (found.shape, found.dtype) == (SCENE.shape, np.dtype(np.uint8))
    assert found.flags.c_contiguous
    assert float(np.abs(found.astype(int) - SCENE).mean()) <= off


@pytest.mark.parametrize("turn", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_a_turned_picture_stands_as_it_was_seen(kind: str, turn: int, tmp_path: Path) -> None:
    """Pillow undoes what EXIF says, and is the judge; a transparent picture takes another way through our code."""
    how = {"exif": held(turn)} | ({"lossless": True} if kind == "WEBP" else {"quality": 95} if kind == "JPEG" else {})
    upright = {2: 0, 3: 3, 4: 1, 5: 5, 6: 4, 7: 6, 8: 2}
    right = AS_PIL.transpose(Image.Transpose(upright[turn])) if turn in upright else AS_PIL
    seen = np.array(right)[..., ::-1].astype(int)
    path = tmp_path / "picture"
    path.write_bytes(saved(AS_PIL, kind, **how))
    assert np.abs(read_picture(path) - seen).mean() <= (4 if kind == "JPEG" else 0)
    if kind != "JPEG":
        glass = AS_PIL.convert("RGBA")
        glass.putpixel((0, 0), (0, 0, 0, 254))
        path.write_bytes(saved(glass, kind, **how))
        assert np.abs(read_picture(path) - seen).mean() <= 0.1


@pytest.mark.parametrize("kind", ["PNG", "WEBP"])
def test_what_is_transparent_lies_on_white(kind: str, tmp_path: Path) -> None:
    glass = AS_PIL.convert("RGBA")
    glass.putalpha(Image.fromarray(np.repeat(np.array([[0], [128], [255]], np.uint8), (20, 20, 20), 0).repeat(90, 1)))
    path = tmp_path / "glass"
    path.write_bytes(saved(glass, kind, **({"lossless": True, "exact": True} if kind == "WEBP" else {})))
    found = read_picture(path)
    assert (found[:20] == 255).all()
    assert np.abs(found[20:40] - (SCENE[20:40] * 0.502 + 255 * 0.498)).max() <= 1
    assert (found[40:] == SCENE[40:]).all()


@pytest.mark.parametrize(
    "block",
    [b"", b"MM", b"II*\0\x08\0\0\0", b"MM\0*\0\0\0\x08\xff\xff" + b"\0" * 30, b"Exif\0\0II*\0\xff\xff\xff\xff"],
)
def test_a_torn_exif_block_turns_nothing(block: bytes, tmp_path: Path) -> None:
    path = tmp_path / "picture"
    for kind in ("PNG", "WEBP"):
        for image in (AS_PIL, AS_PIL.convert("RGBA")):
            path.write_bytes(saved(image, kind, exif=block, lossless=True))
            assert (read_picture(path) == SCENE).all()


HDR = "a header that is damaged, empty or cut short after"
BAD: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "found an empty file"),
    "text": (b"Nine of hearts\n", "expected a JPEG, PNG, WebP or BMP picture, found text"),
    "noise": (bytes(range(256)), "bytes of no known kind (00 01 02 03)"),
    "gif": (saved(AS_PIL, "GIF"), "found a GIF; save it as JPEG or PNG"),
    "tiff": (saved(AS_PIL, "TIFF"), "found a TIFF"),
    "tiff of 16 bits": (encoded("tiff", SCENE.astype(np.uint16) * 257), "found a TIFF"),  # type: ignore[arg-type]  # such
    "jpeg 2000": (saved(AS_PIL, "JPEG2000"), "found a JPEG 2000"),
    "heic": (b"\0\0\0\x18ftypheic" + b"\0" * 40, "found a HEIC"),
    "film": (b"\0\0\0\x18ftypisom" + b"\0" * 40, "found a video"),
    "huge png": (png(30_000, 30_000, b"\0" * 99), "at most 80 megapixels, found 30000 x 30000 pixels"),
    "huge jpeg": (resized_jpeg(60_000, 60_000), "at most 80 megapixels, found 60000 x 60000"),
    "huge webp": (resized_webp(12_000, 12_000), "at most 80 megapixels, found 12000 x 12000"),
    "huger webp": (resized_webp(16_384, 16_384), "at most 80 megapixels, found Image size (268435456 pixels)"),
    "huge bmp": (
        flipped(flipped(encoded("bmp"), 20), 24),
        "at most 80 megapixels, found 16711770 x 16711740",
    ),
    "long png": (png(LONGEST_SIDE + 1, 9, b"\0"), "sides of at most 32000 pixels, found 32001 x 9"),
    "png of no width": (
        png(0, 9, b"\0"),
        f"expected a whole PNG, found {HDR}",
    ),
    "jpeg of no height": (
        resized_jpeg(9, 0),
        f"expected a whole JPEG, found {HDR}",
    ),
    "16-bit png": (encoded("png", SCENE.astype(np.uint16) * 257), "8 bits a channel, found 16"),  # type: ignore[arg-type]  # as above
    "16-bit grey png": (encoded("png", SCENE[..., 0].astype(np.uint16) * 257), "8 bits a channel, found 16"),  # type: ignore[arg-type]  # as above
    "grey png": (grey("PNG"), "expected a picture in colour, found a grey one"),
    "grey jpeg": (grey("JPEG"), "expected a picture in colour, found a grey one"),
    "grey bmp": (grey("BMP"), "expected a picture in colour, found a grey one"),
    "grey png with alpha": (saved(AS_PIL.convert("LA"), "PNG"), "expected a picture in colour, found a grey one"),
    "grey palette": (saved(AS_PIL.convert("L").convert("P"), "PNG"), "expected a picture in colour, found a grey one"),
    "black and white": (saved(AS_PIL.convert("1"), "PNG"), "expected a picture in colour, found a grey one"),
    "cmyk jpeg": (saved(AS_PIL.convert("CMYK"), "JPEG"), "expected red, green and blue, found CMYK"),
    **{
        f"{kind} cut to {share:.0%}": (cut(encoded(kind), share), "cut short after")
        for kind in ("jpg", "png", "webp", "bmp")
        for share in (0.05, 0.3, 0.6, 0.9)
    },
    **{
        f"{kind} without its last byte": (encoded(kind)[:-1], "cut short after")
        for kind in ("jpg", "png", "webp", "bmp")
    },
    "jpeg of two bytes": (b"\xff\xd8", "cut short after 2 bytes"),
    "png of its mark": (b"\x89PNG\r\n\x1a\n", "cut short after 8 bytes"),
    "bmp of two bytes": (b"BM", "cut short after 2 bytes"),
    "webp of its mark": (b"RIFF\x04\0\0\0WEBP", "cut short after 12 bytes"),
    "jpeg that hides its cut": (cut(encoded("jpg", scene(900, 600))) + b"\xff\xd9", "found damaged data in it"),
    "jpeg of no picture": (
        b"\xff\xd8\xff\xd9",
        f"expected a whole JPEG, found {HDR} 4 bytes",
    ),
    "damaged png": (
        flipped(encoded("png"), 90),
        "found damaged data in it (broken PNG file (bad header checksum in b'IDAT'))",
    ),
    "png of too few rows": (png(90, 60, b"\0" * 271 * 30), "found damaged data in it"),
    "damaged webp": (
        encoded("webp")[:30] + b"\xa5" * (len(encoded("webp")) - 30),
        "found damaged data in it",
    ),
    "webp of other bytes": (
        b"RIFF\x24\0\0\0WEBPALPH" + b"\0" * 28,
        f"expected a whole WebP, found {HDR} 44 bytes",
    ),
    "png of other bytes": (
        b"\x89PNG\r\n\x1a\n" + b"\1" * 60,
        f"expected a whole PNG, found {HDR} 68 bytes",
    ),
    "bmp of 16 bits a pixel": (
        encoded("bmp")[:28] + b"\x10" + encoded("bmp")[29:],
        "expected 8 bits a channel, found 5",
    ),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_picture_is_one_clear_line(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    data, says = BAD[name]
    path = tmp_path / "picture.jpg"
    path.write_bytes(data)
    with pytest.raises(PictureError) as error:
        read_picture(path)
    text = str(error.value)
    assert text.startswith(f"{path}: expected ")
    assert says in text
    assert len(text.splitlines()) == 1
    assert capfd.readouterr() == ("", ""), "the decoder said something of its own"


def directory(path: Path) -> None:
    path.mkdir()


def sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(MOST_BYTES + 1)


def locked(path: Path) -> None:
    if os.geteuid() == 0:
        pytest.skip("nothing is locked for root")
    path.write_bytes(encoded("png"))
    path.chmod(0)


def looped(path: Path) -> None:
    path.symlink_to(path)


NO_FILE: dict[str, tuple[Callable[[Path], None], str]] = {
    "a directory": (directory, "found a directory; name the pictures in it"),
    "a pipe": (os.mkfifo, "found a pipe"),
    "a device": (lambda path: path.symlink_to("/dev/zero"), "found a device"),
    "nothing": (lambda _: None, "found none (no such file or directory)"),
    "a link to itself": (looped, "found none (too many levels of symbolic links)"),
    "a locked file": (locked, "found none (permission denied)"),
    "320 MB and more": (sparse, "expected at most 320000000 bytes, found 320000001"),
}


@pytest.mark.parametrize("name", NO_FILE)
def test_what_is_no_file_is_one_clear_line(name: str, tmp_path: Path) -> None:
    make, says = NO_FILE[name]
    path = tmp_path / "picture.jpg"
    make(path)
    with pytest.raises(PictureError) as error:
        read_picture(path)
    assert str(error.value).startswith(f"{path}: expected ")
    assert says in str(error.value)


def test_a_name_stays_on_its_line() -> None:
    assert spelled("a\nb\udcff é.jpg") == "a\\nb\\udcff é.jpg"
    with pytest.raises(PictureError, match=r"^a\\nb: expected"):
        read_picture("a\nb")


def test_no_cut_of_a_small_picture_is_taken_for_whole(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    for kind in ("jpg", "png", "webp", "bmp"):
        data = encoded(kind, scene(9, 7))
        path.write_bytes(data)
        assert read_picture(path).shape == (7, 9, 3)
        for length in range(len(data)):
            path.write_bytes(data[:length])
            with pytest.raises(PictureError):
                read_picture(path)


def test_a_flipped_byte_raises_nothing_but_a_picture_error(tmp_path: Path) -> None:
    path = tmp_path / "picture"
    for kind in ("jpg", "png", "webp", "bmp"):
        data = encoded(kind, scene(9, 7))
        for at in range(min(len(data), 400)):
            path.write_bytes(flipped(data, at))
            try:
                found = read_picture(path)
            except PictureError:
                continue
            assert found.ndim == 3


def test_a_picture_is_read_without_standard_error(tmp_path: Path) -> None:
    path = tmp_path / "picture.png"
    path.write_bytes(encoded("png"))
    code = (
        "import os; os.close(2); from feltwatch.vision.image_file import read_picture\n"
        f"print(read_picture({str(path)!r}).shape)"
    )
    done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True, cwd=ROOT, check=True)
    assert done.stdout == "(60, 90, 3)\n"
