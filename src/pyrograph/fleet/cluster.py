"""Which worker scans what, and when: Dask, on this machine or on a cluster that runs already.

A worker is a process with a thread for each scan that it may run at a time; the scans are processes of their own. It
offers the resource ``MEMORY`` in bytes, and each task takes its limit of it, so that the scans of one machine fit into
its memory. Tasks are handed out largest first, and no more than ``FLEET_AHEAD`` for each thread, so that the scheduler
holds few tasks and few reports. A worker that ends is replaced by its nanny, and its tasks run again.
"""

from __future__ import annotations

import logging
import os
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from pyrograph import __version__
from pyrograph.fleet import job
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.outcome import Model, Outcome, Task
from pyrograph.policy.limits.fleet import (
    CONNECT_SECONDS,
    FLEET_AHEAD,
    FLEET_MEMORY,
    FLEET_SHARE,
    LOST_ATTEMPTS,
    MAX_FLEET_REASON,
    WORKER_DEATHS,
)

RESOURCE: Final = "MEMORY"
_LOOPBACK: Final = "127.0.0.1"
_CONFIGURATION: Final = {
    "distributed.scheduler.allowed-failures": WORKER_DEATHS,
    # Whoever reaches a scheduler can run code on its workers: that of this machine wants a certificate that no other
    # user has, and its web server, which asks for none, has no pages.
    "distributed.scheduler.http.routes": [],
    "distributed.worker.http.routes": [],
    "distributed.comm.timeouts.connect": f"{CONNECT_SECONDS}s",
}


@dataclass(frozen=True, slots=True)
class Local:
    """A cluster on this machine, for the time of a run."""

    threads: int  # scans at a time
    memory: int  # bytes for all of them
    in_process: bool = False  # no process for the worker: quick to start; nothing can be restarted


class Cluster:
    """A connected client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        workers = client.scheduler_info(n_workers=-1)["workers"].values()
        self.workers = len(workers)  # processes
        self.threads = sum(each["nthreads"] for each in workers)
        offers = [each["resources"].get(RESOURCE, 0) for each in workers]
        self.memory = max(offers, default=0)  # of the largest worker; 0: none says how much it has
        versions = client.run(_version) if self.threads else {}
        self.strangers = sorted({str(each) for each in versions.values()} - {__version__})

    def executor(self) -> Executor:
        """The cluster as ``concurrent.futures`` knows one; a task that ends its worker is tried again by Dask."""
        executor = self._client.get_executor(pure=False)
        assert isinstance(executor, Executor)
        return executor

    def each(
        self, tasks: Sequence[Task], work: Callable[..., Outcome] = job.scan, models: tuple[Model, ...] = ()
    ) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, one for each task; ``tasks`` are handed out in their order.

        ``work`` gets a task and, where there are any, ``models``. These travel to each worker once, as the result of
        a task of their own: when the workers that hold it end, it is made again.

        Raises:
            FleetError: The scheduler is gone, or has no workers.
        """
        from distributed import as_completed

        if not self.threads:
            raise FleetError("the scheduler has no workers; start some with `dask worker ADDRESS`, see docs/fleet.md")
        given = self._client.submit(tuple, models, key=f"models-{os.urandom(8).hex()}", pure=False) if models else None
        waiting = deque(enumerate(tasks))
        attempts: Counter[int] = Counter()
        running: dict[str, tuple[int, Task]] = {}
        done = as_completed()
        room = max(8, FLEET_AHEAD * self.threads)
        while waiting or running:
            while waiting and len(running) < room:
                number, task = waiting.popleft()
                if not task.memory:
                    task = replace(task, memory=min(FLEET_MEMORY, self.memory or FLEET_MEMORY))
                if self.memory and task.memory > self.memory:
                    offered = f"the largest worker offers {self.memory:,}"
                    yield task, Outcome("memory", f"is to have {task.memory:,} bytes, but {offered}; change either")
                    continue
                attempts[number] += 1
                future = self._submitted(work, task, given, number, attempts[number])
                running[future.key] = number, task
                done.add(future)
            if not running:
                continue
            future = next(done)
            number, task = running.pop(future.key)
            outcome = self._outcome(future)
            future.release()
            if outcome is None and attempts[number] < LOST_ATTEMPTS:
                waiting.append((number, task))
            else:
                remedy = "run the same command again with --retry"
                yield task, outcome or Outcome("lost", f"the workers that scanned it ended, each time; {remedy}")

    def _submitted(self, work: Callable[..., Outcome], task: Task, given: Any, number: int, attempt: int) -> Any:
        resources = {RESOURCE: task.memory} if self.memory else None
        arguments = (task,) if given is None else (task, given)
        key = f"scan-{number}-{attempt}-{os.urandom(8).hex()}"
        return self._client.submit(work, *arguments, key=key, pure=False, priority=-number, resources=resources)

    def _outcome(self, future: Any) -> Outcome | None:
        """What a task returned; None where its workers ended."""
        from distributed.scheduler import KilledWorker

        if future.status == "finished":
            outcome = future.result()
            assert isinstance(outcome, Outcome)
            return outcome
        if future.status in ("cancelled", "lost"):
            raise FleetError("the scheduler is gone; start it, and run the same command again: the run goes on")
        error = future.exception()
        if isinstance(error, KilledWorker):
            return None
        return Outcome("failed", f"the worker failed: {type(error).__name__}: {error}"[:MAX_FLEET_REASON])


def _version() -> str:
    from pyrograph import __version__

    return __version__


@contextmanager
def connected(where: Local | str) -> Iterator[Cluster]:
    """A cluster on this machine, or the one whose scheduler has the address ``where``.

    Raises:
        FleetError: There is no scheduler at the address, or its workers have another version of the scanner.
    """
    import dask
    from distributed import Client, LocalCluster
    from distributed.security import Security

    with ExitStack() as stack:
        stack.enter_context(dask.config.set(_CONFIGURATION))
        stack.enter_context(_silence())
        if isinstance(where, Local):
            made = LocalCluster(
                n_workers=1,
                threads_per_worker=where.threads,
                processes=not where.in_process,
                resources={RESOURCE: where.memory},
                memory_limit=None,  # the scans are other processes, with limits of their own
                host=None if where.in_process else _LOOPBACK,
                security=None if where.in_process else Security.temporary(),
                dashboard_address=f"{_LOOPBACK}:0",
                worker_dashboard_address=f"{_LOOPBACK}:0",
                silence_logs=logging.CRITICAL,
            )
            client = Client(stack.enter_context(made))
        else:
            try:
                client = Client(where, timeout=CONNECT_SECONDS)
            except (OSError, ValueError, TimeoutError) as error:
                said = str(error) or type(error).__name__
                raise FleetError(f"{where}: no scheduler answers: {said}; start one with `dask scheduler`") from None
        cluster = Cluster(stack.enter_context(client))
        if cluster.strangers:
            named = ", ".join(cluster.strangers)
            raise FleetError(f"workers have pyrograph {named}, this is {__version__}; install the same everywhere")
        yield cluster


@contextmanager
def _silence() -> Iterator[None]:
    """Within the block, nothing is logged: Dask would write a traceback for each connection that is lost.

    What matters is an outcome or an error.
    """
    before = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(before)


def own_memory() -> int:
    """Bytes that scans may take on this machine: ``FLEET_SHARE`` of what it has, or of what a container may use."""
    from distributed.system import MEMORY_LIMIT

    return int(MEMORY_LIMIT * FLEET_SHARE)


def own_threads() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
