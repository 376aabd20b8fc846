"""Takes passwords out of addresses, names and reasons, which earlier versions stored as the fleet file has them."""

from __future__ import annotations

import re

import sqlalchemy as sa
from alembic import op

from pyrograph.fleet.address import shown, without_secrets
from pyrograph.fleet.targets import name_of_address

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


_REPOSITORIES = sa.table(
    "repositories", sa.column("id", sa.BigInteger), sa.column("name", sa.Text), sa.column("source", sa.Text)
)
_REVISIONS = sa.table("revisions", sa.column("id", sa.BigInteger), sa.column("repository_id", sa.BigInteger))
_SCANS = sa.table(
    "scans", sa.column("id", sa.BigInteger), sa.column("revision_id", sa.BigInteger), sa.column("reason", sa.Text)
)


def upgrade() -> None:
    """Write each address anew that changes, also in names made of one and in reasons; directories stay as they are."""
    connection = op.get_bind()
    names = set(connection.execute(sa.select(_REPOSITORIES.c.name)).scalars())
    addresses = sa.select(_REPOSITORIES).where(_REPOSITORIES.c.source.like("%://%"))
    sources = {}
    for number, name, source in connection.execute(addresses.order_by(_REPOSITORIES.c.id)).all():
        sources[number] = source
        new = name_of_address(source) if name == _earlier_name(source) else name
        if new != name and new in names:  # the same repository with another query: the next run scans that one
            new = f"{new} ({number})"
        names.add(new)
        if (new, shown(source)) != (name, source):
            changed = sa.update(_REPOSITORIES).where(_REPOSITORIES.c.id == number)
            connection.execute(changed.values(name=new, source=shown(source)))
    reasons = (
        sa.select(_SCANS.c.id, _SCANS.c.reason, _REVISIONS.c.repository_id)
        .select_from(_SCANS.join(_REVISIONS, _SCANS.c.revision_id == _REVISIONS.c.id))
        .where(_SCANS.c.reason.like("%://%"))
    )
    for number, reason, repository in connection.execute(reasons).all():
        source = sources.get(repository, "")
        cleaned = without_secrets(reason.replace(source, shown(source)) if source else reason)
        if cleaned != reason:
            connection.execute(sa.update(_SCANS).where(_SCANS.c.id == number).values(reason=cleaned))


def _earlier_name(address: str) -> str:
    """The name that earlier versions gave an address."""
    match = re.fullmatch(r"(?:[\w+.-]+://)?(?:[^/@]*@)?([^/:]*)(?::\d+(?=/))?[/:]*(.*?)(?:\.git)?/*", address)
    return "/".join(part for part in match.groups() if part) if match else address
