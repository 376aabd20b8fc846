"""Calls of functions of the program that do not return: ``def fail(why): log(why); abort(400)``.

A function that has no normal exit is known as such from its code. So is one that calls what does not return before
anything is decided in it: where it begins, in front of all conditions.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE, CallFlag, FunctionFlag
from pyrograph.scanner.analysis.label.blocks import Blocks
from pyrograph.scanner.analysis.label.facts import Facts


def non_returning_calls(facts: Facts) -> None:
    """Add them to those that packs list. Linear in the calls with known functions."""
    flags, found = facts.tables["functions"]["flags"], facts.labels.non_returning
    blocks = Blocks(facts)
    ending: list[int] = np.flatnonzero(flags & int(FunctionFlag.NEVER_RETURNS)).tolist()
    ending += [function for call in sorted(found) if (function := ended_by(facts, blocks, call)) != NONE]
    ending = list(dict.fromkeys(ending))
    known = set(ending)
    targets: dict[int, list[int]] = {}  # by call: the functions that it calls
    sites: dict[int, list[int]] = {}  # the other way round
    for site, function in facts.resolution.targets:
        targets.setdefault(site, []).append(function)
        sites.setdefault(function, []).append(site)
    for function in ending:  # grows by functions that are new in ``known``
        for site in sites.get(function, ()):
            if site not in facts.resolution.fully_resolved or not known.issuperset(targets[site]):
                continue
            found.add(site)
            around = ended_by(facts, blocks, site)
            if around != NONE and around not in known:
                known.add(around)
                ending.append(around)


def ended_by(facts: Facts, blocks: Blocks, call: int) -> int:
    """The function that does not return because this call in it does not, or ``NONE``: the call stands in its first
    block, no expression in the function decides anything, and nothing there handles exceptions.
    """
    if call >= len(facts.call_result) or int(facts.tables["calls"]["flags"][call]) & CallFlag.DEFERRED:
        return NONE
    result = facts.call_result[call]
    function = int(facts.function_of[result])
    functions = facts.tables["functions"]
    if functions["parent"][function] == NONE:
        return NONE
    if int(functions["flags"][function]) & (FunctionFlag.GENERATOR | FunctionFlag.ASYNC):
        return NONE  # calling it does not run it
    if not all([blocks.rows("control", "condition", row) for row in blocks.rows("conditions", "function", function)]):
        return NONE  # an expression decides: ``text or abort(400)``
    rows = blocks.rows("blocks", "function", function)
    is_first = not rows or blocks.block_of(function, result) == rows[0]
    return function if is_first and not blocks.has_handlers(function) else NONE
