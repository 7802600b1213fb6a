"""`feltwatch run`: cameras in, MQTT out; one process for a device, however many tables it watches."""

import argparse
import os
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from time import monotonic
from typing import Final

from feltwatch.edge.config.paths import journal_path
from feltwatch.edge.config.secret_files import camera_password, with_credentials
from feltwatch.edge.config.table_file import MqttSettings, TableFile, read_table
from feltwatch.edge.errors import UsageError
from feltwatch.edge.health.vitals import Vitals, find_stuck
from feltwatch.edge.http_server import HttpServer
from feltwatch.edge.messaging.auth import password
from feltwatch.edge.messaging.local_broker import LocalBroker
from feltwatch.edge.pipeline.networks import Networks, OpenNetworks
from feltwatch.edge.pipeline.table_deck import deck_of
from feltwatch.edge.service import logs
from feltwatch.edge.service.logs import say
from feltwatch.edge.service.metrics import metrics_app
from feltwatch.edge.service.open_table import OpenShow, SessionConfig
from feltwatch.edge.service.supervisor import TableSupervisor
from feltwatch.edge.service.systemd import Notifier
from feltwatch.edge.stop_signal import Stop, stopping

LOOK_S: Final = 0.2  # between two looks at whether to stop
BEAT_S: Final = 2.0  # between two words to systemd, where it does not say


def run(options: argparse.Namespace, opener: OpenNetworks = Networks, show: OpenShow | None = None) -> int:
    """Watch until every camera's footage ends, the time is over, or a signal stops it.

    `show` makes what shows people each step, in place of events and verdicts on standard output.
    """
    secrets = logs.start(environ=_log_environ())
    tables = [read_table(Path(name)) for name in options.tables]
    _check(tables, options)
    for table in tables:
        if table.mqtt is not None:
            secrets.hide(password(with_credentials(table.mqtt)))
        for camera in table.cameras:
            secrets.hide(camera_password(camera) or "")
    networks = _networks(tables, options, opener)
    needs_broker = any(table.mqtt is None for table in tables)
    with ExitStack() as stack:
        own = stack.enter_context(LocalBroker(options.broker_port, say)).file if needs_broker else None
        supervisors = [
            TableSupervisor(_config(table, own, options, show, alone=len(tables) == 1), own_networks)
            for table, own_networks in zip(tables, networks, strict=True)
        ]
        for address in dict.fromkeys(table.serve for table in tables if table.serve is not None):
            server = stack.enter_context(HttpServer(metrics_app(lambda: _vitals(supervisors)), address, "serve.http"))
            say(f"{server.url}/metrics: metrics for Prometheus")
        with stopping() as stop:
            _hold(supervisors, stop)
    return 0


def _networks(tables: Sequence[TableFile], options: argparse.Namespace, opener: OpenNetworks) -> list[Networks]:
    """Open the networks for each table: once for each provider that a table, or the command line, names."""
    opened: dict[str, Networks] = {}
    for table in tables:
        provider = options.provider or table.provider
        try:
            opened[provider] = opened.get(provider) or opener(provider, options.threads)
        except UsageError as error:
            raise error if options.provider else UsageError(f"{table.path}: vision.{error}") from error
    return [opened[options.provider or table.provider] for table in tables]


def _log_environ() -> dict[str, str]:
    """Give the environment: logs are for people, unless they or systemd choose JSON."""
    found = dict(os.environ)
    if "JOURNAL_STREAM" not in found:
        found.setdefault("FELTWATCH_LOG", "text")
    return found


def _check(tables: Sequence[TableFile], options: argparse.Namespace) -> None:
    names = [table.id for table in tables]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"run: expected tables with an id each, found {name!r} twice")
    if len(tables) > 1 and options.journal:
        raise UsageError("run: expected --journal with one table, found it with several; name record.folder in each")
    _check_folders(tables)
    for table in tables:
        deck_of(table)
        for camera in table.cameras:
            if not camera.source:
                raise UsageError(
                    f"{table.path}: camera.source: expected a URL, a device's number or a file, found none; "
                    "name the camera"
                )


def _check_folders(tables: Sequence[TableFile]) -> None:
    """See to it that no two tables keep, and clear away, their evidence in one folder."""
    whose: dict[Path, TableFile] = {}
    for table in tables:
        folder = journal_path(table).parent.resolve()
        other = whose.setdefault(folder, table)
        if other is not table:
            raise UsageError(
                f"{table.path}: record.folder: expected a folder of its own, found {folder}, that of table {other.id}; "
                "name another"
            )


def _config(
    table: TableFile, own: MqttSettings | None, options: argparse.Namespace, show: OpenShow | None, *, alone: bool
) -> SessionConfig:
    broker = table.mqtt or own
    assert broker is not None  # noqa: S101  there is one of our own where a table names none
    return SessionConfig(
        table,
        Path(options.journal).absolute() if options.journal else journal_path(table),
        with_credentials(broker),
        mqtt5=table.mqtt is not None,
        until=None if options.seconds is None else monotonic() + options.seconds,
        out=sys.stdout if alone and not options.quiet and show is None else None,
        show=show,
    )


def _vitals(supervisors: Sequence[TableSupervisor]) -> list[Vitals]:
    return [found for one in supervisors if (found := one.vitals()) is not None]


def _hold(supervisors: Sequence[TableSupervisor], stop: Stop) -> None:
    """Hold every table in a thread of its own, and tell systemd that all are well while they are."""
    notifier = Notifier()
    quit_ = threading.Event()
    threads = [threading.Thread(target=one.run, args=(quit_,), name=one.config.table.id) for one in supervisors]
    for thread in threads:
        thread.start()
    notifier.ready(f"watching {', '.join(one.config.table.id for one in supervisors)}")
    beat = 0.0
    try:
        while any(thread.is_alive() for thread in threads) and not stop():
            next((thread for thread in threads if thread.is_alive()), threads[0]).join(LOOK_S)
            if monotonic() >= beat:
                beat = monotonic() + (notifier.watchdog_s or BEAT_S)
                notifier.beat(lambda: not find_stuck(_vitals(supervisors)))
    finally:
        notifier.stopping()
        quit_.set()
        for thread in threads:
            thread.join()
    for one in supervisors:
        if one.failed is not None:
            raise one.failed
