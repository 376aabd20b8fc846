"""Whether two places of a function lie on branches that no run takes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_BRANCHES_ASKED, MAX_GUARD_SLICE, MAX_ROUND_STEPS
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CALL_OP


class Branches:
    """The blocks behind each block that was asked for. The indexes are made with the first question."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.blocks = Blocks(facts)
        self.behind: dict[int, frozenset[int]] = {}  # a cache of ``blocks_behind``
        self.after: dict[int, frozenset[int]] = {}  # a cache of ``blocks_after``

    def exclude(self, one: int, other: int) -> bool:
        """Whether no run of their function makes both of these values: control goes from neither to the other.

        False for values of different functions. Time linear in the blocks of the function, once for each block.
        """
        function = int(self.facts.function_of[one])
        if function != int(self.facts.function_of[other]):
            return False
        first, second = self.blocks.block_of(function, one), self.blocks.block_of(function, other)
        if NONE in (first, second) or first == second:
            return False
        return second not in self.blocks_behind(first) and first not in self.blocks_behind(second)

    def leave_out(self, call: int, other: int) -> bool:
        """Whether runs that make ``other`` leave this call out, or one does because something was raised before it."""
        return self.exclude(call, other) or self.may_skip(call, other)

    def may_skip(self, call: int, other: int) -> bool:
        """Whether a run that makes ``other`` may leave this call, or an assignment, out, because something before it in
        the same ``try`` raises: ``try { await find(); res.type("json"); ... } catch { res.send(text) }``.

        Methods of the same object raise nothing. Time linear in the blocks of the function, once for each block, and in
        the calls of the ``try``.
        """
        facts = self.facts
        function = int(facts.function_of[call])
        if function != int(facts.function_of[other]) or not self.blocks.has_handlers(function):
            return False
        first, second = self.blocks.block_of(function, call), self.blocks.block_of(function, other)
        if NONE in (first, second) or first == second or second in self.blocks_after(first):
            return False
        if first in self.blocks_after(second):
            return False  # the answer is made before its type is set
        if facts.op[call] != CALL_OP:  # a member is assigned: what was called before it in the block
            begin = max(int(facts.tables["blocks"]["first"][first]), call - MAX_ROUND_STEPS)
            start = facts.places.start  # a state of an object may be made later than it is written
            calls = [each for each in range(begin, call) if facts.op[each] == CALL_OP and start[each] < start[call]]
            own = [facts.data[each] for each in calls if facts.function_of[each] == function]
            return any(self.blocks.rows("handlers", "call", each) for each in own)
        handlers, results = facts.tables["handlers"], facts.call_result
        for row in self.blocks.rows("handlers", "call", facts.data[call]):
            tried = self.blocks.rows("handlers", "value", int(handlers["value"][row]))[:MAX_ROUND_STEPS]
            for each in handlers["call"][tried].tolist():
                if results[each] < call and not self.is_same_object(results[each], call):
                    return True
        return False

    def is_same_object(self, one: int, other: int) -> bool:
        """Whether two calls are methods of one object, as far as a chain or its name shows."""
        facts = self.facts
        roots = []
        for each in (one, other):
            value = each
            for _ in range(MAX_GUARD_SLICE):
                made = facts.rep[value]
                if facts.op[made] != CALL_OP or facts.call_receiver[facts.data[made]] == NONE:
                    break
                value = facts.call_receiver[facts.data[made]]
            roots.append(facts.rep[value])
        return roots[0] == roots[1]

    def blocks_after(self, block: int) -> frozenset[int]:
        """The blocks that control may reach from this one where nothing is raised."""
        known = self.after.get(block)
        if known is None:
            found: dict[int, None] = {}
            work = [block]
            for at in work:  # grows, each block once
                if len(work) > MAX_ROUND_STEPS:
                    break
                for target, _, _ in self.blocks.edges(at):
                    if target not in found:
                        found[target] = None
                        work.append(target)
            known = self.after[block] = frozenset(found)
        return known

    def always_set(self, settings: Mapping[int, tuple[str, bool]], at: int) -> bool:
        """Whether each run of their function that returns ``at`` has set one of several things as it is wanted.

        Args:
            settings: By a value made where something is set: what it is, and whether it is set as wanted. The last
                setting on a way counts.
            at: A value of the same function. What is set behind it counts where all ways from it go there.

        Time linear in the blocks of the function, for each version that ``at`` joins.
        """
        function = int(self.facts.function_of[at])
        if not self.blocks.rows("blocks", "function", function):
            return True
        by_block: dict[int, list[tuple[str, bool]]] = {}
        for value in sorted(settings, reverse=True):  # values of a block are numbered in its order
            by_block.setdefault(self.blocks.block_of(function, value), []).append(settings[value])
        joins = self.facts.tables["joins"]
        ends: list[int] = []  # blocks at whose end the value is known
        work = [at]  # and of others the representatives
        for value in work:  # grows, each version once
            rows = self.blocks.rows("joins", "value", self.facts.rep[value])
            if not rows:
                ends.append(self.blocks.block_of(function, value))
            for version, block in zip(joins["version"][rows].tolist(), joins["block"][rows].tolist(), strict=True):
                made = self.facts.rep[version]
                if self.blocks.rows("joins", "value", made):
                    work += [made] if made not in work else []
                elif not self.facts.is_inert(made):
                    ends.append(block)
            if len(work) > MAX_BRANCHES_ASKED:
                return False
        if all(self._are_set(by_block, each) for each in dict.fromkeys(ends)):
            return True
        behind = {each for end in ends for each in {end} | self.blocks_behind(end)}
        last = [each for each in sorted(behind) if not self.blocks.rows("control", "origin", each)]
        return bool(last) and all(self._are_set(by_block, each) for each in last)

    def _are_set(self, by_block: Mapping[int, Sequence[tuple[str, bool]]], end: int) -> bool:
        """Whether each way to the end of a block sets one of the things as wanted."""
        origins = self.facts.tables["control"]["origin"]
        work: list[tuple[int, frozenset[str]]] = [(end, frozenset())]  # block, and what is set otherwise behind it
        seen = set(work)
        for block, otherwise in work:  # grows, each state once
            holds = False
            for what, is_wanted in by_block.get(block, ()):  # the last one first
                holds = holds or (is_wanted and what not in otherwise)
                otherwise |= {what}
            if holds:
                continue
            before = origins[self.blocks.rows("control", "target", block)].tolist()
            if not before or len(work) > MAX_ROUND_STEPS:
                return False
            fresh = {(each, otherwise) for each in before} - seen
            seen |= fresh
            work += sorted(fresh, key=lambda state: state[0])
        return True

    def blocks_behind(self, block: int) -> frozenset[int]:
        """The blocks that control may reach from this one; all of the function where they are very many."""
        known = self.behind.get(block)
        if known is None:
            control = self.facts.tables["control"]
            found: dict[int, None] = {}
            work = [block]
            for at in work:  # grows, each block once
                if len(work) > MAX_ROUND_STEPS:
                    function = int(self.facts.tables["blocks"]["function"][block])
                    found = dict.fromkeys(self.blocks.rows("blocks", "function", function))
                    break
                for target in control["target"][self.blocks.rows("control", "origin", at)].tolist():
                    if target not in found:
                        found[target] = None
                        work.append(target)
            known = self.behind[block] = frozenset(found)
        return known
