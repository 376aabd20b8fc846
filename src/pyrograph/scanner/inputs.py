"""Files and libraries that a program needs besides its units: texts, manifests, roots of imported libraries."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pyrograph.parsers import language_of, manifests
from pyrograph.rules.load import FORK
from pyrograph.scanner.analysis.lower import Lowered
from pyrograph.scanner.files.discover import Discovery
from pyrograph.scanner.options import ScanOptions

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.link import Program


class TextReader(dict[str, bytes]):
    """Texts by path, as they were analysed. Keeps those that were read, for the excerpts of the report."""

    def __init__(self, lowered: Sequence[Lowered], templates: Mapping[str, bytes]) -> None:
        super().__init__()
        self.templates = templates
        self.files = {each.file.path: each for each in lowered}

    def get(self, path: str, default: bytes = b"") -> bytes:  # type: ignore[override]
        if path not in self and path in self.files:
            self[path] = self.files[path].text
        elif path not in self and path in self.templates:
            self[path] = self.templates[path]
        return super().get(path, default)


def read_manifests(options: ScanOptions, found: Discovery) -> dict[str, bytes]:
    """The manifest files in the directories of the scanned files and above them, up to the root."""
    directories: set[str] = set()
    for file in found.files:
        if not language_of(file.language).manifests:
            continue
        directory = posixpath.dirname(file.path)
        while directory not in directories:
            directories.add(directory)
            directory = posixpath.dirname(directory)
    found_manifests = {}
    for directory in sorted(directories):
        for name in manifests():
            path = options.root / directory / name
            try:
                if path.is_file() and not path.is_symlink() and path.stat().st_size < 1_000_000:
                    found_manifests[posixpath.join(directory, name)] = path.read_bytes()
            except OSError:
                continue
    return found_manifests


def library_roots(program: Program) -> set[str]:
    """The roots of the libraries that the program imports."""
    languages = [language_of(name) for name in sorted({file.language for file in program.files})]
    roots: set[str] = set()
    for index in set(program.tables["imports"]["module"].tolist()):
        module = program.strings[index]
        for language in languages:
            roots.update(language.library_roots(module))
            if name := language.forked(language.library_path(module)[0]):
                roots.add(FORK + name)
    return roots
