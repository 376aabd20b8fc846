"""Other machines do what this one would have done, and what they lose is done here."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.policy.limits import workers
from pyrograph.rules import load_rules
from pyrograph.scanner import scan
from pyrograph.scanner.analysis import lower
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.remote import Remote


class Losing(Executor):
    """Runs work at once, and loses the tasks whose numbers it is given."""

    def __init__(self, lost: dict[int, BaseException] | None = None, broken_from: int = 1 << 30) -> None:
        self.lost, self.broken_from, self.count = lost or {}, broken_from, 0
        self.held = self.most = 0

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.count += 1
        if self.count > self.broken_from:
            raise RuntimeError("cannot schedule new futures after shutdown")
        future: Future[Any] = Future()
        error = self.lost.get(self.count - 1)
        if isinstance(error, CancelledError):
            future.cancel()
            future.set_running_or_notify_cancel()
        elif error is not None:
            future.set_exception(error)
        else:
            future.set_result(fn(*args, **kwargs))
        return future


def remote(executor: Executor, width: int = 2) -> tuple[Remote, list[str]]:
    said: list[str] = []

    @contextmanager
    def connect() -> Iterator[tuple[Executor, int]]:
        yield executor, width

    return Remote(connect, said.append), said


@given(st.integers(0, 12), st.sets(st.integers(0, 11)), st.integers(0, 14), st.integers(0, 3))
def test_each_task_comes_once_or_is_lost_and_said(count: int, lost: set[int], broken_from: int, width: int) -> None:
    kinds = [OSError("the worker ended"), CancelledError(), ValueError()]
    executor = Losing({number: kinds[number % 3] for number in lost}, broken_from)
    other, said = remote(executor, width)
    calls: list[int] = []
    found = list(other.results(lambda task: task * task, range(count), lambda: calls.append(len(calls))))
    expected = [number for number in range(min(count, broken_from)) if number not in lost]
    assert sorted(found) == [(number, number * number) for number in expected]
    assert calls == [0]
    assert len(said) == (len(expected) < count)
    if said:
        assert f"{count - len(expected)} task" in said[0]


def test_tasks_are_asked_for_one_by_one() -> None:
    asked: list[int] = []

    def tasks() -> Iterator[int]:
        for number in range(20):
            asked.append(number)
            yield number

    other, _ = remote(Losing(), 1)
    results = other.results(str, tasks())
    next(results)
    assert len(asked) == workers.REMOTE_AHEAD


PROGRAM = {
    "app.py": (
        "from flask import Flask, request\nimport shop\nfrom db import find\napp = Flask(__name__)\n\n"
        '@app.route("/")\ndef a():\n    shop.run(request.args["c"])\n    return find(request.args["n"])\n'
    ),
    "db.py": "import sqlite3\n\ndef find(name):\n    return sqlite3.connect('a').execute('select ' + name)\n",
    "broken.py": "def f(:\n    pass\n",
    ".venv/lib/python3.12/site-packages/shop/__init__.py": (
        "import subprocess\n\ndef run(command):\n    subprocess.run(command, shell=True)\n"
    ),
    ".venv/lib/python3.12/site-packages/shop-1.0.dist-info/METADATA": "Name: shop\nVersion: 1.0\n",
    ".venv/lib/python3.12/site-packages/shop-1.0.dist-info/RECORD": "shop/__init__.py,,\n",
    ".venv/pyvenv.cfg": "home = /usr/bin\n",
}


@pytest.mark.parametrize("lost", [{}, {0: OSError("the worker ended")}, {0: CancelledError(), 2: MemoryError()}])
def test_a_report_does_not_depend_on_who_did_the_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: dict[int, BaseException]
) -> None:
    monkeypatch.setattr(lower, "REMOTE_BYTES", 0)
    monkeypatch.setattr(lower, "REMOTE_BATCH", 100)
    monkeypatch.setattr("pyrograph.scanner.pipeline.cache_folder", lambda: None)
    for name, text in PROGRAM.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    options = ScanOptions((tmp_path,), tmp_path, jobs=1, dependencies="infer")
    rules = load_rules(["python"])
    with ThreadPoolExecutor(2) as pool:
        other, said = remote(Losing(lost) if lost else pool)
        there = scan(options, rules, remote=other)
    here = scan(options, rules)
    assert sorted(each.rule_id for each in here.findings) == ["python/command-injection", "python/sql-injection"]
    assert (there.findings, there.problems) == (here.findings, here.problems)
    assert replace(there.statistics, stages=()) == replace(here.statistics, stages=())
    assert bool(said) == bool(lost)
