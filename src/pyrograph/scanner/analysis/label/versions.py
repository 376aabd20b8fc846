"""What a value was before later operations made new versions of it."""

from __future__ import annotations

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.facts import Facts


def first_version(facts: Facts, value: int, *, before_stores: bool = False) -> int:
    """``value`` before the conditions and calls that it went through, and outside of closures.

    With ``before_stores`` also before what was stored into it. At most ``MAX_DEFINITIONS`` steps are taken.
    """
    for _ in range(MAX_DEFINITIONS):
        op = facts.op[value]
        if op == Op.POST:
            value = facts.arg_value[facts.data[value]]
        elif before_stores and op == Op.STORE:
            value = int(facts.tables["stores"]["object"][facts.data[value]])
        elif op == Op.PI:
            value = int(facts.tables["pis"]["input"][facts.data[value]])
        elif facts.rep[value] in facts.flows.captured:
            value = facts.flows.captured[facts.rep[value]]
        elif facts.rep[value] != value:
            value = facts.rep[value]
        else:
            break
    return value
