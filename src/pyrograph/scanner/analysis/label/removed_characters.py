"""Characters that a loop takes out of a text: ``for c in '<>/': name = name.replace(c, "_")``, and ``name`` is used.

Each round replaces one of the constant characters everywhere, so behind the loop none of them is left. This is said of
the version that the loop's header makes of the text, if nothing but the replacement uses it before the loop has ended
of itself.
"""

from __future__ import annotations

import numpy as np

from pyrograph.scanner.analysis.label.admitted import replacement, replacing_flow, rest_mask
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.element_checks import LoopChecks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.kept_characters import before_calls
from pyrograph.scanner.analysis.label.rounds import Loop
from pyrograph.scanner.analysis.label.tested_characters import constant_texts
from pyrograph.scanner.analysis.numbers import CALL_OP


def removed_characters(facts: Facts) -> None:
    """Mark the texts at the headers of loops that replace constant characters in them.

    Time linear in the carried versions of the chop, and in the uses of those that a call of a replacement makes.
    """
    carries, over = facts.tables["carries"], facts.tables["loops"]["over"]
    chosen = np.flatnonzero(with_parts(facts)[carries["value"]] & (carries["initial"] >= 0) & (carries["fed"] >= 0))
    chosen = chosen[over[carries["loop"][chosen]] >= 0]
    checks: LoopChecks | None = None
    for row in chosen.tolist():
        carried, fed, number = (int(carries[name][row]) for name in ("value", "fed", "loop"))
        if facts.op[facts.rep[fed]] != CALL_OP:
            continue
        letters = replaced_letters(facts, facts.data[facts.rep[fed]], carried, int(over[number]))
        if not letters:
            continue
        if checks is None:
            checks = LoopChecks(facts)
        if is_used_behind(facts, checks, number, carried, fed):
            from pyrograph.scanner.analysis.patterns import charset  # few programs need it

            facts.mark_clean(carried, rest_mask(facts, charset.complement(charset.codes(letters))))


def replaced_letters(facts: Facts, call: int, text: int, over: int) -> str:
    """The characters among the constants ``over`` that calls replace in ``text``, one in each round; "" for others."""
    flow = replacing_flow(facts, call)
    if flow is None or not flow.is_text or flow.pattern is None or flow.pattern == flow.replacement:
        return ""
    origins = [before_calls(facts, facts.arg_value[row]) for row in facts.args.at(call, flow.origin)]
    replaced = [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.pattern)]
    added = replacement(facts, call, flow)
    if origins != [text] or len(replaced) != 1 or added is None:
        return ""
    if replaced[0] not in [facts.rep[each] for each in facts.flows.loads_from(facts.rep[over])]:
        return ""
    letters = "".join([each for each in constant_texts(facts, over) if len(each) == 1])
    return "" if set(added) & set(letters) else letters


def is_used_behind(facts: Facts, checks: LoopChecks, number: int, carried: int, replaced: int) -> bool:
    """Whether a loop ends of itself alone, and nothing in it uses the text but the call of ``replaced``."""
    loop: Loop = checks.loop(number)
    for block in range(loop.header + 1, loop.exit):
        for target, _, _ in loop.edges(block):
            if not loop.header <= target < loop.exit:
                return False
    made = facts.rep[replaced]
    own = {made, facts.rep[facts.call_callee[facts.data[made]]]}  # a method is read from the text
    return all(
        [checks.is_behind(number, carried, each) for each in checks.users_of(carried) if facts.rep[each] not in own]
    )
