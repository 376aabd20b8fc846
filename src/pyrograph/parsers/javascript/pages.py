"""Files that may hold scripts besides other text."""

from __future__ import annotations

from typing import Final

# Pages, and templates of them. Their scripts are programs of their own: nothing imports them.
PAGES: Final = (
    *(".html", ".htm", ".xhtml", ".tpl", ".tmpl", ".gohtml", ".gotmpl"),
    *(".ejs", ".eta", ".njk", ".nunjucks", ".nunj", ".jinja", ".jinja2", ".j2", ".twig", ".swig", ".liquid"),
    *(".hbs", ".handlebars", ".mustache"),
)
COMPONENTS: Final = (".vue", ".svelte")  # each exports what its script does, or itself; other files import them


def is_page(path: str) -> bool:
    """Whether a file is a page, by its suffix."""
    return path.lower().endswith(PAGES)
