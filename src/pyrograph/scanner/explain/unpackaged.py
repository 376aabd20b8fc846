"""Folders of Python without ``__init__.py`` that nothing loads.

Where the other folders of a package have an ``__init__.py``, what walks packages leaves out one that has none, as one
whose ``__init__.py`` was renamed. Nothing loads its modules if no other code imports them, either. One of them must
import from the package around the folder (``from ..models import User``), which a script cannot. Nothing is known
where code may find the modules by their folder or by a text, and where a server or a command may start one of them.
Code of tests loads nothing.
"""

from __future__ import annotations

import posixpath
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.explanation import LEAST_NEIGHBOURS, NAMED_HANDLERS
from pyrograph.policy.names.loading import STARTED
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.explain.importers import Importers, folders


class Unpackaged:
    """Answers for one program, kept by folder."""

    def __init__(self, program: Program, importers: Importers) -> None:
        self.program = program
        self.tables = program.tables
        self.importers = importers
        self.paths = importers.paths
        self.apart: dict[str, bool] = {}  # by folder: ``is_apart``

    def is_unloaded(self, file: int) -> bool:
        """Whether a file lies in such a folder."""
        path = self.paths[file]
        return path.endswith(".py") and any(map(self.is_apart, folders(path)))

    def is_apart(self, folder: str) -> bool:
        known = self.apart.get(folder)
        if known is None:
            known = self.apart[folder] = self._is_apart(folder)
        return known

    def _is_apart(self, folder: str) -> bool:
        package, name = posixpath.split(folder)
        if not package or folder in self.packages or package not in self.packages:
            return False
        beside = {each for each in self.with_python if posixpath.dirname(each) == package} - {folder}
        named = beside & self.packages
        if len(named) < LEAST_NEIGHBOURS or len(named) < NAMED_HANDLERS * len(beside):
            return False
        if self.importers.imports_by_text or self.importers.is_listed(folder, "python", inside=False):
            return False
        inside = {file for file, path in enumerate(self.paths) if path.startswith(folder + "/")}
        if any(not self.importers.of_file.get(file, set()) <= inside for file in inside):
            return False
        if not any(self.leaves(file, folder) for file in inside) or self.starts(inside):
            return False
        return not self.is_written(name, posixpath.basename(package), inside)

    @cached_property
    def packages(self) -> set[str]:
        """Folders with ``__init__.py``."""
        return {posixpath.dirname(path) for path in self.paths if posixpath.basename(path) == "__init__.py"}

    @cached_property
    def with_python(self) -> set[str]:
        return {posixpath.dirname(path) for path in self.paths if path.endswith(".py")}

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
