"""The built-in MQTT broker, for the demo and for tables whose file names no broker.

It is amqtt's: it speaks MQTT 3.1.1 alone, listens on this device alone, and keeps everything in memory.
"""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

import psutil  # type: ignore[import-untyped]  # it has no types
from amqtt.broker import Broker as Amqtt  # type: ignore[import-untyped]  # it has no types
from amqtt.contexts import BrokerConfig, ListenerConfig  # type: ignore[import-untyped]  # as above
from amqtt.errors import BrokerError  # type: ignore[import-untyped]  # as above

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.errors import UsageError

HERE: Final = "127.0.0.1"
PORT: Final = 1883
ANONYMOUS: Final = "amqtt.plugins.authentication.AnonymousAuthPlugin"  # users of this device are trusted
START_S: Final = 10.0
STOP_S: Final = 2.0  # for clients to disconnect
LOUD: Final = ("amqtt", "transitions")  # they log each packet, and each client that disconnects


class ClosingBroker(Amqtt):  # type: ignore[misc]  # as above
    """Closes every connection at shutdown; amqtt forgets those that have not logged in."""

    def __init__(self, config: BrokerConfig) -> None:
        super().__init__(config)
        self._connections: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        task = asyncio.current_task()
        self._connections[task] = writer
        try:
            await super().stream_connected(reader, writer, listener_name)
        finally:
            self._connections.pop(task)
            writer.close()

    async def shutdown(self) -> None:
        for writer in self._connections.values():
            writer.close()
        await super().shutdown()
        if self._connections:
            await asyncio.wait([task for task in self._connections if task is not None], timeout=STOP_S)
        await asyncio.sleep(0.0)  # in which the last connection closes


class LocalBroker:
    """Runs between entering and leaving, in a thread of its own; port 0 is any free port.

    `file` is what a table file would say about it.
    """

    def __init__(self, port: int = PORT, say: Callable[[str], None] = lambda _: None) -> None:
        self.port, self._say = port, say
        self._ready = threading.Event()
        self._fault: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)

    @property
    def url(self) -> str:
        return self.file.url

    @property
    def file(self) -> MqttSettings:
        return MqttSettings(address=f"mqtt://{HERE}:{self.port}")

    def __enter__(self) -> Self:
        for name in LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.port = _check_port(self.port)
        self._thread.start()
        if not self._ready.wait(START_S) or self._fault is not None:
            raise UsageError(f"{self.url}: the built-in broker does not start: {self._fault or 'no answer'}")
        self._say(f"{self.url}: built-in broker, for this device only; it speaks MQTT 3.1.1, not 5")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._loop is not None and self._stop is not None:
            self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join()

    def _run(self) -> None:
        try:
            asyncio.run(self._serve())
        except (BrokerError, OSError) as error:
            self._fault = error
            self._ready.set()

    async def _serve(self) -> None:
        self._loop, self._stop = asyncio.get_running_loop(), asyncio.Event()
        self._loop.set_exception_handler(lambda _loop, _context: None)  # clients may disconnect at any point
        listener = ListenerConfig(bind=f"{HERE}:{self.port}")
        broker = ClosingBroker(BrokerConfig({"default": listener}, plugins={ANONYMOUS: {"allow_anonymous": True}}))
        await broker.start()
        self._ready.set()
        await self._stop.wait()
        await broker.shutdown()


def _check_port(port: int) -> int:
    """Give the port if it is free, or a free one for 0."""
    try:
        with socket.create_server((HERE, port)) as found:
            return int(found.getsockname()[1])
    except OSError as error:
        raise UsageError(
            f"{HERE}:{port}: expected a free port for the built-in broker, found {_find_owner(port)} on it; "
            "stop that, name its address as `url` in [mqtt], or run with --broker-port"
        ) from error


def _find_owner(port: int) -> str:
    """Name the process that listens on a port, as far as the system shows it."""
    try:
        owners = [
            psutil.Process(one.pid)
            for one in psutil.net_connections("tcp")
            if one.pid and one.status == psutil.CONN_LISTEN and one.laddr.port == port
        ]
        return f"{owners[0].name()} (process {owners[0].pid})" if owners else "another user's process"
    except (psutil.Error, OSError):
        return "another process"
