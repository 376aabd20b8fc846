"""A job costs its own process: whatever it does, the next one is answered."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.client import PATIENCE
from tests.lsp.deadly import Crash, Endless, Exhausts, Fails
from tests.lsp.findings import finding_at, place_of

from pyrograph.lsp.analyst import CAN_FORK, Analyst, Died, Failed
from pyrograph.lsp.jobs import CommentJob, Insertion
from pyrograph.lsp.worker import CAN_FORK as WORKER_CAN_FORK

TEXT = "run(SINK)\n"
JOB = CommentJob("a.py", TEXT, finding_at(place_of(TEXT, "SINK", "a.py")), "why")


@pytest.fixture(autouse=True)
def _tests_are_modules(monkeypatch: pytest.MonkeyPatch, repository: Path) -> None:
    """The worker unpickles classes of this folder."""
    import os

    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(repository), os.environ.get("PYTHONPATH", "")]))


def run(work: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(work, PATIENCE))


def test_both_sides_know_where_forks_are_safe() -> None:
    assert CAN_FORK == WORKER_CAN_FORK


@pytest.mark.skipif(not CAN_FORK, reason="each job has a process of its own anyway")
def test_a_job_that_dies_costs_itself_alone(tmp_path: Path) -> None:
    started = tmp_path / "started"

    async def work() -> None:
        analyst = Analyst()
        with pytest.raises(Died) as crash:
            await analyst.run(replace(JOB, text=Crash(TEXT)))
        assert (crash.value.status, crash.value.for_memory) == (-11, False)
        worker = analyst.kept
        with pytest.raises(Died) as exhausted:
            await analyst.run(replace(JOB, text=Exhausts(TEXT)))
        assert exhausted.value.for_memory
        with pytest.raises(Failed, match="LookupError: no such thing"):
            await analyst.run(replace(JOB, text=Fails(TEXT)))

        # one that is stale is stopped, and others are answered while it runs
        stale = asyncio.ensure_future(analyst.run(replace(JOB, text=Endless(started))))
        while not started.exists():
            await asyncio.sleep(0.01)
        assert isinstance(await analyst.run(JOB), Insertion)
        stale.cancel()
        assert isinstance(await analyst.run(JOB), Insertion)
        assert worker is not None
        while worker.waiting:  # the process of the stale job has ended
            await asyncio.sleep(0.01)
        assert analyst.kept is worker

        # nothing to do: the process ends, and starts again when it is needed
        analyst.doze()
        assert isinstance(await analyst.run(JOB), Insertion)
        assert analyst.kept is not worker
        assert worker.process.returncode is not None
        await analyst.stop()

    run(work())


def test_where_no_fork_is_safe_each_job_has_a_process(tmp_path: Path) -> None:
    async def work() -> None:
        analyst = Analyst(forks=False)
        assert isinstance(await analyst.run(JOB), Insertion)
        with pytest.raises(Died):
            await analyst.run(replace(JOB, text=Crash(TEXT)))
        await analyst.stop()
        assert all(each.process.returncode is not None for each in analyst.single)

    run(work())
