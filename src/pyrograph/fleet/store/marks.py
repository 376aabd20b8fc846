"""Verdicts that people give in the store: for a finding in all revisions of its repository, and for later scans.

A finding that is marked false is dismissed: it counts no more, and its reason is shown. A repository's own file of
marks (``pyrograph triage``) is obeyed by the scan itself; its findings come as dismissed.
"""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import Connection, delete, insert, select

from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.store import totals
from pyrograph.fleet.store.finding_rows import judged
from pyrograph.fleet.store.tables import findings, marks, repositories


def mark(repository: str, fingerprint: str, verdict: str, reason: str, now: int) -> Callable[[Connection], int]:
    """A change that marks the finding whose fingerprint begins so; returns in how many revisions it is.

    ``verdict``: "true", "false", "later", or "none", which removes the mark.

    Raises (when the change is made):
        FleetError: There is none, or are several; or "false" has no reason.
    """
    if verdict == "false" and not reason.strip():
        raise FleetError("a finding is not marked false without a reason; say why it does no harm with --reason")

    def change(connection: Connection) -> int:
        owner = connection.execute(select(repositories.c.id).where(repositories.c.name == repository)).scalar()
        if owner is None:
            raise FleetError(
                f"{repository}: the store has no repository of this name; `pyrograph fleet list` shows them"
            )
        here = findings.c.repository_id == owner
        found = select(findings).where(here, findings.c.fingerprint.startswith(fingerprint, autoescape=True))
        rows = [dict(row) for row in connection.execute(found).mappings()]
        named = {row["fingerprint"] for row in rows}
        if len(named) != 1:
            trouble = "no finding has" if not named else f"{len(named)} findings have"
            remedy = "the pages of the fleet show fingerprints"
            raise FleetError(f"{repository}: {trouble} a fingerprint that begins with {fingerprint!r}; {remedy}")
        (whole,) = named
        key = {"repository_id": owner, "fingerprint": whole}
        connection.execute(delete(marks).where(marks.c.repository_id == owner, marks.c.fingerprint == whole))
        if verdict != "none":
            connection.execute(insert(marks).values(**key, verdict=verdict, reason=reason, at=now))
        after = []
        for row in rows:
            by_mark = row["verdict"] != ""
            bare = {**row, "verdict": "", "reason": "" if by_mark else row["reason"]}
            if by_mark and row["state"] == "dismissed":
                bare["state"] = "open"
            after.append(bare if verdict == "none" or row["state"] == "fixed" else judged(bare, verdict, reason))
        totals.change_rows(connection, after, ("state", "verdict", "reason"))
        totals.apply(connection, rows, after)
        return len(rows)

    return change
