"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")


def upgrade() -> None:
    """Make all tables. What is here never changes again: a later change is a migration of its own."""
    op.create_table(
        "runs",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("fleet", sa.Text, nullable=False),
        sa.Column("started", sa.BigInteger, nullable=False),
        sa.Column("ended", sa.BigInteger),
    )
    op.create_index("runs_by_fleet", "runs", ["fleet", "id"])
    op.create_table(
        "repositories",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("name", sa.Text, nullable=False, unique=True),
        sa.Column("source", sa.Text, nullable=False),
    )
    op.create_table(
        "revisions",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("repository_id", _NUMBER, sa.ForeignKey("repositories.id"), nullable=False),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("scanned", sa.BigInteger),
        sa.Column("scan_id", sa.BigInteger),
        sa.Column("status", sa.Text, nullable=False, server_default=""),
        sa.Column("html", sa.Text),
        sa.UniqueConstraint("repository_id", "name"),
    )
    op.create_index("revisions_by_status", "revisions", ["status"])
    op.create_table(
        "reports",
        sa.Column("digest", sa.Text, primary_key=True),
        sa.Column("content", sa.LargeBinary, nullable=False),
    )
    _scans()
    _findings()
    op.create_table(
        "marks",
        sa.Column("repository_id", _NUMBER, sa.ForeignKey("repositories.id"), primary_key=True),
        sa.Column("fingerprint", sa.Text, primary_key=True),
        sa.Column("verdict", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "totals",
        sa.Column("dimension", sa.Text, primary_key=True),
        sa.Column("day", sa.Integer, primary_key=True),
        sa.Column("key", sa.Text, primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "copies",
        sa.Column("likeness", sa.Text, primary_key=True),
        sa.Column("rule", sa.Text, nullable=False),
        sa.Column("repositories", sa.Integer, nullable=False),
        sa.Column("findings", sa.Integer, nullable=False),
        sa.Column("day", sa.Integer, nullable=False),
    )
    op.create_index("copies_by_spread", "copies", ["repositories", "findings", "likeness"])


def _scans() -> None:
    op.create_table(
        "scans",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("run_id", _NUMBER, sa.ForeignKey("runs.id"), nullable=False),
        sa.Column("revision_id", _NUMBER, sa.ForeignKey("revisions.id"), nullable=False),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("commit", sa.Text, nullable=False),
        sa.Column("version", sa.Text, nullable=False),
        sa.Column("at", sa.BigInteger, nullable=False),
        sa.Column("seconds", sa.Float, nullable=False),
        sa.Column("cpu_seconds", sa.Float, nullable=False),
        sa.Column("peak_bytes", sa.BigInteger, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("files", sa.Integer, nullable=False),
        sa.Column("lines", sa.BigInteger, nullable=False),
        sa.Column("complete", sa.Boolean, nullable=False),
        sa.Column("json", sa.Text, sa.ForeignKey("reports.digest")),
        sa.Column("html", sa.Text, sa.ForeignKey("reports.digest")),
        sa.UniqueConstraint("run_id", "revision_id"),
    )
    op.create_index("scans_by_revision", "scans", ["revision_id", "id"])


def _findings() -> None:
    op.create_table(
        "findings",
        sa.Column("id", _NUMBER, primary_key=True),
        sa.Column("revision_id", _NUMBER, sa.ForeignKey("revisions.id"), nullable=False),
        sa.Column("repository_id", _NUMBER, sa.ForeignKey("repositories.id"), nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("fingerprint", "likeness", "rule", "severity")),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("confidence", "path")),
        sa.Column("line", sa.Integer, nullable=False),
        sa.Column("column", sa.Integer, nullable=False),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("message", "owner", "state", "verdict", "reason")),
        sa.Column("first_seen", sa.BigInteger, nullable=False),
        sa.Column("last_seen", sa.BigInteger),
        sa.Column("fixed_at", sa.BigInteger),
        sa.UniqueConstraint("revision_id", "fingerprint"),
    )
    for name, columns in (
        ("state", ["state", "first_seen", "id"]),
        ("severity", ["state", "severity", "first_seen", "id"]),
        ("rule", ["rule", "state", "first_seen", "id"]),
        ("owner", ["owner", "state", "first_seen", "id"]),
        ("repository", ["repository_id", "state", "first_seen", "id"]),
        ("likeness", ["likeness", "state", "first_seen", "id"]),
    ):
        op.create_index(f"findings_by_{name}", "findings", columns)
