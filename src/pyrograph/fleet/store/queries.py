"""Counts for the pages: all from ``totals``, so that none depends on the number of findings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import Connection, func, select

from pyrograph.fleet.store.lists import TROUBLE
from pyrograph.fleet.store.tables import DAY, reports, repositories, revisions, scans, totals
from pyrograph.fleet.store.totals import ALL_DAYS
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.policy.limits.fleet import NEW_DAYS, TREND_WEEKS

AGES: Final = (7, 30, 90, 365)  # days: the borders of the groups of ages

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Counts:
    """What the first page shows."""

    open: int
    new: int  # first seen within the last week, and open
    fixed: int  # within the last week
    repositories: int
    trouble: int  # revisions whose last scan did not succeed
    lines: int  # of the last scans
    by_severity: dict[str, int]  # most severe first


def counts(connection: Connection, now: int) -> Counts:
    """The numbers of the whole store at the time ``now``."""
    severities = {row["key"]: row["open"] for row in by("severity", connection, now)}
    last = select(func.sum(scans.c.lines)).select_from(revisions.join(scans, revisions.c.scan_id == scans.c.id))
    return Counts(
        open=sum(severities.values()),
        new=sum(row["new"] for row in by("severity", connection, now)),
        fixed=_sum(connection, "fixed", now // DAY - NEW_DAYS + 1),
        repositories=connection.execute(select(func.count()).select_from(repositories)).scalar() or 0,
        trouble=sum(trouble(connection).values()),
        lines=int(connection.execute(last).scalar() or 0),
        by_severity={each: severities.get(each, 0) for each in reversed(SEVERITIES)},
    )


def trouble(connection: Connection) -> dict[str, int]:
    """Revisions whose last scan did not succeed, by its status; each of ``lists.TROUBLE``."""
    asked = select(revisions.c.status, func.count()).group_by(revisions.c.status)
    statuses = {status: count for status, count in connection.execute(asked).all()}
    return {each: statuses.get(each, 0) for each in TROUBLE}


def by(dimension: str, connection: Connection, now: int, limit: int | None = None) -> list[Row]:
    """Open and new findings for each value of a dimension (``totals.DIMENSIONS``), most first: key, open, new."""
    here = totals.c.dimension == dimension
    asked = select(totals.c.key, totals.c["count"].label("open")).where(here, totals.c.day == ALL_DAYS)
    asked = asked.where(totals.c["count"] > 0).order_by(totals.c["count"].desc(), totals.c.key)
    rows = [dict(row) for row in connection.execute(asked.limit(limit)).mappings()]
    recent = (
        select(totals.c.key, func.sum(totals.c["count"]))
        .where(here, totals.c.day > now // DAY - NEW_DAYS)
        .group_by(totals.c.key)
    )
    new = {key: int(count) for key, count in connection.execute(recent).all()}
    return [{**row, "new": new.get(row["key"], 0)} for row in rows]


def ages(connection: Connection, now: int) -> list[Row]:
    """Open findings by age: ``days`` (from, to; None: and more), and the count of each severity."""
    rows = connection.execute(
        select(totals.c.key, totals.c.day, totals.c["count"]).where(
            totals.c.dimension == "severity", totals.c.day > ALL_DAYS
        )
    ).all()
    borders = [(0, AGES[0]), *zip(AGES, (*AGES[1:], None), strict=True)]
    groups: list[Row] = [{"days": days, **dict.fromkeys(SEVERITIES, 0)} for days in borders]
    for severity, day, count in rows:
        age = max(0, now // DAY - day)
        group = next(index for index, (_, end) in enumerate(borders) if end is None or age < end)
        groups[group][severity] = groups[group].get(severity, 0) + count
    return groups


def trend(connection: Connection, now: int, weeks: int = TREND_WEEKS) -> list[Row]:
    """Findings that were open at the end of each of the last weeks, oldest first: day, open, opened, fixed."""
    last = now // DAY
    days = [last - NEW_DAYS * back for back in range(weeks - 1, -1, -1)]
    start = days[0] - NEW_DAYS
    before, changes = {}, {}
    for name in ("opened", "fixed"):
        here = totals.c.dimension == name
        earlier = select(func.sum(totals.c["count"])).where(here, totals.c.day <= start)
        before[name] = int(connection.execute(earlier).scalar() or 0)
        later = select(totals.c.day, totals.c["count"]).where(here, totals.c.day > start)
        changes[name] = connection.execute(later).all()
    found = []
    for day in days:
        week = {name: sum(count for at, count in rows if day - NEW_DAYS < at <= day) for name, rows in changes.items()}
        before = {name: before[name] + week[name] for name in before}
        found.append({"day": day, "open": before["opened"] - before["fixed"], **week})
    return found


def report(connection: Connection, digest: str) -> bytes | None:
    """A report by its digest, as gzip; None where there is none."""
    return connection.execute(select(reports.c.content).where(reports.c.digest == digest)).scalar()


def _sum(connection: Connection, dimension: str, first: int) -> int:
    asked = select(func.sum(totals.c["count"])).where(totals.c.dimension == dimension, totals.c.day >= first)
    return int(connection.execute(asked).scalar() or 0)
