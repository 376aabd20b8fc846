"""Checks of a part of the request by code that runs before the handler: middleware, hooks, wrappers, dependencies.

``if not relative(request.GET["next"]): return forbidden()`` in a middleware, and the view redirects to what it reads
of ``request.GET["next"]`` itself. No data leads from the check to the view: that both read the same part is what joins
them (``request_parts``). The function must let certain values through only (``earlier_refusals``), and must run before
each handler from which requests get to the reading, as checks of who may call do (``callers``); or before all handlers,
because of its file, since a list names it, or since it is registered with the name of such a stage.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.explanation import MAX_EARLIER_HANDLERS, MAX_EARLIER_READINGS, MAX_GUARD_USES
from pyrograph.policy.names.requests import EARLIER_FILES, EARLIER_STAGES, EARLIER_TEXTS
from pyrograph.scanner.analysis.label.labels import SourceRole
from pyrograph.scanner.explain.asking import Asking
from pyrograph.scanner.explain.callers import SHOWN, Callers
from pyrograph.scanner.explain.earlier_refusals import DOUBTED, FREE, EarlierRefusals
from pyrograph.scanner.explain.entries import Entries
from pyrograph.scanner.explain.questions import UNASKED
from pyrograph.scanner.explain.request_parts import Reading, RequestParts


class RunsBefore(Callers):
    """Whether one function, or one inside it, runs before a handler."""

    gate: int = NONE

    @classmethod
    def of(cls, callers: Callers, function: int) -> RunsBefore:
        other = cls.__new__(cls)
        other.__dict__.update(callers.about(UNASKED, {}).__dict__)
        other.gate = function
        return other

    def is_gate(self, function: int) -> bool:
        return self.gate in self.nest(function)


class Placed(NamedTuple):
    """What runs before the handlers of a folder."""

    folder: str
    is_listed: bool  # a list names it; else its file is where such code usually stands


class EarlierChecks:
    """Answers for one program, kept by function and handler."""

    def __init__(self, asking: Asking, entries: Entries) -> None:
        self.asking = asking
        self.entries = entries
        self.callers = entries.callers
        self.parts = RequestParts(asking, entries)
        self.refusals = EarlierRefusals(asking, self.callers)
        self.before: dict[int, RunsBefore] = {}  # by function
        self.general: dict[int, Placed | None] = {}  # by function: ``runs_before_all``

    def degree(self, source: SourceRole, name: str, path: Sequence[int], vulnerability: int) -> int:
        """What code that runs before does with the part ``name`` that a path begins with: a degree of
        ``earlier_refusals``; of several handlers, that of the one that checks least.

        ``path``: its values; where no name is given, one of them shows which part is read.
        """
        name = name or self.parts.name_on_path(source, path)
        readings = self.parts.readings.get(self.parts.part_of(source, name), ()) if name else ()
        if self.asking.op[source.value] == Op.PARAMETER:  # a wrapper of the handler gets it first
            row = self.asking.data[source.value]
            number = int(self.callers.tables["parameters"]["name"][row])
            readings += self.parts.passed_on.get(self.callers.strings[number], ()) if number >= 0 else ()
        own = {int(self.callers.function[source.value]), *self.handlers_of(source.value)}
        of_functions: dict[int, list[Reading]] = {}
        for each in readings[:MAX_EARLIER_READINGS]:
            if each.function not in own:
                of_functions.setdefault(each.function, []).append(each)
        judged = {function: self.refusals.degree(tuple(read), vulnerability) for function, read in of_functions.items()}
        refusing = {function: degree for function, degree in judged.items() if degree != FREE}
        file = self.callers.program.files[int(self.callers.program.file_of_value[source.value])].path
        general = [FREE]
        for function, degree in refusing.items():
            placed = self.runs_before_all(function)
            if placed is not None and file.startswith(placed.folder):
                general.append(degree if placed.is_listed else min(degree, DOUBTED))
        handlers = self.handlers_of(source.value) if refusing else ()
        if len(handlers) > MAX_EARLIER_HANDLERS:
            handlers = ()
        checked = (
            max((degree for function, degree in refusing.items() if self.runs_before(function, each)), default=FREE)
            for each in handlers
        )
        return max(*general, min(checked, default=FREE))

    def runs_before(self, function: int, handler: int) -> bool:
        before = self.before.get(function)
        if before is None:
            before = self.before[function] = RunsBefore.of(self.callers, function)
        return before.evidence(handler) == SHOWN

    def handlers_of(self, value: int) -> tuple[int, ...]:
        """The handlers from which requests get to the code that computes a value."""
        function = int(self.callers.function[value])
        return tuple(each for each in self.entries.outwards(function) if self.entries.of_function(each))

    # -- Code that runs before all handlers

    def runs_before_all(self, function: int) -> Placed | None:
        """For whose handlers a function runs first, because of its file or a list that names it; or None."""
        if function not in self.general:
            self.general[function] = self._runs_before_all(function)
        return self.general[function]

    def _runs_before_all(self, function: int) -> Placed | None:
        tables, program = self.callers.tables, self.callers.program
        functions = tables["functions"]
        path = program.files[int(program.file_of_value[int(functions["result"][function])])].path
        placed = EARLIER_FILES.search(path)
        if placed is not None:
            number = int(functions["name"][function])
            is_nameless = number < 0 or not self.callers.strings[number]  # what such a file gives as its default
            return Placed(path[: placed.start()], is_listed=False) if is_nameless else None
        hooked = [self.is_always_hooked(each) for each in (function, *self.handing_on(function))]
        if any(each is not None for each in hooked):
            return Placed("", is_listed=True in hooked)
        outer = function
        while int(functions["owner"][outer]) == NONE and int(functions["parent"][outer]) != NONE:
            around = int(functions["parent"][outer])
            if int(functions["parent"][around]) == NONE:
                break
            outer = around  # ends: functions stand in earlier ones
        owner = int(functions["owner"][outer])
        table, row = ("owners", owner) if owner != NONE else ("functions", outer)
        name = self.callers.strings[int(tables[table]["name"][row])]
        module = path.rpartition(".")[0].replace("/", ".")
        for text in self.listed_texts:
            before, _, last = text.rpartition(".")
            if last == name and before and f".{module}".endswith(f".{before}"):
                return Placed(path[: len(module) - len(before)], is_listed=True)  # the application that has the module
        return None

    def is_always_hooked(self, function: int) -> bool | None:
        """Whether a function is registered, whatever is configured, with the name of a stage that all requests go
        through before their handler: ``server.ext("onPostAuth", f)``, ``ext({ type: "onPostAuth", method: f })``.
        None: it is not registered so.
        """
        callers = self.callers
        results = callers.tables["calls"]["result"]
        places = [
            int(results[call])
            for call, row in callers.uses_of(function)[:MAX_GUARD_USES]
            if self.names_stage([callers.args.value[each] for each in callers.args.of(call) if each != row])
        ]
        literals = callers.holding(function)[:MAX_GUARD_USES]
        places += [literal for literal in literals if self.names_stage(callers.stored_in(literal))]
        places = [each for each in places if not callers.is_in_test(each)]
        return any(map(self.is_unconditional, places)) if places else None

    def names_stage(self, values: Iterable[int]) -> bool:
        return any(EARLIER_STAGES.search(self.callers.constant(each)) for each in values)

    def is_unconditional(self, value: int) -> bool:
        """Whether a function does not return before it has computed a value."""
        flow, function = self.asking.control_flow, int(self.callers.function[value])
        if function not in flow.blocks:
            return True
        found = flow.reach(function, {flow.block_of(value): value}, lambda condition, side: False)
        return all(each == flow.block_of(value) or not flow.is_exit(each) for each in found)

    def handing_on(self, function: int) -> list[int]:
        """The functions that return what ``function`` does, and nothing else: ``(request, h) => check(request, h)``."""
        found: list[int] = []
        for site in self.callers.direct_sites(function)[:MAX_GUARD_USES]:
            around = int(self.callers.function[site])
            returned = self.asking.same_as(int(self.callers.tables["functions"]["result"][around]))
            if {self.callers.reps[each] for each in returned} == {self.callers.reps[site]}:
                found.append(around)
        return found

    @cached_property
    def listed_texts(self) -> tuple[str, ...]:
        """The constant texts of the program that name what runs before handlers, but for those that calls are given:
        names of loggers. Linear in the values.
        """
        values, callers = self.callers.tables["values"], self.callers
        given = set(callers.tables["arguments"]["value"].tolist())
        found: dict[str, None] = {}
        for value in np.flatnonzero(values["op"] == int(Op.CONST)).tolist():
            text = callers.strings[callers.data[value]]
            if "." in text and text.startswith("'") and EARLIER_TEXTS.search(text) and value not in given:
                if callers.is_in_test(value):
                    continue
                found[text[1:]] = None
        return tuple(found)
