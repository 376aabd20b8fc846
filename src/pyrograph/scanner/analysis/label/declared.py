"""What a declaration says that a field or a parameter holds: ``Field(pattern="^[a-z]+$")``, ``AnyOf(names)``.

Packs name the calls that declare such things (``[type] admits``). They count where they are the declared value itself,
its declared type, or are handed to the call that declares it, alone or in a list of several, which all have to hold.
A pattern is taken for one that is searched for, which admits the most.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE, RECEIVER, ArgumentFlag, Op
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_SCHEMA_DEPTH
from pyrograph.scanner.analysis.label.admitted import matched_mask, pattern_at
from pyrograph.scanner.analysis.label.clean_types import clean_by_type, declared_elements
from pyrograph.scanner.analysis.label.definitions import attribute, elements
from pyrograph.scanner.analysis.label.facts import NAMED, Facts
from pyrograph.scanner.analysis.label.json_words import json_mask, literal_of


def declared_mask(facts: Facts, value: int) -> int:
    """For what the declaration of a field or a parameter makes it clean, beside its type."""
    apis = facts.apis[facts.language(value)]
    if not apis.admitting:
        return 0
    mask = 0
    for call in declaring_calls(facts, value):
        mask |= call_mask(facts, call)
    return mask


def declaring_calls(facts: Facts, value: int) -> list[int]:
    """The calls that declare a field or a parameter: its default value, its type, and what is said of the type."""
    calls: list[int] = []
    types = facts.tables["types"]["type"]
    work = [value, *(int(types[row]) for row in facts.functions.types_of(value))]
    seen: set[int] = set()
    while work and len(seen) < MAX_DEFINITIONS:
        rep = facts.rep[work.pop()]
        if rep in seen:
            continue
        seen.add(rep)
        if facts.op[rep] == Op.CALL:
            calls.append(facts.data[rep])
        elif facts.op[rep] in (Op.PARAMETER, Op.EXPRESSION):
            work += facts.flows.same_as(rep)  # a default value; the parts of "Annotated[T, x]"
        elif facts.op[rep] == Op.NEW:
            held = declared_elements(facts, rep)  # "list[Annotated[T, x]]"; a table has keys, too
            work += [int(types[row]) for row in facts.functions.types_of(held[0])] if len(held) == 1 else []
        elif facts.op[rep] in NAMED:
            named = facts.flows.heap_in.get(rep, ())  # a name of another module: "Name = Annotated[T, x]"
            work += named if len(named) == 1 else ()
    return calls


def call_mask(facts: Facts, call: int) -> int:
    """For what a call makes the field clean that it declares, by itself and by the checks that it is given."""
    return own_mask(facts, call) | checks_mask(
        facts, [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    )


def named_mask(facts: Facts, call: int) -> int:
    """For what the checks make a field clean that a call is given by name: ``String(validate=OneOf(names))``."""
    return checks_mask(facts, [row for row in facts.args.of(call) if facts.args.keyword[row] != NONE])


def checks_mask(facts: Facts, rows: Sequence[int]) -> int:
    """For what the checks in these arguments, or in lists there, make a field clean: all of them hold."""
    mask = 0
    stores = facts.tables["stores"]
    for row in rows:
        given = facts.rep[facts.arg_value[row]]
        if facts.op[given] == Op.NEW:
            parts = [facts.rep[int(stores["value"][each])] for each in facts.flows.stores_into(given)[:MAX_DEFINITIONS]]
        else:
            parts = [given]
        for part in parts:
            if part != NONE and facts.op[part] == Op.CALL:
                mask |= own_mask(facts, facts.data[part])
    return mask


def own_mask(facts: Facts, call: int, depth: int = 0, *, is_given: bool = False) -> int:
    """For what a call makes a field clean by what packs say of it.

    ``is_given``: a library checks the field, which may not know the formats that a table of the call names.
    """
    apis = facts.apis[facts.language(facts.call_result[call])]
    mask = 0
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        if roles is not None and any([facts.args.at(call, port) for port in roles.schemas.choices]):
            return facts.wanted.all
        for port in roles.schemas.admits if roles is not None else ():
            if port is None:
                return facts.wanted.all
            given = [facts.arg_value[row] for row in facts.args.at(call, port)] or spread_under(facts, call, port.names)
            for value in given:
                mask |= given_mask(facts, value, call, depth, is_given=is_given)
    return mask


def patterns_mask(facts: Facts, call: int) -> int:
    """For what the patterns clean that a call is given, by packs: ``Matches(/^[a-z]+$/)``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    ports = {port for each in roles if each is not None for port in each.schemas.admits if port is not None}
    mask = 0
    for value in [facts.arg_value[row] for port in sorted(ports, key=str) for row in facts.args.at(call, port)]:
        mask |= given_mask(facts, value, call, 0, is_given=False)
    return mask


def given_mask(facts: Facts, value: int, call: int, depth: int, *, is_given: bool) -> int:
    """What a pattern that a declaration is given proves, or a declaration of what a list holds, ``List(Integer())``, or
    a table in the words of JSON Schema, ``String({ enum: SORTS })``.
    """
    found = pattern_at(facts, value, call)
    if found is not None:
        return matched_mask(facts, found, "search")
    rep = literal_of(facts, value)
    if facts.op[rep] == Op.NEW and facts.shape(rep) == "dict":
        return json_mask(facts, rep, is_given=is_given, of_text=True)
    if facts.op[rep] != Op.CALL and is_clean_type(facts, value):
        return facts.wanted.all  # "List(Integer)", "add_argument(type=int)"
    if facts.op[rep] != Op.CALL or depth >= MAX_SCHEMA_DEPTH:
        return 0
    return facts.wanted.all if clean_by_type(facts, value) else own_mask(facts, facts.data[rep], depth + 1)


def is_clean_type(facts: Facts, value: int) -> bool:
    """Whether a value is a type itself whose instances hold no text."""
    apis = facts.apis[facts.language(value)]
    roles = [apis.roles.get(node) for node in facts.resolution.api_nodes(value)]
    return bool(roles) and all(each is not None and each.clean_type for each in roles)


def spread_under(facts: Facts, call: int, names: Sequence[str]) -> list[int]:
    """What a call is given under one of these keywords by a table, ``Field(**META)``, that holds one value under it."""
    found: list[int] = []
    for row in facts.args.of(call):
        if facts.args.flags[row] & ArgumentFlag.SPREAD_KEYWORDS:
            table = facts.arg_value[row]
            if facts.op[facts.rep[table]] == Op.LOAD:
                table = attribute(facts, table)  # ``**Name.META``
            for name in names:
                key = facts.program.string_ids.get(name, NONE)
                held = elements(facts, table, key) if key != NONE else []
                if held is None:
                    return []
                found += held
    return found if len(found) == 1 else []
