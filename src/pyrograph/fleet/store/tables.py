"""The schema of the store. Times are seconds since 1970 UTC, days are 86,400 of them, digests are hexadecimal.

A *revision* is one line of development of a repository that is scanned again and again: the work tree (``""``), a
branch, a tag. A finding belongs to a revision and is known there by its fingerprint: its row stays for ever, and its
``state`` says what became of it.
"""

from __future__ import annotations

from typing import Final, Literal

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

HEAD: Final = "0002"  # the newest migration
DAY: Final = 86_400  # seconds

State = Literal["open", "fixed", "dismissed"]  # dismissed: a comment, a baseline or a mark says that it does no harm


METADATA: Final = MetaData()
_NUMBER = BigInteger().with_variant(Integer, "sqlite")  # SQLite numbers rows by INTEGER alone

runs = Table(
    "runs",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("fleet", Text, nullable=False),  # absolute path of the fleet file
    Column("started", BigInteger, nullable=False),
    Column("ended", BigInteger),  # null: it was stopped, and the next run goes on with it
    Index("runs_by_fleet", "fleet", "id"),
)

repositories = Table(
    "repositories",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("source", Text, nullable=False),  # path, or address without a password
)

revisions = Table(
    "revisions",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("repository_id", ForeignKey("repositories.id"), nullable=False),
    Column("name", Text, nullable=False),  # "" for the work tree, or the default branch of an address
    Column("scanned", BigInteger),  # time of the last scan with status "done": when its open findings were last seen
    # Of the last scan; copied here, because lists of repositories show them.
    Column("scan_id", BigInteger),
    Column("status", Text, nullable=False, server_default=""),
    Column("html", Text),  # digest of the newest HTML report
    UniqueConstraint("repository_id", "name"),
    Index("revisions_by_status", "status"),
)

reports = Table(
    "reports",
    METADATA,
    Column("digest", Text, primary_key=True),  # of ``content``
    Column("content", LargeBinary, nullable=False),  # gzip of a JSON or an HTML report
)

scans = Table(
    "scans",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("run_id", ForeignKey("runs.id"), nullable=False),
    Column("revision_id", ForeignKey("revisions.id"), nullable=False),
    Column("status", Text, nullable=False),  # ``Status``
    Column("reason", Text, nullable=False),  # why it is not "done", or what the scan said besides
    Column("commit", Text, nullable=False),  # "" where there is no git
    Column("version", Text, nullable=False),  # of the scanner
    Column("at", BigInteger, nullable=False),
    Column("seconds", Float, nullable=False),  # wall-clock, of the job
    Column("cpu_seconds", Float, nullable=False),
    Column("peak_bytes", BigInteger, nullable=False),  # largest resident size of one process
    Column("size", BigInteger, nullable=False),  # bytes of source, as it was estimated before the scan
    Column("files", Integer, nullable=False),
    Column("lines", BigInteger, nullable=False),
    Column("complete", Boolean, nullable=False),
    Column("json", ForeignKey("reports.digest")),  # null unless "done"
    Column("html", ForeignKey("reports.digest")),
    UniqueConstraint("run_id", "revision_id"),
    Index("scans_by_revision", "revision_id", "id"),
)

findings = Table(
    "findings",
    METADATA,
    Column("id", _NUMBER, primary_key=True),
    Column("revision_id", ForeignKey("revisions.id"), nullable=False),
    Column("repository_id", ForeignKey("repositories.id"), nullable=False),
    Column("fingerprint", Text, nullable=False),
    Column("likeness", Text, nullable=False),  # the same for the same code in any repository; "" not known
    Column("rule", Text, nullable=False),
    Column("severity", Text, nullable=False),
    Column("confidence", Text, nullable=False),
    Column("path", Text, nullable=False),
    Column("line", Integer, nullable=False),
    Column("column", Integer, nullable=False),
    Column("message", Text, nullable=False),
    Column("owner", Text, nullable=False),  # whom CODEOWNERS names for the path, as it lists them; "" nobody
    Column("state", Text, nullable=False),  # ``State``
    Column("verdict", Text, nullable=False),  # of a mark in this store: "true", "false", "later"; "" none
    Column("reason", Text, nullable=False),  # why it is dismissed, or the reason of the mark
    Column("first_seen", BigInteger, nullable=False),
    Column("last_seen", BigInteger),  # null while the last scan has it: ``revisions.scanned`` is it then
    Column("fixed_at", BigInteger),
    UniqueConstraint("revision_id", "fingerprint"),
    # Each list of the pages reads one of these from the end: newest first.
    Index("findings_by_state", "state", "first_seen", "id"),
    Index("findings_by_severity", "state", "severity", "first_seen", "id"),
    Index("findings_by_rule", "rule", "state", "first_seen", "id"),
    Index("findings_by_owner", "owner", "state", "first_seen", "id"),
    Index("findings_by_repository", "repository_id", "state", "first_seen", "id"),
    Index("findings_by_likeness", "likeness", "state", "first_seen", "id"),
)

marks = Table(
    "marks",
    METADATA,
    Column("repository_id", ForeignKey("repositories.id"), primary_key=True),
    Column("fingerprint", Text, primary_key=True),
    Column("verdict", Text, nullable=False),  # "true", "false", "later"
    Column("reason", Text, nullable=False),
    Column("at", BigInteger, nullable=False),
)

totals = Table(
    "totals",
    METADATA,
    Column("dimension", Text, primary_key=True),  # see ``totals.py``
    Column("day", Integer, primary_key=True),  # -1: all days
    Column("key", Text, primary_key=True),
    Column("count", BigInteger, nullable=False),
)

copies = Table(  # code with open findings in two repositories and more
    "copies",
    METADATA,
    Column("likeness", Text, primary_key=True),
    Column("rule", Text, nullable=False),
    Column("repositories", Integer, nullable=False),
    Column("findings", Integer, nullable=False),
    Column("day", Integer, nullable=False),  # on which it was first seen
    Index("copies_by_spread", "repositories", "findings", "likeness"),
)
