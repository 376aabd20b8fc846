"""A progress bar on standard error, when that is a terminal and the scan takes long enough to wonder."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

DELAY = 0.4  # seconds before the bar appears: most scans are over by then, and Rich need not be loaded

ProgressCallback = Callable[[str, int, int], None]  # stage, done, total


@contextmanager
def progress_bar(*, wanted: bool) -> Iterator[ProgressCallback | None]:
    """A callback for ``scan``, or None where nobody would see the bar. The bar is gone at the end."""
    if not wanted or not sys.stderr.isatty():
        yield None
        return
    bar = _Bar()
    try:
        yield bar.show
    finally:
        bar.stop()


class _Bar:
    def __init__(self) -> None:
        self.started = time.monotonic()
        self.progress: Progress | None = None
        self.task: TaskID | None = None
        self.impossible = False  # no thread can be started, and one moves the bar

    def show(self, stage: str, done: int, total: int) -> None:
        if self.progress is None:
            if self.impossible or time.monotonic() - self.started < DELAY:
                return
            from rich.console import Console
            from rich.progress import Progress

            progress = Progress(console=Console(stderr=True), transient=True)
            try:
                progress.start()
            except RuntimeError:
                progress.stop()
                self.impossible = True
                return
            self.progress = progress
        if self.task is None:
            self.task = self.progress.add_task(stage, total=total or None)
        self.progress.update(self.task, description=stage, completed=done, total=total or None)

    def stop(self) -> None:
        if self.progress is not None:
            self.progress.stop()
