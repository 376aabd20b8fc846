"""Several devices: a process for each, the sources dealt out, nothing said between them until the hits are gathered.

A process is spawned, never forked, and lives as long as the pool: it pays for import, context and loading of compiled
code once. The graph and the hits travel in shared memory. Each device gets a stretch of the sources, so the hits of one
follow those of the one before and every process writes its own where they belong.
"""

from __future__ import annotations

import contextlib
import mmap
import multiprocessing
import os
import shutil
import tempfile
import weakref
from collections.abc import Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.arrays import Ids, Index, Numbers
from pyrograph.kernels.cuda import device, walk
from pyrograph.kernels.cuda.device import SIMULATED, cuda
from pyrograph.kernels.cuda.searcher import Columns, Launch, Searcher, Slot, best_launch, fetched
from pyrograph.kernels.errors import BackendError, LimitError

BYTES_PER_HIT = 16
PATIENCE = 10.0  # seconds that a process gets to end
MEMORY = Path("/dev/shm")  # a folder of files that are memory; the folder for temporary files where there is none


class _Area:
    """Memory that processes share: a mapped file, which lives on as memory when its name is taken away."""

    def __init__(self, path: str, size: int) -> None:
        self.path = path
        self.size = size
        self._lent: weakref.ref[npt.NDArray[np.uint32]] | None = None
        self._pinned = contextlib.ExitStack()
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), size)

    @classmethod
    def create(cls, nbytes: int) -> _Area:
        """New memory.

        Raises:
            LimitError: There is not so much. The system would only notice when it is written, and end the process.
        """
        folder = MEMORY if MEMORY.is_dir() else Path(tempfile.gettempdir())
        free = shutil.disk_usage(folder).free
        if nbytes > free:
            remedy = f"set max_findings, use one device, or enlarge {folder}"
            raise LimitError("bytes of shared memory", nbytes, free, remedy)
        number, path = tempfile.mkstemp(prefix="pyrograph-", dir=folder)
        with os.fdopen(number, "r+b") as file:
            file.truncate(max(nbytes, 1))
        return cls(path, max(nbytes, 1))

    def array(self, first: int, count: int, kind: Any) -> npt.NDArray[Any]:
        """An array upon the memory, which stays mapped while there is one."""
        return np.frombuffer(self.memory, kind, count, first)

    def lend(self, size: int) -> npt.NDArray[np.uint32]:
        """(4, size) upon the memory; ``lent`` is true while there is any view of it."""
        whole = self.array(0, 4 * size, np.uint32)
        self._lent = weakref.ref(whole)
        return whole.reshape(4, size)

    def lent(self) -> bool:
        """Whether somebody has an array that ``lend`` gave."""
        return self._lent is not None and self._lent() is not None

    def pin(self) -> None:
        """Have copies between this memory and the device of this process go straight, where the driver allows it."""
        with contextlib.suppress(Exception):  # copies are slower without, and that is all
            self._pinned.enter_context(cuda.pinned(self.array(0, self.size, np.uint8)))

    def forget(self) -> None:
        """Take its name away."""
        with contextlib.suppress(OSError):
            os.unlink(self.path)


@dataclass(frozen=True)
class _Task:
    """A task for a process; arrays stand in shared memory, at these places and in this order."""

    path: str
    size: int
    places: tuple[tuple[int, int, str], ...]  # (first byte, elements, type) of each array
    first: int  # the sources of this process
    last: int
    max_depth: int
    keep: int | None
    limit: int
    launch: Launch | None


class Pool:
    """Processes for several devices; use it as a context, or call ``close``.

    Args:
        devices: Their numbers; None for all that are visible. A number may stand there twice.

    Raises:
        BackendError: There is no device, or a process did not start.
    """

    def __init__(self, devices: Sequence[int] | None = None) -> None:
        device.require()
        self.devices = tuple(range(1 if SIMULATED else len(cuda.gpus)) if devices is None else devices)
        if not self.devices:
            raise BackendError("a pool needs at least one device; give their numbers, as nvidia-smi lists them")
        self._arena: _Area | None = None  # what the processes read
        self._out: _Area | None = None  # what they wrote last; used again when nobody has its arrays any more
        self._ends: list[Connection] = []
        self._processes: list[Any] = []
        self._close = weakref.finalize(self, _stop, self._ends, self._processes)
        context = multiprocessing.get_context("spawn")  # CUDA does not survive a fork
        for number in self.devices:
            mine, theirs = context.Pipe()
            process = context.Process(target=_serve, args=(theirs, number), daemon=True)
            process.start()
            theirs.close()
            self._ends.append(mine)
            self._processes.append(process)
        for which in range(len(self._ends)):
            self._answer(which)

    def __enter__(self) -> Pool:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """End the processes; hits that were returned stay."""
        self._close()
        for area in (self._arena, self._out):
            if area is not None:
                area.forget()
        self._arena = self._out = None

    def ordered(
        self,
        offsets: Index,
        targets: Numbers,
        report: npt.NDArray[np.bool_],
        sources: Index,
        report_itself: npt.NDArray[np.bool_],
        names: tuple[Ids, Ids, Ids],
        max_depth: int,
        keep: int | None,
        limit: int,
        *,
        launch: Launch | None = None,
    ) -> tuple[npt.NDArray[np.uint32], int]:
        """As ``searcher.ordered``, on all devices.

        Raises:
            LimitError: As there; also when the hits do not fit the shared memory.
            BackendError: A process died.
        """
        flagged = sources.astype(np.uint32) | np.where(report_itself, walk.SINK, np.uint32(0))
        arrays = [
            offsets.astype(np.uint32, copy=False), targets.astype(np.uint32, copy=False), report, flagged, *names
        ]  # fmt: skip
        arena, places = self._put(arrays)
        ends = [len(sources) * part // len(self._ends) for part in range(len(self._ends) + 1)]
        for which, end in enumerate(self._ends):
            part = (ends[which], ends[which + 1])
            self._send(end, _Task(arena.path, arena.size, places, *part, max_depth, keep, limit, launch))
        counts = [self._answer(which) for which in range(len(self._ends))]
        total = sum(found for found, _ in counts)
        kept = [count for _, count in counts]
        if keep is None and sum(kept) > limit:
            raise LimitError("hits in memory", sum(kept), limit, "set max_findings, or give fewer sources")
        starts = np.concatenate([[0], np.cumsum(kept)]).astype(np.int64)
        size = int(starts[-1])
        if self._out is None or self._out.lent() or self._out.size < size * BYTES_PER_HIT:
            if self._out is not None:
                self._out.forget()
            self._out = _Area.create(size * BYTES_PER_HIT)
        for which, end in enumerate(self._ends):
            self._send(end, (self._out.path, self._out.size, size, int(starts[which])))
        for which in range(len(self._ends)):
            self._answer(which)
        return self._out.lend(size)[:, :keep], total

    def _put(self, arrays: Sequence[npt.NDArray[Any]]) -> tuple[_Area, tuple[tuple[int, int, str], ...]]:
        """Copy arrays to the memory that the processes read."""
        places, at = [], 0
        for array in arrays:
            places.append((at, len(array), array.dtype.str))
            at += -(-array.nbytes // 64) * 64
        if self._arena is None or self._arena.size < at:
            if self._arena is not None:
                self._arena.forget()
            self._arena = _Area.create(at)
        for array, place in zip(arrays, places, strict=True):
            self._arena.array(*place)[:] = array
        return self._arena, tuple(places)

    def _send(self, end: Connection, message: object) -> None:
        with contextlib.suppress(BrokenPipeError):  # the answer says what happened
            end.send(message)

    def _answer(self, which: int) -> Any:
        try:
            kind, content = self._ends[which].recv()
        except (EOFError, ConnectionResetError):
            self._processes[which].join(PATIENCE)
            code = self._processes[which].exitcode
            self.close()
            raise BackendError(
                f"the process of device {self.devices[which]} ended with exit code {code}; "
                "its messages stand above; use fewer devices, or --device cpu"
            ) from None
        if kind == "done":
            return content
        self.close()  # others may be waiting for what will not come
        if kind == "limit":
            raise LimitError(*content)
        raise BackendError(f"device {self.devices[which]}: {content}")


def _stop(ends: list[Connection], processes: list[Any]) -> None:
    for end in ends:
        with contextlib.suppress(OSError):
            end.send(None)
            end.close()
    for process in processes:
        process.join(PATIENCE)
        if process.is_alive():
            process.terminate()


def _serve(end: Connection, number: int) -> None:
    """The main function of a process: search, report the number of hits, write them where asked."""
    areas: dict[str, _Area] = {}  # the last one read and the last one written stay mapped
    search = _Search()
    try:
        if not SIMULATED:
            cuda.select_device(number)
            device.free_memory()  # makes the context
        end.send(("done", number))
        while (task := end.recv()) is not None:
            if task.path not in areas:
                areas[task.path] = _mapped(task.path, task.size)
            total, count = search.run(task, areas[task.path])
            end.send(("done", (total, count)))
            if (place := end.recv()) is None:
                return
            path, nbytes, size, start = place
            if path not in areas:
                areas = {task.path: areas[task.path], path: _mapped(path, nbytes)}
            search.write(areas[path].array(0, 4 * size, np.uint32).reshape(4, size), start)
            end.send(("done", None))
    except LimitError as error:
        end.send(("limit", (error.resource, error.need, error.limit, error.remedy)))
    except EOFError:
        return
    except Exception as error:
        end.send(("error", f"{type(error).__name__}: {error}"))
        raise


def _mapped(path: str, size: int) -> _Area:
    area = _Area(path, size)
    area.pin()
    return area


class _Search:
    """The searches of one process; memory on the device that fits the next one is used again."""

    def __init__(self) -> None:
        self._searcher: Searcher | None = None
        self._memory = Columns()
        self._found: Slot | npt.NDArray[np.uint32] = self._memory.data
        self._count = 0

    def run(self, task: _Task, arena: _Area) -> tuple[int, int]:
        """(exact number of hits, hits kept); they stay on the device if one chunk holds all of them."""
        offsets, targets, report, sources, first_name, node_name, second_name = (
            arena.array(*place) for place in task.places
        )
        part, number = slice(task.first, task.last), task.last - task.first
        wanted = task.launch or best_launch(len(offsets) - 1, number)
        sizes = (len(offsets) - 1, len(targets), int(np.count_nonzero(report)))
        searcher = self._searcher
        if searcher is not None and (*searcher.sizes, searcher.launch) == (*sizes, wanted):
            searcher.load(offsets, targets, report, node_name)
        else:
            self._searcher = searcher = None  # before there is another
            searcher = Searcher(offsets, targets, report, num_sources=number, launch=wanted, names=node_name)
        self._searcher = searcher
        chunk = (sources[part], first_name[part], second_name[part])
        if not number or not searcher.num_reported:
            self._count = 0
            return 0, 0
        (slot,) = searcher.slots(number, 1)
        if slot.size < number:
            self._found, total = fetched(searcher, *chunk, task.max_depth, task.keep, task.limit, self._memory)
            self._count = self._found.shape[1]
            return total, self._count
        slot.load(*chunk)
        slot.search(task.max_depth)
        slot.collect()
        total = slot.total()
        self._found, self._count = slot, total if task.keep is None else min(total, task.keep)
        return total, self._count

    def write(self, out: npt.NDArray[np.uint32], start: int) -> None:
        """Put the hits of the last run to (4, size) ``out`` from ``start`` on."""
        if isinstance(self._found, Slot):
            self._found.fetch(out, start, self._count)
        else:
            out[:, start : start + self._count] = self._found[:, : self._count]
