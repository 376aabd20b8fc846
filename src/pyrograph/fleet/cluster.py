"""Which worker scans what, and when: Dask, on this machine or on a cluster that runs already.

A worker is a process with a thread for each scan that it may run at a time; the scans are processes of their own. It
offers the resource ``MEMORY`` in bytes, and each task takes its limit of it, so that the scans of one machine fit into
its memory. Tasks are handed out largest first, and no more than ``FLEET_AHEAD`` for each thread, so that the scheduler
holds few tasks and few reports. A worker that ends is replaced by its nanny, and its tasks run again. Workers may join
and leave during a run, as a queue of jobs has machines for them.
"""

from __future__ import annotations

import json
import logging
import os
import queue
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from pyrograph import __version__
from pyrograph.fleet import job
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.outcome import Model, Outcome, Task
from pyrograph.model.words import plural
from pyrograph.policy.limits.fleet import (
    CONNECT_SECONDS,
    FLEET_AHEAD,
    FLEET_MEMORY,
    FLEET_SHARE,
    LOOK_SECONDS,
    LOST_ATTEMPTS,
    MAX_FLEET_REASON,
    WORKER_DEATHS,
    WORKER_SECONDS,
)

RESOURCE: Final = "MEMORY"
_LOOPBACK: Final = "127.0.0.1"
_GONE: Final = "the scheduler is gone; start it, and run the same command again: the run goes on"
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


@dataclass(frozen=True, slots=True)
class _Handed:
    """A task that was handed out."""

    number: int
    task: Task
    future: Any
    reserved: int  # bytes of its worker; 0: it asked for none

    def is_too_large(self, memory: int) -> bool:
        """Whether it waits for a worker that has more than ``memory``."""
        return self.reserved > memory and self.future.status in ("pending", "lost")


class Cluster:
    """A connected client."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._looked = 0.0  # when, on the monotonic clock
        self._met: set[str] = set()  # addresses of workers that have this version
        self._look()

    def _look(self) -> None:
        """See which workers there are; costs a question to the scheduler.

        Raises:
            FleetError: The scheduler is gone, a worker offers what is no number, or one has another version.
        """
        try:
            workers = self._client.scheduler_info(n_workers=-1).get("workers")
        except (OSError, RuntimeError, TimeoutError):
            raise FleetError(_GONE) from None
        if workers is None or self._is_gone():  # a client that lost its scheduler answers with what it knew
            raise FleetError(_GONE)
        self._meet(workers)
        workers = workers.values()
        self.workers = len(workers)  # processes
        self.threads = sum(each["nthreads"] for each in workers)
        offers = [each["resources"].get(RESOURCE, 0) for each in workers]
        for offer in offers:
            if not isinstance(offer, int | float):  # as configured: Dask does not look at it
                raise FleetError(
                    f"a worker offers {RESOURCE} = {offer!r}, which is no number; write its bytes in digits"
                )
        self.memory = max(offers, default=0)  # of the largest worker; 0: none says how much it has
        self._looked = time.monotonic()

    def _meet(self, addresses: Iterable[str]) -> None:
        """Refuse workers of another version, which could answer each task with a failure."""
        self._met.intersection_update(addresses)
        if not (new := sorted(set(addresses) - self._met)):
            return
        try:
            versions = self._client.run(_version, workers=new, on_error="return")
        except (OSError, RuntimeError):
            raise FleetError(_GONE) from None
        # One that left meanwhile answers with an error of the connection, one without pyrograph with any other.
        there = {key: each for key, each in versions.items() if not isinstance(each, OSError)}
        answers = {key: each if isinstance(each, str) else "" for key, each in there.items()}
        self._met.update(key for key, each in answers.items() if each == __version__)
        if strangers := set(answers.values()) - {__version__}:
            raise _strangers(sorted(strangers))

    def _is_gone(self) -> bool:
        return self._client.status not in ("running", "connecting")

    def wait(self, say: Callable[[str], None]) -> None:
        """Wait until there is a worker, ``WORKER_SECONDS`` at most; ``say``: is told that there is none.

        Raises:
            FleetError: There is none all the time, or the scheduler is gone.
        """
        self._look()
        if self.threads:
            return
        say(f"the scheduler has no workers; waiting up to {WORKER_SECONDS:,} seconds for one")
        until = time.monotonic() + WORKER_SECONDS
        while not self.threads:
            if time.monotonic() >= until:
                remedy = "start some with `dask worker ADDRESS`, see docs/fleet.md"
                raise FleetError(f"the scheduler has no workers; {remedy}, and run the same command again")
            time.sleep(min(1.0, WORKER_SECONDS))
            self._look()

    def executor(self) -> Executor:
        """The cluster as ``concurrent.futures`` knows one; a task that ends its worker is tried again by Dask."""
        executor = self._client.get_executor(pure=False)
        assert isinstance(executor, Executor)
        return executor

    def each(
        self,
        tasks: Sequence[Task],
        work: Callable[..., Outcome] = job.scan,
        models: tuple[Model, ...] = (),
        say: Callable[[str], None] = lambda message: None,
    ) -> Iterator[tuple[Task, Outcome]]:
        """Outcomes as they come, one for each task; ``tasks`` are handed out in their order.

        ``work`` gets a task and, where there are any, ``models``. These travel to each worker once, as the result of
        a task of their own: when the workers that hold it end, it is made again. ``say``: is told when all workers
        have left, or all that are large enough for a task; tasks wait then. Those that no worker becomes large enough
        for within ``WORKER_SECONDS`` are too large.

        Raises:
            FleetError: The scheduler is gone, has had no workers for ``WORKER_SECONDS``, or one of another version.
        """
        self.wait(say)
        given = self._client.submit(tuple, models, key=f"models-{os.urandom(8).hex()}", pure=False) if models else None
        waiting = deque(enumerate(tasks))
        attempts: Counter[int] = Counter()
        late: Counter[int] = Counter()
        running: dict[str, _Handed] = {}
        small_since = 0.0  # when the workers became too small for a scan that waits; 0: they are not
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        while waiting or running:
            if time.monotonic() - self._looked >= LOOK_SECONDS:
                self.wait(say)
                large = {key: each for key, each in running.items() if each.is_too_large(self.memory)}
                if not large:
                    small_since = 0.0
                elif not small_since:
                    small_since = time.monotonic()
                    scans = plural(len(large), "scan")
                    say(f"no worker has the memory for {scans}; waiting up to {WORKER_SECONDS:,} seconds for one")
                elif time.monotonic() - small_since >= WORKER_SECONDS:
                    for key, each in large.items():  # to be judged by the workers that there are
                        del running[key]
                        each.future.release()
                        attempts[each.number] -= 1
                        waiting.append((each.number, tasks[each.number]))
            while waiting and len(running) < max(8, FLEET_AHEAD * self.threads):
                number, task = waiting.popleft()
                if not task.memory:
                    task = replace(task, memory=min(FLEET_MEMORY, self.memory or FLEET_MEMORY))
                if self.memory and task.memory > self.memory:
                    offered = f"the largest worker offers {self.memory:,}"
                    yield task, Outcome("memory", f"is to have {task.memory:,} bytes, but {offered}; change either")
                    continue
                attempts[number] += 1
                future = self._submitted(work, task, given, number, attempts[number])
                running[future.key] = _Handed(number, task, future, task.memory if self.memory else 0)
                future.add_done_callback(done.put)
            if not running:
                continue
            try:
                future = done.get(timeout=LOOK_SECONDS)
            except queue.Empty:
                continue
            if future.key not in running:  # it was taken back
                continue
            number, task = running[future.key].number, running[future.key].task
            if future.status == "lost":  # the worker that held its result left
                del running[future.key]
                future.release()
                attempts[number] -= 1  # the scan did not end it
                waiting.appendleft((number, tasks[number]))
                continue
            try:
                outcome = self._outcome(future, LOOK_SECONDS * 2 ** min(late[number], 7))
            except OSError:  # TimeoutError, too: its worker left just now, or it is large; see who is there, ask again
                late[number] += 1
                future.add_done_callback(done.put)
                continue
            del running[future.key]
            future.release()
            if outcome is None and attempts[number] < LOST_ATTEMPTS:
                waiting.append((number, tasks[number]))
            else:
                remedy = "run the same command again with --retry"
                yield task, outcome or Outcome("lost", f"the workers that scanned it ended, each time; {remedy}")

    def _submitted(self, work: Callable[..., Outcome], task: Task, given: Any, number: int, attempt: int) -> Any:
        resources = {RESOURCE: task.memory} if self.memory else None
        arguments = (task,) if given is None else (task, given)
        key = f"scan-{number}-{attempt}-{os.urandom(8).hex()}"
        try:
            return self._client.submit(work, *arguments, key=key, pure=False, priority=-number, resources=resources)
        except Exception:
            if self._is_gone():
                raise FleetError(_GONE) from None
            raise

    def _outcome(self, future: Any, seconds: float) -> Outcome | None:
        """What a task returned; None where its workers ended.

        Raises:
            OSError: It did not come within ``seconds``, or the connection was lost.
            FleetError: The scheduler is gone, or the worker has another version.
        """
        from distributed.scheduler import KilledWorker

        if future.status in ("pending", "lost"):  # its result was there, and is made again
            raise TimeoutError
        if future.status == "finished":
            try:
                outcome = future.result(timeout=seconds)
            except CancelledError:
                raise FleetError(_GONE) from None
            except Exception:
                if future.status == "error":  # it was made again, and failed then
                    raise TimeoutError from None
                raise
            assert isinstance(outcome, Outcome)
            if outcome.version not in ("", __version__):  # of a worker that joined later
                raise _strangers([outcome.version])
            return outcome
        if future.status == "cancelled":
            raise FleetError(_GONE)
        error = future.exception(timeout=seconds)
        if isinstance(error, KilledWorker):
            return None
        return Outcome("failed", f"the worker failed: {type(error).__name__}: {error}"[:MAX_FLEET_REASON])


def _strangers(versions: list[str]) -> FleetError:
    named = " and ".join(f"pyrograph {each}" if each else "no pyrograph" for each in versions)
    return FleetError(f"workers have {named}, this is {__version__}; install the same everywhere")


def _version() -> str:
    from pyrograph import __version__

    return __version__


@contextmanager
def connected(where: Local | str) -> Iterator[Cluster]:
    """A cluster on this machine, or the one whose scheduler has the address ``where``.

    ``where`` may also be the path of the file that ``dask scheduler --scheduler-file`` writes.

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
                client = Client(address_of(where), timeout=CONNECT_SECONDS)
            except (OSError, ValueError, TimeoutError) as error:
                said = str(error) or type(error).__name__
                raise FleetError(f"{where}: no scheduler answers: {said}; start one with `dask scheduler`") from None
        yield Cluster(stack.enter_context(client))


def address_of(where: str) -> str:
    """The address of a scheduler, from the file that it wrote where ``where`` is a path of one."""
    if "://" in where or not Path(where).is_file():
        return where
    try:
        address = json.loads(Path(where).read_bytes())["address"]
    except (OSError, ValueError, KeyError, TypeError):
        address = None
    if not isinstance(address, str):
        raise FleetError(f"{where}: this is no file of a scheduler; name what `dask scheduler --scheduler-file` wrote")
    return address


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
