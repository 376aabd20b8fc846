"""Collections that the program also uses as tables, in languages where a loop over a table gets its keys.

A check of what ``for key in data`` gets says something of the keys then, and nothing of ``data["name"]``.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, ArgumentFlag
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import LOAD_OP


def is_table(facts: Facts, rep: int) -> bool:
    """Whether the program also reads what a collection holds under names, so that its elements are keys of a table:
    ``for key in data`` and ``data["name"]``, ``data[key]``, ``data.values()``, ``Model(**data)``; also in functions
    that get it.
    """
    known = facts.guards.tables.get(rep)
    if known is None:
        known = facts.guards.tables[rep] = any(is_read_by_name(facts, each) for each in given_on(facts, {rep}))
    return known


def holds_tables(facts: Facts, reps: set[int]) -> bool:
    """The same of what collections hold, in a loop over whatever they hold: ``for row in rows: for key in row``."""
    if not any(facts.traits_of(rep).table_methods for rep in reps):
        return False
    return any(
        is_table(facts, facts.rep[value])
        for rep in sorted(given_on(facts, reps))
        for value in facts.flows.loads_from(rep)
        if facts.op[value] == LOAD_OP and not is_named(facts, facts.data[value])
    )


def given_on(facts: Facts, reps: set[int]) -> set[int]:
    """``reps``, and the parameters of functions that get what they stand for, ``MAX_GUARD_SLICE`` calls deep."""
    given, last = set(reps), reps
    for _ in range(MAX_GUARD_SLICE - 1):
        last = {at for each in last for at in facts.calls.parameters_given(each)} - given
        given |= last
    return given


def is_key_of(facts: Facts, value: int, rep: int) -> bool:
    """Whether a key is what a loop over the same collection gets: ``for key in data: data[key]``."""
    value = facts.rep[value]
    return (
        facts.op[value] == LOAD_OP
        and facts.load_key[facts.data[value]] == UNKNOWN_KEY
        and facts.rep[facts.load_object[facts.data[value]]] == rep
    )


def is_named(facts: Facts, row: int) -> bool:
    """Whether a row of loads reads under a constant name, which is no position."""
    key = facts.load_key[row]
    return key >= 0 and not facts.program.strings[key].isdigit()


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
        if key <= FIRST_VALUE_KEY and is_key_of(facts, key_value(key), rep):
            return True
    return any(
        facts.rep[facts.arg_value[row]] == rep and facts.arg_flags[row] & ArgumentFlag.SPREAD_KEYWORDS
        for call in facts.calls.calls_with(rep)
        for row in facts.args.of(call)
    )
