"""A broker of our own, for a table whose file names none: on this machine alone, and in memory alone."""

import asyncio
import logging
import socket
import threading
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from amqtt.broker import Broker as Amqtt  # type: ignore[import-untyped]  # it has no types
from amqtt.contexts import BrokerConfig, ListenerConfig  # type: ignore[import-untyped]  # as above
from amqtt.errors import BrokerError  # type: ignore[import-untyped]  # as above

from feltwatch.edge.config.table_file import MqttSettings
from feltwatch.edge.errors import UsageError

HERE: Final = "127.0.0.1"
PORT: Final = 1883
ANYBODY: Final = "amqtt.plugins.authentication.AnonymousAuthPlugin"  # who is on this machine is trusted
START_S: Final = 10.0
STOP_S: Final = 2.0  # for those who are there to be gone
LOUD: Final = ("amqtt", "transitions")  # they log each packet, and each client that goes


class _Tidy(Amqtt):  # type: ignore[misc]  # as above
    """Lets go of every connection: amqtt forgets those that never came in."""

    def __init__(self, config: BrokerConfig) -> None:
        super().__init__(config)
        self._here: dict[asyncio.Task[None] | None, asyncio.StreamWriter] = {}

    async def stream_connected(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str
    ) -> None:
        task = asyncio.current_task()
        self._here[task] = writer
        try:
            await super().stream_connected(reader, writer, listener_name)
        finally:
            self._here.pop(task)
            writer.close()

    async def shutdown(self) -> None:
        for writer in self._here.values():
            writer.close()
        await super().shutdown()
        if self._here:
            await asyncio.wait([task for task in self._here if task is not None], timeout=STOP_S)
        await asyncio.sleep(0.0)  # in which the last of them is closed


class Broker:
    """Runs between entering and leaving, in a thread of its own; `file` is what a table's file would say of it."""

    def __init__(self, port: int = PORT, say: Callable[[str], None] = lambda _: None) -> None:
        self._wanted, self._say = port, say
        self._ready = threading.Event()
        self._fault: Exception | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stop: asyncio.Event | None = None
        self._thread = threading.Thread(target=self._run, name="broker", daemon=True)
        self.port = port

    @property
    def url(self) -> str:
        return self.file.url

    @property
    def file(self) -> MqttSettings:
        return MqttSettings(address=f"mqtt://{HERE}:{self.port}")

    def __enter__(self) -> Self:
        for name in LOUD:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.port = _free(self._wanted)
        self._thread.start()
        if not self._ready.wait(START_S) or self._fault is not None:
            raise UsageError(
                f"{self.url}: expected a port for a broker of our own: {self._fault or 'it does not start'}"
            )
        other = f"; port {self._wanted} is taken" if self.port != self._wanted else ""
        self._say(f"{self.url}: a broker of our own, for this machine alone{other}")
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
        self._loop.set_exception_handler(lambda _loop, _context: None)  # a client that went in the middle of something
        listener = ListenerConfig(bind=f"{HERE}:{self.port}")
        broker = _Tidy(BrokerConfig({"default": listener}, plugins={ANYBODY: {"allow_anonymous": True}}))
        await broker.start()
        self._ready.set()
        await self._stop.wait()
        await broker.shutdown()


def _free(wanted: int) -> int:
    """Give the port that is wanted, or another one where it is taken."""
    for port in (wanted, 0):
        with socket.socket() as found:
            found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                found.bind((HERE, port))
            except OSError:
                continue
            return int(found.getsockname()[1])
    raise UsageError(f"{HERE}: expected a free port for a broker of our own, found none")
