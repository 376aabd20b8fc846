"""Work on other machines: through an executor of ``concurrent.futures``, as the client of a Dask cluster gives one.

What goes there is the text of files, and what comes back is what this machine would have made of them. Whatever is
lost on the way is left to this machine, so a report never depends on who did the work.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from pyrograph.model.words import plural
from pyrograph.policy.limits.workers import REMOTE_AHEAD

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

T = TypeVar("T")
R = TypeVar("R")

ONE_AT_A_TIME = threading.Lock()
"""Held by work in a worker: its threads share one interpreter, so more of them at a time would only need memory."""


Connect = Callable[[], AbstractContextManager["tuple[Executor, int]"]]  # and how many tasks run at a time


class Units(Protocol):
    """Units by content, as the user's cache has them; never raises."""

    def read(self, keys: Sequence[bytes]) -> list[tuple[int, bytes]]: ...

    def write(self, units: Sequence[tuple[bytes, bytes]]) -> None: ...


@dataclass(frozen=True, slots=True)
class Remote:
    """Other machines, for one scan."""

    connect: Connect | None = None
    on_loss: Callable[[str], None] = lambda message: None  # is told what this machine has to do itself, and why
    units: Units | None = None  # those that they share

    def results(
        self, work: Callable[[T], R], tasks: Iterable[T], meanwhile: Callable[[], None] | None = None
    ) -> Iterator[tuple[int, R]]:
        """Numbers of tasks (from 0) with their results, as they come; those that are lost do not come.

        ``REMOTE_AHEAD`` tasks for each that runs are handed out at a time, in order, and ``tasks`` are asked for them
        one by one. ``meanwhile`` is called once, when the first ones are under way. Raises what ``connect``, ``tasks``
        and ``meanwhile`` raise.
        """
        from concurrent.futures import FIRST_COMPLETED, CancelledError, wait

        lost: list[BaseException] = []
        assert self.connect is not None
        with self.connect() as (executor, width):
            running: dict[Future[R], int] = {}
            waiting = enumerate(tasks)
            while True:
                while len(running) < max(1, width) * REMOTE_AHEAD and (task := next(waiting, None)) is not None:
                    number, given = task
                    try:
                        running[executor.submit(work, given)] = number
                    except Exception as error:  # the executor is broken, in ways of its own
                        lost.append(error)
                if meanwhile is not None:
                    meanwhile()
                    meanwhile = None
                if not running:
                    break
                done, _ = wait(running, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=running.__getitem__):
                    number = running.pop(future)
                    try:
                        result = future.result()
                    except (Exception, CancelledError) as error:
                        lost.append(error)
                    else:
                        yield number, result
        if lost:
            said = str(lost[0]) or type(lost[0]).__name__
            self.on_loss(
                f"{plural(len(lost), 'task')} came to nothing on the cluster ({said}); this machine does the work"
            )
