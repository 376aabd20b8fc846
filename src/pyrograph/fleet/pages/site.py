"""All pages as files: a directory that any web server serves, or a browser opens."""

from __future__ import annotations

import gzip
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from sqlalchemy import Connection, select

from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.pages import views
from pyrograph.fleet.pages.links import Links
from pyrograph.fleet.store import Store, lists, queries
from pyrograph.fleet.store.tables import repositories, revisions
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.policy.limits.fleet import STATIC_ROWS

MARK: Final = ".pyrograph-fleet"  # a file of this name says that the directory holds such pages, and nothing else
REPORTS: Final = "reports"


def write_site(store: Store, folder: Path, now: int, rows: int = STATIC_ROWS) -> int:
    """Write the pages of the store into ``folder``; returns their number. Equal stores give equal bytes.

    Pages of an earlier store are removed. All pages show one state of the store, even while it is written.

    Raises:
        FleetError: The directory has other files.
        OSError: It cannot be written.
        StoreError: The database failed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if any(folder.iterdir()) and not (folder / MARK).is_file():
        raise FleetError(f"{folder}: the directory has other files; name a new or an empty one")
    (folder / MARK).touch()
    written = set()
    (folder / REPORTS).mkdir(exist_ok=True)
    with store.reading() as connection:
        for name, text in _pages(connection, now, rows):
            _replace(folder / name, text.encode("utf-8"))
            written.add(name)
        for digest in connection.execute(select(revisions.c.html).where(revisions.c.html.is_not(None)).distinct()):
            content = queries.report(connection, digest.html)
            name = f"{REPORTS}/{digest.html}.html"
            if content is not None and not (folder / name).exists():  # named by its content
                _replace(folder / name, gzip.decompress(content))
            written.add(name)
    for path in [*folder.glob("*.html"), *(folder / REPORTS).glob("*.html")]:
        if path.relative_to(folder).as_posix() not in written:
            path.unlink()
    return len(written)


def _pages(connection: Connection, now: int, rows: int) -> Iterator[tuple[str, str]]:
    links = Links(live=False)
    yield links.page("overview"), views.overview(connection, links, now)
    yield links.page("new"), views.new(connection, links, now, limit=rows)
    yield links.page("repositories"), views.repositories(connection, links, now, limit=rows)
    yield links.page("trouble"), views.trouble(connection, links, now, limit=rows)
    yield links.page("ages"), views.ages(connection, links, now)
    yield links.page("copies"), views.copies(connection, links, now)
    for name in ("rules", "owners"):
        yield links.page(name), views.table(connection, links, now, name)
        key = name.removesuffix("s")
        for row in queries.by(key, connection, now):
            yield links.findings(key, row["key"]), views.findings(connection, links, now, key, row["key"], limit=rows)
    for severity in SEVERITIES:
        text = views.findings(connection, links, now, "severity", severity, limit=rows)
        yield links.findings("severity", severity), text
    for row in lists.page_of_copies(connection):
        likeness = row["likeness"]
        text = views.findings(connection, links, now, "likeness", likeness, limit=rows)
        yield links.findings("likeness", likeness), text
    for number in connection.execute(select(repositories.c.id).order_by(repositories.c.id)).scalars().all():
        page = views.repository(connection, links, now, number, limit=rows)
        if page is not None:
            yield links.repository(number), page


def _replace(path: Path, content: bytes) -> None:
    """Write a file in one step."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        temporary.write_bytes(content)
        os.replace(temporary, path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
