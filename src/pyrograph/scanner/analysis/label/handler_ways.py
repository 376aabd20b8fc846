"""On which ways a handler of the program goes on to the next one: it calls what it was given, ``next()``.

A call with an argument hands on an error, ``next(error)``. Time O(blocks and edges of a function) for each question.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Test
from pyrograph.policy.limits.labels import MAX_ROUTE_DEPTH
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.versions import first_version


class Root(NamedTuple):
    """Where a value comes from: a value, and the members that are read of it."""

    value: int
    names: tuple[int, ...]


class HandlerWays:
    """Answers for one program. Calls that do not return are not known yet."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = Blocks(facts)
        self.going_on = calls_that_go_on(facts)  # by function

    def lead_through(self, function: int, value: int, sides: Collection[tuple[int, int]], schema: int) -> bool:
        """Whether a function goes on, and only behind ``value``, or behind one of these sides of conditions where there
        are some. Ways on which there is no schema do not count: ``if (schemas.query) ...``.
        """
        blocks, calls = self.blocks, self.going_on.get(function, [])
        place = blocks.place_of(function, value)
        rows = blocks.rows("blocks", "function", function)
        if place == NONE or not rows or not calls:
            return False
        passed = {blocks.place_of(function, each) for each in calls if sides or each < value}
        passed |= {blocks.place_of(function, each) for each in calls} - {place}
        root = root_of(self.facts, schema)
        seen, work = {rows[0]}, [rows[0]]
        while work:  # each block once
            block = work.pop()
            if block in passed:
                return False
            for target, condition, side in self.edges(block):
                if target in seen or (condition, side) in sides:
                    continue
                if block == place and not sides and side != EXCEPTIONAL:
                    continue
                if side == 0 and condition != NONE and self.asks_for(condition, root):
                    continue
                seen.add(target)
                work.append(target)
        return True

    def edges(self, block: int) -> list[tuple[int, int, int]]:
        """(target, condition, side) of the ways on from a block, those to handlers of exceptions as well."""
        control = self.facts.tables["control"]
        rows = self.blocks.rows("control", "origin", block)
        return [(int(control["target"][r]), int(control["condition"][r]), int(control["side"][r])) for r in rows]

    def asks_for(self, condition: int, root: Root) -> bool:
        """Whether a condition asks whether there is a schema."""
        conditions = self.facts.tables["conditions"]
        left = int(conditions["left"][condition])
        return int(conditions["test"][condition]) == Test.TRUTH and root_of(self.facts, left) == root


def calls_that_go_on(facts: Facts) -> dict[int, list[int]]:
    """By function: the results of calls, without an argument, of what it was given."""
    callees = facts.tables["calls"]["callee"]
    found: dict[int, list[int]] = {}
    for call in np.flatnonzero(callees != NONE).tolist():
        callee = facts.rep[int(callees[call])]
        if facts.op[callee] == Op.PARAMETER and all([facts.arg_position[row] < 0 for row in facts.args.of(call)]):
            result = facts.call_result[call]
            found.setdefault(int(facts.function_of[result]), []).append(result)
    return found


def root_of(facts: Facts, value: int) -> Root:
    names: list[int] = []
    at = first_version(facts, value, before_stores=True)
    while facts.op[at] == Op.LOAD and facts.load_key[facts.data[at]] >= 0 and len(names) < MAX_ROUTE_DEPTH:
        names.append(facts.load_key[facts.data[at]])
        at = first_version(facts, facts.load_object[facts.data[at]], before_stores=True)
    return Root(facts.rep[at], tuple(reversed(names)))
