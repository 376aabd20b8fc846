"""Classes of handlers that nothing registers, in a program that registers its other ones by their names.

A route is registered with its class: ``(r"/files", Files)``, ``Files.as_view()``, ``add_resource(Files, "/files")``. A
class that is left over, which nothing but its imports names, is in no route. Programs that find their classes by
folder or by base name none of them. So the question is asked only where code names most classes that read requests.

A class is named where its value or an import of it is used, where code outside of it reads its name, and where a
constant text holds the name. A text that is the name alone, in a file that imports the class, exports it. Code of
tests names nothing. A class with derived classes counts as named: their instances run its methods. What an import
brings is asked of resolution, too: a default export has no name of its own.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import LEAST_HANDLERS, NAMED_HANDLERS
from pyrograph.policy.names.files import TEST_PATHS
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve.resolution import CLASS, Resolution

WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")


class Unregistered:
    """Answers for one program. The first question costs a pass over its values and texts."""

    def __init__(self, program: Program, resolution: Resolution, sources: Collection[SourceRole]) -> None:
        self.program = program
        self.resolution = resolution
        self.sources = sources
        self.function: list[int] = program.numbers("values", "function")
        functions = program.tables["functions"]
        self.parent: list[int] = functions["parent"].tolist()
        self.owner: list[int] = functions["owner"].tolist()
        self.names: list[int] = program.tables["owners"]["name"].tolist()

    def is_unregistered(self, value: int) -> bool:
        """Whether ``value`` is computed in a class that the program registers nowhere, unlike its others."""
        return self.class_of(value) in self.left_over

    def class_of(self, value: int) -> int:
        """The class around ``value``, or NONE; of classes in one another the innermost."""
        function = self.function[value]
        while function != NONE and self.owner[function] == NONE:  # up the tree of functions
            function = self.parent[function]
        return NONE if function == NONE else self.owner[function]

    @cached_property
    def left_over(self) -> frozenset[int]:
        """The classes that read requests and that nothing names, if few of those that do are such."""
        handlers = {self.class_of(each.value) for each in self.sources if each.kind in REQUEST_KINDS} - {NONE}
        handlers = {each for each in handlers if not self.is_test[self.file_of_class(each)]}
        if len(handlers) < LEAST_HANDLERS:
            return frozenset()
        left = handlers - self.named(handlers)
        return frozenset(left) if len(handlers) - len(left) >= NAMED_HANDLERS * len(handlers) else frozenset()

    def named(self, handlers: set[int]) -> set[int]:
        """Those of ``handlers`` that code names, or derives classes from."""
        strings, tables = self.program.strings, self.program.tables
        by_name: dict[int, set[int]] = {}
        for each in handlers:
            by_name.setdefault(self.names[each], set()).add(each)
        values, loads, imports = tables["values"], tables["loads"], tables["imports"]
        read = np.full(len(values["op"]), NONE, np.int64)  # by value: the name that it reads
        is_global, is_load, is_import = (values["op"] == int(op) for op in (Op.GLOBAL, Op.LOAD, Op.IMPORT))
        read[is_global] = values["data"][is_global]
        read[is_load] = loads["key"][values["data"][is_load]]
        read[is_import] = imports["name"][values["data"][is_import]]
        counted = ~is_import | self.is_used  # an import that nothing uses names nothing
        found: set[int] = set()
        for value in np.flatnonzero(among(read, sorted(by_name)) & counted).tolist():
            if not self.is_test[self.program.file_of_value[value]]:
                found |= {each for each in by_name[int(read[value])] if self.class_of(value) != each}
        for value in np.flatnonzero(is_import & self.is_used).tolist():
            found |= handlers.intersection(subjects(self.resolution.states_of(value), CLASS))
        owners = tables["owners"]["value"]
        found |= {each for each in handlers if self.is_used[owners[each]]}
        found |= self.with_derived(handlers)
        places: set[tuple[int, str]] = set()  # (file, the name of a handler that it imports)
        for value in np.flatnonzero(is_import & among(read, sorted(by_name))).tolist():
            places.add((int(self.program.file_of_value[value]), strings[int(read[value])]))
        words = {strings[name]: each for name, each in by_name.items()}
        constants = np.flatnonzero(values["op"] == int(Op.CONST))
        named_in = {
            text: {each for word in WORD.findall(strings[text]) for each in words.get(word, ())}
            for text in distinct(values["data"][constants]).tolist()
            if strings[text][:1] == "'"
        }
        texts = sorted(text for text, each in named_in.items() if each)
        for value in constants[among(values["data"][constants], texts)].tolist():
            text, file = int(values["data"][value]), int(self.program.file_of_value[value])
            if (file, strings[text][1:]) not in places and not self.is_test[file]:
                found |= named_in[text]
        return found

    def with_derived(self, handlers: set[int]) -> set[int]:
        """Those of ``handlers`` whose name a declaration of a base ends with, outside of tests."""
        tables = self.program.tables
        values, loads, imports, bases = (tables[name] for name in ("values", "loads", "imports", "bases"))
        known: set[int] = set()
        for value in bases["base"].tolist():
            if self.is_test[int(self.program.file_of_value[value])]:
                continue
            op, data = int(values["op"][value]), int(values["data"][value])
            if op == Op.GLOBAL:
                known.add(data)
            elif op == Op.LOAD:
                known.add(int(loads["key"][data]))
            elif op == Op.IMPORT:
                known.add(int(imports["name"][data]))
        own = ~np.array(self.is_test, bool)[self.program.file_of_value[bases["base"]]]
        derived = set(bases["base"][own].tolist())
        owners = tables["owners"]["value"]
        return {each for each in handlers if self.names[each] in known or int(owners[each]) in derived}

    @cached_property
    def is_used(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """(values,) whether code outside of tests passes a value, stores it, calls it or reads something of it."""
        tables = self.program.tables
        columns = (("arguments", "value"), ("stores", "value"), ("flows", "origin"), ("calls", "callee"))
        operands = [tables[table][column] for table, column in (*columns, ("loads", "object"))]
        rows = distinct(np.concatenate(operands))
        rows = rows[rows >= 0]
        tests = np.array(self.is_test, bool)[self.program.file_of_value[rows]]
        used = np.zeros(self.program.num_values, bool)
        used[rows[~tests]] = True
        return used

    def file_of_class(self, owner: int) -> int:
        return int(self.program.file_of_value[self.program.tables["owners"]["value"][owner]])

    @cached_property
    def is_test(self) -> list[bool]:
        """By file."""
        return [
            TEST_PATHS.search(file.path) is not None or language_of(file.language).is_test_file(file.path)
            for file in self.program.files
        ]
