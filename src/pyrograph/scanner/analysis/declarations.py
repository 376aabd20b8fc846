"""What generated files declare of types: they are not analysed, but what they say of a field's type holds.

A folder is read when the first type of it is asked for; a program that names none costs nothing.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping

from pyrograph.parsers import language_of
from pyrograph.parsers.language import DeclaredType
from pyrograph.policy.limits.files import MAX_DECLARATIONS
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.files.read import read_text


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
        self._counted: set[str] = set()  # paths whose texts count against the limit, each once

    def find(self, folder: str, name: str, language: str) -> DeclaredType | None:
        """The type ``name`` of the generated files in ``folder``, if those that declare it agree: there may be one for
        each system. Time linear in them, the first time.
        """
        known = self._types.get((folder, language))
        if known is None:
            known = self._types[folder, language] = {}
            of = language_of(language)
            clashing: set[str] = set()
            for path in self.folders.get(folder, ()):
                if language_of_name(path) != language or of.is_test_file(path):
                    continue
                for own, declared in of.declared_types(self._text(path)).items():
                    if known.setdefault(own, declared) != declared:
                        clashing.add(own)
            for own in clashing:
                del known[own]
        return known.get(name)

    def may_have(self, pattern: re.Pattern[bytes], language: str) -> bool:
        """Whether a file of a language, no test, has ``pattern``, or is not read. Time linear in all their texts."""
        of = language_of(language)
        own = [path for path in self.files if language_of_name(path) == language and not of.is_test_file(path)]
        return any(self._is_over(path) or pattern.search(self._text(path)) is not None for path in own)

    def _is_over(self, path: str) -> bool:
        """Whether a file is larger than what may still be read."""
        return path not in self.texts and size_of(self.files[path]) > self._room

    def _text(self, path: str) -> bytes:
        """The text of a file; nothing where it is larger than what may still be read, or cannot be read."""
        if self._is_over(path):
            return b""
        text = self.texts.get(path)
        if text is None:
            text = self.texts[path] = read_text(self.files[path], path)[0] or b""
        if path not in self._counted:
            self._counted.add(path)
            self._room -= len(text)
        return text


def size_of(absolute: str) -> int:
    """The size of a file in bytes; 0 where it cannot be had."""
    try:
        return os.stat(absolute).st_size
    except OSError:
        return 0
