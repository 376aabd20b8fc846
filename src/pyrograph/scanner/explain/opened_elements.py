"""Elements that a function looks up in a table of the program by a value, and of which it reads a member:
``FIELDS[name].kind``, ``FIELDS.get(name).kind`` of a literal, ``ROWS.find((each) => each.name === name).kind``, and
``next(each for each in ROWS if each["name"] == name)``.

Where a member of nothing raises, code behind such a read runs only for values that the table has.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, CallFlag, Op, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value, subjects
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import MAX_ASKED_VALUES
from pyrograph.policy.names.questions import FIRST_OF_NAMES, SINGLE_NAMES
from pyrograph.scanner.analysis.captures import captured_as
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION
from pyrograph.scanner.explain.subjects import MERGES, Origins


class OpenedElement(NamedTuple):
    """A read that raises where a table has no element for a value."""

    read: int  # what raises: a member of the element, or the call that gives it
    made: int  # what gives the element
    table: int
    key: int  # the value


class OpenedElements:
    """Such reads by function. Each index is made of a whole table when it is first used."""

    def __init__(self, origins: Origins) -> None:
        self.origins = origins
        self.flow = origins.control_flow
        self.program = origins.program
        self.tables = origins.program.tables
        self.reps, self.op, self.data = origins.reps, origins.op, origins.data
        self.known: dict[int, list[OpenedElement]] = {}  # by function: ``opened``

    def opened(self, function: int) -> list[OpenedElement]:
        """The reads in a function that raise where there is no such element, in no order."""
        known = self.known.get(function)
        if known is None:
            file = int(self.program.file_of_value[int(self.tables["functions"]["result"][function])])
            raises = language_of(self.program.files[file].language).traits.absent_members_raise
            known = self.known[function] = list(self._opened(function)) if raises else []
        return known

    def _opened(self, function: int) -> Iterable[OpenedElement]:
        loads, calls = self.tables["loads"], self.tables["calls"]
        for row in self.keyed[self.by_function.of(function)].tolist():
            made, table = int(loads["result"][row]), int(loads["object"][row])
            if self.is_written_down(table):  # others may make elements of any name
                yield from self.members_of(made, table, key_value(int(loads["key"][row])))
        for call in self.flow.calls_in(function):
            if int(calls["flags"][call]) & CallFlag.AWAIT:
                continue
            made, table = int(calls["result"][call]), int(calls["receiver"][call])
            name = self.origins.name_of(call)
            given = [row for row in self.origins.args.of(call) if self.origins.args.position[row] != RECEIVER]
            if not given or not (SINGLE_NAMES.search(name) or FIRST_OF_NAMES.search(name)):
                continue
            first = self.origins.args.value[given[0]]
            if set(self.flow.functions_of(call)).difference(self.functions_in(first)):
                continue  # a function of the program, which may make what it returns
            if FIRST_OF_NAMES.search(name):
                for chosen_from, key in self.chosen_in(first):
                    if len(given) == 1:
                        yield OpenedElement(made, made, chosen_from, key)
                    else:
                        yield from self.members_of(made, chosen_from, key)
            elif table != NONE:
                compared = self.compared_in(first)
                if compared is None:  # ``client.get(address)`` looks nothing up
                    compared = [first] if self.is_written_down(table) else []
                for key in compared:
                    yield from self.members_of(made, table, key)

    def is_written_down(self, table: int) -> bool:
        """Whether a table is a literal of the program."""
        rep = self.reps[table]
        made = {rep}
        if self.op[rep] in (Op.GLOBAL, Op.IMPORT):
            edges = self.flow.resolution.flows.context_free_edges
            stored = {self.reps[edges[row][0]] for row in self.origins.stored.of(rep).tolist()}
            # what a method left of it is read under the same name
            made = {each for each in stored if (self.op[each], self.data[each]) != (self.op[rep], self.data[rep])}
        return bool(made) and all(self.op[each] in (Op.NEW, Op.STORE) for each in made)

    def members_of(self, made: int, table: int, key: int) -> Iterable[OpenedElement]:
        """The reads of members of ``made``."""
        results = self.tables["loads"]["result"][self.by_object.of(self.reps[made])].tolist()
        return [OpenedElement(each, made, table, key) for each in results if each > made]

    def compared_in(self, value: int) -> list[int] | None:
        """What a function that is given to a call compares members of its parameter with: values of the function
        around it. None if no function is given.
        """
        functions = self.functions_in(value)
        if not functions:
            return None
        return self.keys_compared(functions[0]) if len(functions) == 1 else []

    def functions_in(self, value: int) -> list[int]:
        states = self.flow.resolution.states_of(value)
        return subjects(states, FUNCTION)

    def keys_compared(self, function: int) -> list[int]:
        table = self.tables["conditions"]
        conditions = self.flow.conditions_in(function)
        if len(conditions) != 1 or table["test"][conditions[0]] != Test.EQUAL:
            return []  # each of several may be true alone
        operands = [int(table[side][conditions[0]]) for side in ("left", "right")]
        if NONE in operands:
            return []
        read = [self.is_member_of_parameter(each) for each in operands]
        outer = [self.captured.get(self.reps[each], each) for each in operands]
        return [each for each, is_compared in zip(outer, reversed(read), strict=True) if is_compared]

    def is_member_of_parameter(self, value: int) -> bool:
        rep = self.reps[value]
        if self.op[rep] != Op.LOAD or int(self.tables["loads"]["key"][self.data[rep]]) < 0:
            return False
        return self.op[self.reps[int(self.tables["loads"]["object"][self.data[rep]])]] == Op.PARAMETER

    def chosen_in(self, made: int) -> list[tuple[int, int]]:
        """(table, value) of a list that is filled with the elements of a table of which a member equals a value."""
        found: list[tuple[int, int]] = []
        work = [made]
        for at in work:  # grows, to the bound
            if len(work) > MAX_ASKED_VALUES:
                return []
            fresh: list[int] = []
            if self.op[at] in MERGES:
                fresh = self.origins.same_as(at)
            elif self.op[at] == Op.STORE:
                row = self.data[at]
                fresh = [int(self.tables["stores"]["object"][row])]
                pair = self.equal_element(int(self.tables["stores"]["value"][row]))
                if pair is None:
                    return []  # other elements as well
                found.append(pair)
            work += [each for each in fresh if each not in work]
        return found

    def equal_element(self, value: int) -> tuple[int, int] | None:
        """(table, value) of an element of a table behind a condition that one of its members equals a value."""
        if value == NONE or self.op[value] != Op.PI:
            return None
        table, pis = self.tables["conditions"], self.tables["pis"]
        condition, side = int(pis["condition"][self.data[value]]), int(pis["side"][self.data[value]])
        element = int(pis["input"][self.data[value]])
        loads = self.tables["loads"]
        if table["test"][condition] != Test.EQUAL or not side or self.op[self.reps[element]] != Op.LOAD:
            return None
        operands = [int(table[each][condition]) for each in ("left", "right")]
        for member, key in (operands, operands[::-1]):
            rep = self.reps[member] if member != NONE else NONE
            if rep == NONE or key == NONE or self.op[rep] != Op.LOAD:
                continue
            if self.reps[int(loads["object"][self.data[rep]])] == self.reps[element]:
                return int(loads["object"][self.data[self.reps[element]]]), key
        return None

    @cached_property
    def captured(self) -> dict[int, int]:
        return captured_as(self.program, self.reps)

    @cached_property
    def keyed(self) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        """Rows of loads under a key that is no constant."""
        return np.flatnonzero(self.tables["loads"]["key"] <= FIRST_VALUE_KEY)

    @cached_property
    def by_function(self) -> RowsByKey:
        return RowsByKey(self.flow.function[self.tables["loads"]["result"][self.keyed]])

    @cached_property
    def by_object(self) -> RowsByKey:
        """Loads by representative of the object."""
        return RowsByKey(self.flow.resolution.representative[self.tables["loads"]["object"]])
