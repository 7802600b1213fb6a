"""A mosquitto of one's own, and its client mosquitto_sub as the witness of what arrives."""

import json
import os
import shutil
import signal
import socket
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Final, Self

READY_S: Final = 30.0  # a machine that is busy with another test takes longer than one that is not
LOOK_S: Final = 0.02


@dataclass(frozen=True, slots=True)
class Line:
    """A message as the witness had it."""

    at: float  # the clock of this machine, seconds
    topic: str
    payload: str
    retained: bool
    late: bool

    @property
    def seq(self) -> int:
        return int(json.loads(self.payload)["seq"])


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


def until(what: Callable[[], object], within_s: float = READY_S, why: Callable[[], object] = lambda: "") -> None:
    """Wait until something is true; fails when it does not become so."""
    end, pause = monotonic() + within_s, threading.Event()
    while not what():
        assert monotonic() < end, why()
        pause.wait(LOOK_S)


class Witness:
    """mosquitto_sub: every line that it writes is a message that came."""

    def __init__(self, command: Sequence[str]) -> None:
        self._news = threading.Condition()
        self._lines: list[Line] = []
        self._subscribed = 0
        self._noise: list[str] = []  # what else it says, for who has to find out
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self._reader = threading.Thread(target=self._read, name="witness", daemon=True)
        self._reader.start()
        try:
            self.subscribed(1)
        except BaseException:
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        for text in self._process.stdout:
            with self._news:
                if text.startswith("{"):
                    self._lines.append(_line(json.loads(text)))
                self._subscribed += text.startswith("Subscribed")
                self._noise = [*self._noise[-5:], text]
                self._news.notify_all()

    def subscribed(self, times: int, within_s: float = READY_S) -> None:
        """Wait until the broker has taken the subscription for so many times."""
        with self._news:
            came = self._news.wait_for(lambda: self._subscribed >= times, within_s)
            assert came, f"mosquitto_sub does not come in: {''.join(self._noise)}"

    @property
    def lines(self) -> list[Line]:
        with self._news:
            return [*self._lines]

    def wait(self, what: Callable[[list[Line]], object], within_s: float = READY_S) -> list[Line]:
        """Wait for lines; what came until then is given, and tells why when it fails."""
        with self._news:
            whole = self._news.wait_for(lambda: what(self._lines), within_s)
            assert whole, f"{len(self._lines)} messages came, the last: {self._lines[-3:]}"
            return [*self._lines]

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        self._reader.join()
        assert self._process.stdout is not None
        self._process.stdout.close()


def _line(found: dict[str, object]) -> Line:
    at = datetime.strptime(str(found["tst"]), "%Y-%m-%dT%H:%M:%S.%fZ%z").timestamp()
    late = "late" in json.dumps(found.get("properties", {}))
    return Line(at, str(found["topic"]), str(found["payload"]), retained=found["retain"] == 1, late=late)


class Mosquitto:
    """A broker on a port of its own, in a folder of its own."""

    def __init__(
        self,
        folder: Path,
        extra: Sequence[str] = (),
        port: int | None = None,
        *,
        whole: bool = False,
    ) -> None:
        """Start it with these lines, as the whole of its configuration or beside what a test needs."""
        self.folder = folder
        self.port = port or free_port()
        patient = "max_queued_messages 1000000"  # no witness is too slow for it
        own = [f"listener {self.port} 127.0.0.1", "log_type all", patient]
        free = [] if any(line.startswith("allow_anonymous") for line in extra) else ["allow_anonymous true"]
        told = [line.split() for line in extra if line.startswith("listener ")]
        self._others = [int(words[1]) for words in told if len(words) == 2]  # those that are on every address
        self._lines = ["user root", *extra] if whole else ["user root", *own, *free, *extra]
        self._process: subprocess.Popen[bytes] | None = None
        self._witnesses: list[Witness] = []
        self.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def start(self) -> None:
        config = self.folder / "mosquitto.conf"
        config.write_text("\n".join(self._lines) + "\n")
        with self.log_path.open("ab") as log:
            command = [program("mosquitto"), "-c", str(config)]
            self._process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder)
        until(lambda: all(self._answers(port) for port in (self.port, *self._others)), why=self.log)

    @property
    def log_path(self) -> Path:
        return self.folder / "mosquitto.log"

    def log(self) -> str:
        return self.log_path.read_text("utf-8", "replace")

    def _answers(self, port: int) -> bool:
        assert self._process is not None
        assert self._process.poll() is None, self.log()
        with socket.socket() as found:
            return found.connect_ex(("127.0.0.1", port)) == 0

    def send(self, number: signal.Signals) -> None:
        assert self._process is not None
        os.kill(self._process.pid, number)

    def kill(self) -> None:
        """End it as a power cut would."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, number: signal.Signals) -> None:
        if self._process is not None:
            self.send(number)
            self._process.wait()
            self._process = None

    def subscribe(self, topic: str, options: Sequence[str] = ("-q", "1")) -> Witness:
        shown = ["-d", "-F", "%j", "-t", topic]
        found = Witness([program("stdbuf"), "-oL", *self._command("mosquitto_sub"), *options, *shown])
        self._witnesses.append(found)
        return found

    def publish(self, topic: str, payload: str | Path, options: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
        """Publish with mosquitto_pub; a path is a file whose bytes are the payload."""
        what = ["-f", str(payload)] if isinstance(payload, Path) else ["-m", payload]
        command = [*self._command("mosquitto_pub"), *(options or ("-q", "1")), "-t", topic, *what]
        return subprocess.run(command, capture_output=True, text=True, timeout=READY_S, check=False)

    def flood(self, topic: str, lines: Path) -> subprocess.CompletedProcess[bytes]:
        """Publish each line of a file as a message, as fast as it goes."""
        with lines.open("rb") as found:
            command = [*self._command("mosquitto_pub"), "-q", "0", "-t", topic, "-l"]
            return subprocess.run(command, stdin=found, capture_output=True, timeout=READY_S, check=False)

    def _command(self, name: str) -> list[str]:
        return [program(name), "-V", "mqttv5", "-h", "127.0.0.1", "-p", str(self.port)]

    def close(self) -> None:
        for one in self._witnesses:
            one.close()
        self.kill()


def program(name: str) -> str:
    found = shutil.which(name) or shutil.which(name, path="/usr/sbin:/usr/local/sbin")
    assert found, f"{name} is missing: apt-get install mosquitto mosquitto-clients"
    return found
