"""What a table's file says of the service: the broker, what is kept on disk, where figures are served."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from feltwatch.vision.layout.zones import LayoutError, is_number, known_keys

NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")  # fit for a topic, a file's name and a metric's label
SCHEMES: Final = {"mqtt": 1883, "mqtts": 8883}
MQTT: Final = {"url", "user", "password_file", "ca", "cert", "key", "keepalive", "rate"}
RECORD: Final = {"folder", "days", "gigabytes", "journal_days"}
SERVE: Final = {"http"}


@dataclass(frozen=True, slots=True)
class MqttFile:
    """The broker. User and password may come from the environment instead: they are no part of an address."""

    host: str
    port: int
    tls: bool
    user: str | None = None
    password_file: Path | None = None
    ca: Path | None = None  # who signed the broker's certificate; those the system trusts where there is none
    cert: Path | None = None
    key: Path | None = None
    keepalive_s: int = 10
    rate: int = 200  # messages a second of a backlog, at most

    @property
    def url(self) -> str:
        return f"{'mqtts' if self.tls else 'mqtt'}://{self.host}:{self.port}"


@dataclass(frozen=True)
class RecordFile:
    """What is kept, and how much of it."""

    folder: Path | None = None
    days: float = 30.0  # of stills and clips
    gigabytes: float = 200.0  # of stills and clips
    journal_days: float = 400.0


def name_of(value: str, where: str) -> str:
    """Give a name that can stand in a topic and in a path."""
    if not NAME.fullmatch(value):
        raise LayoutError(
            f"{where}: expected letters, figures, '.', '_' and '-', up to 64, a letter or figure first; found {value!r}"
        )
    return value


def mqtt_of(part: Mapping[str, object], home: Path) -> MqttFile:
    """Read [mqtt]; paths in it are beside the table's file."""
    known_keys(part, set(MQTT), "[mqtt]")
    url = part.get("url")
    if not isinstance(url, str):
        raise LayoutError(f"mqtt.url: expected an address such as 'mqtts://broker:8883', found {url!r}")
    host, port, tls = _address(url)
    certificate = {key: _path(part, key, home) for key in ("ca", "cert", "key", "password_file")}
    if (certificate["cert"] is None) != (certificate["key"] is None):
        raise LayoutError("mqtt: expected cert and key together, found one of them")
    if not tls and any(certificate[key] for key in ("ca", "cert")):
        raise LayoutError(
            f"mqtt: expected an address that begins with mqtts:// where there are certificates, found {url!r}"
        )
    user = part.get("user")
    if user is not None and (not isinstance(user, str) or not user):
        raise LayoutError(f"mqtt.user: expected a name, found {user!r}")
    return MqttFile(
        host,
        port,
        tls,
        user,
        certificate["password_file"],
        certificate["ca"],
        certificate["cert"],
        certificate["key"],
        int(_number(part, "mqtt.keepalive", 10, (5, 600))),
        int(_number(part, "mqtt.rate", 200, (1, 100_000))),
    )


def _address(url: str) -> tuple[str, int, bool]:
    wrong = f"mqtt.url: expected an address such as 'mqtts://broker:8883', found {_hidden(url)!r}"
    try:
        found = urlsplit(url)
        host, port = found.hostname, found.port
    except ValueError as error:
        raise LayoutError(wrong) from error
    if found.username is not None or found.password is not None:
        raise LayoutError(
            "mqtt.url: expected no user or password in an address; name mqtt.user, and mqtt.password_file or "
            "the environment's FELTWATCH_MQTT_PASSWORD"
        )
    if found.scheme not in SCHEMES or not host or found.path.strip("/") or found.query or found.fragment:
        raise LayoutError(wrong)
    return host, port or SCHEMES[found.scheme], found.scheme == "mqtts"


def _hidden(url: str) -> str:
    """Give an address without what may be a password."""
    return re.sub(r"//[^/@]*@", "//…@", url)


def record_of(part: Mapping[str, object], home: Path) -> RecordFile:
    """Read [record]; a folder in it is beside the table's file."""
    known_keys(part, set(RECORD), "[record]")
    most = (0.01, 1_000_000)
    return RecordFile(
        _path(part, "folder", home, "record"),
        _number(part, "record.days", RecordFile.days, most),
        _number(part, "record.gigabytes", RecordFile.gigabytes, most),
        _number(part, "record.journal_days", RecordFile.journal_days, most),
    )


def serve_of(part: Mapping[str, object]) -> tuple[str, int] | None:
    """Read [serve]: where Prometheus fetches figures."""
    known_keys(part, set(SERVE), "[serve]")
    value = part.get("http")
    if value is None:
        return None
    host, colon, port = value.rpartition(":") if isinstance(value, str) else ("", "", "")
    if not colon or not host or not port.isdigit() or not 0 < int(port) < 65_536:
        raise LayoutError(f"serve.http: expected an address such as '127.0.0.1:9464', found {value!r}")
    return host, int(port)


def _path(part: Mapping[str, object], key: str, home: Path, where: str = "mqtt") -> Path | None:
    value = part.get(key)
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise LayoutError(f"{where}.{key}: expected a path, found {value!r}")
    return (home / Path(value).expanduser()).absolute()


def _number(part: Mapping[str, object], where: str, default: float, limits: tuple[float, float]) -> float:
    value = part.get(where.partition(".")[2], default)
    if not is_number(value) or not limits[0] <= float(value) <= limits[1]:  # type: ignore[arg-type]  # a number
        raise LayoutError(f"{where}: expected a number from {limits[0]:g} to {limits[1]:g}, found {value!r}")
    return float(value)  # type: ignore[arg-type]  # as above
