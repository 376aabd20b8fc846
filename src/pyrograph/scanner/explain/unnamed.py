"""Functions that nothing calls and classes of which no object is made, in languages that find both by their names.

A function of a module runs if a framework finds it (a decorator, a route, its file) or if code names it: calls it,
reads it, passes it on or exports it. What no code names is left over from an earlier state of the program, though a
search of requests by the names of parameters, ``(req, res)``, or of what another request stored still gets there. Where
all names of a module can be imported, a function that no file names may belong to a module that something else loads,
as a migration does. So the module has to be one that another file imports, or that registers another function of it.

A method that is found by its name alone, ``database.query(text)``, may be that of a class which is never instantiated:
nothing names the class, none of the program derives from it, and all its bases are classes of the program. Code names
other classes of its file. A constant text names it, too, unless the text stands in the class's own file.

Both are asked of the code in which the path begins or ends, since a path through anything else may have another way.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import EXPORTED, NONE, FunctionFlag, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.resolve.resolution import CLASS
from pyrograph.scanner.explain.importers import Importers
from pyrograph.scanner.explain.left_over import LeftOver

WORD: Final = re.compile(r"[A-Za-z_$][\w$]*")


class Unnamed:
    """Answers for one program, kept by function and class. The first question costs a pass over its values."""

    def __init__(self, left_over: LeftOver, importers: Importers) -> None:
        self.left_over = left_over
        self.importers = importers
        self.callers = left_over.callers
        self.program, self.tables = left_over.program, left_over.tables
        self.known: dict[int, bool] = {}  # by outermost function

    def is_unnamed(self, value: int) -> bool:
        """Whether ``value`` is computed in a function that no code names, or in a method of such a class."""
        function = self.left_over.outermost(int(self.callers.function[value]))
        if function == NONE:
            return False
        known = self.known.get(function)
        if known is None:
            known = self.known[function] = self._is_unnamed(function)
        return known

    def _is_unnamed(self, function: int) -> bool:
        functions = self.tables["functions"]
        name, owner = int(functions["name"][function]), self.left_over.owner[function]
        file = self.left_over.place(function)[0]
        traits = language_of(self.program.files[file].language).traits
        if traits.entry_functions or self.importers.is_test[file] or self.left_over.parent[function] == NONE:
            return False  # of such a language, ``unused`` knows more; a module's body runs
        if owner != NONE:
            return self.is_unmade(owner, file)
        if name == NONE or int(functions["flags"][function]) & int(FunctionFlag.METHOD):
            return False
        if not self.callers.strings[name].isidentifier() or int(functions["value"][function]) in self.in_use:
            return False
        if not traits.modules.default_export and not self.is_of_used_module(function, file):
            return False
        return not self.left_over.is_used(function) and not self.left_over.is_named(function, name)

    def is_of_used_module(self, function: int, file: int) -> bool:
        """Whether another file imports a function's module, or the program registers another function of it."""
        if self.importers.of_file.get(file):
            return True
        return any(map(self.left_over.has_route, self.left_over.beside(function)))

    @cached_property
    def in_use(self) -> frozenset[int]:
        """The values of functions and classes that code refers to without reading their names, in the body of a module
        or in functions that stand beside them, and those that a statement exports.
        """
        tables, strings = self.tables, self.program.strings
        columns = [("stores", "value"), ("arguments", "value"), ("flows", "origin"), ("calls", "callee")]
        columns += [("loads", "object"), ("captures", "outer")]
        operands = [tables[table][column] for table, column in columns]
        exports = tables["exports"]
        names = exports["name"].tolist()
        exported = np.array([strings[each].startswith(EXPORTED) for each in names], bool)
        again = np.sort(exports["value"])  # under another name, too
        operands += [exports["value"][exported], again[1:][again[1:] == again[:-1]]]
        values = np.concatenate((tables["functions"]["value"], tables["owners"]["value"]))
        return frozenset(distinct(np.concatenate(operands)).tolist()).intersection(values.tolist())

    def is_unmade(self, owner: int, file: int) -> bool:
        """Whether no object of a class is made, though code names another class of its file."""
        if owner in self.named or owner in self.referred or owner in self.derived or not self.has_known_bases(owner):
            return False
        if int(self.tables["owners"]["value"][owner]) in self.in_use:
            return False
        if not self.written.get(int(self.tables["owners"]["name"][owner]), set()) <= {file}:
            return False
        return any(each in self.named for each in self.of_file.get(file, ()) if each != owner)

    @cached_property
    def of_file(self) -> dict[int, list[int]]:
        """By file: the classes that it declares."""
        found: dict[int, list[int]] = {}
        for owner, value in enumerate(self.tables["owners"]["value"].tolist()):
            found.setdefault(int(self.program.file_of_value[value]), []).append(owner)
        return found

    @cached_property
    def class_at(self) -> list[int]:
        """By function: the class around it, or NONE; of classes in one another the innermost."""
        parent, owner = self.left_over.parent, self.left_over.owner
        found = list(owner)
        for function, above in enumerate(parent):  # what is around a function stands before it
            if found[function] == NONE and above != NONE:
                found[function] = found[above]
        return found

    @cached_property
    def named(self) -> frozenset[int]:
        """Classes whose names code outside of them reads or imports, that of tests apart. Linear in the values."""
        by_name: dict[int, set[int]] = {}
        for owner, name in enumerate(self.tables["owners"]["name"].tolist()):
            by_name.setdefault(name, set()).add(owner)
        values, loads, imports = (self.tables[name] for name in ("values", "loads", "imports"))
        read = np.full(len(values["op"]), NONE, np.int64)  # by value: the name that it reads
        is_global, is_load, is_import = (values["op"] == int(op) for op in (Op.GLOBAL, Op.LOAD, Op.IMPORT))
        read[is_global] = values["data"][is_global]
        read[is_load] = loads["key"][values["data"][is_load]]
        read[is_import] = imports["name"][values["data"][is_import]]
        found: set[int] = set()
        for value in np.flatnonzero(among(read, sorted(by_name))).tolist():
            if not self.callers.is_in_test(value):
                within = self.class_at[int(self.callers.function[value])]
                found |= by_name[int(read[value])] - {within}
        return frozenset(found)

    @cached_property
    def referred(self) -> frozenset[int]:
        """Classes that some value is, other than the one that declares them: what computed names read, decorators."""
        resolution = self.callers.resolution
        own = [resolution.reps[value] for value in self.tables["owners"]["value"].tolist()]
        found: set[int] = set()
        for node in distinct(resolution.representative).tolist():
            for owner in subjects(resolution.states[node], CLASS):
                if own[owner] != node:
                    found.add(owner)
        return frozenset(found)

    @cached_property
    def derived(self) -> frozenset[int]:
        """Classes from which others derive."""
        states = self.callers.resolution
        return frozenset(
            each for base in self.tables["bases"]["base"].tolist() for each in subjects(states.states_of(base), CLASS)
        )

    def has_known_bases(self, owner: int) -> bool:
        """Whether no library's class, and none of which nothing is known, may find the class or make objects of it."""
        states = self.callers.resolution
        return all(subjects(states.states_of(base), CLASS) for base in self.bases.get(owner, ()))

    @cached_property
    def bases(self) -> dict[int, list[int]]:
        """By class: the values that it declares as its bases."""
        found: dict[int, list[int]] = {}
        bases = self.tables["bases"]
        for owner, base in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
            found.setdefault(owner, []).append(base)
        return found

    @cached_property
    def written(self) -> dict[int, set[int]]:
        """By name of a class: the files, tests apart, that have it as a word of a constant text."""
        strings, values = self.program.strings, self.tables["values"]
        names = {strings[name]: name for name in self.tables["owners"]["name"].tolist()}
        constants = np.flatnonzero(values["op"] == int(Op.CONST))
        words = {
            text: [names[word] for word in dict.fromkeys(WORD.findall(strings[text])) if word in names]
            for text in distinct(values["data"][constants]).tolist()
            if strings[text][:1] == "'"
        }
        texts = sorted(text for text, each in words.items() if each)
        found: dict[int, set[int]] = {}
        for value in constants[among(values["data"][constants], texts)].tolist():
            file = int(self.program.file_of_value[value])
            for name in words[int(values["data"][value])] if not self.importers.is_test[file] else ():
                found.setdefault(name, set()).add(file)
        return found
