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
from feltwatch.edge.replay.film import ShouldStop, replay_film
from feltwatch.edge.replay.job import InterruptedReplayError, ReplayOrder, VideoResult
from feltwatch.edge.replay.output import DiskFullError
from feltwatch.edge.replay.progress import Progress
from feltwatch.vision.image_file import spelled

TRIES = 3  # of a video whose worker dies
REPORT_S = 0.2  # between two messages of a worker
PATIENCE_S = 5.0
ADDRESS = re.compile(r"(?:ray://)?\[?([^/\]]+?)\]?:(\d+)")
ON_RAY = "expected Ray, found that it is not installed; install it: pip install 'feltwatch[ray]'"

Finished = VideoResult | Exception
Share = Callable[[Sequence[ReplayOrder], OpenNetworks, Progress, ShouldStop], Iterator[Finished]]


def in_turn(
    orders: Sequence[ReplayOrder], opener: OpenNetworks, progress: Progress, stop: ShouldStop
) -> Iterator[Finished]:
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


def _done(order: ReplayOrder, networks: Networks, say: Callable[[float], None], stop: ShouldStop) -> Finished:
    try:
        return replay_film(order, networks, say, stop)
    except UsageError as error:
        # one of several videos may not fit the table
        of_table = str(error).startswith(str(order.table))
        return UsageError(f"{spelled(order.video)}: {error}") if of_table else error
    except InterruptedReplayError as error:
        return error


def in_processes(jobs: int) -> Share:
    """Replay so many at a time, each in its own process: a crash of one does not affect the others."""

    def share(
        orders: Sequence[ReplayOrder], opener: OpenNetworks, progress: Progress, stop: ShouldStop
    ) -> Iterator[Finished]:
        opener(orders[0].provider, orders[0].threads)  # an error in it is reported once
        pool = _Pool(orders, opener, progress)
        try:
            yield from pool.work(jobs, stop)
        finally:
            pool.close()

    return share


@dataclass(slots=True)
class _Worker:
    """A process that replays a video."""

    process: SpawnProcess
    order: ReplayOrder
    news: Connection
    found: Finished | None = None
    share: float = 0.0


class _Pool:
    def __init__(self, orders: Sequence[ReplayOrder], opener: OpenNetworks, progress: Progress) -> None:
        self.waiting = deque(orders)
        self.count = len(orders)
        self.opener, self.progress = opener, progress
        self.workers: list[_Worker] = []
        self.ended = 0
        self.deaths: dict[str, int] = {}
        self.context = multiprocessing.get_context("spawn")

    def work(self, jobs: int, stop: ShouldStop) -> Iterator[Finished]:
        is_reported = False
        while self.waiting or self.workers:
            if stop() and not is_reported:
                is_reported = True
                self.waiting.clear()
                self._signal()
            while self.waiting and len(self.workers) < jobs:
                self._start(self.waiting.popleft())
            wait([worker.news for worker in self.workers], timeout=0.5)
            for worker in list(self.workers):
                self._receive(worker)
                if not worker.process.is_alive():
                    self._receive(worker)
                    yield from self._retire(worker)
            if self.count:
                share = (self.ended + sum(worker.share for worker in self.workers)) / self.count
                self.progress.show(f"{self.count} videos", share)

    def _start(self, order: ReplayOrder) -> None:
        ours, theirs = self.context.Pipe(duplex=False)
        process = self.context.Process(target=_work, args=(order, self.opener, theirs, os.getpid()), daemon=True)
        process.start()
        theirs.close()
        self.workers.append(_Worker(process, order, ours))

    def _receive(self, worker: _Worker) -> None:
        try:
            while worker.news.poll():
                message = worker.news.recv()
                if isinstance(message, float):
                    worker.share = message
                else:
                    worker.found = message
                    worker.process.join()
        except EOFError:
            worker.process.join()

    def _retire(self, worker: _Worker) -> Iterator[Finished]:
        """Remove a process that ended; the video of one that crashed is resumed from its checkpoint."""
        self.workers.remove(worker)
        worker.news.close()
        worker.process.join()
        found, name = worker.found, spelled(worker.order.video)
        if found is None:
            deaths = self.deaths[name] = self.deaths.get(name, 0) + 1
            if deaths < TRIES:
                self.waiting.append(worker.order)
                return
            code = worker.process.exitcode
            found = UsageError(f"{name}: its worker died {TRIES} times (exit code {code}); is there memory for --jobs?")
        self.ended += 1
        if isinstance(found, DiskFullError):
            self.waiting.clear()
        if isinstance(found, RuntimeError):
            raise found
        yield found

    def _signal(self) -> None:
        for worker in self.workers:
            worker.process.terminate()

    def close(self) -> None:
        """End every worker process."""
        self._signal()
        for worker in self.workers:
            worker.process.join()


def _work(order: ReplayOrder, opener: OpenNetworks, news: Connection, parent: int) -> None:
    """Do one video in this process; stop in good order when asked, or when its result is not needed any more."""
    asked: list[int] = []
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda number, _: asked.append(number))
    last = monotonic()

    def say(share: float) -> None:
        nonlocal last
        if monotonic() - last > REPORT_S:
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

    The task of a lost worker is repeated elsewhere: it waits for the lock of its folder, goes on from the checkpoint,
    and has nothing to do if the lost worker finished after all.
    """
    try:
        ray = importlib.import_module("ray")
    except ImportError as error:
        raise UsageError(f"--ray {address}: {ON_RAY}") from error

    def share(
        orders: Sequence[ReplayOrder], opener: OpenNetworks, progress: Progress, stop: ShouldStop
    ) -> Iterator[Finished]:
        with Path(os.devnull).open("w") as nowhere, redirect_stdout(nowhere):  # Ray reports each lost worker there
            _join(ray, address)
            try:
                yield from _shared_out(ray, orders, opener, progress, stop)
            finally:
                ray.shutdown()

    return share


def _join(ray: ModuleType, address: str) -> None:
    """Connect to the cluster, and keep our own signal handlers."""
    handler = signal.getsignal(signal.SIGTERM)
    try:
        if named := ADDRESS.fullmatch(address):  # Ray itself waits minutes for a machine that does not answer
            socket.create_connection((named[1], int(named[2])), PATIENCE_S).close()
        ray.init(address=address, log_to_driver=False, logging_level="ERROR", configure_logging=False)
    except Exception as error:  # its errors have no common class
        message = str(error).strip().partition("\n")[0][:160]
        raise UsageError(f"--ray {address}: expected a Ray cluster, found none ({message}); start it") from error
    signal.signal(signal.SIGTERM, handler)


def _shared_out(
    ray: ModuleType, orders: Sequence[ReplayOrder], opener: OpenNetworks, progress: Progress, stop: ShouldStop
) -> Iterator[Finished]:
    def task(order: ReplayOrder) -> object:
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


def _lost(order: ReplayOrder, error: Exception) -> UsageError:
    return UsageError(f"{spelled(order.video)}: its worker was lost {TRIES + 1} times ({type(error).__name__})")


def _on_worker(order: ReplayOrder, opener: OpenNetworks) -> Finished:
    return _done(order, _networks(opener, order.provider, order.threads), lambda _: None, lambda: False)


@cache
def _networks(opener: OpenNetworks, provider: str, threads: int) -> Networks:
    return opener(provider, threads)
