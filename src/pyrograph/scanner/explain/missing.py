"""Look-ups that raise where there is nothing: code behind them runs only where there is something.

``handlers[name]`` of a table of the program, in a language in which a missing key raises; a call of a library within
``try``, where a handler names an exception that says that nothing was found: ``except client.NotFound: raise``; and a
look-up of one row, of which a member is read: ``User.query.filter_by(name=name).first().id``.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, CallFlag, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.kernels.arrays import among
from pyrograph.parsers import language_of
from pyrograph.policy.names.questions import MISSING_NAMES, SINGLE_NAMES
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.explain.control_flow import ControlFlow

# The columns that hold what is used.
USES: Final = (
    ("flows", "origin"),
    ("arguments", "value"),
    ("loads", "object"),
    ("stores", "value"),
    ("stores", "object"),
    ("calls", "receiver"),
    ("calls", "callee"),
    ("conditions", "left"),
    ("conditions", "right"),
)


class KeyedRead(NamedTuple):
    """A read under a key that is no constant."""

    result: int
    table: int
    key: int


class Missing:
    """Such look-ups by function. Each index is made of a whole table when it is first used."""

    def __init__(self, flow: ControlFlow) -> None:
        self.flow = flow
        self.program = flow.program
        self.refused: dict[int, list[int]] = {}  # by function: ``refused_calls``
        self.opened: dict[int, list[tuple[int, int]]] = {}  # by function: ``opened_rows``

    def keyed_reads(self, function: int) -> list[KeyedRead]:
        """The reads in a function that raise where there is no such key."""
        loads = self.program.tables["loads"]
        rows = self.raising[self.by_function.of(function)]
        columns = (loads[name][rows].tolist() for name in ("result", "object", "key"))
        return [KeyedRead(result, table, key_value(key)) for result, table, key in zip(*columns, strict=True)]

    @cached_property
    def raising(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Rows of loads under a key that is no constant, in languages in which a missing key raises."""
        loads = self.program.tables["loads"]
        rows = np.flatnonzero(loads["key"] <= FIRST_VALUE_KEY)
        raises = np.array(
            [language_of(file.language).traits.missing_keys_raise for file in self.program.files], np.bool_
        )
        return rows[raises[self.program.file_of_value[loads["result"][rows]]]]

    @cached_property
    def by_function(self) -> RowsByKey:
        return RowsByKey(self.flow.function[self.program.tables["loads"]["result"][self.raising]])

    def refused_calls(self, function: int) -> list[int]:
        """The calls of libraries in ``try`` statements of which a handler names what says that nothing was found."""
        known = self.refused.get(function)
        if known is None:
            known = self.refused[function] = list(self._refused_calls(function))
        return known

    def _refused_calls(self, function: int) -> Iterable[int]:
        flow = self.flow
        attempts = self.attempts.of(function).tolist()
        caught = [flow.span(self.caught[at]) for at in attempts if self.names_absence(self.caught[at])]
        for call in flow.calls_in(function) if caught else ():
            result = int(self.program.tables["calls"]["result"][call])
            _, start, end = flow.span(result)
            is_within = any(first <= start and end <= last for _, first, last in caught)
            is_used = bool(self.uses[result])
            if is_within and is_used and flow.block_of(result) not in self.handlers and not flow.functions_of(call):
                yield call

    def opened_rows(self, function: int) -> list[tuple[int, int]]:
        """(call, value) of the calls in a function that look up one row, by their name, and of the reads of its members
        that raise where there is none.
        """
        known = self.opened.get(function)
        if known is None:
            known = self.opened[function] = list(self._opened_rows(function))
        return known

    def _opened_rows(self, function: int) -> Iterable[tuple[int, int]]:
        flow, calls, loads = self.flow, self.program.tables["calls"], self.program.tables["loads"]
        file = int(self.program.file_of_value[self.program.tables["functions"]["result"][function]])
        traits = language_of(self.program.files[file].language).traits
        if not traits.absent_members_raise:
            return
        for call in flow.calls_in(function):
            is_awaited = bool(int(calls["flags"][call]) & CallFlag.AWAIT)
            if (traits.failures_stay_in_results and not is_awaited) or flow.functions_of(call):
                continue  # a member of a promise
            callee = flow.resolution.reps[int(calls["callee"][call])]
            key = int(loads["key"][flow.data[callee]]) if flow.op[callee] == Op.LOAD else NONE
            if key >= 0 and SINGLE_NAMES.search(self.program.strings[key]):
                rep = flow.resolution.reps[int(calls["result"][call])]
                yield from ((call, each) for each in loads["result"][self.members.of(rep)].tolist())

    @cached_property
    def members(self) -> RowsByKey:
        """Loads by representative of the object."""
        return RowsByKey(self.flow.resolution.representative[self.program.tables["loads"]["object"]])

    @cached_property
    def uses(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether something is done with each value: what a call gives that only notes something, nobody uses."""
        tables = self.program.tables
        found = np.zeros(len(tables["values"]["op"]), np.bool_)
        for table, column in USES:
            values = tables[table][column]
            found[values[values >= 0]] = True
        return found

    @cached_property
    def caught(self) -> list[int]:
        """What the ``try`` statements of the program catch."""
        found: list[int] = np.flatnonzero(self.program.tables["values"]["op"] == int(Op.EXCEPTION)).tolist()
        return found

    @cached_property
    def attempts(self) -> RowsByKey:
        """Positions in ``caught`` by function."""
        return RowsByKey(self.flow.function[self.caught])

    @cached_property
    def handlers(self) -> frozenset[int]:
        """The blocks in which handlers begin."""
        control = self.program.tables["control"]
        return frozenset(control["target"][control["side"] == EXCEPTIONAL].tolist())

    @cached_property
    def absences(self) -> dict[int, set[int]]:
        """By function: the blocks in which an exception is named that says that nothing was found."""
        loads = self.program.tables["loads"]
        named = [at for at, text in enumerate(self.program.strings) if MISSING_NAMES.search(text)]
        found: dict[int, set[int]] = {}
        for value in loads["result"][among(loads["key"], named)].tolist():
            function = int(self.flow.function[value])
            if function in self.flow.blocks:
                found.setdefault(function, set()).add(self.flow.block_of(value))
        return found

    def names_absence(self, caught: int) -> bool:
        """Whether a handler of a ``try`` statement begins with the name of such an exception."""
        flow = self.flow
        blocks = self.absences.get(int(flow.function[caught]))
        return blocks is not None and any(
            edge.side == EXCEPTIONAL and edge.target in blocks for edge in flow.edges(flow.block_of(caught))
        )
