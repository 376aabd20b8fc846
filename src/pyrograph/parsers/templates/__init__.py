"""Front ends for HTML templates: the parts of its values that a template writes without escaping.

A template is read alone; the result names the templates that it includes. ``page`` defines the result, ``words`` what
filters and functions do by their names; each other module is a family of languages. Reading never raises, and takes
time linear in the text.
"""

from __future__ import annotations

import posixpath
from importlib import import_module
from typing import Final

from pyrograph.parsers.templates.page import Call, Include, Page, Path, Write, is_result

READERS: Final = {  # dialect -> module
    "jinja": "tags",
    "django": "tags",
    "nunjucks": "tags",
    "twig": "tags",
    "liquid": "tags",
    "tornado": "tags",
    "handlebars": "braces",
    "mustache": "braces",
    "ejs": "ejs",
    "pug": "pug",
    "html-template": "actions",
    "text-template": "actions",
    "jinja-unescaped": "tags",
    "jinja-by-suffix": "tags",
    "jinjax": "tags",
    "jinjax-unescaped": "tags",
}
SETTINGS: Final = {  # dialect -> the one that suffixes of files name, of which it is a setting
    "jinja-unescaped": "jinja",
    "jinja-by-suffix": "jinja",
    "jinjax": "jinja",
    "jinjax-unescaped": "jinja",
}
DOTTED: Final = frozenset({"jinjax", "jinjax-unescaped"})  # dialects whose names of templates have dots for slashes
ESCAPED_SUFFIXES: Final = (".html", ".htm", ".xml", ".xhtml", ".svg")  # of "jinja-by-suffix", that are escaped
SEARCHED: Final = frozenset(  # dialects whose names of templates begin in the folders of a loader, but for "./x"
    {"jinja", "jinja-unescaped", "jinja-by-suffix", "django", "nunjucks", "liquid"}
)
TOLD: Final = {"jinja-by-suffix": ("jinja-unescaped", "jinja")}  # engine -> what it is where escaping is off, and on
SETTABLE: Final = frozenset({"nunjucks", "twig", "tornado"})  # dialects that a setting of the program turns off


def read(text: bytes, dialect: str, *, escapes: bool | None = None) -> Page:
    """Values that a template writes unescaped; none for an unknown dialect.

    ``escapes``: what the program says of all templates whose dialect can be told so; None: nothing.
    """
    reader = READERS.get(dialect)
    if reader is None:
        return Page()
    page: Page
    if escapes is not None and dialect in SETTABLE:
        page = import_module(f"{__name__}.{reader}").read(text, dialect, escapes=escapes)
    else:
        page = import_module(f"{__name__}.{reader}").read(text, dialect)
    return page


def dialect_of_file(path: str, text: bytes, named: str, engine: str) -> str:
    """The dialect of a file that an ``engine`` fills; ``named``: the dialect that its suffix names, or ""."""
    if engine == "any" or (named and SETTINGS.get(engine) != named):
        return named or (dialect_of(text) if engine == "any" else engine)
    return "jinja-unescaped" if engine == "jinja-by-suffix" and is_raw_page(path, text) else engine


def is_raw_page(path: str, text: bytes) -> bool:
    """Whether a file is a page of markup with a suffix that turns escaping off, where the suffix decides.

    ``page.jinja2`` and ``page.html.j2`` are; ``settings.yaml.j2`` and ``letter.j2`` without an element are none.
    """
    stem, suffix = posixpath.splitext(path.lower())
    if suffix in ESCAPED_SUFFIXES or b"</" not in text:
        return False
    return posixpath.splitext(stem)[1] in ("", *ESCAPED_SUFFIXES)


def dialect_of(text: bytes) -> str:
    """The dialect of a page whose name does not tell it: by the tags in it; "" for none."""
    if b"<%" in text:
        return "ejs"
    if b"{%" in text:
        return "nunjucks"
    if any(mark in text for mark in (b"{{{", b"{{#", b"{{/", b"{{>", b"{{&")):
        return "handlebars"
    return "nunjucks" if b"{{" in text else ""


__all__ = [
    "DOTTED",
    "READERS",
    "SEARCHED",
    "SETTINGS",
    "Call",
    "Include",
    "Page",
    "Path",
    "Write",
    "dialect_of",
    "dialect_of_file",
    "is_result",
    "read",
]
