"""Loops that test one character, or one part of a text, per iteration, and continue only for one result of the test.

Three forms: a loop over forbidden characters (``for c in "/;": if c in x: return``), a loop over the characters of the
text (``for c in x: if not c.isalnum(): return``), and a loop over its parts (``for part in x.split("/"): if part ==
"..": return``), which proves what the rules say of ``".." not in x.split("/")``. After the loop the result holds for
all characters, so the version of the text at the loop header is marked clean. The first iterations see the same
version, unchecked; this is accepted, because a loop that checks a text does not use it. Where the loop is left with the
other result, by ``break`` or with an error that shows the text, the text goes on as it was before the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_ROUND_STEPS
from pyrograph.scanner.analysis.conjunctions import conjunctions_of, conjuncts
from pyrograph.scanner.analysis.label.admitted import rest_mask
from pyrograph.scanner.analysis.label.blocks import Blocks, shared_blocks
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.comparison_checks import Check
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.flags import flags_of
from pyrograph.scanner.analysis.label.guard_checks import comparison_checks
from pyrograph.scanner.analysis.label.labels import DataFlow
from pyrograph.scanner.analysis.label.table_uses import is_table
from pyrograph.scanner.analysis.label.tested_characters import (
    EVERYTHING,
    Chars,
    absent_mask,
    constant_texts,
    held,
    intersection,
    operands_of,
    texts_that_differ,
)
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    IN_TEST,
    PHI_OP,
    PI_OP,
    POST_OP,
    TRUTH_TEST,
)

# The last two: what a caller has on one side of a test of the function's result.
USES: Final = (
    ("arguments", "value"),
    ("loads", "object"),
    ("stores", "value"),
    ("parameters", "true"),
    ("parameters", "false"),
)


def round_checks(facts: Facts) -> None:
    """Mark the versions of texts at loop headers that the iterations of the loop prove clean.

    Time linear in the blocks of the loops over constants, and of those over a value whose version is carried around.
    """
    carries, loops = facts.tables["carries"], facts.tables["loops"]
    over = loops["over"][carries["loop"]]
    chosen = np.flatnonzero(with_parts(facts)[carries["value"]] & (over >= 0) & (carries["initial"] >= 0))
    if not len(chosen):
        return
    fill_conjunctions(facts)
    blocks = shared_blocks(facts)
    known: dict[int, Loop] = {}
    for row in chosen.tolist():
        value, initial, number = (int(carries[name][row]) for name in ("value", "initial", "loop"))
        loop = known.get(number)
        if loop is None:
            loop = known[number] = Loop(facts, blocks, number)
        mask = loop.proven(value, initial)
        if mask:
            facts.mark_clean(value, mask)
            for version in loop.left_otherwise(value):
                facts.labels.flows.append(DataFlow(initial, version, (), (), derived=False))
    carried: dict[int, list[tuple[int, int]]] = {}
    for row in chosen.tolist():
        carried.setdefault(int(carries["loop"][row]), []).append(
            (int(carries["value"][row]), int(carries["initial"][row]))
        )
    for flag in flags_of(facts, blocks, carried):
        loop = Loop(facts, blocks, flag.loop, flag.setting)
        for value, initial in carried[flag.loop]:
            if mask := loop.proven(value, initial):
                facts.guards.parts.append((value, flag.condition, flag.side, NONE, mask))


def fill_conjunctions(facts: Facts) -> None:
    """Note the parts of conditions that are made of others, once."""
    if facts.guards.conjunctions:
        return
    facts.guards.conjunctions.update(conjunctions_of(facts.program))


def leaf_sides(facts: Facts, condition: int, side: int) -> list[tuple[int, int]]:
    """The single conditions, with their sides, that hold where ``condition`` has ``side``; () for NONE."""
    conjunctions = facts.guards.conjunctions
    found = conjuncts(conjunctions, condition, side) if condition != NONE else []
    return [(at, wanted) for at, wanted in found if at not in conjunctions]


def version_before(facts: Facts, value: int) -> int:
    """``value`` before the calls and conditions that it went through."""
    while facts.op[value] in (POST_OP, PI_OP):  # each is made of an earlier value
        row = facts.data[value]
        value = facts.arg_value[row] if facts.op[value] == POST_OP else int(facts.tables["pis"]["input"][row])
    return value


class Loop:
    """One loop over the elements of a value."""

    def __init__(self, facts: Facts, blocks: Blocks, number: int, setting: frozenset[int] = frozenset()) -> None:
        """``setting``: blocks behind which nothing is asked, because they set a flag."""
        self.facts = facts
        self.setting = setting
        self.blocks = blocks
        loops = facts.tables["loops"]
        self.function, self.header, self.body, self.exit, self.over = (
            int(loops[name][number]) for name in ("function", "header", "body", "exit", "over")
        )
        self.elements = blocks.reads_of_any(facts.rep[self.over], self.function)
        self.texts = constant_texts(facts, self.over) if self.elements else []
        self.refuses: frozenset[str] | None = None  # ``refused``, once it was asked for

    def edges(self, block: int) -> list[tuple[int, int, int]]:
        """The ways on from a block of the loop; none where a call ends it."""
        if block in self.setting or block in self.blocks.ended_in(self.function):
            return []
        return self.blocks.edges(block)

    def is_left_otherwise(self, carried: int) -> bool:
        """Whether code uses the text where the loop was left with the other answer."""
        return bool(self.left_otherwise(carried))

    def left_otherwise(self, carried: int) -> list[int]:
        """The versions of the text, where the loop is left with the other answer, that code uses: behind a ``break``,
        or in the message of an error.
        """
        found: dict[int, None] = {}
        inside = range(self.header, self.exit)
        ways = [(block, *edge) for block in inside for edge in self.edges(block)]
        back = {self.header}
        for _ in inside:  # a block more in each round, or none
            fresh = {origin for origin, target, _, _ in ways if target in back and origin not in back}
            if not fresh:
                break
            back |= fresh
        pis = self.facts.tables["pis"]
        for origin, target, condition, side in ways:
            if origin == self.header or target in back or condition == NONE:
                continue
            for each, wanted in self.leaves(condition, side):
                for row in self.blocks.rows("pis", "condition", each):
                    version = int(pis["value"][row])
                    is_other = int(pis["side"][row]) == wanted and version_before(self.facts, version) == carried
                    if is_other and self.is_used(version, carried):
                        found[version] = None
        return list(found)

    def leaves(self, condition: int, side: int) -> list[tuple[int, int]]:
        """The single conditions that ``condition`` is made of, with the side that each has, or may have."""
        found: list[tuple[int, int]] = []
        work = [(condition, side)]
        while work:  # conjunctions are made of conditions before them
            at, wanted = work.pop()
            parts = self.facts.guards.conjunctions.get(at)
            if parts is None:
                found.append((at, wanted))
            else:
                work += [(part, needed if wanted else 1 - needed) for part, needed in parts]
        return found

    def is_used(self, version: int, carried: int) -> bool:
        """Whether code uses a version. What a caller has after the function returned counts: it may use a text that
        failed the test. Not counted: phis whose predecessor ends in a call that does not return, and the next
        iteration. Behind one part of a condition (``c < "a"`` of ``c < "a" or c > "z"``) are the texts of both results.
        """
        facts, joins = self.facts, self.facts.tables["joins"]
        ended = self.blocks.ended_in(self.function)
        seen = {version}
        work = [version]
        for at in work:  # grows, each version once
            if len(work) > MAX_ROUND_STEPS or any([self.blocks.rows(table, column, at) for table, column in USES]):
                return True
            rows = self.blocks.rows("joins", "version", at)
            live = {int(joins["value"][row]) for row in rows if int(joins["block"][row]) not in ended}
            dead = {int(joins["value"][row]) for row in rows} - live
            targets, refined = facts.tables["flows"]["target"], facts.tables["pis"]["value"]
            further = [int(targets[row]) for row in self.blocks.rows("flows", "origin", at)]
            further += [int(refined[row]) for row in self.blocks.rows("pis", "input", at)]
            for each in dict.fromkeys(further):
                if each in dead or each in seen or each == carried:
                    continue
                if facts.op[each] not in (PHI_OP, CARRY_OP, PI_OP):
                    return True
                seen.add(each)
                work.append(each)
        return False

    def proven(self, value: int, initial: int) -> int:
        """The mask of what all iterations prove of the text that the loop carries as ``value``."""
        facts = self.facts
        if self.texts:
            return self.without_texts(value)
        if facts.rep[version_before(facts, initial)] != facts.rep[version_before(facts, self.over)]:
            return self.without_parts(version_before(facts, initial))
        if is_table(facts, facts.rep[self.over]):
            return 0  # no text, whose characters it would have gone through
        chars = self.characters()
        return self.of_parts() | (rest_mask(facts, chars) if chars != EVERYTHING else 0)

    # -- Loops over constants

    def without_texts(self, carried: int) -> int:
        """The mask for a text without any of the constants; 0 unless each iteration but the last tests one of them."""
        facts = self.facts
        seen = {self.body}
        work = [self.body]
        for block in work:  # grows, each block once
            for target, condition, side in self.edges(block):
                if any(not wanted and self.finds(each, carried) for each, wanted in leaf_sides(facts, condition, side)):
                    continue
                if target == self.header or len(work) > MAX_ROUND_STEPS:
                    return 0  # an iteration without the test, or one that continues in spite of it
                if target not in seen and self.header < target < self.exit:
                    seen.add(target)
                    work.append(target)
        return absent_mask(facts, self.texts, carried)

    def finds(self, condition: int, carried: int) -> bool:
        """Whether a condition holds where the carried text holds the element of this round."""
        facts = self.facts
        table = facts.tables["conditions"]
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test == IN_TEST:
            return facts.rep[left] in self.elements and version_before(facts, right) == carried
        if test != TRUTH_TEST or facts.op[facts.rep[left]] != CALL_OP:
            return False
        operands = operands_of(facts, facts.data[facts.rep[left]], "contains")
        return (
            len(operands) == 2
            and version_before(facts, operands[0]) == carried
            and facts.rep[operands[1]] in self.elements
        )

    # -- Loops over parts of a text

    def without_parts(self, value: int) -> int:
        """The mask for a text none of whose parts, the elements, is one of the texts that the loop refuses."""
        rep = self.facts.rep[value]
        return self.refused_mask(value, lambda check: rep in check.values)

    def of_parts(self) -> int:
        """The mask for the list of a text's parts, none of which is one of the texts that the loop refuses: what that
        says of the text, so that nothing is said of a list that was not made of one.
        """
        rep = self.facts.rep[self.over]
        return self.refused_mask(self.over, lambda check: any([each != rep for each in check.values]))

    def refused_mask(self, value: int, concerns: Callable[[Check], bool]) -> int:
        """What the checks prove that hold where no element is one of the refused texts, if they concern a value."""
        facts = self.facts
        tests = facts.guards.tests.get(facts.language(value), {})
        mask = 0
        for text in sorted(self.refused()):
            for check in comparison_checks(facts, tests, "contains", self.over, text):
                mask |= check.mask if check.when_false and concerns(check) else 0
        return mask

    def refused(self) -> frozenset[str]:
        """The texts that no element is for which the loop continues with the next iteration."""
        facts = self.facts
        if not self.elements:
            return frozenset()
        if self.refuses is None:
            states: dict[int, frozenset[str]] = {self.body: frozenset()}
            ends: list[frozenset[str]] = []
            work = [self.body]
            for count, block in enumerate(work):  # grows while a set of texts gets smaller
                if count == MAX_ROUND_STEPS:
                    ends = []
                    break
                for target, condition, side in self.edges(block):
                    refused = states[block].union(
                        *(texts_that_differ(facts, self.elements, *each) for each in leaf_sides(facts, condition, side))
                    )
                    if target == self.header:
                        ends.append(refused)
                    elif self.header < target < self.exit:
                        before = states.get(target)
                        after = refused if before is None else before & refused
                        if after != before:
                            states[target] = after
                            work.append(target)
            self.refuses = frozenset.intersection(*ends) if ends else frozenset()
        return self.refuses

    # -- Loops over a text

    def characters(self) -> Chars:
        """The characters for which the loop continues with the next iteration."""
        from pyrograph.scanner.analysis.patterns import charset  # few programs need it

        if not self.elements:
            return EVERYTHING
        states: dict[int, Chars] = {self.body: EVERYTHING}
        rest: Chars = ()
        work = [self.body]
        for count, block in enumerate(work):  # grows while a set does; sets are made of those of the conditions
            if count == MAX_ROUND_STEPS:
                return EVERYTHING
            for target, condition, side in self.edges(block):
                chars = intersection(states[block], self.left_by(condition, side))
                if target == self.header:
                    rest = charset.union([*rest, *chars])
                elif chars and self.header < target < self.exit:
                    before = states.get(target, ())
                    after = charset.union([*before, *chars])
                    if after != before:
                        states[target] = after
                        work.append(target)
        return rest or EVERYTHING

    def left_by(self, condition: int, side: int) -> Chars:
        """The characters for which a condition, which may be a conjunction, may have this side."""
        from pyrograph.scanner.analysis.patterns import charset  # few programs need it

        if condition == NONE:
            return EVERYTHING
        parts = self.facts.guards.conjunctions
        asked = {condition}
        work = [condition]
        for at in work:  # grows, each condition once
            fresh = [part for part, _ in parts.get(at, ()) if part not in asked]
            asked.update(fresh)
            work += fresh
        known: dict[tuple[int, int], Chars] = {}
        for at in sorted(asked):  # conjunctions are made of conditions before them
            if at in parts:
                (one, one_side), (two, two_side) = parts[at]
                known[at, 1] = intersection(known[one, one_side], known[two, two_side])
                known[at, 0] = charset.union([*known[one, 1 - one_side], *known[two, 1 - two_side]])
                continue
            held = self.held(at)
            known[at, 1] = held or EVERYTHING
            known[at, 0] = charset.complement(held) if held else EVERYTHING
        return known[condition, side]

    def held(self, condition: int) -> Chars:
        return held(self.facts, condition, self.elements)
