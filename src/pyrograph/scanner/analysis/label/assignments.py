"""Sinks that are assignments: to an attribute of an API's object, to its elements."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.literals import element
from pyrograph.scanner.analysis.resolve.resolution import API

NO_NAME: Final = re.compile(r"[^\w$\0]")  # in a text whose holes are "\0": no variable and no field is called so


def assigned_sinks(facts: Facts) -> None:
    """Sinks that are assignments to an attribute, property or element of an object of a library."""
    assigned = {
        language: {apis.paths[node][-1].strip("[]") for node in apis.index.assigned_sinks}
        for language, apis in facts.apis.items()
    }
    within = members_assigned(facts)
    wanted = {
        facts.program.string_ids[n]
        for names in [*assigned.values(), *within.values()]
        for n in names
        if n in facts.program.string_ids
    }
    any_key = any("*" in names for names in assigned.values())
    stores = facts.tables["stores"]
    keys = stores["key"]
    into_apis = stores_into_apis(facts)
    item_assignments(facts, into_apis)
    chosen = among(keys, wanted)
    if any_key:
        chosen |= into_apis
    for row in np.flatnonzero(chosen).tolist():
        obj, key, value = int(stores["object"][row]), int(keys[row]), int(stores["value"][row])
        result = int(stores["result"][row])
        apis = facts.apis.get(facts.language(obj))
        if apis is None or value == NONE or facts.is_inert(value):
            continue
        name = facts.program.strings[key] if key >= 0 else "*"
        states = facts.resolution.states_of(obj)
        nodes = [m for s in states if s & KIND == API for m in apis.member(s >> KIND_BITS, name)]
        if not states:
            nodes = list(apis.builtin_methods.get(name, ()))
        if nodes and is_stored_back(facts, row):
            continue
        facts.conditions.subject = obj
        for node in nodes:
            assigned_sink(facts, node, value, result)
            for member in within.get(facts.language(obj), {}).get(name, ()) if value_is_new(facts, value) else ():
                member_key = facts.program.string_ids.get(member, NONE)
                part = element(facts, value, (member_key,)) if member_key != NONE else NONE
                if part != NONE and not facts.is_inert(part):
                    for inner in apis.member(node, member):
                        assigned_sink(facts, inner, part, part)
    facts.conditions.subject = NONE


def members_assigned(facts: Facts) -> dict[str, dict[str, list[str]]]:
    """Language -> member of an object -> its own members to which assignments are sinks: `answer.headers["Location"]`.

    A literal that is assigned to the member assigns them, too: ``answer.headers = {"Location": value}``.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for language, apis in facts.apis.items():
        members = found[language] = {}
        for node in apis.index.assigned_sinks:
            path = apis.paths[node]
            if path[2:-1]:  # behind root, class and member
                members.setdefault(path[-2].strip("[]"), []).append(path[-1].strip("[]"))
    return found


def value_is_new(facts: Facts, value: int) -> bool:
    return facts.op[facts.rep[value]] == Op.NEW


def assigned_sink(facts: Facts, node: int, value: int, result: int) -> None:
    """Where ``value`` is assigned to what the API names, a sink if the API is one; ``result`` stands there."""
    apis = facts.apis[facts.language(result)]
    roles = apis.roles.get(node)
    for sink in roles.sinks if roles is not None else ():
        if (
            sink.assignment
            and sink.vulnerability in facts.wanted.bits
            and holds(facts, sink.conditions, NONE, value=value)
        ):
            file = int(facts.program.file_of_value[result])
            start, end = int(facts.places.start[result]), int(facts.places.end[result])
            for bit in facts.wanted.bits_at(sink):
                if not facts.is_safe_text(bit, value):
                    low = sink.low or bit in facts.wanted.low
                    facts.labels.sinks.append(SinkRole(value, bit, apis.text(node), file, start, end, (), low))


def assigned_sanitizers(facts: Facts) -> None:
    """Assignments that decide alone whether an object does harm, ``url.host = value``, and those that do none,
    ``url.search = value``.

    What the object was made of does none after the first kind; the value that is assigned flows on as it is. After the
    second kind it is the reverse.
    """
    names = {apis.paths[node][-1] for apis in facts.apis.values() for node in apis.index.assigned_sanitizers}
    stores = facts.tables["stores"]
    wanted = {facts.program.string_ids[name] for name in names if name in facts.program.string_ids}
    harmless = facts.labels.harmless_parts
    for row in np.flatnonzero(among(stores["key"], wanted)).tolist():
        obj, result = int(stores["object"][row]), int(stores["result"][row])
        apis = facts.apis.get(facts.language(obj))
        if apis is None:
            continue
        name = facts.program.strings[int(stores["key"][row])]
        is_set = not is_stored_back(facts, row)  # a host that was only passed to a function is the one that it was
        facts.conditions.subject = obj
        for state in facts.resolution.states_of(obj):
            for node in apis.member(state >> KIND_BITS, name) if state & KIND == API else ():
                roles = apis.roles.get(node)
                for sanitizer in roles.sanitizers if roles is not None else ():
                    value = int(stores["value"][row])
                    if not sanitizer.assignment or not (is_set or sanitizer.ports):
                        continue
                    if holds(facts, sanitizer.conditions, NONE, value=value):
                        mask = facts.wanted.mask_of(sanitizer.vulnerability)
                        part = value if sanitizer.ports else obj
                        if mask and part != NONE:
                            harmless[part, result] = harmless.get((part, result), 0) | mask
    facts.conditions.subject = NONE


def stores_into_apis(facts: Facts) -> np.ndarray:
    """(stores,) whether the points-to set of the object has an API."""
    states = facts.resolution.states
    found: list[bool] = []
    for node in facts.resolution.representative[facts.tables["stores"]["object"]].tolist():
        is_api = False
        for state in states[node]:
            if state & KIND == API:
                is_api = True
                break
        found.append(is_api)
    return np.array(found, bool)


def item_assignments(facts: Facts, into_apis: np.ndarray) -> None:
    """Sinks ``api[key] = value``, where a pack models ``__setitem__`` of that API."""
    stores = facts.tables["stores"]
    for row in np.flatnonzero(into_apis).tolist():
        obj, key = int(stores["object"][row]), int(stores["key"][row])
        apis = facts.apis.get(facts.language(obj))
        if apis is None:
            continue
        for state in facts.resolution.states_of(obj):
            if state & KIND != API:
                continue
            nodes = apis.member(state >> KIND_BITS, "__setitem__")
            for node in nodes if nodes and not is_stored_back(facts, row) else ():
                roles = apis.roles.get(node)
                for sink in roles.sinks if roles is not None else ():
                    if sink.vulnerability not in facts.wanted.bits or not holds(facts, sink.conditions, NONE):
                        continue
                    for port in sink.ports:
                        value = FIRST_VALUE_KEY - key if port.position == 0 else int(stores["value"][row])
                        if value < 0 or facts.is_inert(value):
                            continue
                        result = int(stores["result"][row])
                        file = int(facts.program.file_of_value[result])
                        start, end = int(facts.places.start[result]), int(facts.places.end[result])
                        for bit in facts.wanted.bits_at(sink):
                            low = sink.low or bit in facts.wanted.low
                            role = SinkRole(value, bit, apis.text(node), file, start, end, (), low)
                            facts.labels.sinks.append(role)


def is_stored_back(facts: Facts, store: int) -> bool:
    """Whether a store puts a changed part back to where it was read; ``x.a = x.a`` in the source text is no such store.

    Lowering makes such stores for ``x.a.b = value``: ``x.a`` is another version then.
    """
    value = int(facts.tables["stores"]["value"][store])
    return value >= 0 and facts.rep[value] != value and facts.resolution.is_part(facts.program, store)
