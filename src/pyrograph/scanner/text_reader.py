"""Texts as they were analysed: for the answers of stages and for the excerpts of the report."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.lower import Lowered


class TextReader(dict[str, bytes]):
    """Texts by path, as they were analysed. Keeps those that were read, for the excerpts of the report."""

    def __init__(self, lowered: Sequence[Lowered], templates: Mapping[str, bytes]) -> None:
        super().__init__()
        self.templates = templates
        self.files = {each.file.path: each for each in lowered}
        self.searched: dict[str, dict[str, bool]] = {}  # pattern -> path -> the answer of ``has``
        self.pieces: dict[str, set[tuple[int, int]]] = {}  # path -> the spans that ``piece`` was asked for

    def get(self, path: str, default: bytes = b"") -> bytes:  # type: ignore[override]
        if path not in self and path in self.files:
            self[path] = self.files[path].text
        elif path not in self and path in self.templates:
            self[path] = self.templates[path]
        return super().get(path, default)

    def has(self, path: str, pattern: re.Pattern[bytes]) -> bool:
        """Whether a text has ``pattern``, which sets its flags itself. Such a text does not count as read."""
        known = self.searched.setdefault(pattern.pattern.decode("latin-1"), {})
        if path not in known:
            known[path] = pattern.search(self._text(path)) is not None
        return known[path]

    def piece(self, path: str, start: int, end: int) -> bytes:
        """Bytes ``start:end`` of a text. Such a text does not count as read: its other bytes may change."""
        self.pieces.setdefault(path, set()).add((start, end))
        return self._text(path)[start:end]

    def _text(self, path: str) -> bytes:
        return self.files[path].text if path in self.files else self.templates.get(path, b"")
