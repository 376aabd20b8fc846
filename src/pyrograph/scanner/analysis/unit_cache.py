"""The cache of units: one SQLite file in the user's cache directory, bounded by its size."""

from __future__ import annotations

import os
import time
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pyrograph import userfolder
from pyrograph.policy.limits.caches import CACHE_BYTES, WHOLE_CACHE_BYTES

if TYPE_CHECKING:
    import sqlite3

NAME = "units-2.sqlite"
FORMER = ("units.sqlite",)  # of older formats
DAY = 86_400  # seconds: when a unit was last used is known to the day, so that most scans need not write it


def _checksum(key: bytes, unit: bytes) -> bytes:
    """Finds units that a fault of the disk changed, and those that lie under another's key."""
    return zlib.crc32(unit, zlib.crc32(key)).to_bytes(4, "little")


class UnitCache:
    """Units by content, each behind its checksum. Whatever goes wrong with the file, a scan goes on without it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / NAME
        self.today = int(time.time()) // DAY
        self.aged: list[bytes] = []  # keys that ``read`` found, and that were last used on another day

    def read(self, keys: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """(position, unit) of the keys that are known."""
        import sqlite3

        if not self.path.is_file() or not userfolder.is_private(self.path):
            return []
        found: list[tuple[int, bytes]] = []
        query = "select unit, day from units left join uses using (key) where key = ?"
        try:
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                for index, key in enumerate(keys):
                    row = connection.execute(query, (key,)).fetchone() if key else None
                    if row is not None and isinstance(row[0], bytes) and row[0][:4] == _checksum(key, row[0][4:]):
                        found.append((index, row[0][4:]))
                        if row[1] != self.today:
                            self.aged.append(key)
            finally:
                connection.close()
        except sqlite3.Error:
            return []
        return found

    def write(self, units: Sequence[tuple[bytes, bytes]]) -> None:
        """Add units, remember which of the known ones were used, and remove old ones where there are too many."""
        import sqlite3

        if not userfolder.is_private(self.path):
            return
        try:
            for name in FORMER:
                self.path.with_name(name).unlink(missing_ok=True)
            userfolder.make(self.path.parent)
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                with connection:
                    connection.execute("pragma synchronous = off")
                    for table in (
                        "units (key blob primary key, unit blob)",
                        "uses (key blob primary key, day integer)",
                    ):
                        connection.execute(f"create table if not exists {table} without rowid")
                    connection.executemany(
                        "insert or replace into units values (?, ?)",
                        ((key, _checksum(key, unit) + unit) for key, unit in units),
                    )
                    connection.executemany(
                        "insert or replace into uses values (?, ?)",
                        ((key, self.today) for key in [*self.aged, *(key for key, _ in units)]),
                    )
                    if self.path.stat().st_size > userfolder.bound(CACHE_BYTES, WHOLE_CACHE_BYTES):
                        _make_room(connection)
            finally:
                connection.close()
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                os.unlink(self.path)


def _make_room(connection: sqlite3.Connection) -> None:
    """Remove the units that were not used for longest, until they take three quarters of their bound.

    The file keeps its size: the next units are written where these were.
    """
    ages = "select key, length(unit) from units left join uses using (key)"
    (size,) = connection.execute("select coalesce(sum(length(unit)), 0) from units").fetchone()
    excess = size - userfolder.bound(CACHE_BYTES, WHOLE_CACHE_BYTES) * 3 // 4
    removed: list[tuple[bytes]] = []
    for key, own in connection.execute(f"{ages} order by coalesce(day, 0), key"):
        if excess <= 0:
            break
        excess -= own
        removed.append((key,))
    for table in ("units", "uses"):
        connection.executemany(f"delete from {table} where key = ?", removed)
