"""Fields and parameters whose decorators say what they hold: ``@IsInt() page``, ``@Param("id") id``.

A sanitizer of a pack that cleans the argument of a decorator, cleans the fields and parameters that carry it. Where the
pack names what checks its decorators (``enforces``), they are declarations only, and count in a program that names one.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, CallFlag
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import CallFlow, Port
from pyrograph.scanner.analysis.label.checked_types import checked_fields
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.declared import patterns_mask
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.literals import element
from pyrograph.scanner.analysis.numbers import CALL_OP, FIELD_OP, IMPORT_OP, LOAD_OP, PARAMETER_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF

RESULT: Final = Port("ret")


def decorated_fields(facts: Facts) -> None:
    """Mark decorated parameters, and the reads of decorated fields from instances of the class that declares or
    inherits them.
    """
    facts.conditions.decorated = mark_fields(facts, decorators(facts), None)
    by_field, parameters = checked_fields(facts)
    mark_fields(facts, by_field, parameters)


def mark_fields(
    facts: Facts, by_field: dict[int, int], parameters: Collection[int] | None
) -> dict[tuple[int, int], int]:
    """Mark the parameters and the reads of the fields; where ``parameters`` are given, only what is read from these.

    Returns the mask of each decorated field: (class, name) -> mask.
    """
    for value, mask in by_field.items():
        if facts.op[value] == PARAMETER_OP:
            facts.mark_clean(value, mask)
    declared: dict[tuple[int, int], int] = {}  # (class, name) -> mask
    for owner, members in facts.resolution.class_members.items():
        for name, values in members.items():
            for value in values:
                if value in by_field:
                    declared[owner, name] = declared.get((owner, name), 0) | by_field[value]
    if not declared:
        return declared
    loads, given = facts.tables["loads"], classes_given(facts)
    masks: dict[tuple[int, int], int] = {}
    enforcing = {
        node
        for apis in facts.apis.values()
        for stated in apis.checks.enforcing.values()
        for each in stated
        for node in apis.expand(each)
    }
    for row in np.flatnonzero(among(loads["key"], {name for _, name in declared})).tolist():
        key, result = int(loads["key"][row]), int(loads["result"][row])
        mask = facts.wanted.all
        owners = subjects(facts.resolution.states_of(int(loads["object"][row])), INSTANCE_OF)
        for owner in owners:
            if (owner, key) not in masks:
                masks[owner, key] = inherited(facts, owner, key, declared, given)
            mask &= masks[owner, key]
        if owners and mask and is_made_unchecked(facts, facts.rep[int(loads["object"][row])], enforcing):
            continue
        if owners and mask and (parameters is None or is_part_of(facts, int(loads["object"][row]), parameters)):
            facts.mark_clean(result, mask)
    return declared


def is_made_unchecked(facts: Facts, rep: int, enforcing: Collection[int]) -> bool:
    """Whether a library made an instance of a class that it was given, ``plainToInstance(Order, body)``, and nothing
    that checks what decorators say gets it, nor is one of these itself.
    """
    if facts.op[rep] != CALL_OP or not enforcing:
        return False
    made = facts.calls.apis_of.get(facts.data[rep], ())
    roles = facts.apis[facts.language(rep)].roles
    flows = [flow for node in made if node in roles for each in roles[node].propagators for flow in each.flows]
    if not any(isinstance(flow, CallFlow) and flow.target == RESULT for flow in flows):
        return False
    given = [node for call in facts.calls.calls_with(rep) for node in facts.calls.apis_of.get(call, ())]
    return not any(node in enforcing for node in (*made, *given))


def is_part_of(facts: Facts, value: int, parameters: Collection[int]) -> bool:
    """Whether a value is one of these parameters or was read from one, whoever calls the function."""
    work, seen = [facts.rep[value]], {facts.rep[value]}
    while work and len(seen) <= MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at = work.pop()
        if at in parameters:
            continue
        if at in facts.flows.captured:
            before = [facts.flows.captured[at]]
        elif facts.op[at] == LOAD_OP:
            before = [facts.load_object[facts.data[at]]]
        elif facts.op[at] == PARAMETER_OP:
            before = facts.calls.arguments_for(at)
        else:
            before = facts.flows.same_as(at)
        if not before:
            return False
        further = {facts.rep[each] for each in before} - seen
        work += sorted(further)
        seen |= further
    return not work


def decorators(facts: Facts) -> dict[int, int]:
    """The decorated fields and parameters, each with a mask of that for which a decorator cleans it."""
    found: dict[int, int] = {}
    enforced: dict[str, bool] = {}  # by pack
    port = Port("position", 0)
    for row in np.flatnonzero(facts.tables["calls"]["flags"] & int(CallFlag.DECORATOR)).tolist():
        fields = [facts.arg_value[a] for a in facts.args.at(row, port)]
        if not fields or facts.op[fields[0]] not in (FIELD_OP, PARAMETER_OP):
            continue
        apis = facts.apis[facts.language(fields[0])]
        if declares_choice(facts, facts.call_callee[row]):
            found[fields[0]] = facts.wanted.all
        made = facts.rep[facts.call_callee[row]]
        admitted = patterns_mask(facts, facts.data[made]) if facts.op[made] == CALL_OP else 0  # "@Matches(/^[a-z]+$/)"
        for node in facts.calls.apis_of.get(row, ()):
            roles = apis.roles.get(node)
            for sanitizer in roles.sanitizers if roles is not None else ():
                if port not in sanitizer.ports or not holds(facts, sanitizer.conditions, row):
                    continue
                pack = sanitizer.origin.file
                if pack not in enforced:
                    enforced[pack] = is_enforced(facts, pack)
                if enforced[pack]:
                    mask = facts.wanted.cleaned_by(sanitizer.vulnerability) | admitted
                    found[fields[0]] = found.get(fields[0], 0) | mask
    return found


def declares_choice(facts: Facts, decorator: int) -> bool:
    """Whether the call that made a decorator is given a function that returns a list of constants as what the field
    holds: ``@Field(() => Kind)``, where ``Kind`` is an enumeration.
    """
    rep = facts.rep[decorator]
    if facts.op[rep] != CALL_OP:
        return False
    call = facts.data[rep]
    apis = facts.apis[facts.language(rep)]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    ports = {port for each in roles if each is not None for port in each.schemas.choices}
    for port in ports:
        for row in facts.args.at(call, port):
            given = facts.arg_value[row]
            value = element(facts, given, facts.keys(call, port.path)) if port.path else given
            if value != NONE and returns_choice(facts, value):
                return True
    return False


def returns_choice(facts: Facts, value: int) -> bool:
    """Whether all that a function of the program returns is a list of constants, or holds one: ``() => [Kind]``."""
    functions = subjects(facts.resolution.states_of(value), FUNCTION)
    results, stores = facts.tables["functions"]["result"], facts.tables["stores"]
    values = [origin for each in functions for origin in facts.flows.same_as(int(results[each]))]
    for each in values:
        held = [int(stores["value"][row]) for row in facts.flows.stores_into(facts.rep[each])]
        listed = held[0] if len(held) == 1 and held[0] != NONE else each
        if not facts.is_constant_collection(each) and not facts.is_constant_collection(listed):
            return False
    return bool(values)


def is_enforced(facts: Facts, pack: str) -> bool:
    """Whether the program names something that checks what the decorators of a pack say, if the pack asks for that."""
    stated = [(apis, each) for apis in facts.apis.values() for each in apis.checks.enforcing.get(pack, ())]
    if not stated:
        return True
    enforcing = {node for apis, each in stated for node in apis.expand(each)}
    operations = facts.tables["values"]["op"]
    named = np.flatnonzero((operations == IMPORT_OP) | (operations == LOAD_OP)).tolist()
    return any(not enforcing.isdisjoint(facts.resolution.api_nodes(value)) for value in named)


def classes_given(facts: Facts) -> dict[int, list[int]]:
    """By class, the classes that a call is given which makes its base: ``extends PickType(Article, ["title"])``."""
    found: dict[int, list[int]] = {}
    bases = facts.tables["bases"]
    for owner, base in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
        work, seen = [facts.rep[base]], 0
        while work and seen < MAX_DEFINITIONS:
            seen += 1
            made = work.pop()
            if facts.op[made] != CALL_OP:
                continue
            for row in facts.args.of(facts.data[made]):
                value = facts.arg_value[row]
                found.setdefault(owner, []).extend(subjects(facts.resolution.states_of(value), CLASS))
                work.append(facts.rep[value])
    return found


def inherited(
    facts: Facts, owner: int, key: int, declared: dict[tuple[int, int], int], given: dict[int, list[int]]
) -> int:
    """For what a field is clean by its decorators in the class and in those from which it has its fields."""
    mask = 0
    work = [owner]
    seen: set[int] = set()
    while work:  # each class is looked at once, by ``seen``
        each = work.pop()
        if each not in seen:
            seen.add(each)
            mask |= declared.get((each, key), 0)
            work += [*facts.resolution.class_bases.get(each, ()), *given.get(each, ())]
    return mask
