"""The camera's password: from a file or a credential, in the address that is opened, and nowhere else."""

import base64
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from feltwatch.edge.config.secret_files import camera_address
from feltwatch.edge.config.table_file import TableFile, read_table
from feltwatch.edge.doctor.camera import camera as check
from feltwatch.edge.doctor.checks import CheckState
from feltwatch.edge.errors import UsageError
from tests.film_frames import TABLE

PASSWORD = "hunter2/@ü"  # noqa: S105  for a camera that is not there
DENIED = 'RTSP/1.0 401 Unauthorized\r\nCSeq: {}\r\nWWW-Authenticate: Basic realm="camera"\r\n\r\n'
FINE = "RTSP/1.0 200 OK\r\nCSeq: {}\r\nPublic: OPTIONS, DESCRIBE\r\n\r\n"


@pytest.fixture
def table(tmp_path: Path) -> TableFile:
    (tmp_path / "bj-07.camera").write_text(f"{PASSWORD}\n", "utf-8")
    (tmp_path / "bj-07.camera").chmod(0o600)
    path = tmp_path / "table.toml"
    named = 'source = "rtsp://viewer@camera/7"\npassword_file = "bj-07.camera"'
    path.write_text(TABLE.read_text("utf-8").replace('source = "demo.mp4"', named), "utf-8")
    return read_table(path)


def test_the_password_stands_in_the_address_that_is_opened(table: TableFile, tmp_path: Path) -> None:
    assert table.first.password_file == tmp_path / "bj-07.camera"
    assert table.source == "rtsp://viewer@camera/7"
    assert camera_address(table.first, {}) == "rtsp://viewer:hunter2%2F%40%C3%BC@camera/7"
    (tmp_path / "credentials").mkdir()
    environ = {"CREDENTIALS_DIRECTORY": str(tmp_path / "credentials")}
    (tmp_path / "credentials" / "bj-07.camera").write_text("\n")  # stands for one that is missing
    assert camera_address(table.first, environ) == camera_address(table.first, {})
    (tmp_path / "credentials" / "bj-07.camera").write_text("handed\n")
    assert camera_address(table.first, environ) == "rtsp://viewer:handed@camera/7"
    assert camera_address(replace(table.first, password_file=None), environ) == "rtsp://viewer@camera/7"


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("rtsp://camera/7", "camera.password_file: expected a source with a user and no password, such as"),
        ("rtsp://viewer:hunter2@camera/7", "such as 'rtsp://viewer@camera/7', found 'rtsp://…@camera/7'"),
        ("rtsp://viewer:hunter2@hunter2@camera/7", "found 'rtsp://…@camera/7'"),
        ("demo.mp4", "camera.password_file: expected a source with a user and no password"),
    ],
)
def test_a_password_needs_a_user(source: str, says: str, table: TableFile) -> None:
    table.path.write_text(table.path.read_text("utf-8").replace("rtsp://viewer@camera/7", source), "utf-8")
    with pytest.raises(UsageError) as caught:
        read_table(table.path)
    assert says in str(caught.value)
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(("content", "says"), [(b"", "found an empty file"), (b"\xff", "it is not text in UTF-8")])
def test_a_file_without_a_password_is_one_line(content: bytes, says: str, table: TableFile) -> None:
    assert table.first.password_file is not None
    table.first.password_file.write_bytes(content)
    with pytest.raises(UsageError, match=rf"bj-07\.camera: expected a password[:,] {says}"):
        camera_address(table.first, {})


def test_doctor_checks_the_password_and_who_can_read_it(table: TableFile) -> None:
    path = table.first.password_file
    assert path is not None
    path.chmod(0o644)
    first, *_ = check(table, table.first, {})
    assert (first.state, first.says) == (
        CheckState.WARN,
        f"{path}: it holds a secret, and every user of this device can read it; run chmod o-rwx {path}",
    )
    open_file = replace(table.first, source="rtsp://viewer:hunter2@127.0.0.1:1/7", password_file=None)
    table.path.chmod(0o644)
    first, *_ = check(table, open_file, {})
    assert first.says.startswith(f"{table.path}: it holds a secret")
    path.unlink()
    (only,) = check(table, table.first, {})
    assert (only.state, only.says) == (
        CheckState.BAD,
        f"{path}: expected a password: no such file or directory; correct camera.password_file",
    )


@contextmanager
def locked_camera() -> Iterator[tuple[int, list[str]]]:
    """Run a camera that asks everyone for a password; give its port, and what it is answered."""
    answers: list[str] = []

    def serve(one: socket.socket) -> None:
        with one, one.makefile("rw", encoding="ascii", newline="") as way:
            request: list[str] = []
            for line in way:
                if line.strip():
                    request.append(line.strip())
                    continue
                answers.extend(line for line in request if line.startswith("Authorization: "))
                number = next(line.partition(": ")[2] for line in request if line.startswith("CSeq"))
                way.write((FINE if request[0].startswith("OPTIONS") else DENIED).format(number))
                way.flush()
                request = []

    def accept() -> None:
        while True:
            try:
                one, _ = server.accept()
            except OSError:
                return
            threading.Thread(target=serve, args=(one,), daemon=True).start()

    with socket.create_server(("127.0.0.1", 0)) as server:
        threading.Thread(target=accept, daemon=True).start()
        yield server.getsockname()[1], answers
        server.shutdown(socket.SHUT_RDWR)


def test_the_camera_gets_the_password_and_doctor_does_not_show_it(table: TableFile) -> None:
    with locked_camera() as (port, answers):
        camera = replace(table.first, source=f"rtsp://viewer@127.0.0.1:{port}/7")
        (found,) = check(table, camera, {})
    assert answers[0] == f"Authorization: Basic {base64.b64encode(f'viewer:{PASSWORD}'.encode()).decode()}"
    assert "check its path, user and password" in found.says
    assert "hunter2" not in found.says
