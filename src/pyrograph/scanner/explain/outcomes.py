"""Checks whose outcome changes nothing: behind either of them the path goes on with the same values.

``if not is_valid(x): log.warning("bad")`` is one. What a call on either side does is known only if it reports: another
one may end the request, and what is stored, or given to an object, may be asked for later (``errors.append("bad")``).
"""

from __future__ import annotations

from functools import cached_property

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.explanation import MAX_ASKED_VALUES
from pyrograph.policy.names.functions import REPORTING_CALLS
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.texts import Texts


class Outcomes:
    """The indexes are made with the first question."""

    def __init__(self, program: Program, resolution: Resolution, non_returning: set[int], texts: Texts) -> None:
        self.program = program
        self.tables = program.tables
        self.flow = ControlFlow(program, resolution, non_returning)
        self.texts = texts
        self.op, self.data = self.flow.op, self.flow.data

    @cached_property
    def joined(self) -> dict[int, list[tuple[int, int]]]:
        """By the state of an argument after a call: the merges of its versions on both sides of a condition that tests
        what the call returned, with that condition.
        """
        tables = self.tables
        pis, flows, conditions = tables["pis"], tables["flows"], tables["conditions"]
        ops = tables["values"]["op"]
        into = (ops[flows["target"]] == int(Op.PHI)) & (ops[flows["origin"]] == int(Op.PI))
        sides: dict[int, list[int]] = {}  # merge -> rows of the versions that it merges
        for target, origin in zip(flows["target"][into].tolist(), flows["origin"][into].tolist(), strict=True):
            sides.setdefault(target, []).append(self.data[origin])
        found: dict[int, list[tuple[int, int]]] = {}
        for merge, rows in sides.items():
            state, condition = int(pis["input"][rows[0]]), int(pis["condition"][rows[0]])
            if len(rows) != 2 or self.op[state] != Op.POST or int(pis["side"][rows[0]]) == int(pis["side"][rows[1]]):
                continue
            if int(pis["input"][rows[1]]) != state or int(pis["condition"][rows[1]]) != condition:
                continue
            call = int(tables["arguments"]["call"][self.data[state]])
            left = int(conditions["left"][condition])
            if left != NONE and self.op[left] == Op.LOAD:  # one of several results
                left = int(tables["loads"]["object"][self.data[left]])
            if left == int(tables["calls"]["result"][call]):
                found.setdefault(state, []).append((merge, condition))
        return found

    def change_nothing(self, merge: int, condition: int) -> bool:
        """Whether control comes from both sides of a condition to ``merge``, and nothing but reports is made there.

        O(blocks and calls of the function).
        """
        function = int(self.flow.function[merge])
        before = self.tables["joins"]["block"][self.joins.of(merge)].tolist()
        targets = [{edge.target for edge in self.flow.edges(block)} for block in before]
        ends = set.intersection(*targets) if targets else set()
        edges = self.flow.deciding.of(condition)
        work = [int(each) for each in self.tables["control"]["target"][edges].tolist()]
        if len(ends) != 1 or len(work) < 2:
            return False  # not known, or a part of a longer condition
        between: set[int] = set()
        while work:  # each block once
            block = work.pop()
            if block not in between and block not in ends:
                between.add(block)
                if self.flow.is_exit(block):
                    return False
                work += [edge.target for edge in self.flow.edges(block)]
        if between & self.flow.raising.get(function, set()):
            return False
        stores = self.tables["stores"]["result"][self.stores.of(function)].tolist()
        if any(self.flow.block_of(each) in between for each in stores):
            return False
        results = self.tables["calls"]["result"]
        calls = [each for each in self.flow.calls_in(function) if self.flow.block_of(int(results[each])) in between]
        return self.only_report(calls) and self.leave_versions(before)

    def only_report(self, calls: list[int]) -> bool:
        """Whether these calls report something, or make what is reported, and come back."""
        table = self.tables["calls"]
        reports = [self.flow.span(int(table["result"][each])) for each in calls if self.reports(each)]
        return all(
            any(file == own and first <= start and end <= last for own, first, last in reports)
            for file, start, end in (self.flow.span(int(table["result"][each])) for each in calls)
        ) and not any(each in self.flow.non_returning for each in calls)

    def reports(self, call: int) -> bool:
        table = self.tables["calls"]
        if any(self.flow.raising.get(each) for each in self.flow.functions_of(call)):
            return False
        file, start, end = self.flow.span(int(table["callee"][call]))
        return REPORTING_CALLS.fullmatch(self.texts.text(file, start, end)) is not None

    def leave_versions(self, before: list[int]) -> bool:
        """Whether no variable has another value, depending on which of these blocks control comes from."""
        versions: dict[int, set[int]] = {}
        table = self.tables["joins"]
        for block in before:
            for row in self.by_block.of(block).tolist():
                versions.setdefault(int(table["value"][row]), set()).add(self.original(int(table["version"][row])))
        return all(len(each) == 1 for each in versions.values())

    def original(self, value: int) -> int:
        """The value that this is a version of."""
        for _ in range(MAX_ASKED_VALUES):  # ends: versions are made of earlier ones
            if self.op[value] == Op.PI:
                value = int(self.tables["pis"]["input"][self.data[value]])
            elif self.op[value] == Op.POST:
                value = int(self.tables["arguments"]["value"][self.data[value]])
            else:
                break
        return value

    @cached_property
    def joins(self) -> RowsByKey:
        """Joins by merge."""
        return RowsByKey(self.tables["joins"]["value"])

    @cached_property
    def by_block(self) -> RowsByKey:
        """Joins by the block that control comes from."""
        return RowsByKey(self.tables["joins"]["block"])

    @cached_property
    def stores(self) -> RowsByKey:
        """Stores by function."""
        return RowsByKey(self.flow.function[self.tables["stores"]["result"]])
