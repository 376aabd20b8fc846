"""Handlers that nothing names, in a file of which other handlers have routes.

A program that registers its handlers one by one gives each to a call, by its name: ``router.post("/login",
users.login)``. A handler beside them that no code reads, calls, passes on or writes into a table has no route. Programs
that find handlers by folder, by file or by the names of methods give none of a file to a call, so that the question is
asked only where at least one other handler of the file, or of the class, has a route of its own, whether or not it
reads what the request says. Where methods of a
class stand in several files, three others of it must have one, and most of those that read requests.

A name counts as read if what reads it may be the handler: it is, or nobody knows what it is. So does a constant text
that ends with the name (``"UserController.register"``). What hands a function out to other files reads nothing: the
export of a module and the object that is exported. Code of tests reads nothing, nor do other handlers without a route.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, Op
from pyrograph.ir.packed import pack_state, subjects
from pyrograph.kernels.arrays import distinct
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import LEAST_NEIGHBOURS, MAX_GUARD_USES, MAX_LEFT_OVER_CALLERS, NAMED_HANDLERS
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label import SourceRole
from pyrograph.scanner.analysis.link import Table
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.unused import outermost

MARKS: Final = re.compile(r"[.@#:]")


class LeftOver:
    """Answers for one program, kept by function. The first question about a name costs a pass over the values."""

    def __init__(self, entries: Entries, sources: Collection[SourceRole]) -> None:
        self.entries = entries
        self.callers = entries.callers
        self.program = entries.program
        self.tables = entries.tables
        self.sources = sources
        self.known: dict[int, bool] = {}
        self.depth = 0  # of handlers that are asked about because they use another one
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
        return self.is_left(function)

    def is_left(self, function: int) -> bool:
        """The same of an outermost function. It counts as registered while it is asked about, and behind
        ``MAX_LEFT_OVER_CALLERS`` others.
        """
        known = self.known.get(function)
        if known is not None or self.depth > MAX_LEFT_OVER_CALLERS:
            return bool(known)
        self.known[function] = False
        self.depth += 1
        known = self.known[function] = self._is_left_over(function)
        self.depth -= 1
        return known

    def _is_left_over(self, function: int) -> bool:
        name = int(self.tables["functions"]["name"][function])
        if name == NONE or self.parent[function] == NONE or not self.callers.strings[name].isidentifier():
            return False
        if function not in self.handlers.get(self.place(function), ()) or self.is_used(function):
            return False
        if not any(self.has_route(each) for each in self.beside(function)) and not self.is_exception(function):
            return False
        return not self.is_of_handed_over(function) and not self.is_named(function, name)

    def is_of_handed_over(self, function: int) -> bool:
        """Whether a library has objects of a method's class, and may call what its interfaces name: `Serve(shop)`."""
        language = self.program.files[self.place(function)[0]].language
        if not language_of(language).traits.dispatch.interfaces_before_names:
            return False
        return self.class_of.get(function, NONE) in self.handed_over

    @cached_property
    def handed_over(self) -> frozenset[int]:
        """Classes of which an object is passed to no function of the program, or stored in no object of it."""
        callers, states = self.callers, self.callers.resolution
        arguments, stores = self.tables["arguments"], self.tables["stores"]
        rows = np.flatnonzero(arguments["position"] != RECEIVER)
        pairs = list(zip(arguments["value"][rows].tolist(), arguments["call"][rows].tolist(), strict=True))
        pairs += [(value, NONE) for value in self.stored_elsewhere(stores)]
        results, found = self.tables["calls"]["result"], set[int]()
        for value, call in pairs:
            owners = set(subjects(states.states_of(value), INSTANCE_OF)) - found if value != NONE else set[int]()
            if not owners or (call != NONE and callers.regions.functions_of(call)):
                continue
            if not callers.is_in_test(int(results[call]) if call != NONE else value):
                found |= owners
        return frozenset(found)

    def stored_elsewhere(self, stores: Table) -> list[int]:
        """The values that are stored in objects of no class of the program."""
        states = self.callers.resolution
        pairs = zip(stores["value"].tolist(), stores["object"].tolist(), strict=True)
        return [value for value, item in pairs if value != NONE and not subjects(states.states_of(item), INSTANCE_OF)]

    def is_exception(self, function: int) -> bool:
        """Whether the program registers most other methods of a class whose methods stand in several files."""
        others = self.in_class.get(self.class_of.get(function, NONE), ())
        if not LEAST_NEIGHBOURS < len(others) <= MAX_GUARD_USES:
            return False
        routed = sum(map(self.has_route, others))
        left = sum(not self.has_route(each) and not self.is_used(each) for each in others)
        return routed >= LEAST_NEIGHBOURS and routed >= NAMED_HANDLERS * (routed + left)

    def outermost(self, function: int) -> int:
        """The function around ``function`` that lies in no other one but a module's body."""
        return outermost(self.parent, function)

    def is_used(self, function: int) -> bool:
        """Whether the program calls a function, passes it on, writes it into a table or has a framework find it."""
        callers, results = self.callers, self.tables["calls"]["result"]
        calls = [call for _, call in self.entries.by_function.get(function, ())]  # NONE: found by its file or class
        calls += [call for call, _ in callers.uses_of(function)]
        calls += callers.resolution.rows("targets")[callers.callers.of(function), 0].tolist()
        if any(not 0 <= call < len(results) or self.counts(int(results[call])) for call in calls):
            return True
        literals = callers.listed.get(function, ())
        return any(each not in self.handed_out and not callers.is_in_test(each) for each in literals)

    def counts(self, value: int) -> bool:
        """Whether code at ``value`` may run: it is in no test, and in no handler without a route. What reads no request
        itself may set up handlers that do.
        """
        function = self.outermost(int(self.callers.function[value]))
        is_left = function in self.reading and self.is_left(function)
        return not is_left and not self.callers.is_in_test(value)

    @cached_property
    def reading(self) -> frozenset[int]:
        """Functions that read requests, not only in functions that stand in them."""
        own = [each.value for each in self.sources if each.kind in REQUEST_KINDS]
        return frozenset(int(self.callers.function[value]) for value in own)

    def has_route(self, function: int) -> bool:
        """Whether the program registers a function by itself, at a path or for a method."""
        callers = self.callers
        listed = callers.listed.get(function, ())
        if not callers.uses_of(function) and self.handed_out.issuperset(listed):
            return False
        return any(each.route or each.methods for each in self.entries.of_function(function))

    def beside(self, function: int) -> list[int]:
        """The other functions of its file, or of its class, that read requests or get them, to the bound."""
        place = self.place(function)
        known = dict.fromkeys((*self.handlers.get(place, ()), *self.receiving.get(place, ())))
        return [each for each in known if each != function][:MAX_GUARD_USES]

    @cached_property
    def receiving(self) -> dict[tuple[int, int], list[int]]:
        """By file and class: the outermost functions to which requests come, whether or not they read them."""
        found: dict[tuple[int, int], list[int]] = {}
        for function in sorted(self.entries.by_function):
            if self.outermost(function) == function and self.parent[function] != NONE:
                found.setdefault(self.place(function), []).append(function)
        return found

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
    def in_class(self) -> dict[int, list[int]]:
        """By class: those of ``handlers`` that are its methods, whatever file they stand in."""
        found: dict[int, list[int]] = {}
        for functions in self.handlers.values():
            for each in functions:
                if each in self.class_of:
                    found.setdefault(self.class_of[each], []).append(each)
        return found

    @cached_property
    def class_of(self) -> dict[int, int]:
        """By method: its class, also where another file declares this."""
        members, values = self.tables["members"], self.tables["values"]
        rows = np.flatnonzero(values["op"][members["value"]] == int(Op.FUNCTION))
        functions = values["data"][members["value"][rows]].tolist()
        found: dict[int, int] = {}
        for function, owner in zip(functions, members["owner"][rows].tolist(), strict=True):
            for each in subjects(self.callers.resolution.states_of(owner), CLASS):
                found[function] = each
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
        states, own = self.callers.resolution, pack_state(FUNCTION, function)
        for value in self.readers.of(name).tolist():
            if self.outermost(int(self.callers.function[value])) == function:
                continue  # it calls itself
            known = states.states_of(value)
            if (not known or own in known) and self.counts(value):
                return True
        results = self.tables["calls"]["result"]
        for call in self.calls_by_name.of(name).tolist():
            if not self.callers.regions.functions_of(call) and self.counts(int(results[call])):
                return True
        return self.is_in_text(self.callers.strings[name]) or self.is_in_generated(function, self.callers.strings[name])

    def is_in_generated(self, function: int, name: str) -> bool:
        """Whether a generated file, which is not analysed, may have a name."""
        declarations = self.callers.texts.declarations
        if declarations is None:
            return False
        language = self.program.files[self.place(function)[0]].language
        return declarations.may_have(re.compile(rb"\b" + re.escape(name.encode()) + rb"\b"), language)

    def is_in_text(self, name: str) -> bool:
        """Whether a constant text is a name, or ends with it behind a mark: ``"users.show"``, ``"Users#show"``."""
        return name in self.ends_of_texts

    @cached_property
    def ends_of_texts(self) -> frozenset[str]:
        """What stands behind the last mark of each constant text; the whole of one without a mark."""
        values, strings = self.tables["values"], self.program.strings
        texts = distinct(values["data"][values["op"] == int(Op.CONST)]).tolist()
        return frozenset(MARKS.split(strings[each][1:])[-1] for each in texts if strings[each][:1] == "'")

    @cached_property
    def readers(self) -> RowsByKey:
        """The values that read a name: a global, a member or an import."""
        values = self.tables["values"]
        read = np.full(len(values["op"]), NONE, np.int32)
        for op, table, column in ((Op.LOAD, "loads", "key"), (Op.IMPORT, "imports", "name")):
            rows = np.flatnonzero(values["op"] == int(op))
            read[rows] = self.tables[table][column][values["data"][rows]]
        rows = np.flatnonzero(values["op"] == int(Op.GLOBAL))
        read[rows] = values["data"][rows]
        return RowsByKey(read)

    @cached_property
    def calls_by_name(self) -> RowsByKey:
        return RowsByKey(self.tables["calls"]["name"])
