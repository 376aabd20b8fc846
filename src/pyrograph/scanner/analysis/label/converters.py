"""Converters of routes that the program declares: ``<name:title>``, where ``title`` names a class with its own pattern.

A router gets the class together with its name, by a call (``register_converter(Title, "name")``) or under a key
(``app.url_map.converters["name"] = Title``). The notation says which member of the class holds the pattern. Several
classes of one name, a pattern that is not constant, or a method that makes another text of the part, leave it unknown.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import subjects
from pyrograph.rules.notations import Converter
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CONST_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF


def own_pattern(facts: Facts, kind: str, converter: Converter) -> str | None:
    """The pattern of the one class of the program that is registered as the converter ``kind``, or None.

    Time O(constants + arguments of calls), once for each name that a route uses and no notation lists.
    """
    classes = {owner for value in registered_as(facts, kind) for owner in classes_of(facts, value)}
    found: set[str | None] = set()
    for owner in classes:
        if all(hands_back(facts, each) for each in declared(facts, owner, converter.method)):
            found.update([facts.constant(each) for each in declared(facts, owner, converter.pattern)] or [None])
        else:
            found.add(None)
    text = found.pop() if len(found) == 1 else None
    return text[1:] if text is not None and text[:1] == "'" else None


def registered_as(facts: Facts, kind: str) -> list[int]:
    """What calls are given beside the constant ``kind``, and what is stored under it."""
    found: list[int] = []
    written, key = facts.program.string_ids.get(f"'{kind}", NONE), facts.program.string_ids.get(kind, NONE)
    if written != NONE:
        values, arguments = facts.tables["values"], facts.tables["arguments"]
        is_name = (values["op"] == CONST_OP) & (values["data"] == written)
        for call in np.unique(arguments["call"][is_name[arguments["value"]]]).tolist():
            found += [facts.arg_value[row] for row in facts.args.of(call)]
    if key != NONE:
        found += [int(facts.tables["stores"]["value"][row]) for row in facts.flows.stores_under(key).tolist()]
    return [value for value in found if value != NONE]


def classes_of(facts: Facts, value: int) -> set[int]:
    """The classes that a value is, or is an instance of."""
    states = facts.resolution.states_of(value)
    return {*subjects(states, CLASS), *subjects(states, INSTANCE_OF)}


def declared(facts: Facts, owner: int, name: str) -> list[int]:
    """The values that the body of a class, or of the nearest base that has the member, gives it."""
    key, members = facts.program.string_ids.get(name, NONE), facts.tables["members"]
    rows = facts.flows.members_named(key).tolist() if key != NONE else []
    for each in facts.resolution.lineage(owner) if rows else ():
        own = [
            int(members["value"][row])
            for row in rows
            if each in subjects(facts.resolution.states_of(int(members["owner"][row])), CLASS)
        ]
        if own:
            return own
    return []


def hands_back(facts: Facts, method: int) -> bool:
    """Whether a method returns what it is given, and nothing else."""
    functions = list(subjects(facts.resolution.states_of(method), FUNCTION))
    parameters, results = facts.tables["parameters"]["value"], facts.tables["functions"]["result"]
    for function in functions:
        given = {facts.rep[int(parameters[row])] for row in facts.functions.parameters_of(function)}
        if not {facts.rep[each] for each in facts.flows.same_as(int(results[function]))} <= given:
            return False
    return bool(functions)
