"""The store: repositories, revisions, scans and findings, in one SQLite file or a PostgreSQL database.

``tables`` is the schema, ``migrations/`` how a store of an earlier version gets there. ``record`` writes the outcome
of one scan in one transaction, ``marks`` a verdict, ``totals`` the counts that both change. ``queries`` and ``lists``
read, ``parquet`` exports.
"""

from pyrograph.fleet.store.connection import Store, StoreError, open_store

__all__ = ["Store", "StoreError", "open_store"]
