"""Many videos: one after another, in processes of their own, or shared out over a Ray cluster."""

import importlib
import multiprocessing
import os
import re
import signal
import socket
import traceback
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import cache
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from pathlib import Path
from time import monotonic
from types import ModuleType

from feltwatch.edge.errors import UsageError
from feltwatch.edge.pipeline.networks import Networks, OpenNetworks
from feltwatch.edge.replay.film import replay_film
from feltwatch.edge.replay.job import InterruptedReplayError, Order, Told
from feltwatch.edge.replay.output import DiskFullError
from feltwatch.edge.replay.progress import Progress
from feltwatch.vision.image_file import spelled

TRIES = 3  # of a video whose worker dies
NEWS_S = 0.2  # between two messages of a worker
PATIENCE_S = 5.0
ADDRESS = re.compile(r"(?:ray://)?\[?([^/\]]+?)\]?:(\d+)")
ON_RAY = "expected Ray, found that it is not installed; install it: pip install 'feltwatch[ray]'"

Found = Told | Exception
Stop = Callable[[], bool]
Share = Callable[[Sequence[Order], OpenNetworks, Progress, Stop], Iterator[Found]]


def in_turn(orders: Sequence[Order], opener: OpenNetworks, progress: Progress, stop: Stop) -> Iterator[Found]:
    """Do one after the other, with the same networks."""
    networks = opener(orders[0].provider, orders[0].threads)
    for order in orders:
        if stop():
            return
        name = order.video.name
        found = _done(order, networks, lambda share, name=name: progress.show(name, share), stop)  # type: ignore[misc]
        yield found
        if isinstance(found, DiskFullError | InterruptedReplayError):
            return


def _done(order: Order, networks: Networks, say: Callable[[float], None], stop: Stop) -> Found:
    try:
        return replay_film(order, networks, say, stop)
    except UsageError as error:
        # Of several videos one may not fit the table
        of_table = str(error).startswith(str(order.table))
        return UsageError(f"{spelled(order.video)}: {error}") if of_table else error
    except InterruptedReplayError as error:
        return error


def in_processes(jobs: int) -> Share:
    """Do so many at a time, each in a process of its own: one that dies takes no other with it."""

    def share(orders: Sequence[Order], opener: OpenNetworks, progress: Progress, stop: Stop) -> Iterator[Found]:
        opener(orders[0].provider, orders[0].threads)  # an error in it is reported once
        crew = _Crew(orders, opener, progress)
        try:
            yield from crew.work(jobs, stop)
        finally:
            crew.dismiss()

    return share


@dataclass(slots=True)
class _Hand:
    """A process at work on a video."""

    process: SpawnProcess
    order: Order
    news: Connection
    found: Found | None = None
    share: float = 0.0


class _Crew:
    def __init__(self, orders: Sequence[Order], opener: OpenNetworks, progress: Progress) -> None:
        self.waiting = deque(orders)
        self.count = len(orders)
        self.opener, self.progress = opener, progress
        self.hands: list[_Hand] = []
        self.ended = 0
        self.deaths: dict[str, int] = {}
        self.context = multiprocessing.get_context("spawn")

    def work(self, jobs: int, stop: Stop) -> Iterator[Found]:
        told = False
        while self.waiting or self.hands:
            if stop() and not told:
                told = True
                self.waiting.clear()
                self._signal()
            while self.waiting and len(self.hands) < jobs:
                self._hire(self.waiting.popleft())
            wait([hand.news for hand in self.hands], timeout=0.5)
            for hand in list(self.hands):
                self._listen(hand)
                if not hand.process.is_alive():
                    self._listen(hand)
                    yield from self._leave(hand)
            if self.count:
                share = (self.ended + sum(hand.share for hand in self.hands)) / self.count
                self.progress.show(f"{self.count} videos", share)

    def _hire(self, order: Order) -> None:
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(target=_work, args=(order, self.opener, theirs, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        self.hands.append(_Hand(process, order, ours))

    def _listen(self, hand: _Hand) -> None:
        try:
            while hand.news.poll():
                said = hand.news.recv()
                if isinstance(said, float):
                    hand.share = said
                else:
                    hand.found = said
                    hand.process.join()
        except EOFError:
            hand.process.join()

    def _leave(self, hand: _Hand) -> Iterator[Found]:
        """Let a process go; a video whose process died is done again from where it stopped."""
        self.hands.remove(hand)
        hand.news.close()
        hand.process.join()
        found, name = hand.found, spelled(hand.order.video)
        if found is None:
            deaths = self.deaths[name] = self.deaths.get(name, 0) + 1
            if deaths < TRIES:
                self.waiting.append(hand.order)
                return
            code = hand.process.exitcode
            found = UsageError(f"{name}: its worker died {TRIES} times (exit code {code}); is there memory for --jobs?")
        self.ended += 1
        if isinstance(found, DiskFullError):
            self.waiting.clear()
        if isinstance(found, RuntimeError):
            raise found
        yield found

    def _signal(self) -> None:
        for hand in self.hands:
            hand.process.terminate()

    def dismiss(self) -> None:
        """End every worker process."""
        self._signal()
        for hand in self.hands:
            hand.process.join()


def _work(order: Order, opener: OpenNetworks, news: Connection, parent: int) -> None:
    """Do one video in this process; stop in good order when asked, or when its result is not needed any more."""
    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: asked.append(number))
    last = monotonic()

    def say(share: float) -> None:
        nonlocal last
        if monotonic() - last > NEWS_S:
            last = monotonic()
            news.send(share)

    try:
        networks = opener(order.provider, order.threads)
        news.send(_done(order, networks, say, lambda: bool(asked) or os.getppid() != parent))
    except BrokenPipeError:
        return  # the result is not needed any more
    except Exception:  # noqa: BLE001  reported and raised again by the parent
        news.send(RuntimeError(traceback.format_exc()))


def on_ray(address: str) -> Share:
    """Make each video a task of a cluster, to which all paths mean the same as here.

    The task of a worker that is lost is done again elsewhere: it waits for the claim of its folder, goes on from the
    checkpoint, and finds nothing to do where the lost one had finished all the same.
    """
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise UsageError(f"--ray {address}: {ON_RAY}") from error

    def share(orders: Sequence[Order], opener: OpenNetworks, progress: Progress, stop: Stop) -> Iterator[Found]:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # where it reports each lost worker
            _join(ray, address)
            try:
                yield from _shared_out(ray, orders, opener, progress, stop)
            finally:
                ray.shutdown()

    return share


def _join(ray: ModuleType, address: str) -> None:
    """Join the cluster; keep the right to say what a signal does here."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        if named := ADDRESS.fullmatch(address):  # by itself Ray waits minutes for a machine that is not there
            socket.create_connection((named[1], int(named[2])), PATIENCE_S).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:  # its errors have no common class
        said = str(error).strip().partition("\n")[0][:160]
        raise UsageError(f"--ray {address}: expected a Ray cluster, found none ({said}); start it") from error
    signal.signal(signal.SIGTERM, handler)


def _shared_out(
    ray: ModuleType, orders: Sequence[Order], opener: OpenNetworks, progress: Progress, stop: Stop
) -> Iterator[Found]:
    def task(order: Order) -> object:
        where = replace(
            order,
            video=order.video.absolute(),
            others=tuple(video.absolute() for video in order.others),
            table=order.table.absolute(),
            folder=order.folder.absolute(),
        )
        return ray.remote(_on_worker).options(num_cpus=order.threads, max_retries=TRIES).remote(where, opener)

    waiting = {task(order): order for order in orders}
    while waiting and not stop():
        ready, _ = ray.wait(list(waiting), timeout=0.5)
        for one in ready:
            order = waiting.pop(one)
            try:
                yield ray.get(one)
            except (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError) as error:
                yield _lost(order, error)
        progress.show(f"{len(orders)} videos", 1 - len(waiting) / len(orders))


def _lost(order: Order, error: Exception) -> UsageError:
    return UsageError(f"{spelled(order.video)}: its worker was lost {TRIES + 1} times ({type(error).__name__})")


def _on_worker(order: Order, opener: OpenNetworks) -> Found:
    return _done(order, _networks(opener, order.provider, order.threads), lambda _: None, lambda: False)


@cache
def _networks(opener: OpenNetworks, provider: str, threads: int) -> Networks:
    return opener(provider, threads)
