"""The files of the program and their languages, by value."""

from __future__ import annotations

from collections.abc import Iterable

from pyrograph.parsers import language_of
from pyrograph.parsers.traits import Traits
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.scanner.analysis.link import Program


class Files:
    """Which file a value is in, and what holds for the language of that file. Never changes."""

    def __init__(self, program: Program, languages: Iterable[str]) -> None:
        """``languages``: those that packs describe."""
        self.file_of = program.files_of_values()
        self.languages = [file.language for file in program.files]
        self.traits = [language_of(file.language).traits for file in program.files]
        self.tests = [language_of(file.language).is_test_file(file.path) for file in program.files]
        # the same, and files that their paths show to be tests
        self.testing = [
            is_test or TEST_PATHS.search(file.path) is not None
            for is_test, file in zip(self.tests, program.files, strict=True)
        ]
        self.builtins = {name: language_of(name).builtins for name in languages}  # roots of APIs that need no import

    def language_of(self, value: int) -> str:
        return self.languages[self.file_of[value]]

    def traits_of(self, value: int) -> Traits:
        """The facts about the language of the file that ``value`` is in."""
        return self.traits[self.file_of[value]]
