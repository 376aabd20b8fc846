"""A library whose model is inferred: where its source lies, what it is called, and which version it has.

Each language finds its own (``Language.library_at``, ``installed``). Nothing is imported, and no tool is started.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pyrograph.model.languages import rule_languages
from pyrograph.parsers import language_of
from pyrograph.parsers.library import LibrarySource
from pyrograph.scanner.options import ScanOptions

LEFT_OUT: Final = (  # besides ``Language.test_patterns``
    *("node_modules/", "vendor/", "test/", "tests/", "testing/", "testdata/", "examples/", "example/", "docs/"),
    *("benchmarks/", "*.min.*"),
)


class LibraryError(Exception):
    """There is no such library, or its language is not known; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Library:
    """The source of a library, and the language of its rules."""

    language: str
    source: LibrarySource

    def options(self, jobs: int) -> ScanOptions:
        """What reads its files: also build output, because some packages hold nothing else."""
        patterns = (*LEFT_OUT, *language_of(self.language).test_patterns)
        return ScanOptions(
            paths=self.source.paths,
            root=self.source.root,
            exclude=patterns,
            gitignore=False,
            default_excludes=False,
            jobs=jobs,
        )


def library_at(directory: Path, language: str | None = None, package: str | None = None) -> Library:
    """The library in a directory: a project, or an installed package.

    Raises:
        LibraryError: The language, or the name that programs import, cannot be told from the files.
    """
    directory = directory.resolve()
    chosen = language or next((each for each in rule_languages() if language_of(each).is_library(directory)), None)
    if chosen is None:
        raise LibraryError(f"the language of {directory} is not known; name it with --language")
    source = language_of(chosen).library_at(directory, package)
    if source is None:
        raise LibraryError(f"what programs import {directory} as is not known; name it with --package")
    return Library(chosen, source)


def installed(package: str, places: Sequence[Path], language: str | None = None) -> Library | None:
    """The installed library that programs import as ``package``, from the first of the places that has it."""
    for place in places:
        for each in rule_languages() if language is None else (language,):
            source = language_of(each).installed(package, place.resolve())
            if source is not None:
                return Library(each, source)
    return None


__all__ = ["Library", "LibraryError", "installed", "library_at"]
