"""Work beside a scan is done once, in a thread or by whoever waits for it."""

from __future__ import annotations

import _thread
import threading
from collections.abc import Callable

import pytest

from pyrograph.scanner import background


def refused(*_arguments: object) -> int:
    raise RuntimeError("can't start new thread")


def never_begins(*_arguments: object) -> int:
    return 1


@pytest.mark.parametrize("start", [_thread.start_new_thread, refused, never_begins])
def test_work_is_done_once_at_the_end_at_the_latest(monkeypatch: pytest.MonkeyPatch, start: Callable[..., int]) -> None:
    monkeypatch.setattr(_thread, "start_new_thread", start)
    done: list[int] = []
    for number in range(20):
        background.begin(lambda number=number: done.append(number))  # type: ignore[misc]
    background.finish()
    background.finish()
    assert sorted(done) == list(range(20))


def test_work_that_gets_no_memory_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails() -> None:
        raise MemoryError

    monkeypatch.setattr(_thread, "start_new_thread", refused)
    done: list[int] = []
    background.begin(fails)
    background.begin(lambda: done.append(1))
    background.finish()
    assert done == [1]


def test_all_who_wait_see_the_work_done() -> None:
    hold, done, seen = threading.Event(), list[int](), list[list[int]]()

    def work() -> None:
        hold.wait(10)
        done.append(1)

    def wait() -> None:
        background.finish()
        seen.append(list(done))

    background.begin(work)
    waiting = [threading.Thread(target=wait) for _ in range(3)]
    for thread in waiting:
        thread.start()
    hold.set()
    for thread in waiting:
        thread.join(10)
    assert seen == [[1]] * 3
