"""Loops by position over the parts of a text: ``for (let i = 0; i < parts.length; i++) if (parts[i] === "..") …``.

They prove what loops over the parts themselves do (``rounds``): of the text that was split, and of the list of them.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.element_checks import LoopChecks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.rounds import Loop, version_before


def counted_rounds(facts: Facts, loops: LoopChecks) -> None:
    """Mark the versions at the headers of such loops that their rounds prove clean. Time as ``rounds.round_checks``."""
    carries = facts.tables["carries"]
    chosen = with_parts(facts)[carries["value"]] & (carries["initial"] >= 0)
    known: dict[int, Loop | None] = {}
    for row in np.flatnonzero(chosen).tolist():
        value, initial, number = (int(carries[name][row]) for name in ("value", "initial", "loop"))
        if number not in known:
            known[number] = counted(facts, loops, number)
        loop = known[number]
        if loop is None:
            continue
        before = version_before(facts, initial)
        is_list = facts.rep[before] == facts.rep[version_before(facts, loop.over)]
        mask = loop.of_parts() if is_list else loop.without_parts(before)
        if mask and not loop.is_left_otherwise(value):
            facts.mark_clean(value, mask)


def counted(facts: Facts, loops: LoopChecks, number: int) -> Loop | None:
    """The loop, as one over the list whose positions it counts; None for one that counts others, or reads the parts
    themselves.
    """
    over = int(facts.tables["loops"]["over"][number])
    over = loops.counted_over(number) if over == NONE else over
    if over == NONE:
        return None
    loop = Loop(facts, loops.blocks, number)
    elements = loops.elements_of(number)
    if elements <= loop.elements:
        return None
    loop.over, loop.elements = over, elements
    return loop
