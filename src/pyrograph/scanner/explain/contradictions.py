"""Paths that need one condition to hold and not to hold: ``url = x if x is not None else own()``, then
``if x is None: get(url)``.

Data passes a side of a condition where a version behind it (``Op.PI``) is on the path. A later call of the same
function that is only reached through the other side of a condition about the same version and the same constant does
not get it. A path that goes through the beginning of a loop may be of an earlier round, so that what it passed before
says nothing. Assumed: an object that a condition asks for its truth is not filled in between under another name.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, Flow, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_VALUES, MAX_EXCLUDED_BLOCKS
from pyrograph.scanner.analysis.assemble import Context, FlowGraph
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.explain.branches import TEXT
from pyrograph.scanner.explain.callbacks import Row
from pyrograph.scanner.explain.control_flow import ControlFlow

NOTHING: Final = ("null", "nil", "undefined")  # constants that are false
EMPTY: Final = '""'  # how an empty text is written


class Fact(NamedTuple):
    """What a condition without parts asks: of a version, in comparison with a constant or another version."""

    test: int
    left: int
    right: str | int


Facts = dict[Fact, int]  # the side that each has


class Contradictions:
    """Answers for one program."""

    def __init__(self, control_flow: ControlFlow, flow: FlowGraph) -> None:
        self.control_flow = control_flow
        self.program = control_flow.program
        self.reps = control_flow.resolution.reps
        self.value, self.context, self.site = flow.value, flow.context.data, flow.site.data
        self.results = control_flow.program.numbers("calls", "result")
        self.asked: dict[int, Counter[int]] = {}  # by function: how many conditions ask about each version
        self.left = MAX_EXCLUDED_BLOCKS  # blocks that may still be looked at

    def is_possible(self, edges: Sequence[Row], sink: SinkRole) -> bool:
        """Whether no call that the path goes on with, nor the sink, contradicts a condition that the path passed.

        Time linear in the path, and in the blocks of its functions in which further conditions ask about a version that
        the path knows something of; ``MAX_EXCLUDED_BLOCKS`` in all.
        """
        facts: Facts = {}
        around: list[Facts] = []
        for edge in edges:
            context, target = self.context[edge.row], self.value[edge.target]
            if context == Context.CALL:
                if facts and not self.runs(self.site[edge.row], facts):
                    return False
                around.append(facts)
                facts = {}
            elif context == Context.RETURN:
                facts = around.pop() if around else {}
            elif context == Context.HEAP:
                facts, around = {}, []
            op = self.control_flow.op[target]
            if op == Op.PI:
                self.learn(target, facts)
            elif op == Op.CARRY:
                facts = {}
        return not facts or self.runs(sink.call, facts)

    def learn(self, value: int, facts: Facts) -> None:
        """Add what is known where ``value`` is the version behind a condition."""
        pis, row = self.program.tables["pis"], self.control_flow.data[value]
        leaves = self.control_flow.conjuncts(int(pis["condition"][row]))
        side = int(pis["side"][row])
        if side or len(leaves) == 1:  # of several that do not all hold, none is known
            for condition, wanted in leaves:
                fact = self.fact(condition)
                if fact is not None:
                    facts[fact] = wanted if side else 1 - wanted

    def runs(self, call: int, facts: Facts) -> bool:
        """Whether a call may run where ``facts`` hold; True if it lies in another function."""
        if not 0 <= call < len(self.results):
            return True
        value = self.results[call]
        function = self.control_flow.function[value]
        asked = next(iter(facts)).left
        if self.control_flow.function[asked] != function or function not in self.control_flow.blocks:
            return True
        if self.left <= 0 or not self.is_asked_again(function, facts):
            return True
        self.left -= len(self.control_flow.blocks[function][0])

        def is_excluded(condition: int, side: int) -> bool:
            leaves = self.control_flow.conjuncts(condition)
            decided = [(self.decided(leaf, facts), wanted) for leaf, wanted in leaves]
            if side:
                return any(found is not None and found != wanted for found, wanted in decided)
            return all(found is not None and found == wanted for found, wanted in decided)

        return self.control_flow.block_of(value) in self.control_flow.reach(function, {}, is_excluded)

    def is_asked_again(self, function: int, facts: Facts) -> bool:
        """Whether more conditions of a function ask about one of the versions than the path has passed."""
        asked = self.asked.get(function)
        if asked is None:
            known = (self.fact(each) for each in self.control_flow.conditions_in(function))
            asked = self.asked[function] = Counter(each.left for each in known if each is not None)
        passed = Counter(each.left for each in facts)
        return any(asked[left] > number for left, number in passed.items())

    def decided(self, condition: int, facts: Facts) -> int | None:
        """The side that a condition without parts has where ``facts`` hold; None if they do not say."""
        asked = self.fact(condition)
        if asked is None or asked in facts:
            return None if asked is None else facts[asked]
        if asked.test == Test.TRUTH and any(facts.get(Fact(Test.EQUAL, asked.left, each)) for each in NOTHING):
            return 0
        if asked.test == Test.EQUAL and asked.right in NOTHING and facts.get(Fact(Test.TRUTH, asked.left, NONE)):
            return 0
        return None

    def fact(self, condition: int) -> Fact | None:
        """What a condition asks, if it compares a version with a constant or asks for its truth."""
        table = self.program.tables["conditions"]
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test not in (Test.TRUTH, Test.EQUAL) or left == NONE:
            return None
        if test == Test.TRUTH:
            return Fact(test, self.version(left), NONE)
        rep = self.reps[right] if right != NONE else NONE
        if rep == NONE or self.control_flow.op[rep] != Op.CONST:
            return None
        text = self.program.strings[self.control_flow.data[rep]]
        if text == TEXT:  # an empty one, or one whose content is not kept
            _, start, end = self.control_flow.span(rep)
            if end - start > len(EMPTY):
                return None
        return Fact(test, self.version(left), text)

    def version(self, value: int) -> int:
        """The version of a variable of which ``value`` is the one behind conditions, and where their sides meet."""
        pis, flows = self.program.tables["pis"], self.program.tables["flows"]
        for _ in range(MAX_ASKED_VALUES):
            op = self.control_flow.op[value]
            if op == Op.PI:
                value = int(pis["input"][self.control_flow.data[value]])
                continue
            rows = self.control_flow.returned.of(value)
            if op != Op.PHI or not len(rows) or (flows["kind"][rows] != Flow.SAME).any():
                return value
            origins = flows["origin"][rows].tolist()
            if any(self.control_flow.op[each] != Op.PI for each in origins):
                return value
            inputs = {int(pis["input"][self.control_flow.data[each]]) for each in origins}
            if len(inputs) != 1:
                return value
            value = inputs.pop()
        return value
