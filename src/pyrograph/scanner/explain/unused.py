"""Functions that no code of a program uses, in languages whose programs run only what they name.

A program that starts at ``main`` runs a plain function only if code that runs names it. An exported function that
nothing names is the API of a library. So the question is asked of programs only: one ``main`` must be there, outside
of examples, and code that is used must read untrusted data, other than that of archives, which libraries unpack, too.

Names count, whatever they mean: a function is used if used code reads anything of its name, or a constant text is its
name. Methods are used. Code of tests uses nothing. Generated code, which is not read, may name what
lies in its folder and below: handlers that a generated router registers.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, FunctionFlag, Op
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.policy.names.files import DEVELOPMENT_PATHS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.analysis.link import Program

OFFERED: Final = frozenset({"archive", "library"})  # kinds of sources that a library has


class Unused:
    """Answers for one program. The first question about a program that may have unused functions costs a pass over its
    names.
    """

    def __init__(self, program: Program, sources: Collection[SourceRole], generated: Collection[str] = ()) -> None:
        """``generated``: folders with generated files, which are not read; "" is the root."""
        self.program = program
        self.sources = sources
        self.generated = generated
        self.function = program.numbers("values", "function")
        self.parent: list[int] = program.tables["functions"]["parent"].tolist()

    def is_unused(self, value: int) -> bool:
        """Whether the code that computes ``value`` runs in no way that the program shows."""
        function = self.outermost(self.function[value])
        return function in self.plain and function not in self.used and self.is_program

    def outermost(self, function: int) -> int:
        """The function around ``function`` that lies in no other one; a module's body lies in none."""
        return outermost(self.parent, function)

    @cached_property
    def is_program(self) -> bool:
        """Whether ``main`` runs code that reads what somebody else sent."""
        starts = any(  # ``init`` alone makes no program
            self.program.strings[name] in self.entries(function) and not DEVELOPMENT_PATHS.search(self.path(function))
            for name, function in zip(*self.named, strict=True)
        )
        return starts and any(
            role.kind not in OFFERED and self.outermost(self.function[role.value]) in self.used for role in self.sources
        )

    @cached_property
    def named(self) -> tuple[list[int], list[int]]:
        """Name and row of all functions that lie in a module's body, are no methods and are not built for tests."""
        table = self.program.tables["functions"]
        parents = table["parent"]
        is_body = parents == NONE
        rows = np.flatnonzero(~is_body & is_body[parents] & (table["owner"] == NONE))
        rows = rows[(table["flags"][rows] & int(FunctionFlag.METHOD)) == 0]
        kept = [row for row in rows.tolist() if not self.is_test(row)]
        return table["name"][kept].tolist(), kept

    @cached_property
    def plain(self) -> dict[int, int]:
        """Functions that run only if they are named, with their names."""
        return {
            function: name
            for name, function in zip(*self.named, strict=True)
            if self.entries(function) and self.program.strings[name] not in self.entries(function)
        }

    @cached_property
    def used(self) -> frozenset[int]:
        """Functions that code which runs names, and all that are not plain."""
        by_name: dict[int, list[int]] = {}
        for function, name in self.plain.items():
            by_name.setdefault(name, []).append(function)
        values, loads = self.program.tables["values"], self.program.tables["loads"]
        names = np.full(len(values["op"]), NONE, np.int64)
        is_global, is_load = values["op"] == int(Op.GLOBAL), values["op"] == int(Op.LOAD)
        names[is_global] = values["data"][is_global]
        names[is_load] = loads["key"][values["data"][is_load]]
        reads: dict[int, set[int]] = {}  # by outermost function: names of plain functions that its code reads
        for value in np.flatnonzero(among(names, sorted(by_name))).tolist():
            function = self.outermost(self.function[value])
            if not self.is_test(function):
                reads.setdefault(function, set()).add(int(names[value]))
        texts = {self.program.strings[row] for row in set(values["data"][values["op"] == int(Op.CONST)].tolist())}
        work = [function for function in reads if function not in self.plain]
        work += self.in_initial_values
        work += [function for function in self.plain if self.is_beside_generated(function)]
        work += [function for function, name in self.plain.items() if "'" + self.program.strings[name] in texts]
        found = set(work)
        for each in work:  # grows by functions that are new in ``found``
            fresh = {other for name in reads.get(each, ()) for other in by_name[name]} - found
            found |= fresh
            work += sorted(fresh)
        return frozenset(found) | (frozenset(range(len(self.parent))) - self.plain.keys())

    @cached_property
    def in_initial_values(self) -> list[int]:
        """Plain functions that the initial value of a variable of a module refers to: `var root = &Command{Run: run}`.

        Code of a module's body that stands in the function's file refers to the function itself, not to its name.
        """
        tables = self.program.tables
        operands = [("stores", "value"), ("arguments", "value"), ("flows", "origin"), ("calls", "callee")]
        exported = np.sort(tables["exports"]["value"])
        again = exported[1:][exported[1:] == exported[:-1]]  # under another name, too
        used = distinct(np.concatenate([again, *(tables[table][column] for table, column in operands)]))
        functions = np.array(list(self.plain), np.int64)
        return functions[among(tables["functions"]["value"][functions], used)].tolist() if len(functions) else []

    def entries(self, function: int) -> frozenset[str]:
        """Names of functions that run without being named; none where everything may run so."""
        return language_of(self.language(function)).traits.entry_functions

    def is_beside_generated(self, function: int) -> bool:
        """Whether a function lies in a folder with generated files or below it, but not in the root's."""
        folder = self.path(function)
        while folder := folder.rpartition("/")[0]:  # up the tree
            if folder in self.generated:
                return True
        return False

    def is_test(self, function: int) -> bool:
        file = self.program.files[self.files[function]]
        return language_of(file.language).is_test_file(file.path)

    def path(self, function: int) -> str:
        return self.program.files[self.files[function]].path

    def language(self, function: int) -> str:
        return self.program.files[self.files[function]].language

    @cached_property
    def files(self) -> list[int]:
        """By function: the file that it lies in."""
        found: list[int] = self.program.file_of_value[self.program.tables["functions"]["result"]].tolist()
        return found


def outermost(parent: Sequence[int], function: int) -> int:
    """The function around ``function`` that lies in no other one but a module's body. ``parent``: by function."""
    while parent[function] != NONE and parent[parent[function]] != NONE:  # up the tree of functions
        function = parent[function]
    return function
