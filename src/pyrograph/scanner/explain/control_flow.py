"""The control flow of functions: basic blocks, the edges between them, and the calls and conditions in them.

Each index is made of a whole table when it is first used.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Set
from functools import cached_property
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.explanation import MAX_GUARD_USES
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.conjunctions import conjunctions_of, conjuncts
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution


class Edge(NamedTuple):
    target: int  # block
    condition: int  # or NONE
    side: int


class ControlFlow:
    """Blocks, edges, calls and conditions by number and by function; the functions that calls may call."""

    def __init__(self, program: Program, resolution: Resolution, non_returning: set[int]) -> None:
        self.program = program
        self.resolution = resolution
        self.non_returning = non_returning  # calls
        self.op = program.numbers("values", "op")
        self.data = program.numbers("values", "data")
        self.function = program.tables["values"]["function"]
        self.ways: dict[int, list[Edge]] = {}  # ``edges`` by block
        self.stopped: dict[int, dict[int, int]] = {}  # by function: ``stops``
        self.attempts: dict[int, list[tuple[int, int]]] = {}  # by function: where it begins to try, and the handler
        self.spans: dict[int, list[tuple[int, int]]] = {}  # by function: ``conditions_within``

    # -- Blocks

    @cached_property
    def blocks(self) -> dict[int, tuple[list[int], list[int]]]:
        """By function: its blocks, and the first value of each."""
        found: dict[int, tuple[list[int], list[int]]] = {}
        table = self.program.tables["blocks"]
        for block, (function, first) in enumerate(
            zip(table["function"].tolist(), table["first"].tolist(), strict=True)
        ):
            blocks, firsts = found.setdefault(function, ([], []))
            blocks.append(block)
            firsts.append(first)
        return found

    def block_of(self, value: int) -> int:
        """The basic block of a value, but for phis."""
        blocks, firsts = self.blocks[int(self.function[value])]
        return blocks[max(0, bisect_right(firsts, value) - 1)]

    def block_behind(self, value: int) -> int:
        """The block of a value; of a version behind a condition, which stands before the branch, the one it is for."""
        if self.op[value] == Op.PI:
            pis, control = self.program.tables["pis"], self.program.tables["control"]
            row = self.data[value]
            for edge in self.deciding.of(int(pis["condition"][row])).tolist():
                if control["side"][edge] == pis["side"][row]:
                    return int(control["target"][edge])
        return self.block_of(value)

    @cached_property
    def control(self) -> RowsByKey:
        """Control edges by origin."""
        return RowsByKey(self.program.tables["control"]["origin"])

    def edges(self, block: int) -> list[Edge]:
        known = self.ways.get(block)
        if known is None:
            table = self.program.tables["control"]
            rows = self.control.of(block)
            columns = (table[name][rows].tolist() for name in ("target", "condition", "side"))
            known = self.ways[block] = [Edge(*edge) for edge in zip(*columns, strict=True)]
        return known

    @cached_property
    def deciding(self) -> RowsByKey:
        """Control edges by condition."""
        return RowsByKey(self.program.tables["control"]["condition"])

    @cached_property
    def entering(self) -> RowsByKey:
        """Control edges by target."""
        return RowsByKey(self.program.tables["control"]["target"])

    def is_exit(self, block: int) -> bool:
        return all(edge.side == EXCEPTIONAL for edge in self.edges(block))

    def reach(
        self, function: int, stops: Mapping[int, int], leave_out: Callable[[int, int], bool], start: int = NONE
    ) -> dict[int, int]:
        """The blocks that are reached from ``start`` without edges for whose condition and side ``leave_out`` holds.

        For each block the last value that is reached: a block in ``stops`` ends behind the value that is given there,
        and is left where something is raised only: also by a call that does not come back, for the handlers around it.
        ``start``: NONE is the entry. O(blocks and edges of the function).
        """
        blocks, _ = self.blocks[function]
        found: dict[int, int] = {}
        work = [blocks[0] if start == NONE else start]
        while work:  # each block once
            block = work.pop()
            if block in found:
                continue
            found[block] = stops.get(block, len(self.op))
            for edge in self.edges(block):
                if edge.condition != NONE and edge.side != EXCEPTIONAL and leave_out(edge.condition, edge.side):
                    continue
                if block not in stops or edge.side == EXCEPTIONAL:
                    work.append(edge.target)
            if block in stops and block in self.stops(function):
                work += self.handlers_around(function, block)
        return found

    # -- What a function contains

    @cached_property
    def calls(self) -> RowsByKey:
        """Calls by the function around them."""
        return RowsByKey(self.function[self.program.tables["calls"]["result"]])

    def calls_in(self, function: int) -> list[int]:
        found: list[int] = self.calls.of(function).tolist()
        return found

    @cached_property
    def callees(self) -> dict[int, list[int]]:
        """The functions of the program that a call may call, by site; sites that call none are left out."""
        found: dict[int, list[int]] = {}
        for site, function in self.resolution.rows("targets")[:, :2].tolist():
            found.setdefault(site, []).append(function)
        return found

    def functions_of(self, call: int) -> list[int]:
        return self.callees.get(call, [])

    @cached_property
    def conditions(self) -> RowsByKey:
        """Conditions by function."""
        return RowsByKey(self.program.tables["conditions"]["function"])

    def conditions_in(self, function: int) -> list[int]:
        found: list[int] = self.conditions.of(function).tolist()
        return found

    def conditions_within(self, value: int) -> list[int]:
        """The conditions of a value's function that stand in the value's text."""
        table, function = self.program.tables["conditions"], int(self.function[value])
        _, start, end = self.span(value)
        spans = self.spans.get(function)
        if spans is None:
            rows = self.conditions_in(function)
            spans = self.spans[function] = sorted(zip(table["start"][rows].tolist(), rows, strict=True))
        found = spans[bisect_left(spans, (start, -1)) : bisect_left(spans, (end + 1, -1))]
        return sorted(each for _, each in found if table["end"][each] <= end)

    def values_in_text(self, condition: int) -> list[int]:
        """The values in the text of a condition, those of functions inside it, and what calls there are given."""
        tables = self.program.tables
        table, values, arguments = tables["conditions"], tables["values"], tables["arguments"]
        start, end = int(table["start"][condition]), int(table["end"][condition])
        file = int(self.program.file_of_value[tables["functions"]["result"][int(table["function"][condition])]])
        in_file, given, tested = (rows.of(file) for rows in self.rows_by_file)
        inside = in_file[(values["start"][in_file] >= start) & (values["end"][in_file] <= end)]
        rows = given[among(tables["calls"]["result"][arguments["call"][given]], inside)]
        others = tested[(table["start"][tested] >= start) & (table["end"][tested] <= end)]
        operands = np.concatenate([table[side][others] for side in ("left", "right")])
        parts = (inside, arguments["value"][rows], operands[operands != NONE])
        return list(dict.fromkeys(np.concatenate(parts).tolist()))

    @cached_property
    def rows_by_file(self) -> tuple[RowsByKey, RowsByKey, RowsByKey]:
        """Values, arguments and conditions by the file they stand in."""
        tables, file = self.program.tables, self.program.file_of_value
        calls = tables["calls"]["result"][tables["arguments"]["call"]]
        functions = tables["functions"]["result"][tables["conditions"]["function"]]
        return RowsByKey(file), RowsByKey(file[calls]), RowsByKey(file[functions])

    @cached_property
    def raised(self) -> dict[int, int]:
        """By value that is raised: what it is; where a statement names what was made before, that."""
        ops, flows = self.program.tables["values"]["op"], self.program.tables["flows"]
        is_raised = ops == int(Op.EXCEPTION)  # within ``try``
        is_raised[self.program.tables["functions"]["raised"]] = True
        found = dict.fromkeys(flows["origin"][np.flatnonzero(is_raised[flows["target"]])].tolist())
        named = [value for value in found if self.op[value] == Op.EXPRESSION]
        origins = {value: flows["origin"][self.returned.of(value)].tolist() for value in named}
        return {value: origins[value][0] if len(origins.get(value, ())) == 1 else value for value in found}

    @cached_property
    def raising(self) -> dict[int, set[int]]:
        """By function: the blocks in which it raises something."""
        found: dict[int, set[int]] = {}
        for value in self.raised:
            function = int(self.function[value])
            if function in self.blocks:
                found.setdefault(function, set()).add(self.block_of(value))
        return found

    def stops(self, function: int) -> dict[int, int]:
        """By block of a function in which a call does not come back: what that call returns."""
        if function not in self.stopped:
            results = self.program.tables["calls"]["result"]
            calls = [call for call in self.calls_in(function) if call in self.non_returning]
            self.stopped[function] = {self.block_of(int(results[call])): int(results[call]) for call in calls}
        return self.stopped[function]

    def handlers_around(self, function: int, block: int) -> list[int]:
        """The handlers to which a call in ``block`` that does not come back may lead: those whose ``try`` begins before
        and that begin themselves behind it. One that stands between the two, an earlier handler, counts as well.
        """
        if function not in self.attempts:
            self.attempts[function] = [
                (each, edge.target)
                for each in self.blocks[function][0]
                for edge in self.edges(each)
                if edge.side == EXCEPTIONAL
            ]
        return [handler for begin, handler in self.attempts[function] if begin <= block < handler]

    # -- Conditions and values

    @cached_property
    def conjunctions(self) -> dict[int, list[tuple[int, int]]]:
        """By conjunction: its two conditions and the sides that they must have."""
        return conjunctions_of(self.program)

    def holds(self, condition: int, side: int, sides: Set[tuple[int, int]]) -> bool:
        """Whether one of ``sides``, conditions with a side each, holds where a condition has this side."""
        parts = self.conjunctions.get(condition)
        if parts is None:
            return (condition, side) in sides
        if side:
            return any(self.holds(part, wanted, sides) for part, wanted in parts)
        return all(self.holds(part, 1 - wanted, sides) for part, wanted in parts)

    def conjuncts(self, condition: int) -> list[tuple[int, int]]:
        """(condition, side) of all that must hold where ``condition`` does: itself, or the parts of a conjunction.

        A part that must not hold is not divided further.
        """
        return conjuncts(self.conjunctions, condition)

    @cached_property
    def wholes(self) -> dict[int, list[tuple[int, int]]]:
        """By condition: the conjunctions that it stands in, and the side that each wants it to have."""
        found: dict[int, list[tuple[int, int]]] = {}
        for whole, parts in self.conjunctions.items():
            for part, wanted in parts:
                found.setdefault(part, []).append((whole, wanted))
        for part, around in found.items():  # a conjunction within a conjunction
            for whole, wanted in around:
                if len(around) < MAX_GUARD_USES:
                    around += [(outer, wanted) for outer, side in found.get(whole, ()) if side and outer != part]
        return found

    @cached_property
    def returned(self) -> RowsByKey:
        """Flows by target."""
        return RowsByKey(self.program.tables["flows"]["target"])

    def span(self, value: int) -> tuple[int, int, int]:
        values = self.program.tables["values"]
        return int(self.program.file_of_value[value]), int(values["start"][value]), int(values["end"][value])

    def is_text(self, value: int, texts: frozenset[str]) -> bool:
        """Whether a value is one of these constants."""
        value = self.resolution.reps[value]
        return self.op[value] in (Op.CONST, Op.GLOBAL) and self.program.strings[self.data[value]] in texts
