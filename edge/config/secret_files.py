"""Passwords and keys: from the files that a table's file names, or from systemd's credentials of the same names."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from msgspec.structs import replace

from feltwatch.edge.config.camera_parts import CameraFile
from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.errors import UsageError


def credential(path: Path, environ: Mapping[str, str] = os.environ) -> Path:
    """Give the systemd credential that has the name of a secret's file, or the file itself where there is none.

    Credentials are in a folder that only this service can read. An empty one stands for a missing one (the unit's
    SetCredential).
    """
    folder = environ.get("CREDENTIALS_DIRECTORY")
    handed = Path(folder or path.parent) / path.name
    return handed if handed.is_file() and handed.read_bytes().strip() else path


def with_credentials(broker: MqttSettings, environ: Mapping[str, str] = os.environ) -> MqttSettings:
    """Give the broker's settings with the password and the key from systemd's credentials, where there are some."""
    names = ("password_file", "key")
    found = {name: credential(path, environ) for name in names if (path := getattr(broker, name)) is not None}
    return replace(broker, **found)


def read_password(path: Path) -> str:
    try:
        password = path.read_text("utf-8").rstrip("\r\n")
    except UnicodeDecodeError:
        raise UsageError(f"{path}: expected a password: it is not text in UTF-8") from None  # the error cites bytes
    except OSError as error:
        raise UsageError(f"{path}: expected a password: {(error.strerror or str(error)).lower()}") from error
    if not password:
        raise UsageError(f"{path}: expected a password, found an empty file")
    return password


def camera_password(camera: CameraFile, environ: Mapping[str, str] = os.environ) -> str | None:
    """Give the password of a camera, if its file names one."""
    return None if camera.password_file is None else read_password(credential(camera.password_file, environ))


def camera_address(camera: CameraFile, environ: Mapping[str, str] = os.environ) -> str:
    """Give where a camera's video comes from, its password in the address: to open it, never to show it."""
    return with_password(camera.source, camera_password(camera, environ))


def has_password(source: str) -> bool:
    return re.search(r"//[^/@:]*:[^/\s]+@", source) is not None


def with_password(source: str, password: str | None) -> str:
    """Put a password behind the user of an address.

    >>> with_password("rtsp://viewer@camera/7", "a/b")
    'rtsp://viewer:a%2Fb@camera/7'
    """
    if password is None:
        return source
    scheme, _, rest = source.partition("://")
    user, _, host = rest.partition("@")
    return f"{scheme}://{user}:{quote(password, safe='')}@{host}"
