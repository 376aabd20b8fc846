"""Folders without the file that makes a folder a package, ``__init__.py`` in Python, that nothing loads.

Where the other folders of a package have such a file, what walks packages leaves out one that has none, as one whose
``__init__.py`` was renamed. Nothing loads its modules if no other code imports them, either. One of them must
import from the package around the folder (``from ..models import User``), which a script cannot. Nothing is known
where code may find the modules by their folder or by a text, and where a server or a command may start one of them.
Code of tests loads nothing.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import Op
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import LEAST_NEIGHBOURS, NAMED_HANDLERS
from pyrograph.policy.names.loading import STARTED
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.explain.importers import Importers, folders


class Unpackaged:
    """Answers for one program, kept by folder and language."""

    def __init__(self, program: Program, importers: Importers) -> None:
        self.program = program
        self.tables = program.tables
        self.importers = importers
        self.paths = importers.paths
        self.apart: dict[tuple[str, str], bool] = {}  # ``is_apart``

    def is_unloaded(self, file: int) -> bool:
        """Whether a file lies in such a folder."""
        language = self.program.files[file].language
        return language in self.main_files and any(self.is_apart(each, language) for each in folders(self.paths[file]))

    def is_apart(self, folder: str, language: str) -> bool:
        known = self.apart.get((folder, language))
        if known is None:
            known = self.apart[folder, language] = self._is_apart(folder, language)
        return known

    def _is_apart(self, folder: str, language: str) -> bool:
        package, name = posixpath.split(folder)
        if not package or folder in self.packages or package not in self.packages:
            return False
        beside = {each for each in self.with_modules if posixpath.dirname(each) == package} - {folder}
        named = beside & self.packages
        if len(named) < LEAST_NEIGHBOURS or len(named) < NAMED_HANDLERS * len(beside):
            return False
        if self.importers.imports_by_text or self.importers.is_listed(folder, language, inside=False):
            return False
        inside = {file for file, path in enumerate(self.paths) if path.startswith(folder + "/")}
        if any(not self.importers.of_file.get(file, set()) <= inside for file in inside):
            return False
        if not any(self.leaves(file, folder) for file in inside) or self.starts(inside):
            return False
        return not self.is_written(name, posixpath.basename(package), inside)

    @cached_property
    def main_files(self) -> dict[str, frozenset[str]]:
        """By language, of those whose packages have one: the names of their main files, without suffix."""
        traits = {file.language: language_of(file.language).traits.modules for file in self.program.files}
        return {language: each.main_files for language, each in traits.items() if each.packages_have_main_files}

    @cached_property
    def packages(self) -> set[str]:
        """Folders with a main file."""
        return {
            posixpath.dirname(file.path)
            for file in self.program.files
            if posixpath.splitext(posixpath.basename(file.path))[0] in self.main_files.get(file.language, ())
        }

    @cached_property
    def with_modules(self) -> set[str]:
        """Folders with a file of such a language."""
        return {posixpath.dirname(file.path) for file in self.program.files if file.language in self.main_files}

    def leaves(self, file: int, folder: str) -> bool:
        """Whether a file imports from the package around ``folder``: ``from ..models import User``."""
        return self.deepest.get(file, 0) > self.paths[file].count("/") - folder.count("/")

    @cached_property
    def deepest(self) -> dict[int, int]:
        """By file: the most leading dots of its imports."""
        values, levels, found = self.tables["values"], self.tables["imports"]["level"], dict[int, int]()
        rows = np.flatnonzero(values["op"] == int(Op.IMPORT))
        files = self.program.file_of_value[rows]
        for file, level in zip(files.tolist(), levels[values["data"][rows]].tolist(), strict=True):
            found[file] = max(found.get(file, 0), level)
        return found

    def starts(self, files: set[int]) -> bool:
        """Whether a server or a command may start one of ``files``."""
        strings, values, exports = self.program.strings, self.tables["values"], self.tables["exports"]
        names = {row for row, text in enumerate(strings) if text in STARTED}
        own = self.program.file_of_value
        declared = zip(exports["name"].tolist(), exports["value"].tolist(), strict=True)
        if any(name in names and int(own[value]) in files for name, value in declared):
            return True
        main = [row for row, text in enumerate(strings) if text == "'__main__"]
        guards = np.flatnonzero((values["op"] == int(Op.CONST)) & np.isin(values["data"], main))
        return any(int(own[value]) in files for value in guards.tolist()) or any(
            posixpath.basename(self.paths[file]) == "__main__.py" for file in files
        )

    def is_written(self, name: str, package: str, inside: set[int]) -> bool:
        """Whether an import or a text of other code writes a module's name with that of a folder: ``package.name``."""
        values, strings = self.tables["values"], self.program.strings
        begins, within = (f"{name}.", f"{name}:"), f".{package}.{name}."
        for op, table in ((Op.CONST, ""), (Op.IMPORT, "imports")):
            rows = np.flatnonzero(values["op"] == int(op))
            data = values["data"][rows]
            names = self.tables[table]["module"][data] if table else data
            for value, text in zip(rows.tolist(), names.tolist(), strict=True):
                written = strings[text] if table else strings[text][1:]
                is_name = written.startswith(begins) or within in f".{written.replace(':', '.')}."
                if (is_name or (bool(table) and written == name)) and not self.is_outside(value, inside):
                    return True
        return False

    def is_outside(self, value: int, inside: set[int]) -> bool:
        """Whether what a value writes does not count: it stands in a test, or in the folder itself."""
        file = int(self.program.file_of_value[value])
        return self.importers.is_test[file] or file in inside
