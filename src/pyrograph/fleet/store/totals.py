"""Counts that pages show, kept up to date by each change: reading them costs the same for ten findings as for millions.

A finding adds 1 to each of its *keys*, which are a function of its row:

| dimension | day | key | counts |
|---|---|---|---|
| ``severity``, ``rule``, ``owner``, ``repository`` | first seen; and -1, all days | its value | open findings |
| ``opened`` | first seen | "" | open and fixed findings |
| ``fixed`` | fixed | "" | fixed findings |

A change adds the keys of the new rows and takes away those of the old ones. So the table always equals the sums over
all rows, which a test compares. Rows whose count is 0 may stay.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, Final

from sqlalchemy import Connection, bindparam, delete, distinct, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from pyrograph.fleet.store.tables import DAY, copies, findings, totals
from pyrograph.policy.limits.fleet import STORE_BATCH

ALL_DAYS: Final = -1
DIMENSIONS: Final = ("severity", "rule", "owner", "repository")

Key = tuple[str, int, str]  # dimension, day, key


def keys_of(row: Mapping[str, Any]) -> list[Key]:
    """The keys that a finding counts for; ``row`` has the columns of the table ``findings``."""
    if row["state"] == "dismissed":
        return []
    day = row["first_seen"] // DAY
    if row["state"] == "fixed":
        return [("opened", day, ""), ("fixed", row["fixed_at"] // DAY, "")]
    values = [(name, str(row["repository_id"] if name == "repository" else row[name])) for name in DIMENSIONS]
    return [("opened", day, "")] + [(name, each, value) for name, value in values for each in (day, ALL_DAYS)]


def apply(connection: Connection, before: Iterable[Mapping[str, Any]], after: Iterable[Mapping[str, Any]]) -> None:
    """Count ``after`` in place of ``before``: the changed rows, as they were and as they are."""
    old, new = list(before), list(after)
    change: Counter[Key] = Counter(key for row in new for key in keys_of(row))
    change.subtract(key for row in old for key in keys_of(row))
    add(connection, change)
    spread(connection, {row["likeness"] for row in (*old, *new)} - {""})


def add(connection: Connection, change: Mapping[Key, int]) -> None:
    """Add to the counts, in one order: two writers then wait for each other and never both."""
    rows = [
        {"dimension": dimension, "day": day, "key": key, "count": count}
        for (dimension, day, key), count in sorted(change.items())
        if count
    ]
    if not rows:
        return
    made = (postgresql if connection.dialect.name == "postgresql" else sqlite).insert(totals)
    statement = made.on_conflict_do_update(
        index_elements=["dimension", "day", "key"], set_={"count": totals.c["count"] + made.excluded.count}
    )
    connection.execute(statement, rows)


def spread(connection: Connection, likenesses: Iterable[str]) -> None:
    """Count anew in how many repositories these pieces of code have open findings."""
    ordered = sorted(likenesses)
    for start in range(0, len(ordered), STORE_BATCH):
        asked = ordered[start : start + STORE_BATCH]
        counted = connection.execute(
            select(
                findings.c.likeness,
                func.min(findings.c.rule).label("rule"),
                func.count(distinct(findings.c.repository_id)).label("repositories"),
                func.count().label("findings"),
                (func.min(findings.c.first_seen) / DAY).label("day"),
            )
            .where(findings.c.likeness.in_(asked), findings.c.state == "open")
            .group_by(findings.c.likeness)
            .having(func.count(distinct(findings.c.repository_id)) > 1)
        )
        rows = [{**row, "day": int(row["day"])} for row in counted.mappings()]
        connection.execute(delete(copies).where(copies.c.likeness.in_(asked)))
        if rows:
            connection.execute(insert(copies), rows)


def change_rows(connection: Connection, rows: Iterable[Mapping[str, Any]], columns: Iterable[str]) -> None:
    """Write ``columns`` of findings that are there; each row has its ``id``."""
    named = tuple(columns)
    values = [{**{name: row[name] for name in named}, "row_id": row["id"]} for row in rows]
    if values:
        connection.execute(update(findings).where(findings.c.id == bindparam("row_id")), values)
