"""From the outcome of one scan to rows, in one transaction.

The same outcome twice changes nothing: a scan is known by its run and revision, a finding by revision and fingerprint.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable

from sqlalchemy import Connection, Table, insert, select, update

from pyrograph.fleet.outcome import Outcome, Task
from pyrograph.fleet.store.finding_rows import Row, compare, rows_of
from pyrograph.fleet.store.tables import reports, repositories, revisions, scans


def record(run: int, task: Task, outcome: Outcome, now: int) -> Callable[[Connection], bool]:
    """A change that records an outcome; returns whether it was new. ``now``: seconds since 1970.

    Time linear in the findings of the revision, present and past; writes only what differs.
    """
    document = json.loads(gzip.decompress(outcome.json)) if outcome.status == "done" else {}

    def change(connection: Connection) -> bool:
        repository = _repository(connection, task)
        revision, scanned = _revision(connection, repository, task.revision)
        scan = _record_scan(connection, run, revision, task, outcome, document, now)
        if scan is None:
            return False
        newest: Row = {"scan_id": scan, "status": outcome.status}
        if outcome.status == "done":
            new = list(rows_of(document, outcome.owners, repository, revision))
            compare(connection, new, document, repository, revision, scanned, now)
            html = select(scans.c.html).where(scans.c.id == scan).scalar_subquery()
            newest |= {"scanned": now, "html": html}
        connection.execute(update(revisions).where(revisions.c.id == revision).values(newest))
        return True

    return change


def _repository(connection: Connection, task: Task) -> int:
    known = connection.execute(
        select(repositories.c.id, repositories.c.source).where(repositories.c.name == task.name)
    ).first()
    if known is None:
        return inserted(connection, repositories, {"name": task.name, "source": task.place})
    if known.source != task.place:
        connection.execute(update(repositories).where(repositories.c.id == known.id).values(source=task.place))
    return int(known.id)


def _revision(connection: Connection, repository: int, name: str) -> tuple[int, int | None]:
    known = connection.execute(
        select(revisions.c.id, revisions.c.scanned).where(
            revisions.c.repository_id == repository, revisions.c.name == name
        )
    ).first()
    if known is None:
        return inserted(connection, revisions, {"repository_id": repository, "name": name}), None
    return int(known.id), known.scanned


def _record_scan(
    connection: Connection, run: int, revision: int, task: Task, outcome: Outcome, document: Row, now: int
) -> int | None:
    """Write the row of the scan and its reports, and return its number; None where the run has the scan already."""
    statistics = document.get("statistics", {})
    row = {
        "status": outcome.status,
        "reason": outcome.reason,
        "commit": outcome.commit,
        "version": outcome.version,
        "at": now,
        "seconds": outcome.seconds,
        "cpu_seconds": outcome.cpu_seconds,
        "peak_bytes": outcome.peak_bytes,
        "size": task.size,
        "files": statistics.get("files", 0),
        "lines": statistics.get("lines", 0),
        "complete": document.get("complete", False),
        "json": _keep(connection, outcome.json),
        "html": _keep(connection, outcome.html),
    }
    same = (scans.c.run_id == run) & (scans.c.revision_id == revision)
    known = connection.execute(select(scans.c.id, scans.c.status, scans.c.reason).where(same)).first()
    if known is None:
        return inserted(connection, scans, {"run_id": run, "revision_id": revision, **row})
    if known.status == "done" or (known.status, known.reason) == (outcome.status, outcome.reason):
        return None
    connection.execute(update(scans).where(scans.c.id == known.id).values(row))  # a further attempt
    return int(known.id)


def _keep(connection: Connection, content: bytes) -> str | None:
    """The digest under which a report is kept; reports that are equal are kept once."""
    if not content:
        return None
    digest = hashlib.blake2b(content, digest_size=16).hexdigest()
    if connection.execute(select(reports.c.digest).where(reports.c.digest == digest)).first() is None:
        connection.execute(insert(reports).values(digest=digest, content=content))
    return digest


def inserted(connection: Connection, table: Table, row: Row) -> int:
    key = connection.execute(insert(table).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])
