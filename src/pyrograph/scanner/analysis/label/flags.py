"""Flags that loops set: ``bad = False``, then ``if p == "..": bad = True`` for each part, and ``if bad: abort()``.

Where the flag is as it was before the loop, or as it gets where the loop ends by itself (``all(ok(x) for x in xs)``,
``for`` with ``else``), no round came to a block that sets it. So the rounds prove what they would
if these blocks left the function, for code on that side of a condition about the flag.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CARRY_OP, PHI_OP, PI_OP, TRUTH_TEST

TRUTHS: Final = ("false", "true")
JOINS: Final = (CARRY_OP, PHI_OP, PI_OP)  # what versions of a flag become one by


class Flag(NamedTuple):
    """A condition on a flag that one loop sets."""

    loop: int
    condition: int
    side: int  # where no round has set it
    setting: frozenset[int]  # the blocks of the loop behind which it is set


def flags_of(facts: Facts, blocks: Blocks, loops: Collection[int]) -> Iterator[Flag]:
    """The conditions on flags that these loops set. Time linear in the conditions of their functions, and in their
    loops for each condition on such a flag.
    """
    conditions, table = facts.tables["conditions"], facts.tables["loops"]
    of_function: dict[int, list[tuple[int, int, int]]] = {}  # (loop, header, exit): a flag is set in its own function
    for number in loops:
        function, header, end = (int(table[name][number]) for name in ("function", "header", "exit"))
        of_function.setdefault(function, []).append((number, header, end))
    chosen = np.flatnonzero(among(conditions["function"], of_function) & (conditions["test"] == TRUTH_TEST))
    is_joined = among(facts.tables["values"]["op"][conditions["left"][chosen]], JOINS)
    for condition in chosen[is_joined].tolist():
        constants = constants_of(facts, blocks, int(conditions["left"][condition]))
        if {text for text, _ in constants} != set(TRUTHS):
            continue
        for number, header, end in of_function[int(conditions["function"][condition])]:
            unset = {(text, block) for text, block in constants if block in (NONE, end)}
            if len({text for text, _ in unset}) != 1:
                continue
            side = TRUTHS.index(next(iter(unset))[0])
            others = constants - unset
            if any(text == TRUTHS[side] for text, _ in others):
                continue  # a later round may take it back
            setting = frozenset(block for _, block in others)
            if not setting or not all(header < block < end for block in setting):
                continue
            late = any(block == end for _, block in unset)  # ``all(...)``: true where the loop is left at its end
            if late and any(header <= target <= end for block in setting for target, _, _ in blocks.edges(block)):
                continue  # it is taken back there
            if ends_itself(blocks, header, end, setting):
                yield Flag(number, condition, side, setting)


def constants_of(facts: Facts, blocks: Blocks, value: int) -> set[tuple[str, int]]:
    """The constants that a flag may be, each with the block in which it has become that; NONE: before the loop. Empty
    if it may be anything else.
    """
    carries, joins = facts.tables["carries"], facts.tables["joins"]
    found: set[tuple[str, int]] = set()
    seen, work = {value}, [(value, NONE)]
    for at, block in work:  # grows, each version once
        fresh: list[tuple[int, int]] = []
        text = facts.constant(at)
        if text in TRUTHS:
            found.add((text, block))
        elif facts.op[at] == PI_OP:
            fresh = [(int(facts.tables["pis"]["input"][facts.data[at]]), block)]
        elif facts.op[at] == CARRY_OP:
            for row in blocks.rows("carries", "value", at):
                fresh += [(int(carries["initial"][row]), NONE), (int(carries["fed"][row]), block)]
        elif facts.op[at] == PHI_OP:
            fresh = [
                (int(joins["version"][row]), int(joins["block"][row])) for row in blocks.rows("joins", "value", at)
            ]
        if (not fresh and text not in TRUTHS) or len(seen) > MAX_DEFINITIONS:
            return set()
        for version, where in fresh:
            if version == NONE or (facts.constant(version) is None and version in seen):
                continue
            seen.add(version)
            work.append((version, where))
    return found


def ends_itself(blocks: Blocks, header: int, end: int, setting: frozenset[int]) -> bool:
    """Whether a loop whose flag is not set was left because nothing was left of what it goes over: not by ``break``."""
    return not any(
        not header <= target < end
        for block in range(header + 1, end)
        if block not in setting
        for target, _, _ in blocks.edges(block)
    )
