"""The sheets that an installer prints and lays on the felt: true to scale, as PDF or PNG, each with its place."""

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np

from feltwatch.edge.errors import UsageError
from feltwatch.vision.arrays import Pixels, Point
from feltwatch.vision.geometry.markers import FIRST_LARGE, PLACES, cells, side_mm
from feltwatch.vision.image_file import spelled

PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4), "a3": (297.0, 420.0)}  # millimetres
POINTS = 72 / 25.4  # of a printer, to a millimetre
DOTS = 8  # of a PNG, to a millimetre
BLACK, GREY = 0.0, 0.55
FAR, DEEP = 1000.0, 940.0  # half the width and the depth of the table that is drawn small
SMALL_TABLE = 62.0  # millimetres of paper that it is wide


@dataclass(frozen=True, slots=True)
class FilledPolygon:
    """A filled polygon; millimetres from the top left of the page."""

    points: tuple[Point, ...]
    shade: float = BLACK


@dataclass(frozen=True, slots=True)
class Line:
    points: tuple[Point, ...]
    width: float = 0.3
    shade: float = BLACK


@dataclass(frozen=True, slots=True)
class Caption:
    at: Point  # the left end of the line they stand on
    text: str  # plain ASCII
    high: float = 4.2
    bold: bool = False


Ink = FilledPolygon | Line | Caption


def print_sheets(path: Path, paper: str, places: Mapping[int, Point] | None) -> list[Path]:
    """Write the sheets for a paper size; return the files."""
    large = paper == "a3"
    given = PLACES if places is None else places
    there = {sheet: at for sheet, at in sorted(given.items()) if (sheet >= FIRST_LARGE) == large}
    if not there:
        ids = "11 to 19" if large else "1 to 9"
        raise UsageError(f"--places: expected sheets {ids}, which are those for {paper}, found none")
    pages = [page(sheet, PAPERS[paper], there) for sheet in there]
    if path.suffix.lower() == ".pdf":
        return [_written(path, pdf(PAPERS[paper], pages))]
    if path.suffix.lower() != ".png":
        raise UsageError(f"--sheet {spelled(path)}: expected a file that ends in .pdf or .png")
    names = [path.with_name(f"{path.stem}-{sheet}.png") for sheet in there]
    return [_written(name, png(PAPERS[paper], inks)) for name, inks in zip(names, pages, strict=True)]


def _written(path: Path, data: bytes) -> Path:
    try:
        path.write_bytes(data)
    except OSError as error:
        raise UsageError(f"{spelled(path)}: cannot be written ({error.strerror})") from error
    return path


def page(sheet: int, paper: tuple[float, float], places: Mapping[int, Point]) -> list[Ink]:
    """Draw one sheet: its marker in the middle, where it goes below, which way it looks above."""
    width, height = paper
    side = side_mm(sheet)
    left, top, foot = (width - side) / 2, (height - side) / 2, (height + side) / 2
    return [
        *_marker(sheet, left, top, side),
        *_ticks(width, height),
        *_arrow(width / 2, top - 36),
        Caption((left, top - 28), f"feltwatch  sheet {sheet}", 6.5, bold=True),
        Caption((left, top - 20), "This side to the dealer.", 4.2),
        *_instruction(places[sheet], left, foot + 14),
        *_ruler(left, foot + 43),
        *_small_table(sheet, places, left + side - SMALL_TABLE, foot + 13),
    ]


def _marker(sheet: int, left: float, top: float, side: float) -> list[Ink]:
    """Draw each row's runs of black cells as one rectangle, so that no printer leaves hairlines between cells."""
    found: list[Ink] = []
    grid = cells(sheet)
    step = side / len(grid)
    for row, line in enumerate(grid):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], line, [False]]).astype(int)))
        for start, end in edges.reshape(-1, 2).tolist():
            x, y = left + start * step, top + row * step
            found.append(FilledPolygon(_box(x, y, (end - start) * step, step)))
    return found


def _box(x: float, y: float, wide: float, high: float) -> tuple[Point, ...]:
    return (x, y), (x + wide, y), (x + wide, y + high), (x, y + high)


def _ticks(width: float, height: float) -> list[Ink]:
    """Mark the middle of each edge: where they cross is the middle of the sheet, from which one measures."""
    x, y, long = width / 2, height / 2, 12.0
    ends = [
        ((x, 0), (x, long)),
        ((x, height - long), (x, height)),
        ((0, y), (long, y)),
        ((width - long, y), (width, y)),
    ]
    return [Line(pair, 0.25, GREY) for pair in ends]


def _arrow(x: float, tip: float) -> list[Ink]:
    head = ((x, tip), (x + 10, tip + 12), (x + 3.5, tip + 12), (x + 3.5, tip + 22))
    return [FilledPolygon((*head, (x - 3.5, tip + 22), (x - 3.5, tip + 12), (x - 10, tip + 12)))]


def _instruction(at: Point, left: float, top: float) -> list[Ink]:
    x, y = at
    side = "dealer's right" if x > 0 else "dealer's left"
    across = f"{abs(x):g} mm to the {side}," if x else "on the middle line of the table,"
    return [
        Caption((left, top), "Lay the middle of this sheet", 4.2),
        Caption((left, top + 7), across, 5.2, bold=True),
        Caption((left, top + 14), f"{y:g} mm from the dealer's edge,", 5.2, bold=True),
        Caption((left, top + 20), "from the middle of that edge. Flat, in full sight.", 3.4),
    ]


def _ruler(left: float, y: float) -> list[Ink]:
    ticks = [Line(((left + at, y - 1.6), (left + at, y + 1.6))) for at in range(0, 81, 10)]
    return [
        Line(((left, y), (left + 80, y))),
        *ticks,
        Caption((left, y + 6), "80 mm. Is it not? Print at 100 %, not to fit the page.", 2.9),
    ]


def _small_table(sheet: int, places: Mapping[int, Point], left: float, top: float) -> list[Ink]:
    """Draw the table as the dealer's side sees the sheets: his right is at the left, as in the camera's picture."""
    scale = SMALL_TABLE / (2 * FAR)
    turns = np.linspace(0, np.pi, 41)
    arc = tuple((left + (FAR - FAR * np.cos(t)) * scale, top + DEEP * np.sin(t) * scale) for t in turns)
    found: list[Ink] = [Line((*arc, arc[0]), 0.4, GREY), FilledPolygon(_box(left + 24, top + 0.8, 14, 2), GREY)]
    for other, (x, y) in places.items():
        middle = left + (FAR - x) * scale, top + y * scale
        corner = middle[0] - 3, middle[1] - 4
        found.append(
            FilledPolygon(_box(*corner, 6, 8)) if other == sheet else Line((*_box(*corner, 6, 8), corner), 0.3)
        )
    return [*found, Caption((left + 24, top - 1.5), "dealer", 2.9)]


def pdf(paper: tuple[float, float], pages: Sequence[Sequence[Ink]]) -> bytes:
    """Write pages as PDF: shapes, lines, and words in the two fonts that every reader has."""
    width, height = (side * POINTS for side in paper)
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R /ViewerPreferences << /PrintScaling /None >> >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold >>",
    ]
    for number, inks in enumerate(pages):
        drawn = "\n".join(_pdf_ink(ink, paper[1]) for ink in inks).encode("ascii")
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {width:.3f} {height:.3f}] /Contents {6 + 2 * number} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        objects.append(f"<< /Length {len(drawn)} >>\nstream\n".encode() + drawn + b"\nendstream")
    data, starts = b"%PDF-1.4\n", []
    for number, one in enumerate(objects, 1):
        starts.append(len(data))
        data += f"{number} 0 obj\n".encode() + one + b"\nendobj\n"
    table = "".join(f"{start:010d} 00000 n \n" for start in starts)
    tail = f"trailer << /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{len(data)}\n%%EOF\n"
    return data + f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n{table}{tail}".encode()


def _pdf_ink(ink: Ink, height: float) -> str:
    """Draw in printer's points, from the bottom left."""
    if isinstance(ink, Caption):
        text = ink.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        x, y = ink.at[0] * POINTS, (height - ink.at[1]) * POINTS
        return f"0 g BT /F{2 if ink.bold else 1} {ink.high * POINTS:.2f} Tf {x:.3f} {y:.3f} Td ({text}) Tj ET"
    (x, y), *rest = [(x * POINTS, (height - y) * POINTS) for x, y in ink.points]
    path = f"{x:.3f} {y:.3f} m " + " ".join(f"{x:.3f} {y:.3f} l" for x, y in rest)
    if isinstance(ink, FilledPolygon):
        return f"{ink.shade:g} g {path} h f"
    return f"{ink.shade:g} G {ink.width * POINTS:.3f} w {path} S"


def png(paper: tuple[float, float], inks: Sequence[Ink]) -> bytes:
    """Draw a page as a picture that says how large it is."""
    sheet = np.full((round(paper[1] * DOTS), round(paper[0] * DOTS), 3), 255, np.uint8)
    for ink in inks:
        _draw(sheet, ink)
    data = cv2.imencode(".png", cv2.cvtColor(sheet, cv2.COLOR_BGR2GRAY))[1].tobytes()
    size = b"pHYs" + struct.pack(">IIB", DOTS * 1000, DOTS * 1000, 1)  # dots a metre, both ways
    head = 8 + 25  # the signature, and the chunk IHDR
    return data[:head] + struct.pack(">I", 9) + size + struct.pack(">I", zlib.crc32(size)) + data[head:]


def _draw(sheet: Pixels, ink: Ink) -> None:
    if isinstance(ink, Caption):
        at = (round(ink.at[0] * DOTS), round(ink.at[1] * DOTS))
        weight = 700 if ink.bold else 400
        cv2.putText(sheet, ink.text, at, (0, 0, 0), cv2.FontFace("sans"), round(ink.high * DOTS), weight)
        return
    shade = (round(ink.shade * 255),) * 3
    points = [np.round(np.array(ink.points) * DOTS * 16 - 8).astype(np.int32)]  # sixteenths of a dot
    if isinstance(ink, FilledPolygon):
        cv2.fillPoly(sheet, points, shade, cv2.LINE_AA, 4)
    else:
        width = max(1, round(ink.width * DOTS))
        cv2.polylines(sheet, points, isClosed=False, color=shade, thickness=width, lineType=cv2.LINE_AA, shift=4)
