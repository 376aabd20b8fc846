"""Lists of findings and repositories, a page at a time.

A page of findings reads one index from its end, newest first, and goes on behind the last row of the page before. So
the time of a page does not depend on how far back it lies, as long as an index serves the filter: each key of
``Filter`` alone, and any of them with the repository, whose findings are few.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import BigInteger, ColumnElement, Connection, Select, cast, func, select, tuple_

from pyrograph.fleet.store.tables import copies, findings, repositories, revisions, scans, totals
from pyrograph.fleet.store.totals import ALL_DAYS
from pyrograph.policy.limits.fleet import FLEET_PAGE

TROUBLE: Final = ("failed", "time", "memory", "lost")  # statuses of scans that did not succeed

Row = dict[str, Any]
Place = tuple[int, int]  # of a row in the lists, newest first: its time, its id


@dataclass(frozen=True, slots=True)
class Filter:
    """Which findings a list has; None: all."""

    state: str = "open"
    repository: int | None = None
    rule: str | None = None
    owner: str | None = None  # "": those that nobody owns
    severity: str | None = None
    likeness: str | None = None


def last_seen() -> ColumnElement[Any]:
    """When a finding was last seen; of those that are there, the time of the last scan. Needs ``revisions``."""
    return func.coalesce(findings.c.last_seen, revisions.c.scanned).label("last_seen")


def page_of_findings(
    connection: Connection,
    wanted: Filter,
    *,
    before: Place | None = None,
    since: int | None = None,
    limit: int = FLEET_PAGE,
) -> tuple[list[Row], Place | None]:
    """The newest ``limit`` findings before a place, and the place where the next page begins; None at the end.

    ``since``: only those first seen at this time or later.
    """
    asked = (
        select(findings, repositories.c.name.label("repository"), revisions.c.name.label("revision"))
        .add_columns(revisions.c.html, last_seen().label("seen"))
        .select_from(findings.join(revisions, findings.c.revision_id == revisions.c.id))
        .join(repositories, findings.c.repository_id == repositories.c.id)
        .where(findings.c.state == wanted.state)
        .order_by(findings.c.first_seen.desc(), findings.c.id.desc())
        .limit(limit + 1)
    )
    for name in ("rule", "owner", "severity", "likeness"):
        value = getattr(wanted, name)
        if value is not None:
            asked = asked.where(findings.c[name] == value)
    if wanted.repository is not None:
        asked = asked.where(findings.c.repository_id == wanted.repository)
    if since is not None:
        asked = asked.where(findings.c.first_seen >= since)
    if before is not None:
        asked = asked.where(tuple_(findings.c.first_seen, findings.c.id) < tuple_(*before))
    rows = [dict(row) for row in connection.execute(asked).mappings()]
    following = (rows[limit - 1]["first_seen"], rows[limit - 1]["id"]) if len(rows) > limit else None
    return rows[:limit], following


def _repositories() -> Select[Any]:
    """Revisions with their repository, the last scan, and the number of open findings of the repository."""
    return (
        select(
            repositories.c.id,
            repositories.c.name,
            repositories.c.source,
            revisions.c.id.label("revision_id"),
            revisions.c.name.label("revision"),
            revisions.c.html,
            revisions.c.scanned,
            revisions.c.status,
            scans.c.reason,
            scans.c.at,
            scans.c.lines,
            scans.c.seconds,
            scans.c.commit,
            scans.c.complete,
            func.coalesce(totals.c["count"], 0).label("open"),
        )
        .select_from(repositories.join(revisions))
        .join(scans, revisions.c.scan_id == scans.c.id, isouter=True)
        .join(
            totals,
            (totals.c.dimension == "repository")
            & (totals.c.day == ALL_DAYS)
            & (totals.c.key == cast(repositories.c.id, totals.c.key.type)),
            isouter=True,
        )
    )


def every_repository(connection: Connection, *, trouble: bool = False) -> Iterator[Row]:
    """All repositories by name; ``trouble``: those whose last scan did not succeed."""
    asked = _repositories().order_by(repositories.c.name, revisions.c.name)
    if trouble:
        asked = asked.where(revisions.c.status.in_(TROUBLE))
    for row in connection.execute(asked).mappings():
        yield dict(row)


def page_of_repositories(
    connection: Connection, *, after: tuple[int, int] | None = None, limit: int = FLEET_PAGE
) -> tuple[list[Row], tuple[int, int] | None]:
    """Repositories with open findings, most first, and the place where the next page begins: findings, number."""
    number = cast(totals.c.key, BigInteger)
    asked = (
        select(number.label("number"), totals.c["count"])
        .where(totals.c.dimension == "repository", totals.c.day == ALL_DAYS, totals.c["count"] > 0)
        .order_by(totals.c["count"].desc(), number.desc())
        .limit(limit + 1)
    )
    if after is not None:
        asked = asked.where(tuple_(totals.c["count"], number) < tuple_(*after))
    found = connection.execute(asked).all()
    places = [(int(row[1]), int(row[0])) for row in found]
    rows = connection.execute(_repositories().where(repositories.c.id.in_([each[1] for each in places[:limit]])))
    by_number: dict[int, list[Row]] = {}
    for row in rows.mappings():
        by_number.setdefault(row["id"], []).append(dict(row))
    listed = [row for _, number_ in places[:limit] for row in by_number.get(number_, ())]
    return listed, places[limit - 1] if len(places) > limit else None


def page_of_trouble(
    connection: Connection, *, before: Place | None = None, limit: int = FLEET_PAGE
) -> tuple[list[Row], Place | None]:
    """Revisions whose last scan did not succeed, newest first, and the place where the next page begins."""
    order = scans.c.at, revisions.c.id
    asked = _repositories().where(revisions.c.status.in_(TROUBLE)).order_by(*(each.desc() for each in order))
    if before is not None:
        asked = asked.where(tuple_(*order) < tuple_(*before))
    rows = [dict(row) for row in connection.execute(asked.limit(limit + 1)).mappings()]
    following = (rows[limit - 1]["at"], rows[limit - 1]["revision_id"]) if len(rows) > limit else None
    return rows[:limit], following


def revisions_of(connection: Connection, repository: int) -> list[Row]:
    """The revisions of one repository; empty where there is none."""
    asked = _repositories().where(repositories.c.id == repository).order_by(revisions.c.name)
    return [dict(row) for row in connection.execute(asked).mappings()]


def scans_of(connection: Connection, repository: int, limit: int = 30) -> list[Row]:
    """The last scans of a repository, newest first."""
    asked = (
        select(scans, revisions.c.name.label("revision"))
        .select_from(scans.join(revisions))
        .where(revisions.c.repository_id == repository)
        .order_by(scans.c.id.desc())
        .limit(limit)
    )
    return [dict(row) for row in connection.execute(asked).mappings()]


def page_of_copies(connection: Connection, limit: int = FLEET_PAGE) -> list[Row]:
    """Pieces of vulnerable code that stand in two repositories and more, the most spread first."""
    asked = select(copies).order_by(copies.c.repositories.desc(), copies.c.findings.desc(), copies.c.likeness.desc())
    return [dict(row) for row in connection.execute(asked.limit(limit)).mappings()]
