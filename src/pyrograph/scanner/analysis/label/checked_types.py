"""Fields of types that a framework checks: ``@Body() body: { token: string }`` holds a text, not an object.

Packs name the decorators of parameters that a framework checks against their declared type (``[type] typed``). What
proves something of a text of the declared type are the sanitizers of this type, as in schemas.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import CallFlag, Op
from pyrograph.ir.packed import subjects
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.clean_types import clean_by_type, type_states
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.tables import literals
from pyrograph.scanner.analysis.numbers import FIELD_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF


def checked_fields(facts: Facts) -> tuple[dict[int, int], frozenset[int]]:
    """The parameters that a framework checks, and the declared fields of their types, and of the types of these: each
    with a mask of that for which its type makes it clean; and representatives of these parameters. Time linear in these
    fields.
    """
    found: dict[int, int] = {}
    parameters: set[int] = set()
    work: list[int] = []
    for row in np.flatnonzero(facts.tables["calls"]["flags"] & int(CallFlag.DECORATOR)).tolist():
        for value in checked_parameters(facts, row):
            found[value] = mask_of_type(facts, value)
            parameters.add(facts.rep[value])
            work += subjects(facts.resolution.states_of(value), INSTANCE_OF)
    seen: set[int] = set()
    while work:  # each class is looked at once, by ``seen``
        owner = work.pop()
        if owner in seen:
            continue
        seen.add(owner)
        work += facts.resolution.class_bases.get(owner, ())
        for values in facts.resolution.class_members.get(owner, {}).values():
            for value in values:
                if facts.op[value] == FIELD_OP:
                    found[value] = mask_of_type(facts, value)
                    for row in facts.functions.types_of(value):
                        work += subjects(type_states(facts, row), CLASS)
    return {value: mask for value, mask in found.items() if mask}, frozenset(parameters)


def checked_parameters(facts: Facts, decorator: int) -> list[int]:
    """What a decorator says to be checked against its declared type."""
    apis = facts.apis[facts.language(facts.call_result[decorator])]
    found: list[int] = []
    for node in facts.calls.apis_of.get(decorator, ()):
        roles = apis.roles.get(node)
        for port in roles.schemas.typed if roles is not None else ():
            given = [facts.arg_value[row] for row in facts.args.at(decorator, port)]
            found += [value for value in given if facts.op[value] == Op.PARAMETER]
    return found


def mask_of_type(facts: Facts, value: int) -> int:
    """For what a value is clean whose type was checked: all if its type has no texts, or constant ones only."""
    if clean_by_type(facts, value):
        return facts.wanted.all
    types = facts.tables["types"]["type"]
    declared = [int(types[row]) for row in facts.functions.types_of(value)]
    if any(literals(facts, each) for each in declared):  # the members of an enumeration
        return facts.wanted.all
    apis = facts.apis[facts.language(value)]
    mask = 0
    for node in facts.resolution.api_nodes(value):
        path = apis.paths[node]
        roles = apis.roles.get(apis.node(path[:-1])) if path[-1] == INSTANCE else None
        for sanitizer in roles.sanitizers if roles is not None else ():
            mask |= facts.wanted.cleaned_by(sanitizer.vulnerability)
    return mask
