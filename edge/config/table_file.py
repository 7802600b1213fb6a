"""table.toml: one table, its rule book and limits, its cameras, the layout of its felt, and where it reports to.

Each part of the file is a struct whose fields describe themselves: from them come the checks, the messages for people,
docs/table-file.md, and the JSON Schema for editors. `read_table` turns a file into a `TableFile`.
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Final, Literal
from urllib.parse import SplitResult, urlsplit

import msgspec
from msgspec import Meta, Struct, field

from feltwatch.edge.config.camera_parts import ONLY_CAMERA, CameraFile, fit_camera, layout_parts
from feltwatch.edge.config.file_errors import explain
from feltwatch.edge.errors import UsageError
from feltwatch.engine.books import Book, BookError, find_book
from feltwatch.engine.books.settings import SwitchError
from feltwatch.vision.geometry.calibration import Fit, Lens, Mark
from feltwatch.vision.layout.shapes import for_book
from feltwatch.vision.layout.zones import Layout, LayoutError, layout_of, load_layout

FARTHEST: Final = 1e7  # pixels or millimetres: no camera and no table is larger
BROKER_PORTS: Final = {"mqtt": 1883, "mqtts": 8883}


def says(description: str, expected: str, examples: list[object] | None = None) -> Meta:
    """Describe a field: for the reference page and editors, and for the message when the file holds something else."""
    return Meta(description=description, extra={"expected": expected}, examples=examples)


Finite = Annotated[float, Meta(ge=-FARTHEST, le=FARTHEST)]  # neither infinite nor NaN
Pair = tuple[Finite, Finite]
Polygon = Annotated[list[Pair], Meta(min_length=3)]
Name = Annotated[
    str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$")
]  # safe in a topic, a path and a metric's label
NAME_EXPECTED: Final = "letters, digits, '.', '_' and '-', at most 64, a letter or digit first"
Positive = Annotated[float, Meta(ge=0.01, le=1_000_000)]
POSITIVE_EXPECTED: Final = "a number from 0.01 to 1000000"
Amount = Annotated[float, Meta(ge=0, le=1e15)] | Annotated[int, Meta(ge=0, le=10**15)]
Text = Annotated[str, Meta(min_length=1)]


class TableSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table: its name, its rule book, its limits."""

    id: Annotated[Name, says("The table's name, as it stands in topics, messages and file names.", NAME_EXPECTED)]
    site: Annotated[Name, says("Where the table stands; the second level of every MQTT topic.", NAME_EXPECTED)]
    book: Annotated[Text, says("The rule book it is played by; `feltwatch books` lists them.", "the name of a book")]
    decks: Annotated[int | None, says("Decks in the shoe. Without it, as many as the book says.", "a whole number")] = (
        None
    )
    min: Annotated[Amount | None, says("The minimum bet of a box, in currency units.", "an amount of money")] = None
    max: Annotated[Amount | None, says("The maximum bet of a box, in currency units.", "an amount of money")] = None
    deck: Annotated[
        Path | None,
        says(
            "The pictures of this table's own deck, as `feltwatch deck` wrote them: cards that are partly covered are "
            "then read better.",
            "a path",
        ),
    ] = None
    learn_deck: Annotated[
        bool,
        says(
            "Where the file that `deck` names does not exist yet, `run` learns the deck from the cards on the table "
            "and writes the file.",
            "true or false",
        ),
    ] = False
    settings: Annotated[
        dict[str, bool | int | float | str],
        says(
            "Settings of the book: which reading this table takes where the rules leave a choice.",
            "settings of the book, each with its value",
        ),
    ] = {}

    def __post_init__(self) -> None:
        if self.learn_deck and self.deck is None:
            raise ValueError("learn_deck: expected deck beside it, the file to write, found none")


class PointSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A point of the felt and the pixel that shows it."""

    image: Annotated[Pair, says("Where the frame shows the point: x and y in pixels.", "2 numbers, in pixels")]
    table: Annotated[Pair, says("Where the point is on the felt: x, y in millimetres.", "2 numbers, in millimetres")]


class CameraSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A camera: where its video comes from, and how its pixels map to the felt."""

    source: Annotated[
        str | int,
        says(
            "A URL, the number of a device, or a video file. `run` needs it, `replay` does not.",
            "a URL, a device's number or a file",
        ),
    ] = ""
    password_file: Annotated[
        Path | None,
        says(
            "A file with the password for the user that `source` names (`rtsp://viewer@camera/7`). "
            "A systemd credential of the same name comes first.",
            "a path",
        ),
    ] = None
    loop: Annotated[bool, says("Start a video file again at its end.", "true or false")] = False
    lens: Annotated[
        tuple[Finite, Finite, Finite, Finite, Finite] | None,
        says("Distortion of the lens, k1, k2, p1, p2, k3 as OpenCV has them; with `camera_matrix`.", "5 numbers"),
    ] = None
    camera_matrix: Annotated[
        tuple[Finite, Finite, Finite, Finite] | None,
        says("Focal lengths and optical centre, fx, fy, cx, cy in pixels; with `lens`.", "4 numbers"),
    ] = None
    points: Annotated[
        list[PointSection],
        says(
            "Points of the felt and their pixels: at least four. `feltwatch calibrate` writes them.",
            "points, each with image = [x, y] and table = [x, y]; `feltwatch calibrate` writes them",
        ),
    ]

    def __post_init__(self) -> None:
        if (self.lens is None) != (self.camera_matrix is None):
            there, other = ("camera_matrix", "lens") if self.lens is None else ("lens", "camera_matrix")
            raise ValueError(f"{there}: expected {other} beside it; give both or neither, found one")
        if self.camera_matrix is not None and min(self.camera_matrix[:2]) <= 0:
            raise ValueError(f"camera_matrix: expected focal lengths above 0, found {list(self.camera_matrix[:2])}")
        if self.password_file is not None:
            found = _url(str(self.source))
            if not found.username or found.password is not None:
                raise ValueError(
                    "password_file: expected a source with a user and no password, such as 'rtsp://viewer@camera/7', "
                    f"found {str(self.source)!r}"
                )

    @property
    def only(self) -> CameraFile:
        return self.named(ONLY_CAMERA, ())

    def named(self, name: str, watches: tuple[str, ...] | None) -> CameraFile:
        lens = Lens(self.camera_matrix, self.lens) if self.camera_matrix and self.lens else Lens()
        marks = tuple(Mark(point.image, point.table) for point in self.points)
        return CameraFile(name, str(self.source), self.loop, lens, marks, watches, self.password_file)


class OneOfSeveral(CameraSection, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One of several cameras."""

    name: Annotated[
        Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,31}$")],
        says("Its name, once in the file.", "letters, digits, - and _, at most 32"),
    ]
    watches: Annotated[
        list[str] | None,
        says(
            "The parts of the layout that it watches: boxes, the dealer, or single zones. Without it: all that no "
            "other camera watches. Empty: it only records evidence.",
            'parts of the layout such as ["box1", "dealer"]',
        ),
    ] = None

    @property
    def one(self) -> CameraFile:
        return self.named(self.name, () if self.watches is None else tuple(self.watches) or None)


class ZoneSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A place for cards or for chips on the felt. Zones may overlap: the smallest that holds the centre counts."""

    name: Annotated[Text, says("What lies there.", "a name such as 'box1.cards' or 'box1.main'", ["box1.cards"])]
    polygon: Annotated[
        Polygon | None, says("Its corners, in millimetres.", "three or more points [x, y] in millimetres")
    ] = None
    circle: Annotated[
        tuple[Finite, Finite, Finite] | None,
        says("In place of `polygon`: centre x, centre y and radius, in millimetres.", "3 numbers in millimetres"),
    ] = None
    first: Annotated[
        Pair | None,
        says("Where the first card or stack lies. Without it, in the middle.", "2 numbers in millimetres"),
    ] = None
    step: Annotated[Pair, says("From one card or stack to the next.", "2 numbers in millimetres")] = (0.0, 0.0)
    turn: Annotated[Finite, says("Where the top of a card points: degrees from +x.", "one number in degrees")] = 90.0

    def __post_init__(self) -> None:
        if (self.polygon is None) == (self.circle is None):
            raise ValueError(
                f"polygon: expected either polygon or circle, found {'both' if self.circle else 'neither'}"
            )


class LayoutSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The layout of the felt: the name of a preset, or zones one by one."""

    preset: Annotated[
        Literal["blackjack-7", "blackjack-5", "si-ki-pi-6"] | None,
        says("A layout that feltwatch knows.", "one of blackjack-7, blackjack-5, si-ki-pi-6"),
    ] = None
    name: Annotated[str | None, says("What the layout is called.", "a text")] = None
    outline: Annotated[
        Polygon | None,
        says("The edge of the felt. Without it, the zones' hull.", "three or more points [x, y] in millimetres"),
    ] = None
    zones: Annotated[
        list[ZoneSection] | None, says("In place of a preset: every zone, one by one.", "[[layout.zones]]")
    ] = None

    def __post_init__(self) -> None:
        if self.preset is not None and (self.zones is not None or self.outline is not None):
            raise ValueError("preset: expected either preset or zones, found both")


class MqttSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The broker. Without this part feltwatch starts a broker of its own, for this device alone."""

    address: Annotated[
        str,
        says(
            "Address of the broker: `mqtt://HOST:PORT`, or `mqtts://` for TLS. No user and no password belong in it.",
            "an address such as 'mqtts://broker:8883'",
        ),
    ] = field(name="url")
    user: Annotated[Text | None, says("User name. Without it, `FELTWATCH_MQTT_USER` of the environment.", "a name")] = (
        None
    )
    password_file: Annotated[
        Path | None,
        says("A file with the password. Without it, `FELTWATCH_MQTT_PASSWORD` of the environment.", "a path"),
    ] = None
    ca: Annotated[
        Path | None,
        says("Certificate of the authority that signed the broker's. Without it, those the system trusts.", "a path"),
    ] = None
    cert: Annotated[Path | None, says("This table's certificate; with `key`.", "a path")] = None
    key: Annotated[Path | None, says("The private key of `cert`.", "a path")] = None
    keepalive_s: Annotated[
        Annotated[int, Meta(ge=5, le=600)],
        says("Seconds until the broker notices a lost connection.", "a number from 5 to 600"),
    ] = field(default=10, name="keepalive")
    rate: Annotated[
        Annotated[int, Meta(ge=1, le=100_000)],
        says("Messages a second, at most, while a backlog is sent.", "a number from 1 to 100000"),
    ] = 200

    def __post_init__(self) -> None:
        found = _url(self.address)
        if found.username is not None or found.password is not None:
            raise ValueError(
                "url: expected no user or password in an address (name mqtt.user, and mqtt.password_file or "
                f"the environment's FELTWATCH_MQTT_PASSWORD), found {self.address!r}"
            )
        rest = found.path.strip("/") or found.query or found.fragment
        if found.scheme not in BROKER_PORTS or not found.hostname or rest:
            raise ValueError(f"url: expected an address such as 'mqtts://broker:8883', found {self.address!r}")
        if (self.cert is None) != (self.key is None):
            there, other = ("key", "cert") if self.cert is None else ("cert", "key")
            raise ValueError(f"{there}: expected {other} beside it; give both or neither, found one")
        if not self.tls and (self.ca or self.cert):
            raise ValueError(
                f"url: expected an address that begins with mqtts:// beside certificates, found {self.address!r}"
            )

    @property
    def host(self) -> str:
        return _url(self.address).hostname or ""

    @property
    def port(self) -> int:
        found = _url(self.address)
        return found.port or BROKER_PORTS[found.scheme]

    @property
    def tls(self) -> bool:
        return _url(self.address).scheme == "mqtts"

    @property
    def url(self) -> str:
        """Give the address in full, with its port."""
        return f"{_url(self.address).scheme}://{self.host}:{self.port}"


class RecordSettings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is stored on the device, and for how long."""

    folder: Annotated[
        Path | None,
        says(
            "Where the journal, stills and clips are stored. Without it, a folder beside the table's file or in the "
            "service's state directory.",
            "a path",
        ),
    ] = None
    days: Annotated[Positive, says("Days that stills and clips are kept.", POSITIVE_EXPECTED)] = 30.0
    gigabytes: Annotated[
        Positive, says("Room for stills and clips; beyond it the oldest are deleted.", POSITIVE_EXPECTED)
    ] = 200.0
    journal_days: Annotated[Positive, says("Days that entries of the journal are kept.", POSITIVE_EXPECTED)] = 400.0


class ServeSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What this device serves over HTTP."""

    http: Annotated[
        str | None,
        says(
            "Address for `/metrics` and `/healthz`. Without it, none are served.", "an address such as '127.0.0.1:9464'"
        ),
    ] = None

    def __post_init__(self) -> None:
        host, _, port = (self.http or "x:1").rpartition(":")
        if not host or not port.isdecimal() or not 0 < int(port) < 65_536:
            raise ValueError(f"http: expected an address such as '127.0.0.1:9464', found {self.http!r}")

    @property
    def address(self) -> tuple[str, int] | None:
        host, _, port = (self.http or "").rpartition(":")
        return (host, int(port)) if self.http else None


class VisionSection(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What runs the networks that detect and read cards."""

    provider: Annotated[
        Literal["cpu", "openvino", "cuda", "tensorrt"],
        says(
            "Execution provider of ONNX Runtime. Others than `cpu` need its package for that hardware. "
            "`--provider` on the command line comes first.",
            "one of cpu, openvino, cuda, tensorrt",
        ),
    ] = "cpu"


class TableDocument(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A table's file as it is written."""

    table: Annotated[TableSection, says("The table: its name, its rule book, its limits.", "[table]")]
    layout: Annotated[LayoutSection, says("The layout of the felt.", "[layout]")]
    camera: Annotated[CameraSection | None, says("The table's only camera.", "[camera]")] = None
    cameras: Annotated[
        list[OneOfSeveral] | None,
        says("In place of `[camera]`: several cameras over one table.", "[[cameras]], one for each camera"),
    ] = None
    mqtt: Annotated[MqttSettings | None, says("The broker.", "[mqtt]")] = None
    record: Annotated[RecordSettings, says("What is stored on the device.", "[record]")] = RecordSettings()
    serve: Annotated[ServeSection, says("What is served over HTTP.", "[serve]")] = ServeSection()
    vision: Annotated[VisionSection, says("What runs the networks.", "[vision]")] = VisionSection()

    def __post_init__(self) -> None:
        if self.camera is not None and self.cameras is not None:
            raise ValueError("cameras: expected either [camera] or [[cameras]], found both")
        if self.camera is None and self.cameras is None:
            raise ValueError("camera: expected [camera], found none")
        if self.cameras == []:
            raise ValueError("cameras: expected [[cameras]], one for each camera, found []")
        names = [one.name for one in self.cameras or ()]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"cameras: expected each name once, found two cameras named {name!r}")


@dataclass(frozen=True)
class TableFile:
    """A table's file, read and checked."""

    path: Path
    id: str
    site: str
    book: Book
    cameras: tuple[CameraFile, ...]
    layout: Layout  # as it is printed for the book
    mqtt: MqttSettings | None  # None: feltwatch starts a broker of its own
    record: RecordSettings
    serve: tuple[str, int] | None  # where Prometheus fetches the metrics
    provider: str  # runs the networks
    deck: Path | None = None  # the file of its own deck
    learn_deck: bool = False  # and write that file, where there is none

    @property
    def first(self) -> CameraFile:
        """Give the only camera, or the first of several that watches."""
        return next((one for one in self.cameras if one.watches is not None), self.cameras[0])

    @property
    def source(self) -> str:
        return self.first.source

    @property
    def lens(self) -> Lens:
        return self.first.lens

    @property
    def marks(self) -> tuple[Mark, ...]:
        return self.first.marks

    def camera(self, size: tuple[int, int]) -> Fit:
        """Fit the first camera to its points, for frames of a size."""
        return fit_camera(self.path, self.first, size)


def read_table(path: Path) -> TableFile:
    """Read and check a table's file; raise UsageError with one line that names the file, the place and the fault."""
    try:
        text = path.read_text("utf-8")
        found = tomllib.loads(text)
    except OSError as error:
        raise UsageError(f"{path}: expected a table's file: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: expected a table's file: it is not text in UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not TOML: {error}") from error
    try:
        return _table(path, _document(found, path), found)
    except msgspec.ValidationError as error:
        raise UsageError(f"{path}: {explain(error, TableDocument, found, text)}") from error
    except (LayoutError, BookError, SwitchError) as error:
        raise UsageError(f"{path}: {error}") from error


def _document(found: Mapping[str, object], path: Path) -> TableDocument:
    home = path.absolute().parent

    def beside(kind: type, value: object) -> object:
        """Take a path; a relative one starts at the table's file."""
        if kind is not Path or not isinstance(value, str) or not value:
            raise ValueError("Expected a path")
        return (home / Path(value).expanduser()).absolute()

    return msgspec.convert(found, TableDocument, dec_hook=beside)


def _table(path: Path, document: TableDocument, found: Mapping[str, Mapping[str, object]]) -> TableFile:
    plain = layout_as_written(found)
    book = _book(document.table, plain)
    layout = for_book(plain, book)
    if document.camera is not None:
        cameras: tuple[CameraFile, ...] = (document.camera.only,)
    else:
        cameras = tuple(one.one for one in document.cameras or ())
        layout_parts(cameras, layout)
    return TableFile(
        path,
        document.table.id,
        document.table.site,
        book,
        cameras,
        layout,
        document.mqtt,
        document.record,
        document.serve.address,
        document.vision.provider,
        document.table.deck,
        document.table.learn_deck,
    )


def layout_as_written(found: Mapping[str, Mapping[str, object]]) -> Layout:
    """Give the whole layout of a file's content, also the spots of bets that its book does not have."""
    preset = found["layout"].get("preset")
    return load_layout(str(preset)) if preset else layout_of(found["layout"], "layout")


def _book(table: TableSection, layout: Layout) -> Book:
    settings = {name: value if isinstance(value, str) else str(value).lower() for name, value in table.settings.items()}
    if layout.boxes:
        settings.setdefault("boxes", str(max(layout.boxes)))  # a camera may watch only some of them
    return find_book(table.book).at_table(
        decks=table.decks, minimum=_money(table.min), maximum=_money(table.max), settings=settings
    )


def _money(amount: float | None) -> Decimal | None:
    return None if amount is None else Decimal(str(amount))


def _url(text: str) -> SplitResult:
    """Split an address; one that cannot be split, or whose port is no number, has no parts."""
    try:
        found = urlsplit(text)
        _ = found.port  # checked only when it is asked for
    except ValueError:
        user = re.search(r"//[^/@]*@", text)  # a password must be noticed even so
        return SplitResult("", user[0][2:] if user else "", "", "", "")
    return found
