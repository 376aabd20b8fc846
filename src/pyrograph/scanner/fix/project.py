"""What the scanned tree says of its libraries and of the form of its code, in files that are no code of it.

Read when the first edit asks, each file once. Which names such files have, the language says (``Editing``).
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Mapping, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from typing import Final

from pyrograph.policy.limits.fixes import MAX_PROJECT_FILE, MAX_PROJECT_FOLDERS
from pyrograph.scanner.files.classify import DEFAULT_EXCLUDED

_SEPARATORS: Final = re.compile(r"[-_.]+")


class Project:
    """Files by path, relative to the root, that declare libraries or configure formatters."""

    def __init__(self, root: str | None, texts: Mapping[str, bytes] | None = None) -> None:
        """``root``: absolute, None where nothing is to be read. ``texts``: what is known already."""
        self._root = root
        self._texts = dict(texts or {})
        self._paths: list[str] | None = None

    def declares(self, library: str, patterns: Sequence[str]) -> bool | None:
        """Whether a file whose name matches one of the patterns names a library; None where there is no such file."""
        found = [each for each in self._all() if any(fnmatchcase(posixpath.basename(each), one) for one in patterns)]
        name = rb"[-_.]+".join(re.escape(part.encode()) for part in _SEPARATORS.split(library))
        word = re.compile(rb"(?i)(?<![\w.-])" + name + rb"(?![\w.-]*[\w-])")
        return any(word.search(self._text(each)) for each in found) if found else None

    def setting(self, path: str, names: Sequence[str], pattern: str) -> str | None:
        """The group of the first match in the files of these names that stand nearest above a file of code."""
        folder = posixpath.dirname(path)
        every = set(self._all())
        while True:
            for name in names:
                at = posixpath.join(folder, name)
                if at in every and (match := re.search(pattern, self._text(at).decode("utf-8", "replace"))):
                    return match[1]
            if not folder:
                return None
            folder = posixpath.dirname(folder)

    def _text(self, path: str) -> bytes:
        if path not in self._texts:
            try:
                with open(os.path.join(self._root or "", path), "rb") as file:
                    self._texts[path] = file.read(MAX_PROJECT_FILE)
            except OSError:
                self._texts[path] = b""
        return self._texts[path]

    def _all(self) -> list[str]:
        if self._paths is None:
            self._paths = sorted({*self._texts, *self._listed()})
        return self._paths

    def _listed(self) -> list[str]:
        """All files of the tree without folders that are hidden or hold the libraries themselves."""
        found: list[str] = []
        if self._root is None:
            return found
        for folder, inner, files in islice(os.walk(self._root), MAX_PROJECT_FOLDERS):
            inner[:] = sorted(each for each in inner if not each.startswith(".") and each not in DEFAULT_EXCLUDED)
            relative = os.path.relpath(folder, self._root).replace(os.sep, "/")
            found += [each if relative == "." else f"{relative}/{each}" for each in files]
        return found
