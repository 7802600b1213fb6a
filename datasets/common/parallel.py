"""Many workers, one order: the n-th thing is the n-th from any worker."""

import multiprocessing
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

import cv2

S = TypeVar("S")
T = TypeVar("T")

RUN = 24  # indices a worker is given at a time: neighbours share a table, whose felt is then drawn once


def ordered(make: Callable[[S], T], indices: Iterable[S], jobs: int = 1, run: int = RUN) -> Iterator[T]:
    """Give make(index) for each index, in their order; what is given does not depend on the number of jobs.

    With several jobs `make` is sent to other processes, so it must be picklable.
    """
    if jobs <= 1:
        yield from map(make, indices)
        return
    with multiprocessing.get_context("spawn").Pool(jobs, initializer=_alone) as pool:
        yield from pool.imap(make, indices, chunksize=run)


def _alone() -> None:
    cv2.setNumThreads(1)
