"""Where a table's record is stored, and where its secrets come from: its file, or the service that runs it."""

import os
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from feltwatch.edge.config.table_file import MqttSettings, TableFile


def record_folder(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder of a table's record: the one it names, one in the service's, or one beside the table's file."""
    if table.record.folder is not None:
        return table.record.folder
    state = environ.get("STATE_DIRECTORY", "").partition(":")[0]  # set by systemd
    return Path(state) / table.id if state else table.path.absolute().parent / f"{table.id}.record"


def journal_path(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    return record_folder(table, environ) / f"{table.id}.journal"


def credential(path: Path | None, environ: Mapping[str, str] = os.environ) -> Path | None:
    """Give the systemd credential that has the name of a secret's file, or the file itself where there is none.

    Credentials are in a folder that only this service can read. An empty one stands for a missing one (the unit's
    SetCredential).
    """
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if path is None or not folder:
        return path
    handed = Path(folder) / path.name
    return handed if handed.is_file() and handed.read_bytes().strip() else path


def with_credentials(broker: MqttSettings, environ: Mapping[str, str] = os.environ) -> MqttSettings:
    """Give the broker's settings with the password and the key from systemd's credentials, where there are some."""
    return replace(broker, password_file=credential(broker.password_file, environ), key=credential(broker.key, environ))
