"""Workers whose messages get lost."""

from __future__ import annotations

import os
import threading
from queue import SimpleQueue
from typing import Any

import pytest

from pyrograph.scanner.analysis import workers
from pyrograph.scanner.faults import Fault

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="workers are forked")


class Mute(SimpleQueue[Any]):
    """A queue for which a reader thread has no memory to say that a worker has ended."""

    def put(self, item: Any, block: bool = True, timeout: float | None = None) -> None:
        if item.worker is not None and threading.get_ident() != threading.main_thread().ident:
            raise MemoryError
        super().put(item)


def test_the_end_of_a_worker_is_seen_where_its_reader_cannot_say_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workers, "SimpleQueue", Mute)
    monkeypatch.setattr(workers, "WATCH_SECONDS", 0.02)
    taken: dict[int, bytes | None] = {}

    def take(index: int, result: bytes | None, fault: Fault | None) -> None:
        taken[index] = result

    tasks = {number: (b"%d" % number, "python") for number in range(20)}
    left = workers.Workers("lower", lambda text, language: (text * 2, None), tasks, 2, take).run(None)
    assert not left
    assert taken == {number: text * 2 for number, (text, _) in tasks.items()}
