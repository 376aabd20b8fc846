"""Findings of one scan as rows, and how they change those of the scans before.

What an unfinished or failed scan does not report is not fixed; neither is what stands in a file that was not analysed.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from sqlalchemy import Connection, insert, select

from pyrograph.fleet.store import totals
from pyrograph.fleet.store.tables import findings, marks

# Columns of a finding that a later scan may change.
_CHANGING: Final = (
    *("likeness", "rule", "severity", "confidence", "path", "line", "column", "message", "owner"),
    *("state", "verdict", "reason", "last_seen", "fixed_at"),
)

Row = dict[str, Any]


def rows_of(document: Row, owners: Mapping[str, str], repository: int, revision: int) -> Iterator[Row]:
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


def compare(
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
