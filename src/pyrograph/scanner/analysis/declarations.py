"""What generated files declare of types: they are not analysed, but what they say of a field's type holds.

A folder is read when the first type of it is asked for; a program that names none costs nothing.
"""

from __future__ import annotations

import posixpath
from collections.abc import Mapping

from pyrograph.parsers import language_of
from pyrograph.parsers.language import DeclaredType
from pyrograph.policy.limits.files import MAX_DECLARATIONS
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.files.discover import read_text


class Declarations:
    """The generated files of one program."""

    def __init__(self, files: Mapping[str, str], texts: dict[str, bytes]) -> None:
        """``files``: path -> absolute path. ``texts``: takes the text of each file that was read."""
        self.files = files
        self.texts = texts
        self.folders: dict[str, list[str]] = {}  # folder -> paths, in their order
        for path in files:
            self.folders.setdefault(posixpath.dirname(path), []).append(path)
        self._types: dict[tuple[str, str], dict[str, DeclaredType]] = {}  # by folder and language
        self._room = MAX_DECLARATIONS

    def find(self, folder: str, name: str, language: str) -> DeclaredType | None:
        """The type ``name`` of the generated files in ``folder``. Time linear in them, the first time."""
        known = self._types.get((folder, language))
        if known is None:
            known = self._types[folder, language] = {}
            for path in self.folders.get(folder, ()):
                if language_of_name(path) == language and (text := self._text(path)) is not None:
                    known.update(language_of(language).declared_types(text))
        return known.get(name)

    def _text(self, path: str) -> bytes | None:
        text = self.texts.get(path)
        if text is None and self._room > 0:
            text, _ = read_text(self.files[path], path)
            if text is not None:
                self.texts[path] = text
                self._room -= len(text)
        return text
