"""Packages that no program of a tree links, in languages whose programs are packages with all that they import.

A binary holds its ``main`` package and what this imports, directly or not; an import for its effects alone counts. A
package that only tests import, or that only such packages import, is in none. The question is asked where the nearest
manifest around the package has a program that reads requests. Without a program its packages are a library, and what a
library imports is linked by others. So is a package that an import which nothing explains, or a generated file, which
is not analysed, may name: the last two folders of its path decide.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import Op
from pyrograph.parsers import language_of
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.declarations import Declarations
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.explain.importers import Importers


class Unlinked:
    """Answers for one program, kept by file. The first question costs a pass over its imports."""

    def __init__(
        self, importers: Importers, sources: Collection[SourceRole], declarations: Declarations | None = None
    ) -> None:
        """``declarations``: the generated files, which are not analysed."""
        self.importers = importers
        self.program = importers.program
        self.sources = sources
        self.declarations = declarations
        self.known: dict[int, bool] = {}

    def is_unlinked(self, file: int) -> bool:
        """Whether a file lies in a package that is in no program, although there is one."""
        known = self.known.get(file)
        if known is None:
            known = self.known[file] = self._is_unlinked(file)
        return known

    def _is_unlinked(self, file: int) -> bool:
        if not self.is_asked(file) or file in self.linked:
            return False
        language = self.program.files[file].language
        return not any(self.is_named(folder, language) for folder in self.importing(file))

    def is_asked(self, file: int) -> bool:
        """Whether a file, of no test, is in a language of such programs and its manifest has a program that serves."""
        is_asked = bool(self.programs_of(file)) and not self.importers.is_test[file]
        return is_asked and self.manifest(file) in self.serving

    def programs_of(self, file: int) -> frozenset[str]:
        """The names of packages that are programs, in the language of a file."""
        return language_of(self.program.files[file].language).traits.program_packages

    def manifest(self, file: int) -> tuple[str, str]:
        """The language of a file, and the nearest folder with a manifest of its package."""
        return self.program.files[file].language, self.program.modules.folder_of_package(file)

    @cached_property
    def serving(self) -> frozenset[tuple[str, str]]:
        """Those of ``manifest`` with a program, no example or test, that holds code which reads requests."""
        reading = {int(self.program.file_of_value[each.value]) for each in self.sources if each.kind in REQUEST_KINDS}
        starts: dict[tuple[str, str], list[int]] = {}
        for file in self.programs:
            if not DEVELOPMENT_PATHS.search(self.importers.paths[file]):
                starts.setdefault(self.manifest(file), []).append(file)
        return frozenset(each for each, files in starts.items() if not reading.isdisjoint(self.below(files)))

    @cached_property
    def programs(self) -> list[int]:
        """The files of packages that are programs."""
        files = self.program.files
        return [
            each
            for each, file in enumerate(files)
            if file.package in self.programs_of(each) and not self.importers.is_test[each]
        ]

    @cached_property
    def linked(self) -> frozenset[int]:
        """Files of programs, and of packages whose manifest has none: others may link these. With what both import."""
        own = [each for each in range(len(self.program.files)) if not self.importers.is_test[each]]
        return self.below([*self.programs, *(each for each in own if not self.is_asked(each))])

    def below(self, files: Iterable[int]) -> frozenset[int]:
        """The packages of ``files``, and all that these import, directly or not."""
        work = sorted({each for file in files for each in self.beside(file)})
        found = set(work)
        for each in work:  # grows by files that are new in ``found``
            fresh = self.imported.get(each, set()) - found
            found |= fresh
            work += sorted(fresh)
        return frozenset(found)

    def beside(self, file: int) -> list[int]:
        """The files of the package that a file lies in, tests apart."""
        return self.folders[self.program.files[file].language, self.folder(file)]

    def folder(self, file: int) -> str:
        return self.importers.paths[file].rpartition("/")[0]

    @cached_property
    def folders(self) -> dict[tuple[str, str], list[int]]:
        """By language and folder: its files, tests apart; of a test itself as well."""
        found: dict[tuple[str, str], list[int]] = {}
        for each, file in enumerate(self.program.files):
            own = found.setdefault((file.language, self.folder(each)), [])
            if not self.importers.is_test[each]:
                own.append(each)
        return found

    @cached_property
    def imported(self) -> dict[int, set[int]]:
        """By file, tests apart: the files of the packages that it imports."""
        found: dict[int, set[int]] = {}
        for value, file in self.imports:
            members = self.program.files_imported(value)
            found.setdefault(file, set()).update(each for each in members if not self.importers.is_test[each])
        return found

    @cached_property
    def imports(self) -> list[tuple[int, int]]:
        """The imports of files of such languages, tests apart, with these files."""
        values, files = self.program.tables["values"], self.program.files_of_values()
        rows = np.flatnonzero(values["op"] == int(Op.IMPORT)).tolist()
        places = [(value, files[value]) for value in rows]
        return [each for each in places if self.programs_of(each[1]) and not self.importers.is_test[each[1]]]

    def importing(self, file: int) -> list[str]:
        """The folder of a file, and those of packages that import it, directly or not."""
        work, by_file = list(self.beside(file)), self.importers_of
        found = set(work)
        for each in work:  # grows by files that are new in ``found``
            fresh = {other for one in by_file.get(each, ()) for other in self.beside(one)} - found
            found |= fresh
            work += sorted(fresh)
        return sorted({self.folder(each) for each in found})

    @cached_property
    def importers_of(self) -> dict[int, list[int]]:
        """``imported`` the other way round."""
        found: dict[int, list[int]] = {}
        for file, imported in self.imported.items():
            for each in imported:
                found.setdefault(each, []).append(file)
        return found

    def is_named(self, folder: str, language: str) -> bool:
        """Whether an import that means no package of the program, or a generated file, may name a folder. Nothing is
        known of the package of a manifest's own folder, whose name the manifest decides.
        """
        any_file = self.folders[language, folder][0]
        root = self.manifest(any_file)[1]
        below = folder.removeprefix(root).strip("/")
        if not below:
            return True
        end = "/".join(below.split("/")[-2:])
        if any(f"/{each}".endswith(f"/{end}") for each in self.unexplained):
            return True
        pattern = re.compile(rb"[/\"']" + re.escape(end.encode()) + rb"[\"'`]")
        return self.declarations is not None and self.declarations.may_have(pattern, language)

    @cached_property
    def unexplained(self) -> frozenset[str]:
        """What imports name that mean no package of the program."""
        imports, strings, data = (
            self.program.tables["imports"],
            self.program.strings,
            self.program.tables["values"]["data"],
        )
        return frozenset(
            strings[imports["module"][data[value]]]
            for value, _ in self.imports
            if not self.program.files_imported(value)
        )
