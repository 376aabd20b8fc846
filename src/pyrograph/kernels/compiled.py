"""Shared by the compiled kernels for the CPU: how they are compiled, and threads.

Compiled code is cached in the user's cache folder (``NUMBA_CACHE_DIR`` wins over it) and nowhere else; where that
cannot be written, it is compiled in each process. The compiled loops release the interpreter's lock.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt

from pyrograph.kernels import cachefolder
from pyrograph.kernels.machine import threads

CACHED = cachefolder.choose()
import numba  # noqa: E402  (it reads the choice)

_config: Any = numba.config  # it has no type information
_config.reload_config()  # in case somebody imported numba before

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")
J = TypeVar("J")
S = TypeVar("S")

GROUP = 1 << 10  # searches handed to a thread at a time: enough to hide the hand-over
GROUP_EDGES = 1 << 28  # edges that they may follow at most, so that their answers stay small


def compiled(function: F) -> F:
    """Compile at the first call, and keep the result on disk."""
    return cast(F, numba.njit(cache=CACHED, nogil=True)(function))


def compiled_here(function: F) -> F:
    """Compile at the first call with each function it is given, for this process only."""
    return cast(F, numba.njit(nogil=True)(function))


def in_threads(work: Callable[[J], T], jobs: Iterable[J], workers: int) -> Iterator[T]:
    """The answers to ``jobs`` in their order, worked out by so many threads; a few answers wait at most."""
    if workers <= 1:
        yield from map(work, jobs)
        return
    coming = iter(jobs)
    with ThreadPoolExecutor(workers) as pool:
        waiting: list[Future[T]] = [pool.submit(work, job) for job in islice(coming, 2 * workers)]
        while waiting:
            answer = waiting.pop(0).result()
            waiting.extend(pool.submit(work, job) for job in islice(coming, 1))
            yield answer


def in_groups(answer: Callable[[int, int, S], T], scratch: Callable[[], S], count: int, num_edges: int) -> Iterator[T]:
    """``answer(first, last, scratch)`` for every group of ``count`` searches, on all threads, in their order."""
    group = max(1, min(GROUP, GROUP_EDGES // max(num_edges, 1), -(-count // (4 * threads()))))
    workers = min(threads(), -(-count // group))
    idle = [scratch() for _ in range(workers)]

    def work(first: int) -> T:
        mine = idle.pop()
        found = answer(first, min(first + group, count), mine)
        idle.append(mine)
        return found

    yield from in_threads(work, range(0, count, group), workers)


@compiled
def grown(array: npt.NDArray[Any], count: int, capacity: int) -> npt.NDArray[Any]:
    """A copy with room for ``capacity`` entries, the first ``count`` of which are kept."""
    larger = np.empty(capacity, array.dtype)
    larger[:count] = array[:count]
    return larger


@compiled
def ones(word: np.uint64) -> np.int64:
    """How many bits of a word are set."""
    word -= (word >> np.uint64(1)) & np.uint64(0x5555555555555555)
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((word * np.uint64(0x0101010101010101)) >> np.uint64(56))
