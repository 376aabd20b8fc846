"""Collections that the program also uses as tables, in languages where a loop over a table gets its keys.

A check of what ``for key in data`` gets says something of the keys then, and nothing of ``data["name"]``.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, ArgumentFlag
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import LOAD_OP


def is_table(facts: Facts, rep: int) -> bool:
    """Whether the program also reads what a collection holds under names, so that its elements are keys of a table:
    ``for key in data`` and ``data["name"]``, ``data.values()``, ``Model(**data)``; also in functions that get it.
    """
    known = facts.guards.tables.get(rep)
    if known is None:
        given, last = {rep}, {rep}
        for _ in range(MAX_GUARD_SLICE - 1):
            last = {at for each in last for at in facts.calls.parameters_given(each)} - given
            given |= last
        known = facts.guards.tables[rep] = any(is_read_by_name(facts, each) for each in given)
    return known


def is_read_by_name(facts: Facts, rep: int) -> bool:
    """Whether a function reads what a collection holds under names."""
    traits = facts.traits_of(rep)
    if not traits.table_methods:
        return False
    called = {facts.rep[facts.call_callee[call]] for call in facts.calls.methods_on(rep)}
    for value in facts.flows.loads_from(rep):
        key = facts.load_key[facts.data[value]] if facts.op[value] == LOAD_OP else NONE
        name = facts.program.strings[key] if key >= 0 else ""
        if name and not name.isdigit() and (name in traits.table_methods or value not in called):
            return True
    return any(
        facts.rep[facts.arg_value[row]] == rep and facts.arg_flags[row] & ArgumentFlag.SPREAD_KEYWORDS
        for call in facts.calls.calls_with(rep)
        for row in facts.args.of(call)
    )
