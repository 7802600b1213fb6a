"""A network of packets that is slow, loses some, or none come through: two namespaces, and this program between them.

The kernel's own netem does the same where it is there; often it is not. What goes into one namespace's interface is
read here, packet by packet, and written to the other's, later or not at all. Needs root; touches nothing but namespaces
that it makes itself.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import shutil
import struct
import subprocess
import threading
from collections.abc import Callable
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Final, Self

TUNSETIFF: Final = 0x400454CA
TUN_NO_INFO: Final = 0x1001
NEWNET: Final = 0x40000000
PACKET: Final = 65_536
NEAR, FAR = "10.77.0.1", "10.77.0.2"  # where the table is, and where the broker is


def possible() -> bool:
    """Tell whether namespaces and such interfaces can be made here."""
    if os.geteuid() != 0 or shutil.which("ip") is None or not os.path.exists("/dev/net/tun"):  # noqa: PTH110
        return False
    name = f"feltwatch-{os.getpid()}-try"
    made = subprocess.run(["ip", "netns", "add", name], capture_output=True, check=False).returncode == 0  # noqa: S607
    if made:
        _ip("netns", "del", name)
    return made


def within(namespace: str, work: Callable[[], object]) -> None:
    """Do something in a namespace; threads that it starts stay there."""
    fault: list[BaseException] = []

    def moved() -> None:
        try:
            libc = ctypes.CDLL(None, use_errno=True)
            handle = os.open(f"/run/netns/{namespace}", os.O_RDONLY)
            try:
                if libc.setns(handle, NEWNET):
                    raise OSError(ctypes.get_errno(), "setns")
            finally:
                os.close(handle)
            work()
        except BaseException as error:  # noqa: BLE001  raised below
            fault.append(error)

    thread = threading.Thread(target=moved, name="within")
    thread.start()
    thread.join()
    if fault:
        raise fault[0]


class Wire:
    """Between `near` and `far`, both of them names of namespaces; its attributes say what becomes of a packet."""

    def __init__(self, dice: random.Random | None = None) -> None:
        self.delay_s = 0.0  # each way
        self.loss = 0.0  # of all packets, each way
        self.cut = False
        self.lost = self.passed = 0
        self._dice = dice or random.Random()  # noqa: S311  no secret
        stem = f"feltwatch-{os.getpid()}-{id(self) % 10_000}"
        self.near, self.far = f"{stem}-near", f"{stem}-far"
        self._handles: list[int] = []
        for name, address in ((self.near, NEAR), (self.far, FAR)):
            _ip("netns", "add", name)
            within(name, lambda: self._handles.append(_tun()))
            _ip("-n", name, "address", "add", f"{address}/30", "dev", "tun0")
            _ip("-n", name, "link", "set", "tun0", "up")
            _ip("-n", name, "link", "set", "lo", "up")
        self._over = False
        self._thread = threading.Thread(target=self._run, name="wire", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over = True
        self._thread.join()
        for handle in self._handles:
            os.close(handle)
        for name in (self.near, self.far):
            _ip("netns", "del", name)

    def _run(self) -> None:
        waiting: list[tuple[float, int, int, bytes]] = []
        others = dict(zip(self._handles, reversed(self._handles), strict=True))
        count = 0
        while not self._over:
            wait = min(0.05, max(0.0, waiting[0][0] - monotonic())) if waiting else 0.05
            for handle in select.select(self._handles, [], [], wait)[0]:
                packet = os.read(handle, PACKET)
                if self.cut or self._dice.random() < self.loss:
                    self.lost += 1
                    continue
                count += 1
                heapq.heappush(waiting, (monotonic() + self.delay_s, count, others[handle], packet))
            while waiting and waiting[0][0] <= monotonic():
                _, _, handle, packet = heapq.heappop(waiting)
                self.passed += 1
                with suppress(OSError):
                    os.write(handle, packet)


def _tun() -> int:
    handle = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(handle, TUNSETIFF, struct.pack("16sH", b"tun0", TUN_NO_INFO))
    return handle


def _ip(*arguments: str) -> None:
    subprocess.run(["ip", *arguments], check=True, capture_output=True)  # noqa: S607  found on the path
