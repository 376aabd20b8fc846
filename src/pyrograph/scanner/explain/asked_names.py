"""Names that a helper is given for a part of a request: "q" of ``param(req, "q")``, which reads ``req.query[name]``."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, Op
from pyrograph.ir.packed import key_value
from pyrograph.policy.limits.explanation import MAX_MEMBER_EDGES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.resolve.resolution import Ints
from pyrograph.scanner.analysis.schema import Binding
from pyrograph.scanner.explain.paths import Edge

CONTAINERS = frozenset((Op.EXPRESSION, Op.PARAMETER, Op.PI))  # what an object passes through as it is


class AskedNames:
    """Answers for the paths of one program."""

    def __init__(self, program: Program, resolution: Resolution, flow: FlowGraph, args: Arguments) -> None:
        self.program = program
        self.resolution = resolution
        self.flow = flow
        self.args = args
        self.op: list[int] = program.numbers("values", "op")
        self.data: list[int] = program.numbers("values", "data")

    def name(self, source: int, edges: Sequence[Edge]) -> str:
        """The constant that the caller on the path gives as the name of the part; "" if there is none.

        The path leaves the helper through its result: so it is this caller whose data the path follows. Time
        O(edges of the path).
        """
        asked, start = self.asked(source, edges)
        for edge in edges[start:]:
            if not asked:
                break
            if self.flow.context[edge.row] != Context.RETURN:
                continue
            given = self.given(int(self.flow.site.data[edge.row]), asked)
            texts = [self.text(each) for each in given]
            if len(texts) == 1 and texts[0]:
                return texts[0]
            asked = self.parameters(given)
        return ""

    def asked(self, source: int, edges: Sequence[Edge]) -> tuple[set[int], int]:
        """The parameters that name the part which is read of a source, and the number of edges until it is read."""
        reps = self.resolution.reps
        current, left = reps[source], MAX_MEMBER_EDGES
        if self.op[current] == Op.CALL and (found := self.parameters(self.operands(current))):
            return found, 0
        for number, edge in enumerate(edges):
            value = self.flow.value[edge.target]
            if reps[value] == current:
                continue  # a version of it
            left -= 1
            if left < 0:
                break
            if self.op[value] == Op.LOAD:
                key = int(self.program.tables["loads"]["key"][self.data[value]])
                return self.parameters([key_value(key)] if key < UNKNOWN_KEY else []), number + 1
            if self.op[value] == Op.CALL and self.received(value) == current:
                operands = self.operands(value)
                if operands:
                    return self.parameters(operands), number + 1
            elif self.op[value] not in CONTAINERS:
                break
            current = reps[value]
        return set(), 0

    def operands(self, result: int) -> list[int]:
        """The arguments of a call, its receiver excluded."""
        args = self.args
        return [args.value[row] for row in args.of(self.data[result]) if args.position[row] != RECEIVER]

    def received(self, result: int) -> int:
        """The representative of a call's receiver; NONE if it has none."""
        args = self.args
        found = [args.value[row] for row in args.of(self.data[result]) if args.position[row] == RECEIVER]
        return self.resolution.reps[found[0]] if found else NONE

    def parameters(self, values: Iterable[int]) -> set[int]:
        """Those of ``values`` that are parameters, as they are."""
        reps = [self.resolution.reps[value] for value in values]
        return {rep for rep in reps if self.op[rep] == Op.PARAMETER and self.data[rep] != NONE}

    def given(self, site: int, parameters: set[int]) -> list[int]:
        """What a call gives for ``parameters``, which belong to its callee."""
        return [
            binding.argument
            for row in self.bound.of(site).tolist()
            if self.resolution.reps[(binding := Binding(*self.bindings[row].tolist())).parameter] in parameters
        ]

    def text(self, value: int) -> str:
        """The constant text of a value; "" if it is not a constant text."""
        rep = self.resolution.reps[value]
        text = self.program.strings[self.data[rep]] if self.op[rep] == Op.CONST else ""
        return text[1:] if text.startswith("'") else ""

    @cached_property
    def bindings(self) -> Ints:
        return self.resolution.rows("bindings")

    @cached_property
    def bound(self) -> RowsByKey:
        """Bindings by call."""
        return RowsByKey(self.bindings[:, 0])
