"""Handlers that nothing names, in a file of which other handlers have routes.

A program that registers its handlers one by one gives each to a call, by its name: ``router.post("/login",
users.login)``. A handler beside them that no code reads, calls, passes on or writes into a table has no route. Programs
that find handlers by folder, by file or by the names of methods give none of a file to a call, so that the question is
asked only where at least one other handler of the file, or of the class, has a route of its own.

A name counts as read if what reads it may be the handler: it is, or nobody knows what it is. So does a constant text
that ends with the name (``"UserController.register"``). What hands a function out to other files reads nothing: the
export of a module and the object that is exported. Code of tests reads nothing.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import pack_state
from pyrograph.kernels.arrays import distinct
from pyrograph.policy.limits.explanation import MAX_GUARD_USES
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.unused import outermost


class LeftOver:
    """Answers for one program, kept by function. What is asked of a name costs a pass over the values."""

    def __init__(self, entries: Entries, sources: Collection[SourceRole]) -> None:
        self.entries = entries
        self.callers = entries.callers
        self.program = entries.program
        self.tables = entries.tables
        self.sources = sources
        self.known: dict[int, bool] = {}
        self.parent: list[int] = self.tables["functions"]["parent"].tolist()
        self.owner: list[int] = self.tables["functions"]["owner"].tolist()

    def is_left_over(self, value: int) -> bool:
        """Whether ``value`` is computed in a handler that the program registers nowhere, unlike those beside it.

        Nothing is known of functions that stand in others, which ``main`` may register, nor of those that read no
        request, which a command or a job may run.
        """
        function = int(self.callers.function[value])
        if self.outermost(function) != function:
            return False
        known = self.known.get(function)
        if known is None:
            known = self.known[function] = self._is_left_over(function)
        return known

    def _is_left_over(self, function: int) -> bool:
        name = int(self.tables["functions"]["name"][function])
        if name == NONE or self.parent[function] == NONE or not self.callers.strings[name].isidentifier():
            return False
        if function not in self.handlers.get(self.place(function), ()) or self.is_used(function):
            return False
        if not any(self.has_route(each) for each in self.beside(function)):
            return False
        return not self.is_named(function, name)

    def outermost(self, function: int) -> int:
        """The function around ``function`` that lies in no other one but a module's body."""
        return outermost(self.parent, function)

    def is_used(self, function: int) -> bool:
        """Whether the program calls a function, passes it on, writes it into a table or has a framework find it."""
        callers, results = self.callers, self.tables["calls"]["result"]
        calls = [call for _, call in self.entries.by_function.get(function, ())]  # NONE: found by its file or class
        calls += [call for call, _ in callers.uses_of(function)]
        calls += callers.resolution.rows("targets")[callers.callers.of(function), 0].tolist()
        if any(not 0 <= call < len(results) or not callers.is_in_test(int(results[call])) for call in calls):
            return True
        literals = callers.listed.get(function, ())
        return any(each not in self.handed_out and not callers.is_in_test(each) for each in literals)

    def has_route(self, function: int) -> bool:
        """Whether the program registers a function by itself, at a path or for a method."""
        callers = self.callers
        listed = callers.listed.get(function, ())
        if not callers.uses_of(function) and self.handed_out.issuperset(listed):
            return False
        return any(each.route or each.methods for each in self.entries.of_function(function))

    def beside(self, function: int) -> list[int]:
        """The other functions of its file, or of its class, that read requests, to the bound."""
        return [each for each in self.handlers.get(self.place(function), ()) if each != function][:MAX_GUARD_USES]

    def place(self, function: int) -> tuple[int, int]:
        """The file and the class that a function stands in; NONE for no class."""
        result = int(self.tables["functions"]["result"][function])
        return int(self.program.file_of_value[result]), self.owner[function]

    @cached_property
    def handlers(self) -> dict[tuple[int, int], list[int]]:
        """By file and class: the outermost functions that read requests."""
        found: dict[tuple[int, int], list[int]] = {}
        values = [each.value for each in self.sources if each.kind in REQUEST_KINDS]
        for function in sorted({self.outermost(int(self.callers.function[value])) for value in values}):
            if self.parent[function] != NONE:
                found.setdefault(self.place(function), []).append(function)
        return found

    @cached_property
    def handed_out(self) -> frozenset[int]:
        """Literals that a module exports, by their representatives: ``module.exports = {login, register}``."""
        reps, exports, stores = self.callers.resolution.representative, self.tables["exports"], self.tables["stores"]
        name = self.program.strings.index("exports") if "exports" in self.program.strings else NONE
        written = stores["value"][(stores["key"] == name) & (stores["value"] >= 0)]
        values = exports["value"][exports["value"] >= 0]
        return frozenset(reps[np.concatenate((values, written))].tolist())

    def is_named(self, function: int, name: int) -> bool:
        """Whether code outside of tests reads, or calls, what has a function's name and may be the function."""
        values, loads, imports = (self.tables[each] for each in ("values", "loads", "imports"))
        rows: list[int] = []
        for op, table, column in ((Op.LOAD, loads, "key"), (Op.IMPORT, imports, "name")):
            of_kind = np.flatnonzero(values["op"] == int(op))
            rows += of_kind[table[column][values["data"][of_kind]] == name].tolist()
        rows += np.flatnonzero((values["op"] == int(Op.GLOBAL)) & (values["data"] == name)).tolist()
        states, own = self.callers.resolution, pack_state(FUNCTION, function)
        for value in rows:
            if not self.callers.is_in_test(value) and self.outermost(int(self.callers.function[value])) != function:
                known = states.states_of(value)
                if not known or own in known:
                    return True
        calls = self.tables["calls"]
        for call in np.flatnonzero(calls["name"] == name).tolist():
            if not self.callers.is_in_test(int(calls["result"][call])) and not self.callers.regions.functions_of(call):
                return True
        return self.is_in_text(self.callers.strings[name])

    def is_in_text(self, name: str) -> bool:
        """Whether a constant text is a name, or ends with it behind a mark: ``"users.show"``, ``"Users#show"``."""
        written = re.compile(rf"'(?:.*[.@#:])?{re.escape(name)}")
        values = self.tables["values"]
        texts = distinct(values["data"][values["op"] == int(Op.CONST)]).tolist()
        return any(written.fullmatch(self.program.strings[each]) is not None for each in texts)
