"""Modules that nothing loads, since the one that would register their handlers is imported nowhere.

``export const Api = {init: (app) => app.get("/a", show)}`` registers a handler on what it is given. If no file imports
this module, nobody calls ``init``, and what only it imports is not loaded, either. The question is asked only of
modules that call nothing when they are loaded, and only where the program imports by name most others that register
handlers so: those below the nearest folder with three or more. Nothing is known where code may find the module by its
folder, or a framework by its exports. Code of tests loads nothing. Where a program is a package with all that it
imports, modules of other packages are not loaded, either (``unlinked``).
"""

from __future__ import annotations

import posixpath
from collections.abc import Collection
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import LEAST_NEIGHBOURS, MAX_GUARD_STEPS, NAMED_HANDLERS
from pyrograph.scanner.analysis.api_roles import parameters_of
from pyrograph.scanner.analysis.declarations import Declarations
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.importers import Importers, folders
from pyrograph.scanner.explain.unlinked import Unlinked
from pyrograph.scanner.explain.unpackaged import Unpackaged


class Unloaded:
    """Answers for one program, kept by file."""

    def __init__(
        self, entries: Entries, sources: Collection[SourceRole] = (), declarations: Declarations | None = None
    ) -> None:
        self.entries = entries
        self.callers = entries.callers
        self.program = entries.program
        self.tables = entries.tables
        self.importers = Importers(entries.program)
        self.unpackaged = Unpackaged(entries.program, self.importers)
        self.unlinked = Unlinked(self.importers, sources, declarations)
        self.known: dict[int, bool] = {}

    def is_unloaded(self, value: int) -> bool:
        """Whether ``value`` is computed in a file that nothing loads."""
        file = int(self.program.file_of_value[value])
        known = self.known.get(file)
        if known is None:
            known = self.known[file] = (
                self.unpackaged.is_unloaded(file) or self.is_unlinked(file) or self.is_only_for_unloaded(file)
            )
        return known

    def is_unlinked(self, file: int) -> bool:
        """Whether no program links the package of a file, and no framework builds a program around it."""
        return self.unlinked.is_unlinked(file) and self.found_by_export.isdisjoint(self.unlinked.beside(file))

    def is_only_for_unloaded(self, file: int) -> bool:
        """Whether all files that import a file, directly or not, end in some that register handlers and that nothing
        imports.
        """
        if self.is_package(file):
            return False
        of_file, work = self.importers.of_file, [file]
        for each in work:  # grows by importers, to the bound
            if each in self.acting or each in self.found_by_export or len(work) > MAX_GUARD_STEPS:
                return False
            work += sorted(of_file.get(each, set()).difference(work))
        tops = [each for each in work if not of_file.get(each)]
        for each in tops:
            if not self.registers_in(each) or not self.is_left_out(each):
                return False
        return bool(tops) and self.import_all(tops, set(work))

    def import_all(self, tops: list[int], files: set[int]) -> bool:
        """Whether ``tops`` import all of ``files``, directly or not: none is imported by a cycle of its own alone."""
        found = list(tops)
        for each in found:  # grows by files
            found += [other for other in sorted(files.difference(found)) if each in self.importers.of_file[other]]
        return len(found) == len(files)

    def is_left_out(self, file: int) -> bool:
        """Whether the program imports most other modules that register handlers, but not this one, which imports none
        of them.
        """
        language, path = self.program.files[file].language, self.importers.paths[file]
        if self.importers.is_listed(posixpath.dirname(path), language):
            return False
        if language_of(language).traits.modules.packages_have_main_files and (
            self.importers.imports_by_text or self.is_written(file)
        ):
            return False
        below = self.below(file)
        others = [each for each in self.registering if self.program.files[each].language == language and each != file]
        for folder in (*folders(path), ""):
            beside = [each for each in others if not folder or self.importers.paths[each].startswith(folder + "/")]
            named = sum(not self.importers.of_file.get(each, below) <= below for each in beside)
            if named < NAMED_HANDLERS * len(beside):
                return False
            if named >= LEAST_NEIGHBOURS:
                return True
        return False

    def is_written(self, file: int) -> bool:
        """Whether a text of other code writes the dotted name of a module."""
        folder, name = posixpath.split(posixpath.splitext(self.importers.paths[file])[0])
        return self.unpackaged.is_written(name, posixpath.basename(folder), {file})

    def below(self, file: int) -> set[int]:
        """The files that are imported, directly or not, by a file, and itself: it may be what begins the program."""
        work, found = [file], {file}
        for each in work:  # grows by files that are new in ``found``
            fresh = self.importers.imports_of.get(each, set()) - found
            found |= fresh
            work += sorted(fresh)
        return found

    @cached_property
    def registering(self) -> frozenset[int]:
        """Files, tests apart, of functions that register a handler on one of their parameters."""
        own = [each for each in self.made_in if not self.importers.is_test[each] and not self.is_package(each)]
        return frozenset(filter(self.registers_in, own))

    def is_package(self, file: int) -> bool:
        """Whether the folder of a file is its module."""
        return language_of(self.program.files[file].language).traits.modules.directory_is_module

    def registers_in(self, file: int) -> bool:
        return any(map(self.registers, self.made_in.get(file, ())))

    @cached_property
    def made_in(self) -> dict[int, list[int]]:
        """By file: the calls of methods."""
        rows = np.flatnonzero(self.tables["calls"]["receiver"] >= 0)
        files = self.program.file_of_value[self.tables["calls"]["result"][rows]]
        found: dict[int, list[int]] = {}
        for call, file in zip(rows.tolist(), files.tolist(), strict=True):
            found.setdefault(file, []).append(call)
        return found

    def registers(self, call: int) -> bool:
        """Whether a call registers a handler on a parameter, or on what it has: ``app.router.add_get("/a", show)``."""
        routing, callers = self.entries.routing, self.callers
        value = routing.first_version(int(self.tables["calls"]["receiver"][call]))
        for _ in range(MAX_GUARD_STEPS):
            if callers.op[value] != Op.LOAD:
                break
            value = routing.first_version(int(self.tables["loads"]["object"][callers.data[value]]))
        if value == NONE or callers.op[value] != Op.PARAMETER or not any(map(routing.is_code, routing.args.of(call))):
            return False
        return any(each.path or each.methods for each in routing.routes(call))

    @cached_property
    def acting(self) -> frozenset[int]:
        """Files that call something when they are loaded."""
        results = self.tables["calls"]["result"]
        parent, function = self.tables["functions"]["parent"], self.tables["values"]["function"]
        in_body = results[parent[function[results]] == NONE]
        return frozenset(self.program.file_of_value[in_body].tolist())

    @cached_property
    def found_by_export(self) -> frozenset[int]:
        """Files of handlers that frameworks find by what the files export."""
        results, files = self.tables["functions"]["result"], self.program.file_of_value
        return frozenset(
            int(files[int(results[function])])
            for function, found in self.entries.by_function.items()
            if any(parameters_of(entry).by == "export" for entry, _ in found)
        )
