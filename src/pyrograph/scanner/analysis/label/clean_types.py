"""Values whose declared type can hold no text that an attacker chooses."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.parsers import language_of
from pyrograph.policy.limits.labels import MAX_SCHEMA_DEPTH
from pyrograph.scanner.analysis.apis import CALL, INSTANCE
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import FIELD_OP, LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, OBJECT


def clean_lengths(facts: Facts) -> None:
    """Mark ``x.length`` clean where the language makes it a number, unless packs describe members of ``x``."""
    for language, apis in facts.apis.items():
        names = language_of(language).traits.number_members
        keys = {facts.program.string_ids[name] for name in names if name in facts.program.string_ids}
        rows = np.flatnonzero(among(facts.tables["loads"]["key"], keys)).tolist() if keys else []
        rows = [row for row in rows if facts.language(facts.load_object[row]) == language]
        nodes = {row: facts.resolution.api_nodes(facts.load_object[row]) for row in rows}
        asked = set[int]().union(*nodes.values())
        with_members = {node for node, _ in apis.children if node in asked} if asked else set()
        for row in rows:
            if with_members.isdisjoint(nodes[row]):
                facts.labels.clean[int(facts.tables["loads"]["result"][row])] = facts.wanted.all


def clean_class_names(facts: Facts) -> None:
    """Mark the name of a receiver's class clean, ``this.constructor.name``: the program's text has it.

    Of other objects it may be text of a request, which has such members where it was sent with them.
    """
    parameters, loads = facts.tables["parameters"], facts.tables["loads"]
    receivers = set(parameters["value"][parameters["position"] == RECEIVER].tolist())
    for language in facts.apis:
        path = language_of(language).traits.class_name
        keys = [facts.program.string_ids.get(name, NONE) for name in path]
        for row in np.flatnonzero(loads["key"] == keys[-1]).tolist() if keys and NONE not in keys else ():
            obj = facts.load_object[row]
            for key in reversed(keys[:-1]):
                made = facts.rep[obj]
                is_member = facts.op[made] == LOAD_OP and facts.load_key[facts.data[made]] == key
                obj = facts.load_object[facts.data[made]] if is_member else NONE
                if obj == NONE:
                    break
            if obj != NONE and facts.rep[obj] in receivers and facts.language(obj) == language:
                facts.labels.clean[int(loads["result"][row])] = facts.wanted.all


def numeric_parameters(facts: Facts) -> None:
    """Parameters with a clean declared type, in languages whose compiler enforces types."""
    if not any(traits.declared_types_hold for traits in facts.places.traits):
        return
    types, parameters = facts.tables["types"], facts.tables["parameters"]
    declared = among(types["value"], parameters["value"])
    for value, type_value in zip(types["value"][declared].tolist(), types["type"][declared].tolist(), strict=True):
        if not facts.traits_of(value).declared_types_hold:
            continue
        apis = facts.apis[facts.language(value)]
        for node in facts.resolution.api_nodes(type_value):
            roles = apis.roles.get(node)
            if roles is not None and roles.clean_type:
                facts.labels.numeric_parameters.add(value)


def clean_by_type(facts: Facts, value: int, depth: int = 0) -> bool:
    """Whether the value's type, or declared type, can hold no text that an attacker chooses.

    A collection is as clean as all that its type declares of its content: ``list[int]``, but not ``dict[str, int]``.
    ``depth``: of the collections that hold the value.
    """
    apis = facts.apis[facts.language(value)]
    for node in facts.resolution.api_nodes(value):
        path = apis.paths[node]
        if path[-1] == INSTANCE:
            roles = apis.roles.get(apis.node(path[:-1]))
            if roles is not None and roles.clean_type:
                return True
    types = facts.tables["types"]
    for row in facts.functions.types_of(value):
        for node in facts.resolution.api_nodes(int(types["type"][row])):
            path = apis.paths[node]
            for each in (node, apis.node(path[:-1])) if path[-1] in (CALL, INSTANCE) else (node,):
                roles = apis.roles.get(each)
                if roles is not None and roles.clean_type:
                    return True
        if any(
            state & KIND == CLASS and state >> KIND_BITS in clean_classes(facts) for state in type_states(facts, row)
        ):
            return True
        objects = [state >> KIND_BITS for state in type_states(facts, row) if state & KIND == OBJECT]
        elements = [each for made in objects for each in declared_elements(facts, made)]
        if elements and depth < MAX_SCHEMA_DEPTH and all([clean_by_type(facts, each, depth + 1) for each in elements]):
            return True
    return False


def declared_elements(facts: Facts, made: int) -> list[int]:
    """What the object ``made`` holds, if it stands for the collections of a type: two values for ``dict[K, T]``."""
    if facts.op[made] != NEW_OP:
        return []
    stores = facts.flows.stores_into(facts.rep[made])
    values = [facts.rep[int(facts.tables["stores"]["value"][row])] for row in stores]
    return values if all([facts.op[value] == FIELD_OP for value in values]) else []


def type_states(facts: Facts, row: int) -> Sequence[int]:
    return facts.resolution.states_of(int(facts.tables["types"]["type"][row]))


def clean_classes(facts: Facts) -> frozenset[int]:
    """Classes of the program that extend a class with a clean type, such as an enumeration."""
    if facts.guards.clean_classes is None:
        found = set()
        bases = facts.tables["bases"]
        for owner, base in zip(bases["owner"].tolist(), bases["base"].tolist(), strict=True):
            apis = facts.apis[facts.language(base)]
            for node in facts.resolution.api_nodes(base):
                roles = apis.roles.get(node)
                if roles is not None and roles.clean_type:
                    found.add(owner)
        extending: dict[int, list[int]] = {}
        for each, of in facts.resolution.class_bases.items():
            for base in of:
                extending.setdefault(base, []).append(each)
        work = sorted(found)
        while work:  # each class is put there once, with ``found``
            for each in extending.get(work.pop(), ()):
                if each not in found:
                    found.add(each)
                    work.append(each)
        facts.guards.clean_classes = frozenset(found)
    return facts.guards.clean_classes
