"""A program that is being reduced: files in memory, and the edits that make a smaller one."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple


class Mark(NamedTuple):
    """A place that the command names, such as a line of ``pyrograph explain``: no edit removes it."""

    path: str
    offset: int  # bytes; of a character of the line that is not blank


class Edit(NamedTuple):
    """``text`` replaces the bytes from ``start`` to ``end``."""

    start: int
    end: int
    text: bytes = b""


@dataclass(frozen=True, slots=True)
class Program:
    """Files by path, relative to a root and with ``/`` between names, and the places in them that must stay."""

    files: Mapping[str, bytes]
    marks: tuple[Mark, ...] = ()

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(map(len, self.files.values()))

    def digest(self) -> bytes:
        """Equal for programs of equal files."""
        digest = hashlib.blake2b(digest_size=16)
        for path, text in sorted(self.files.items()):
            for part in (path.encode("utf-8", "surrogatepass"), text):
                digest.update(len(part).to_bytes(8, "little") + part)
        return digest.digest()

    def pinned(self) -> set[str]:
        """The files that hold marks."""
        return {mark.path for mark in self.marks}

    def only(self, paths: Iterable[str]) -> Program:
        """The program of these files and of those that hold marks."""
        kept = {*paths, *self.pinned()}
        return Program({path: text for path, text in self.files.items() if path in kept}, self.marks)

    def edited(self, path: str, edits: Iterable[Edit]) -> Program | None:
        """The program with one file changed; None where an edit would remove a mark.

        Edits may overlap: what one removes stays removed, and an edit that starts within another one is left out.
        """
        text = self.files[path]
        pieces: list[bytes] = []
        offsets = {mark: mark.offset for mark in self.marks if mark.path == path}
        at = 0
        for edit in sorted(edits, key=lambda edit: (edit.start, -edit.end)):
            if edit.start < at and edit.end <= at:
                continue
            if edit.start < at:
                edit = Edit(at, edit.end)
            for mark in offsets:
                if edit.start <= mark.offset < edit.end:
                    return None
                if mark.offset >= edit.end:
                    offsets[mark] += len(edit.text) - (edit.end - edit.start)
            pieces += (text[at : edit.start], edit.text)
            at = edit.end
        pieces.append(text[at:])
        marks = tuple(Mark(path, offsets[mark]) if mark in offsets else mark for mark in self.marks)
        return Program({**self.files, path: b"".join(pieces)}, marks)
