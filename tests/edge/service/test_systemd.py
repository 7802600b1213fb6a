"""Notifications to systemd: over sockets as it opens them, by its own rules, and nothing where it is not there."""

import os
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from feltwatch.edge.service.systemd import Notifier


@pytest.fixture(params=["path", "abstract"])
def manager(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[socket.socket, dict[str, str]]]:
    """Listen as systemd does."""
    name = f"@feltwatch-{os.getpid()}" if request.param == "abstract" else str(tmp_path / "notify")
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(name.replace("@", "\0") if request.param == "abstract" else name)
        listening.settimeout(10)
        yield listening, {"NOTIFY_SOCKET": name}


def test_what_is_told_comes_as_it_is(manager: tuple[socket.socket, dict[str, str]]) -> None:
    listening, environ = manager
    notifier = Notifier(environ)
    for told, comes in (
        (notifier.ready("2 tables\nWATCHDOG=trigger"), b"READY=1\nSTATUS=2 tables WATCHDOG=trigger"),
        (notifier.status("bj-07: the camera is lost"), b"STATUS=bj-07: the camera is lost"),
        (notifier.beat(lambda: True), b"WATCHDOG=1"),
        (notifier.stopping(), b"STOPPING=1"),
    ):
        assert told
        assert listening.recv(4_096) == comes


def test_the_dog_is_fed_only_while_all_is_alive(manager: tuple[socket.socket, dict[str, str]]) -> None:
    listening, environ = manager
    notifier = Notifier(environ)
    assert not notifier.beat(lambda: False)
    assert notifier.status("after it")
    assert listening.recv(4_096) == b"STATUS=after it"  # and nothing before


@pytest.mark.parametrize(
    ("environ", "every"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "30000000"}, 15.0),  # twice in the time that systemd waits
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": str(os.getpid())}, 15.0),
        ({"WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "1"}, None),  # another process is meant
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_how_often_the_dog_wants_to_be_fed(environ: Mapping[str, str], every: float | None) -> None:
    assert Notifier(environ).watchdog_s == every


@pytest.mark.parametrize("where", ["", "relative", "/nowhere/notify", "@nobody-listens-here", "vsock:2:1"])
def test_where_nobody_listens_nothing_happens(where: str) -> None:
    notifier = Notifier({"NOTIFY_SOCKET": where})
    assert not notifier.ready("1 table")
    assert not notifier.beat(lambda: True)
    assert not notifier.stopping()


def test_one_who_does_not_take_what_is_told_holds_nobody_up(tmp_path: Path) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as deaf:
        deaf.bind(str(tmp_path / "notify"))
        notifier = Notifier({"NOTIFY_SOCKET": str(tmp_path / "notify")})
        told = 0
        while notifier.status(f"{told}"):
            told += 1
            assert told < 100_000
        assert told > 0
