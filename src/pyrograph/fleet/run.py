"""One run: tasks to workers, outcomes to the store.

A run is stopped by ending the command, in whatever way, and goes on when the same command is given again: what is in
the store is not scanned twice, and what is not there is scanned.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Connection, func, select

from pyrograph.fleet.cluster import Cluster, Local, connected
from pyrograph.fleet.fleetfile import Fleet
from pyrograph.fleet.inference import infer
from pyrograph.fleet.outcome import Model, Outcome, Task
from pyrograph.fleet.store import Store
from pyrograph.fleet.store.record import record
from pyrograph.fleet.store.run_rows import begin_run, end_run, recorded
from pyrograph.fleet.store.tables import repositories, revisions, scans
from pyrograph.fleet.targets import sized
from pyrograph.policy.limits.fleet import LINE_BYTES

Notify = Callable[[Task, Outcome, int, int], None]  # ..., recorded in this run, of all


@dataclass(slots=True)
class Summary:
    """What a run came to."""

    run: int
    trees: int
    continued: int  # recorded before this command
    statuses: Counter[str] = field(default_factory=Counter)  # of this command
    without_model: int = 0  # repositories of libraries that could not be inferred, or not all


def scan_fleet(
    fleet: Fleet,
    tasks: list[Task],
    store: Store,
    where: Local | str,
    *,
    afresh: bool = False,
    retry: bool = False,
    notify: Notify = lambda task, outcome, done, total: None,
    notify_library: Callable[[Task, Outcome], None] = lambda task, outcome: None,
    say: Callable[[str], None] = lambda message: None,
    now: Callable[[], float] = time.time,
) -> Summary:
    """Scan ``tasks`` and record each outcome at once.

    Args:
        fleet: Names the run.
        tasks: As ``tasks_of`` returns them.
        store: Writable.
        where: The cluster.
        afresh: Begin a new run even if the last one was stopped.
        retry: Go on with the last run even if it ended, and scan again what did not succeed in it.
        notify: Is called for each recorded outcome.
        notify_library: Is called for each repository whose libraries have got their models, or have not.
        say: Is called with a sentence when the cluster has no workers.
        now: The clock, seconds since 1970.

    Raises:
        FleetError: The store or the scheduler failed; what was recorded stays.
    """
    run = store.write(begin_run(str(fleet.path), int(now()), afresh=afresh, reopen=retry))
    with store.reading() as connection:
        known = recorded(connection, run)
        sizes = _sizes(connection)
    settled = {key for key, status in known.items() if status == "done" or not retry}
    left = [sized(each, sizes.get(each.name, 0)) for each in tasks if (each.name, each.revision) not in settled]
    unknown_first = sorted(left, key=lambda each: (each.size > 0, -each.size))
    summary = Summary(run, len(tasks), len(tasks) - len(left))
    if left:
        with connected(where) as cluster:
            models = _models(cluster, tasks, summary, notify_library, say)
            for task, outcome in cluster.each(unknown_first, models=models, say=say):
                store.write(record(run, task, outcome, int(now())))
                summary.statuses[outcome.status] += 1
                notify(task, outcome, summary.continued + summary.statuses.total(), len(tasks))
    store.write(end_run(run, int(now())))
    return summary


def _models(
    cluster: Cluster,
    tasks: list[Task],
    summary: Summary,
    notify: Callable[[Task, Outcome], None],
    say: Callable[[str], None],
) -> tuple[Model, ...]:
    """The models of all libraries, in the order of ``tasks``; a repository is asked for those of its first revision."""
    libraries: dict[str, Task] = {}
    for task in tasks:
        if task.libraries:
            libraries.setdefault(task.name, task)
    found: dict[str, tuple[Model, ...]] = {}
    for task, outcome in cluster.each(list(libraries.values()), infer, say=say) if libraries else ():
        found[task.name] = outcome.models
        summary.without_model += outcome.status != "done"
        notify(task, outcome)
    return tuple(model for name in libraries for model in found[name])


def _sizes(connection: Connection) -> dict[str, int]:
    """The source that the last successful scan of each repository had, in bytes."""
    rows = connection.execute(
        select(repositories.c.name, func.max(scans.c.lines).label("lines"))
        .select_from(scans.join(revisions).join(repositories))
        .where(scans.c.status == "done")
        .group_by(repositories.c.name)
    )
    return {row.name: row.lines * LINE_BYTES for row in rows}
