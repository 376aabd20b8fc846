"""Front ends for HTML templates: the parts of its values that a template writes without escaping.

A template is read alone; the result names the templates that it includes. ``page`` defines the result, ``words`` what
filters and functions do by their names; each other module is a family of languages. Reading never raises, and takes
time linear in the text.
"""

from __future__ import annotations

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
}


def read(text: bytes, dialect: str) -> Page:
    """Values that a template writes unescaped; none for an unknown dialect."""
    reader = READERS.get(dialect)
    if reader is None:
        return Page()
    page: Page = import_module(f"{__name__}.{reader}").read(text, dialect)
    return page


def dialect_of(text: bytes) -> str:
    """The dialect of a page whose name does not tell it: by the tags in it; "" for none."""
    if b"<%" in text:
        return "ejs"
    if b"{%" in text:
        return "nunjucks"
    if any(mark in text for mark in (b"{{{", b"{{#", b"{{/", b"{{>", b"{{&")):
        return "handlebars"
    return "nunjucks" if b"{{" in text else ""


__all__ = ["READERS", "Call", "Include", "Page", "Path", "Write", "dialect_of", "is_result", "read"]
