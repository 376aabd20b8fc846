"""All findings as one Parquet table, for notebooks and other tools."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import pyarrow as pa
import pyarrow.parquet as pq
from sqlalchemy import select

from pyrograph.fleet.store import Store
from pyrograph.fleet.store.lists import last_seen
from pyrograph.fleet.store.tables import findings, repositories, revisions
from pyrograph.policy.limits.fleet import EXPORT_BATCH

_TIME: Final = pa.timestamp("s", tz="UTC")
_TEXTS: Final = ("repository", "revision", "fingerprint", "likeness", "rule", "severity", "confidence", "path")
SCHEMA: Final = pa.schema(
    [(name, pa.string()) for name in _TEXTS]
    + [("line", pa.int32()), ("column", pa.int32())]
    + [(name, pa.string()) for name in ("message", "owner", "state", "verdict", "reason")]
    + [(name, _TIME) for name in ("first_seen", "last_seen", "fixed_at")]
)


def write_parquet(store: Store, file: Path) -> int:
    """Write the table; returns the number of rows. Memory is that of ``EXPORT_BATCH`` rows.

    Raises:
        OSError: The file cannot be written.
        StoreError: The database failed.
    """
    columns = [findings.c[name] for name in SCHEMA.names if name not in ("repository", "revision", "last_seen")]
    asked = (
        select(repositories.c.name.label("repository"), revisions.c.name.label("revision"), *columns)
        .add_columns(last_seen())
        .select_from(findings.join(revisions, findings.c.revision_id == revisions.c.id))
        .join(repositories, findings.c.repository_id == repositories.c.id)
        .order_by(findings.c.id)
    )
    count = 0
    with store.reading() as connection, pq.ParquetWriter(file, SCHEMA, compression="zstd") as writer:
        rows = connection.execution_options(yield_per=EXPORT_BATCH).execute(asked).mappings()
        for part in rows.partitions(EXPORT_BATCH):
            table: list[dict[str, Any]] = [dict(row) for row in part]
            writer.write_table(pa.Table.from_pylist(table, schema=SCHEMA))
            count += len(table)
    return count
