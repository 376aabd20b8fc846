"""The pages: each asks the store, and fills in one template."""

from __future__ import annotations

from sqlalchemy import Connection

from pyrograph.fleet.pages import chart
from pyrograph.fleet.pages.links import Links
from pyrograph.fleet.pages.render import TITLES, page
from pyrograph.fleet.store import lists, queries
from pyrograph.fleet.store.lists import Filter, Place
from pyrograph.fleet.store.tables import DAY
from pyrograph.model.vulnerability import SEVERITIES
from pyrograph.policy.limits.fleet import FLEET_PAGE, NEW_DAYS, OVERVIEW_ROWS

NOBODY = "nobody"  # findings whose path CODEOWNERS does not name


def overview(connection: Connection, links: Links, now: int) -> str:
    """Numbers, the trend, and the beginning of the tables."""
    weeks = queries.trend(connection, now)
    return page(
        "overview",
        links,
        now,
        title="Fleet",
        here="overview",
        counts=queries.counts(connection, now),
        weeks=weeks,
        trend=chart.trend(weeks),
        rules=queries.by("rule", connection, now, limit=OVERVIEW_ROWS),
        owners=queries.by("owner", connection, now, limit=OVERVIEW_ROWS),
        repositories=lists.page_of_repositories(connection, limit=OVERVIEW_ROWS)[0],
        copies=lists.page_of_copies(connection, limit=OVERVIEW_ROWS),
    )


def new(connection: Connection, links: Links, now: int, before: Place | None = None, limit: int = FLEET_PAGE) -> str:
    """Open findings that were first seen within the last week."""
    since = (now // DAY - NEW_DAYS + 1) * DAY
    rows, following = lists.page_of_findings(connection, Filter(), before=before, since=since, limit=limit)
    return page(
        "findings",
        links,
        now,
        title=f"New within {NEW_DAYS} days",
        here="new",
        rows=rows,
        states=(),
        more=_more(links, following, links.new),
    )


def repositories(
    connection: Connection, links: Links, now: int, after: tuple[int, int] | None = None, limit: int = FLEET_PAGE
) -> str:
    """Repositories with open findings, most first."""
    rows, following = lists.page_of_repositories(connection, after=after, limit=limit)
    return page(
        "repositories",
        links,
        now,
        title=TITLES["repositories"],
        here="repositories",
        rows=rows,
        more=_more(links, following, links.repositories),
    )


def trouble(
    connection: Connection, links: Links, now: int, before: Place | None = None, limit: int = FLEET_PAGE
) -> str:
    """Repositories whose last scan did not succeed: why, and since when nothing is known of them."""
    rows, following = lists.page_of_trouble(connection, before=before, limit=limit)
    return page(
        "trouble",
        links,
        now,
        title=TITLES["trouble"],
        here="trouble",
        statuses=queries.trouble(connection),
        rows=rows,
        more=_more(links, following, links.trouble),
    )


def repository(connection: Connection, links: Links, now: int, number: int, limit: int = FLEET_PAGE) -> str | None:
    """One repository: revisions, scans, open findings; None where there is none."""
    revisions = lists.revisions_of(connection, number)
    if not revisions:
        return None
    wanted = Filter(repository=number)
    rows, following = lists.page_of_findings(connection, wanted, limit=limit)
    return page(
        "repository",
        links,
        now,
        title=revisions[0]["name"],
        here="repositories",
        revisions=revisions,
        scans=lists.scans_of(connection, number),
        rows=rows,
        number=number,
        more=_more(links, following, lambda place: links.findings("repository", number, before=place)),
    )


def table(connection: Connection, links: Links, now: int, name: str) -> str:
    """Open findings by ``name``: "rules" or "owners"."""
    key = name.removesuffix("s")
    rows = queries.by(key, connection, now)
    sizes = chart.bars([row["open"] for row in rows])
    return page("table", links, now, title=TITLES[name], here=name, key=key, rows=rows, sizes=sizes)


def ages(connection: Connection, links: Links, now: int) -> str:
    """Open findings by age and severity."""
    severities = tuple(reversed(SEVERITIES))
    groups = queries.ages(connection, now)
    sizes = chart.bars([sum(group[each] for each in severities) for group in groups])
    return page(
        "ages", links, now, title=TITLES["ages"], here="ages", groups=groups, severities=severities, sizes=sizes
    )


def copies(connection: Connection, links: Links, now: int, limit: int = FLEET_PAGE) -> str:
    """The same vulnerable code in several repositories."""
    rows = lists.page_of_copies(connection, limit)
    return page("copies", links, now, title=TITLES["copies"], here="copies", rows=rows)


def findings(
    connection: Connection,
    links: Links,
    now: int,
    key: str,
    value: str | int,
    *,
    state: str = "open",
    before: Place | None = None,
    limit: int = FLEET_PAGE,
) -> str:
    """The findings whose ``key`` (of ``Filter``) is ``value``."""
    wanted = Filter(state=state, **{key: value})  # type: ignore[arg-type]
    rows, following = lists.page_of_findings(connection, wanted, before=before, limit=limit)
    states = ("open", "fixed", "dismissed") if links.live else ()
    return page(
        "findings",
        links,
        now,
        title=f"{key}: {value if value != '' else NOBODY}",
        rows=rows,
        states=[(each, links.findings(key, value, state=each), each == state) for each in states],
        more=_more(links, following, lambda place: links.findings(key, value, state=state, before=place)),
    )


def _more(links: Links, place: object, link: object) -> tuple[str, str]:
    """The link to the next page, and its text; on a static page, that there are more. Both empty at the end."""
    if place is None:
        return "", ""
    if not links.live:
        return "", "Older ones are left out here: `pyrograph fleet serve` and `pyrograph fleet export` have them."
    assert callable(link)
    return str(link(place)), "Next page"
