"""Alembic's entry: runs migrations on the connection that ``migrate.upgrade`` hands over."""

from __future__ import annotations

from alembic import context

from pyrograph.fleet.store.tables import METADATA

context.configure(connection=context.config.attributes["connection"], target_metadata=METADATA, render_as_batch=True)
context.run_migrations()
