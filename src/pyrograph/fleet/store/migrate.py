"""Migrations with Alembic: each changes the schema by one step, in ``migrations/versions``.

``python -m alembic`` is not needed: a store is brought up to date when a command opens it to write.
"""

from __future__ import annotations

from pathlib import Path

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection, text

FOLDER = Path(__file__).parent / "migrations"


def config() -> Config:
    """Alembic's configuration, which lies in no file."""
    made = Config()
    made.set_main_option("script_location", str(FOLDER).replace("%", "%%"))
    return made


def is_known(version: str) -> bool:
    """Whether this version of the program has the migration."""
    try:
        return ScriptDirectory.from_config(config()).get_revision(version) is not None
    except CommandError:
        return False


def upgrade(connection: Connection, version: str = "head") -> None:
    """Bring the store to ``version``, within the transaction of ``connection``; two programs wait for each other."""
    if connection.dialect.name == "postgresql":
        # any number that nobody else takes
        connection.execute(text("SELECT pg_advisory_xact_lock(:number)"), {"number": 7_094_118_402})
    made = config()
    made.attributes["connection"] = connection
    command.upgrade(made, version)
