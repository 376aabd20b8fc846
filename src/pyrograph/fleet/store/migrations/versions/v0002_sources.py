"""Takes passwords out of the addresses of repositories, which earlier versions stored as the fleet file has them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from pyrograph.fleet.address import without_secrets

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Write each address anew that changes; directories stay as they are."""
    table = sa.table("repositories", sa.column("id", sa.BigInteger), sa.column("source", sa.Text))
    connection = op.get_bind()
    addresses = sa.select(table.c.id, table.c.source).where(table.c.source.like("%://%"))
    for number, source in connection.execute(addresses).all():
        shown = without_secrets(source)
        if shown != source:
            connection.execute(sa.update(table).where(table.c.id == number).values(source=shown))
