"""Entry points above the functions that handle requests."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types as lsp

from pyrograph.lsp.actions import SHOW_PATH
from pyrograph.lsp.positions import Positions
from pyrograph.model.entry import Surface
from pyrograph.model.finding import Report
from pyrograph.model.words import plural
from pyrograph.report.safe_text import visible


def lenses(report: Report, path: str, uri: str, text: Positions, wanted: Callable[[str], bool]) -> list[lsp.CodeLens]:
    """A lens for each entry point in a file, in order of places; it shows the path of the first finding behind it.

    ``wanted``: whether a fingerprint is that of a finding that the server can show.
    """
    found = []
    for each in sorted(report.surface, key=lambda each: (each.entry.place, each.entry)):
        if each.entry.place.path == path:
            found.append(lsp.CodeLens(text.range(each.entry.place), _command(each, uri, wanted)))
    return found


def _command(each: Surface, uri: str, wanted: Callable[[str], bool]) -> lsp.Command:
    findings = [one for one in each.findings if wanted(one)]
    count = plural(len(findings), "finding") if findings else ""
    title = " · ".join(part for part in (visible(each.entry.name), each.entry.check, count) if part)
    return lsp.Command(title, SHOW_PATH, arguments=[uri, findings[0]]) if findings else lsp.Command(title, "")
