"""Opening a store: SQLite by a path, any database by an address of SQLAlchemy; errors that say what to do.

A store is written by one transaction for each scan. SQLite's is immediate, so that two programs wait for each other
instead of failing in the middle, and its file is in WAL mode, so that pages are served while a run writes.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final, TypeVar
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, SQLAlchemyError

from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.store.tables import HEAD
from pyrograph.policy.limits.fleet import BUSY_SECONDS

PATIENCE: Final = (0.5, 1, 2, 4, 8, 16)  # seconds between attempts to reach a database server that went away

# Errors of psycopg that may be gone at the next attempt: the server restarts, or another writer was faster.
_PASSING: Final = frozenset(
    (
        *("OperationalError", "AdminShutdown", "CannotConnectNow", "CrashShutdown"),
        *("SerializationFailure", "DeadlockDetected", "UniqueViolation"),
    )
)

_T = TypeVar("_T")


class StoreError(FleetError):
    """The store cannot be opened, read or written."""


class Store:
    """An open store; ``shown`` is its address without a password."""

    def __init__(self, engine: Engine, shown: str) -> None:
        self.engine = engine
        self.shown = shown

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that sees one state of the store.

        Raises:
            StoreError: The database failed.
        """
        try:
            with self.engine.connect() as connection:
                yield connection
        except SQLAlchemyError as error:
            raise self.trouble(error) from error

    def write(self, change: Callable[[Connection], _T]) -> _T:
        """What ``change`` returns, in one transaction: all of it, or nothing.

        Where the connection is lost, all is done again: ``change`` must be able to meet what it has written.

        Raises:
            StoreError: The database failed.
        """
        waits = iter(PATIENCE)
        while True:
            try:
                with self.engine.begin() as connection:
                    return change(connection)
            except SQLAlchemyError as error:
                wait = next(waits, None)
                if wait is None or not self.is_lost(error):
                    raise self.trouble(error) from error
                self.engine.dispose()
                time.sleep(wait)

    def is_lost(self, error: SQLAlchemyError) -> bool:
        """Whether it may be gone at the next attempt: a server went away, or another writer was faster."""
        if self.is_sqlite or not isinstance(error, DBAPIError):
            return False
        return error.connection_invalidated or type(error.orig).__name__ in _PASSING

    def trouble(self, error: SQLAlchemyError) -> StoreError:
        """What the database said, with a remedy."""
        said = " ".join(str(getattr(error, "orig", None) or error).split())
        remedy = "see the log of the database"
        if "full" in said or "No space" in said:
            remedy = "free some space and run the same command again: what was recorded is kept, and the run goes on"
        elif "locked" in said:
            remedy = "another program writes to it; run the same command again when that has ended"
        elif "readonly" in said or "read-only" in said:
            remedy = "make the file and its directory writable"
        elif "not a database" in said or "malformed" in said:
            remedy = "name another file, or restore a copy"
        elif not self.is_sqlite:
            remedy = "check that the server runs and that the address is right"
        return StoreError(f"{self.shown}: the store failed: {said}; {remedy}")

    def close(self) -> None:
        self.engine.dispose()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_store(address: str, *, writable: bool, create: bool = True) -> Store:
    """Open the store at ``address``: a path, or ``postgresql://user@host/database``.

    A writable one is created (if ``create``), or brought to this version, where that is needed.

    Raises:
        StoreError: It cannot be opened, is not there, or a newer version wrote it.
    """
    store = _connected(address, writable=writable, create=create and writable)
    try:
        with store.reading() as connection:
            version = _version(connection, store.shown)
        if version != HEAD:
            _bring_to_head(store, version, writable=writable)
    except BaseException:
        store.close()
        raise
    return store


def _connected(address: str, *, writable: bool, create: bool) -> Store:
    if "://" not in address:
        path = Path(address).absolute()
        if not create and not path.is_file():
            raise StoreError(f"{path}: there is no store; `pyrograph fleet scan` makes one")
        if not path.parent.is_dir():
            raise StoreError(f"{path}: the directory of the store is not there; create it")
        mode = "rwc" if writable else "ro"
        url = f"sqlite:///file:{quote(str(path))}?mode={mode}&uri=true"
        engine = create_engine(url, connect_args={"timeout": BUSY_SECONDS, "check_same_thread": False})
        event.listen(engine, "connect", _set_up_writer if writable else _set_up_reader)
        event.listen(engine, "begin", _begin_writing if writable else _begin_reading)
        return Store(engine, str(path))
    try:
        url_ = make_url(address)
        if url_.drivername in ("postgresql", "postgres"):
            url_ = url_.set(drivername="postgresql+psycopg")
        shown = url_.set(query={}).render_as_string(hide_password=True)  # libpq takes a password there, too
        arguments = {} if writable else {"options": "-c default_transaction_read_only=on"}
        if url_.get_backend_name() != "postgresql":
            raise StoreError(f"{shown}: stores are SQLite files (a path) or PostgreSQL databases; name one of these")
        engine = create_engine(url_, connect_args=arguments, pool_pre_ping=True, isolation_level="REPEATABLE READ")
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        if isinstance(error, StoreError):
            raise
        raise StoreError("the address of the store cannot be read; write postgresql://user@host/database") from None
    except ModuleNotFoundError:
        remedy = "install it with: pip install 'pyrograph-scan[postgresql]'"
        raise StoreError(f"{shown}: PostgreSQL needs the package psycopg, which is not installed; {remedy}") from None
    return Store(engine, shown)


def _set_up_writer(connection: Any, _record: object) -> None:
    connection.isolation_level = None  # transactions begin where SQLAlchemy says so, below
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")  # what a migration takes out (passwords) is overwritten, too


def _set_up_reader(connection: Any, _record: object) -> None:
    connection.isolation_level = None
    connection.execute("PRAGMA query_only = ON")


def _begin_writing(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN IMMEDIATE")


def _begin_reading(connection: Connection) -> None:
    connection.exec_driver_sql("BEGIN")


def _version(connection: Connection, shown: str) -> str | None:
    """The migration that the store is at; None for an empty database."""
    there = inspect(connection).get_table_names()
    if "alembic_version" in there:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()
    if there:
        raise StoreError(f"{shown}: a database with other tables and no store; name another one")
    return None


def _bring_to_head(store: Store, version: str | None, *, writable: bool) -> None:
    from pyrograph.fleet.store.migrate import is_known, upgrade

    if version is not None and not is_known(version):
        raise StoreError(f"{store.shown}: a newer pyrograph wrote this store (version {version}); upgrade this one")
    if not writable:
        raise StoreError(
            f"{store.shown}: the store is empty or of an earlier version; `pyrograph fleet scan` brings it up to date"
        )
    store.write(upgrade)
    if version is not None and store.engine.dialect.name == "sqlite":
        _rewrite(store)


def _rewrite(store: Store) -> None:
    """Leave out of the file what earlier versions freed in it, such as passwords. Needs as much space again."""
    connection = store.engine.raw_connection()
    try:
        with suppress(sqlite3.OperationalError):  # no space, or somebody else reads: the store works as it is
            connection.cursor().execute("VACUUM")
    finally:
        connection.close()
