"""The result of one scan, as the server asks it: findings and positions by file, and which texts were analysed."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from functools import cached_property

from lsprotocol import types as lsp

from pyrograph.lsp.diagnostics import diagnostics
from pyrograph.lsp.documents import Document
from pyrograph.lsp.jobs import Scanned
from pyrograph.lsp.positions import Positions
from pyrograph.model.finding import Finding
from pyrograph.model.place import Place


class Result:
    """What a scan found. It never changes: each finished scan makes a new one."""

    def __init__(self, scanned: Scanned, encoding: str, uri_of: Callable[[str], str]) -> None:
        """``uri_of``: the URI of an absolute path, as the editor writes it."""
        self.scanned = scanned
        self.encoding = encoding
        self.uri_of = uri_of
        self._positions: dict[str, Positions | None] = {}

    def absolute(self, path: str) -> str:
        """The absolute path of a path of the report."""
        return os.path.join(self.scanned.root, *path.split("/"))

    def relative(self, absolute: str) -> str:
        """The path in the report of an absolute path below the root."""
        return os.path.relpath(absolute, self.scanned.root).replace(os.sep, "/")

    def is_of(self, document: Document) -> bool:
        """Whether the document has the text that was analysed."""
        return self.scanned.digests.get(self.relative(document.path)) == document.digest

    def reads(self, document: Document) -> bool:
        """Whether the document's file was analysed."""
        return self.relative(document.path) in self.scanned.digests

    def is_of_all(self, documents: Iterable[Document]) -> bool:
        """Whether each of the documents that were analysed has the text that was."""
        return all(self.is_of(each) for each in documents if self.reads(each))

    def positions(self, path: str) -> Positions | None:
        """Conversions for a file of the report; None where its text is not known: it has no step of a path."""
        if path not in self._positions:
            text = self.scanned.report.sources.get(path)
            found = None if text is None else Positions(text.decode("utf-8", "replace"), self.encoding)
            self._positions[path] = found
        return self._positions[path]

    def locate(self, place: Place) -> lsp.Location | None:
        """A place as a location; None where the text of its file is not known."""
        text = self.positions(place.path)
        return None if text is None else lsp.Location(self.uri_of(self.absolute(place.path)), text.range(place))

    @cached_property
    def diagnostics(self) -> dict[str, list[lsp.Diagnostic]]:
        """By absolute path, of each file that has some."""
        found = diagnostics(self.scanned.report, self.positions, self.locate)
        return {self.absolute(path): each for path, each in found.items()}

    @cached_property
    def _by_fingerprint(self) -> dict[str, Finding]:
        return {one: each for each in reversed(self.scanned.report.findings) for one in each.fingerprints}

    def finding(self, fingerprint: str) -> Finding | None:
        """The finding with a fingerprint, of any of its arguments."""
        return self._by_fingerprint.get(fingerprint)

    def findings_in(self, document: Document) -> Iterator[tuple[Finding, lsp.Range]]:
        """The findings in a document, with the ranges of their arguments."""
        path = self.relative(document.path)
        text = self.positions(path)
        if text is None:
            return
        for finding in self.scanned.report.findings:
            for place in (finding.place, *(each.place for each in finding.arguments)):
                if place.path == path:
                    yield finding, text.range(place)
