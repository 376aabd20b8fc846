"""The cache of units: one SQLite file in the user's cache directory."""

from __future__ import annotations

import os
import zlib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from pyrograph.policy.limits.workers import CACHE_BYTES


def _checksum(key: bytes, unit: bytes) -> bytes:
    """Finds units that a fault of the disk changed, and those that lie under another's key."""
    return zlib.crc32(unit, zlib.crc32(key)).to_bytes(4, "little")


class UnitCache:
    """Units by content, each behind its checksum. Whatever goes wrong with the file, a scan goes on without it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "units.sqlite"

    def read(self, keys: Sequence[bytes]) -> list[tuple[int, bytes]]:
        """(position, unit) of the keys that are known."""
        import sqlite3

        if not self.path.is_file():
            return []
        found: list[tuple[int, bytes]] = []
        try:
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                for index, key in enumerate(keys):
                    row = connection.execute("select unit from units where key = ?", (key,)).fetchone() if key else None
                    if row is not None and isinstance(row[0], bytes) and row[0][:4] == _checksum(key, row[0][4:]):
                        found.append((index, row[0][4:]))
            finally:
                connection.close()
        except sqlite3.Error:
            return []
        return found

    def write(self, units: Sequence[tuple[bytes, bytes]]) -> None:
        import sqlite3

        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            if self.path.is_file() and self.path.stat().st_size > CACHE_BYTES:
                self.path.unlink()
            connection = sqlite3.connect(self.path, timeout=2)
            try:
                with connection:
                    connection.execute("pragma synchronous = off")
                    connection.execute(
                        "create table if not exists units (key blob primary key, unit blob) without rowid"
                    )
                    connection.executemany(
                        "insert or replace into units values (?, ?)",
                        ((key, _checksum(key, unit) + unit) for key, unit in units),
                    )
            finally:
                connection.close()
        except (sqlite3.Error, OSError):
            with suppress(OSError):
                os.unlink(self.path)
