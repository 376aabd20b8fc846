"""Checks of libraries that prove no more than the form of a value: that there is one, or that it is a URL.

``validation.ValidateStruct(&r, validation.Field(&r.URL, validation.Required, is.URL))`` says nothing about the
host. The packs list such checks and their parts (``[type] formal``). What a part proves beyond that, sanitizers, guards
and schemas know; a part that no pack lists, such as a function of the program, may prove anything. If it belongs to one
field, by ``Field(&r.Name, own)`` or ``{name: own}``, it says nothing of the others.
"""

from __future__ import annotations

from pyrograph.ir.codes import NONE, Op
from pyrograph.policy.limits.labels import MAX_FORMAL_PARTS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts


def formal_checks(facts: Facts) -> dict[int, frozenset[int]]:
    """Calls of listed checks -> keys of the fields of which they may prove more than the form.

    Time O(calls of listed APIs * ``MAX_FORMAL_PARTS``), and within the steps of each file.
    """
    found: dict[int, frozenset[int]] = {}
    for call in dict.fromkeys(call for call, _ in facts.resolution.api_calls):
        if not facts.calls.functions_of(call) and is_listed(facts, call_nodes(facts, call), facts.call_result[call]):
            doubted = doubted_fields(facts, call)
            if NONE not in doubted:
                found[call] = doubted
    return found


def call_nodes(facts: Facts, call: int) -> list[int]:
    return facts.calls.apis_of.get(call, [])


def is_listed(facts: Facts, nodes: list[int], value: int) -> bool:
    apis = facts.apis[facts.language(value)]
    return any((roles := apis.roles.get(node)) is not None and roles.schemas.formal for node in nodes)


def doubted_fields(facts: Facts, call: int) -> frozenset[int]:
    """The fields to which unknown parts of a check belong; ``NONE``: it is not known to which one."""
    found: set[int] = set()
    work = [(each, NONE) for each in parts_of(facts, call)]
    seen: set[tuple[int, int]] = set()
    if work and not facts.budget.spend(facts.call_result[call], 0):
        return frozenset({NONE})
    while work and NONE not in found:
        value, field = work.pop()
        rep = facts.rep[value]
        if (rep, field) in seen or facts.op[rep] == Op.CONST:
            continue
        seen.add((rep, field))
        if len(seen) > MAX_FORMAL_PARTS:
            found.add(NONE)
            break
        if facts.op[rep] == Op.NEW:
            work += members_of(facts, rep, field)
        elif facts.op[rep] == Op.CALL and is_listed(facts, call_nodes(facts, facts.data[rep]), rep):
            inner = facts.data[rep]
            field = field if field != NONE else field_of(facts, inner)
            work += [(each, field) for each in parts_of(facts, inner)]
        elif not is_listed(facts, facts.resolution.api_nodes(rep), rep):
            held = {facts.rep[each] for each in facts.flows.heap_in.get(rep, ())} - {rep}  # what a name holds
            work += [(each, field) for each in held]
            if not held:
                found.add(field)
    facts.budget.spend(facts.call_result[call], len(seen))
    return frozenset(found)


def members_of(facts: Facts, literal: int, field: int) -> list[tuple[int, int]]:
    """What stands in a literal, each with the field that it is about: the one that its key names, in a table."""
    stores = facts.tables["stores"]
    rows = [row for row in facts.flows.stores_into(literal) if stores["value"][row] != NONE]
    is_table = field == NONE and facts.shape(literal) == "dict"
    return [(int(stores["value"][row]), int(stores["key"][row]) if is_table else field) for row in rows]


def field_of(facts: Facts, call: int) -> int:
    """The key of the field that a part of a check names first: ``Field(&r.URL, ...)``, ``Key("url", ...)``; or NONE."""
    ports = ports_of(facts, call)
    for row in facts.args.at(call, Port("position", 0)):
        rep = facts.rep[facts.arg_value[row]]
        if any(row in facts.args.at(call, port) for port in ports):
            return NONE
        if facts.op[rep] == Op.LOAD:
            return max(facts.load_key[facts.data[rep]], NONE)
        text = facts.constant(rep)
        if text is not None and text[:1] == "'":
            return facts.program.intern(text[1:])
    return NONE


def parts_of(facts: Facts, call: int) -> list[int]:
    """The values at the ports that the packs name for a check."""
    return [facts.arg_value[row] for port in ports_of(facts, call) for row in facts.args.at(call, port)]


def ports_of(facts: Facts, call: int) -> list[Port]:
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in call_nodes(facts, call)]
    return [port for each in roles if each is not None for port in each.schemas.formal if port is not None]
