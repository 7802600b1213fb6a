"""Where a table's record is stored: the folder that its file names, or one of the service that runs it."""

import os
from collections.abc import Mapping
from pathlib import Path

from feltwatch.edge.config.table_file import TableFile


def record_folder(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    """Give the folder of a table's record: the one it names, one in the service's, or one beside the table's file."""
    if table.record.folder is not None:
        return table.record.folder
    state = environ.get("STATE_DIRECTORY", "").partition(":")[0]  # set by systemd
    return Path(state) / table.id if state else table.path.absolute().parent / f"{table.id}.record"


def journal_path(table: TableFile, environ: Mapping[str, str] = os.environ) -> Path:
    return record_folder(table, environ) / f"{table.id}.journal"
