"""Where a table's record lies, and where secrets are handed in: by its file, or by whoever runs the service."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from feltwatch.edge.config.table_file import TableFile
from feltwatch.edge.config.table_service import MqttFile


def folder_of(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    """Give where a table is recorded: the folder it names, or one within the service's, or beside the table's file."""
    if table.record.folder is not None:
        return table.record.folder
    state = environ.get("STATE_DIRECTORY", "").partition(":")[0]  # as systemd hands it in
    return Path(state) / table.id if state else table.path.absolute().parent / f"{table.id}.record"


def journal_of(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    return folder_of(table, environ) / f"{table.id}.journal"


def handed(broker: MqttFile, environ: Mapping[str, str] = os.environ) -> MqttFile:
    """Give the broker's settings with the password and the key that systemd handed in, where it did.

    Those lie in a folder that only this service can read, under the names of the files in the table's file. One with
    nothing in it stands for one that was not there (the unit's SetCredential).
    """
    folder = environ.get("CREDENTIALS_DIRECTORY")
    if not folder:
        return broker

    def found(path: Path | None) -> Path | None:
        if path is None:
            return None
        here = Path(folder) / path.name
        return here if here.is_file() and here.read_bytes().strip() else path

    return replace(broker, password_file=found(broker.password_file), key=found(broker.key))
