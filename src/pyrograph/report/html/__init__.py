"""The report as one HTML file to look at: a list with filters, and each finding with its path as code.

The page holds everything it needs and loads nothing. Its Content-Security-Policy allows one script and one style sheet,
by their hashes, and no connection. What comes from the scan is data inside a block that is not run (``data.py``), and
the script makes text nodes of it; no text is ever read as HTML.

The page is written by hand: ``template.html``, ``style.css`` and the parts of the script, joined in the order of
``CHAPTERS``. A chapter uses only those before it, except in functions that are called after all are loaded.
"""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from functools import cache
from html import escape
from pathlib import Path
from typing import TextIO

from pyrograph import __version__
from pyrograph.model.finding import Report
from pyrograph.report.html.data import embedded

FOLDER = Path(__file__).parent
CHAPTERS = ("dom", "model", "code", "picture", "path", "prose", "detail", "overview", "list", "main")
POLICY = (
    "default-src 'none'; script-src 'sha256-{script}'; style-src 'sha256-{style}'; base-uri 'none'; form-action 'none'"
)


def render(report: Report, stream: TextIO) -> None:
    """Write ``report`` as a page. Equal reports give equal bytes. Time and space linear in the report."""
    script, style = _script(), _file("style.css")
    values = {
        "policy": escape(POLICY.format(script=_hash(script), style=_hash(style))),
        "generator": escape(f"pyrograph {__version__}"),
        "title": "pyrograph report",
        "style": style,
        "script": script,
    }
    # Each part is filled in by itself, so that no text is searched for the marks of another.
    for index, part in enumerate(re.split(r"\{\{(\w+)\}\}", _file("template.html"))):
        if not index % 2:
            stream.write(part)
        elif part == "data":
            stream.writelines(embedded(report))
        else:
            stream.write(values[part])


@cache
def _file(name: str) -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def _script() -> str:
    chapters = "\n".join(_file(f"{name}.js") for name in CHAPTERS)
    return f'(() => {{\n"use strict";\n{chapters}}})();\n'


def _hash(text: str) -> str:
    return b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")
