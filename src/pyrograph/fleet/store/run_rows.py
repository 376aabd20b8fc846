"""Rows of runs: where one begins and ends, and what it has recorded."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, select, update

from pyrograph.fleet.store.record import inserted
from pyrograph.fleet.store.tables import repositories, revisions, runs, scans


def begin_run(fleet: str, now: int, *, afresh: bool = False, reopen: bool = False) -> Callable[[Connection], int]:
    """A change that returns the number of the run: the last one of ``fleet`` if it did not end, else a new one.

    ``afresh``: a new one in any case; ``reopen``: the last one in any case.
    """

    def change(connection: Connection) -> int:
        last = connection.execute(
            select(runs.c.id, runs.c.ended).where(runs.c.fleet == fleet).order_by(runs.c.id.desc()).limit(1)
        ).first()
        if last is not None and (reopen or (last.ended is None and not afresh)):
            return int(last.id)
        return inserted(connection, runs, {"fleet": fleet, "started": now})

    return change


def end_run(run: int, now: int) -> Callable[[Connection], None]:
    """A change that marks a run as ended."""

    def change(connection: Connection) -> None:
        connection.execute(update(runs).where(runs.c.id == run).values(ended=now))

    return change


def recorded(connection: Connection, run: int) -> dict[tuple[str, str], str]:
    """What the run has already: repository and revision -> status."""
    rows = connection.execute(
        select(repositories.c.name, revisions.c.name.label("revision"), scans.c.status)
        .select_from(scans.join(revisions).join(repositories))
        .where(scans.c.run_id == run)
    )
    return {(row.name, row.revision): row.status for row in rows}
