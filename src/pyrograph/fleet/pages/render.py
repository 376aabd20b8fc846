"""Templates to text: all is escaped, a name that is not given is an error, the policy allows one style sheet."""

from __future__ import annotations

import hashlib
import time
from base64 import b64encode
from functools import cache
from pathlib import Path
from typing import Any, Final

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from pyrograph import __version__
from pyrograph.fleet.pages.links import PAGES, Links
from pyrograph.fleet.store.tables import DAY
from pyrograph.report.safe_text import visible

FOLDER: Final = Path(__file__).parent
TITLES: Final = {
    "overview": "Overview",
    "new": "New",
    "repositories": "Repositories",
    "rules": "Rules",
    "owners": "Owners",
    "ages": "Age",
    "copies": "Same code",
    "trouble": "Not scanned",
}


def page(
    template: str, links: Links, now: int, *, title: str, here: str = "", form: str = "'none'", **values: Any
) -> str:
    """One page. ``here``: the entry of the navigation that it belongs to."""
    return (
        _environment()
        .get_template(f"{template}.html")
        .render(
            links=links,
            now=now,
            title=title,
            navigation=[(name, TITLES[name], links.page(name), name == here) for name in PAGES],
            policy=policy(form),
            style=Markup(style()),
            version=__version__,
            **values,
        )
    )


def policy(form: str = "'none'") -> str:
    """The Content-Security-Policy of a page; ``form``: where its forms may be sent."""
    digest = b64encode(hashlib.sha256(style().encode("utf-8")).digest()).decode("ascii")
    return f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action {form}"


@cache
def style() -> str:
    return (FOLDER / "style.css").read_text(encoding="utf-8")


@cache
def _environment() -> Environment:
    made = Environment(
        loader=FileSystemLoader(FOLDER / "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters.update(date=_date, day=lambda day: _date(day * DAY), number=lambda count: f"{count:,}", shown=visible)
    return made


def _date(seconds: int | None) -> str:
    """A day, in UTC; "never" for None.

    >>> _date(0)
    '1970-01-01'
    """
    return "never" if seconds is None else time.strftime("%Y-%m-%d", time.gmtime(seconds))
