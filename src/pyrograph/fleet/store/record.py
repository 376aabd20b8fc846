"""From the outcome of one scan to rows, in one transaction.

The same outcome twice changes nothing: a scan is known by its run and revision, a finding by revision and fingerprint.
What an unfinished or failed scan does not report is not fixed; neither is what stands in a file that was not analysed.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from sqlalchemy import Connection, Table, insert, select, update

from pyrograph.fleet.outcome import Outcome, Task
from pyrograph.fleet.store import totals
from pyrograph.fleet.store.tables import findings, marks, reports, repositories, revisions, runs, scans

# Columns of a finding that a later scan may change.
_CHANGING: Final = (
    *("likeness", "rule", "severity", "confidence", "path", "line", "column", "message", "owner"),
    *("state", "verdict", "reason", "last_seen", "fixed_at"),
)

Row = dict[str, Any]


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
        return _inserted(connection, runs, {"fleet": fleet, "started": now})

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
            new = list(_rows(document, outcome.owners, repository, revision))
            _compare(connection, new, document, repository, revision, scanned, now)
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
        return _inserted(connection, repositories, {"name": task.name, "source": task.place})
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
        return _inserted(connection, revisions, {"repository_id": repository, "name": name}), None
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
        return _inserted(connection, scans, {"run_id": run, "revision_id": revision, **row})
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


def _inserted(connection: Connection, table: Table, row: Row) -> int:
    key = connection.execute(insert(table).values(row)).inserted_primary_key
    assert key is not None
    return int(key[0])


def _rows(document: Row, owners: Mapping[str, str], repository: int, revision: int) -> Iterator[Row]:
    """The findings of a report as rows of the table, without what time and marks say."""
    entries = [(finding, "open", "") for finding in document["findings"]]
    for each in document["suppressed"]:
        reason = f"{each['by']}: {each['reason']}" if each["reason"] else each["by"]
        entries.append((each["finding"], "dismissed", reason))
    seen = set()
    for finding, state, reason in entries:
        if finding["fingerprint"] in seen:
            continue
        seen.add(finding["fingerprint"])
        yield {
            "repository_id": repository,
            "revision_id": revision,
            "owner": owners.get(finding["path"], ""),
            "state": state,
            "verdict": "",
            "reason": reason,
            "last_seen": None,
            "fixed_at": None,
            **{name: finding[name] for name in ("fingerprint", "likeness", "rule", "severity", "confidence")},
            **{name: finding[name] for name in ("path", "line", "column", "message")},
        }


def _compare(
    connection: Connection, new: list[Row], document: Row, repository: int, revision: int, scanned: int | None, now: int
) -> None:
    """Bring the findings of a revision to what a scan reports."""
    verdicts = {
        row.fingerprint: (row.verdict, row.reason)
        for row in connection.execute(select(marks).where(marks.c.repository_id == repository))
    }
    known = {
        row["fingerprint"]: dict(row)
        for row in connection.execute(select(findings).where(findings.c.revision_id == revision)).mappings()
    }
    added, before, after = [], [], []
    for row in new:
        if row["fingerprint"] in verdicts:
            row = judged(row, *verdicts[row["fingerprint"]])
        old = known.pop(row["fingerprint"], None)
        if old is None:
            added.append({**row, "first_seen": now})
        elif any(old[name] != row[name] for name in _CHANGING):
            before.append(old)
            after.append({**old, **row})
    unseen = _not_analysed(document)
    for old in known.values():
        if old["state"] != "fixed" and "" not in unseen and old["path"] not in unseen:
            before.append(old)
            after.append({**old, "state": "fixed", "fixed_at": now, "last_seen": scanned})
    if added:
        connection.execute(insert(findings), added)
    totals.change_rows(connection, after, _CHANGING)
    totals.apply(connection, before, [*added, *after])


def judged(row: Row, verdict: str, reason: str) -> Row:
    """A finding that is there, with a verdict of the store: "false" dismisses it, any other one takes that back."""
    if verdict == "false":
        return {**row, "state": "dismissed", "verdict": verdict, "reason": f"mark: {reason}"}
    return {**row, "verdict": verdict, "reason": row["reason"] or reason}


def _not_analysed(document: Row) -> set[str]:
    """Paths whose findings a scan may have missed; "" where that holds for the program.

    A limit of the whole program is no such problem: most programs reach one, in every scan, and at the same place.
    """
    problems = (each for each in document["problems"] if each["incomplete"])
    return {each["path"] for each in problems if each["path"] or each["kind"] != "limit"}
