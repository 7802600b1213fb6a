"""What the bytes of a picture file say before anybody decodes them: kind, size, colours, and whether it is all there.

Decoders turn grey and CMYK to colour, 16 bits to 8 and half a file to half a picture without a word, and take the
memory that a header asks for.
"""

import re
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass

KINDS = "JPEG, PNG, WebP or BMP"

_PNG = b"\x89PNG\r\n\x1a\n"
_MARKER = re.compile(rb"\xff[^\x00\xff\xd0-\xd7]")  # in a JPEG's data: no stuffed byte, no filling, no restart
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_SCAN_END = 0xD9
_UNUSED = (  # kinds that people do send
    (0, b"GIF8", "a GIF"),
    (0, b"II*\0", "a TIFF"),
    (0, b"MM\0*", "a TIFF"),
    (0, b"\0\0\0\x0cjP", "a JPEG 2000"),
    (0, b"\xff\x0a", "a JPEG XL"),
    (0, b"%PDF", "a PDF"),
    (4, b"ftypavif", "an AVIF"),
    (4, b"ftypheic", "a HEIC"),
    (4, b"ftypheix", "a HEIC"),
    (4, b"ftypmif1", "a HEIC"),
    (4, b"ftyp", "a film"),
)


class HeaderError(ValueError):
    """A file that is no whole picture: what was expected, what was found, what to do; not yet which file."""


@dataclass(frozen=True, slots=True)
class Header:
    kind: str
    width: int
    height: int
    channels: int = 3  # as stored, without alpha; a palette has one channel where it holds greys only
    bits: int = 8  # a channel
    alpha: bool = False


def read_header(data: bytes) -> Header:
    """Read what a file says it is."""
    try:
        if data.startswith(b"\xff\xd8"):
            return _jpeg(data)
        if data.startswith(_PNG):
            return _png(data)
        if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
            return _webp(data)
        if data.startswith(b"BM"):
            return _bmp(data)
    except struct.error as error:
        raise _cut(data) from error
    raise HeaderError(f"expected a {KINDS} picture, found {_other(data)}")


def check_whole(data: bytes, header: Header) -> None:
    """Refuse a file that ends too early, or whose own checksums are wrong."""
    if header.kind == "JPEG":
        for _ in _segments(data):
            pass
    elif header.kind == "PNG":
        for name, at, length in _chunks(data):
            (crc,) = struct.unpack_from(">I", data, at + length)
            if zlib.crc32(data[at - 4 : at + length]) != crc:
                raise HeaderError(f"expected a whole PNG, found damage in its {name} at byte {at}; copy it again")
    elif header.kind == "WebP":
        _expect(data, 8 + struct.unpack_from("<I", data, 4)[0])
    else:
        start, compression, pixel_bits = _bmp_fields(data)
        if compression in (0, 3):
            _expect(data, start + (header.width * pixel_bits + 31) // 32 * 4 * header.height)


def _other(data: bytes) -> str:
    if not data:
        return "an empty file; copy it again"
    for at, mark, name in _UNUSED:
        if data.startswith(mark, at):
            return f"{name}; save it as JPEG or PNG"
    head = data[:512]
    if all(byte >= 32 or byte in b"\t\n\f\r\x1b" for byte in head):
        return "text; check that this is the right file"
    return f"bytes of no kind we know ({head[:4].hex(' ')}); check that this is the right file"


def _cut(data: bytes) -> HeaderError:
    return HeaderError(f"expected a whole picture, found one cut short after {len(data)} bytes; copy it again")


def _expect(data: bytes, length: int) -> None:
    if len(data) < length:
        raise HeaderError(f"expected {length} bytes, found a picture cut short after {len(data)}; copy it again")


def _segments(data: bytes) -> Iterator[tuple[int, int]]:
    """Give each marker of a JPEG and where its segment's content begins, up to the marker that ends the picture."""
    at = 2
    while found := _MARKER.search(data, at):
        marker, at = data[found.end() - 1], found.end()
        if marker == _SCAN_END:
            return
        if marker in (0x01, 0xD8):  # these stand alone
            continue
        if at + 2 > len(data):
            break
        (length,) = struct.unpack_from(">H", data, at)
        yield marker, at + 2
        at += length
    raise _cut(data)


def _jpeg(data: bytes) -> Header:
    for marker, at in _segments(data):
        if marker in _FRAMES:
            bits, height, width, channels = struct.unpack_from(">BHHB", data, at)
            return Header("JPEG", width, height, channels, bits)
    raise HeaderError("expected a picture, found a JPEG that holds none; save it anew")


def _chunks(data: bytes) -> Iterator[tuple[str, int, int]]:
    """Give the name, start and length of each chunk of a PNG, up to the one that ends it."""
    at = len(_PNG)
    while True:
        if at + 12 > len(data):
            raise _cut(data)
        length, name = struct.unpack_from(">I4s", data, at)
        if at + 12 + length > len(data):
            raise _cut(data)
        yield name.decode("latin-1"), at + 8, length
        if name == b"IEND":
            return
        at += 12 + length


def _png(data: bytes) -> Header:
    width, height, bits, colours = struct.unpack_from(">IIBB", data, len(_PNG) + 8)
    if data[12:16] != b"IHDR":
        raise HeaderError("expected a PNG that begins with its size, found other bytes there; save it anew")
    alpha, channels = colours in (4, 6), 1 if colours in (0, 4) else 3
    bits = max(bits, 8)  # a palette's numbers and the coarsest greys take fewer
    if bits > 8 or channels == 1:
        return Header("PNG", width, height, channels, bits, alpha)
    for name, at, length in _chunks(data):
        if name == "IDAT":
            break
        if name == "PLTE" and colours == 3:
            channels = _palette(data[at : at + length], 3)
        alpha = alpha or name == "tRNS"
    return Header("PNG", width, height, channels, bits, alpha)


def _webp(data: bytes) -> Header:
    chunk = data[12:16]
    if chunk == b"VP8X":
        flags, *size = struct.unpack_from("<B3xHBHB", data, 20)
        width, height = 1 + size[0] + (size[1] << 16), 1 + size[2] + (size[3] << 16)
        return Header("WebP", width, height, alpha=bool(flags & 0x10))
    if chunk == b"VP8L":
        (packed,) = struct.unpack_from("<I", data, 21)
        return Header("WebP", 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF), alpha=bool(packed >> 28 & 1))
    width, height = struct.unpack_from("<HH", data, 26)
    if chunk != b"VP8 ":
        raise HeaderError("expected a WebP that begins with its picture, found other bytes there; save it anew")
    return Header("WebP", width & 0x3FFF, height & 0x3FFF)


def _bmp(data: bytes) -> Header:
    start, _, pixel_bits = _bmp_fields(data)
    (head,) = struct.unpack_from("<I", data, 14)
    width, height = struct.unpack_from("<HH" if head == 12 else "<ii", data, 18)
    bits = 5 if pixel_bits == 16 else 8
    channels = _palette(data[14 + head : start], 3 if head == 12 else 4) if pixel_bits <= 8 else 3
    return Header("BMP", width, abs(height), channels, bits)


def _bmp_fields(data: bytes) -> tuple[int, int, int]:
    """Give where the pixels start, how they are compressed, and the bits of each."""
    start, head = struct.unpack_from("<II", data, 10)
    if head == 12:
        return start, 0, struct.unpack_from("<H", data, 24)[0]
    pixel_bits, compression = struct.unpack_from("<HI", data, 28)
    return start, compression, pixel_bits


def _palette(entries: bytes, step: int) -> int:
    """Give how many channels its colours need: one, if all are grey."""
    whole = len(entries) // step * step
    one, two, three = (entries[k:whole:step] for k in range(3))
    return 1 if one == two == three else 3


def orientation(exif: bytes) -> int:
    """Give how the camera was held, 1 to 8 as EXIF numbers it; 1, upright, where the block does not say."""
    exif = exif.removeprefix(b"Exif\0\0")
    order = ">" if exif.startswith(b"MM") else "<"
    try:
        (start,) = struct.unpack_from(f"{order}I", exif, 4)
        (count,) = struct.unpack_from(f"{order}H", exif, start)
        for at in range(start + 2, start + 2 + 12 * count, 12):
            tag, _, _, turn = struct.unpack_from(f"{order}HHIH", exif, at)
            if tag == 0x0112:
                return turn if 1 <= turn <= 8 else 1
    except struct.error:
        pass  # a torn block says nothing
    return 1
