"""Of which version of a variable, and of which object, a value is a later state."""

from __future__ import annotations

from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.assignments import is_stored_back
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CARRY_OP, PHI_OP, PI_OP, POST_OP, STORE_OP


def unconditional(facts: Facts, value: int) -> int:
    """The version of a variable of which ``value`` is the one behind some conditions, and where their sides meet.

    A call that is given an element makes a version of the list as well. Texts are checked, and no call changes one.
    """
    for _ in range(MAX_DEFINITIONS):
        if facts.op[value] == PI_OP:
            value = int(facts.tables["pis"]["input"][facts.data[value]])
            continue
        if facts.op[value] == STORE_OP and is_stored_back(facts, facts.data[value]):
            value = int(facts.tables["stores"]["object"][facts.data[value]])
            continue
        inputs = facts.flows.same_as(value) if facts.op[value] in (PHI_OP, CARRY_OP) else []
        if len(inputs) == 1 and facts.op[value] == CARRY_OP:  # a loop that does not change it
            value = inputs[0]
            continue
        origins = {before_conditions(facts, each) for each in inputs if facts.op[each] == PI_OP}
        if not inputs or len(origins) != 1 or any(facts.op[each] != PI_OP for each in inputs):
            return value
        value = origins.pop()
    return value


def before_conditions(facts: Facts, value: int) -> int:
    """The version of which ``value`` is the one behind one condition or several, ``a == "x" || a == "y"``."""
    for _ in range(MAX_DEFINITIONS):
        if facts.op[value] != PI_OP:
            break
        value = int(facts.tables["pis"]["input"][facts.data[value]])
    return value


def object_of(facts: Facts, value: int) -> int:
    """The representative of the object of which ``value`` is a state: before calls that it was passed to, before stores
    into it, before conditions, at the beginning of a loop. ``value`` itself where ways meet that bring several objects.
    """
    tables, work, seen = facts.tables, [value], {value}
    found: set[int] = set()
    while work and len(seen) <= MAX_DEFINITIONS:
        at = work.pop()
        op, data = facts.op[at], facts.data[at]
        inputs: list[int] = []
        if op == PI_OP:
            inputs = [int(tables["pis"]["input"][data])]
        elif op == POST_OP:
            inputs = [int(facts.arg_value[data])]
        elif op == STORE_OP:
            inputs = [int(tables["stores"]["object"][data])]
        elif op in (PHI_OP, CARRY_OP):
            inputs = facts.flows.same_as(at)
        if not inputs:
            found.add(int(facts.rep[at]))
        work += [each for each in dict.fromkeys(inputs) if each not in seen]
        seen.update(inputs)
    return found.pop() if len(found) == 1 and not work else int(facts.rep[value])
