"""Sinks that are assignments: to an attribute of an API's object, to its elements, to a prototype."""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from pyrograph.graph import reached
from pyrograph.ir.codes import KEYS, NO_STRING, NONE, UNKNOWN_KEY, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.resolve.resolution import API
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

NO_NAME: Final = re.compile(r"[^\w$\0]")  # in a text whose holes are "\0": no variable and no field is called so


def assigned_sinks(facts: Facts) -> None:
    """Sinks that are assignments to an attribute, property or element of an object of a library."""
    assigned = {
        language: {
            apis.paths[node][-1].strip("[]")
            for node, roles in apis.roles.items()
            if any(s.assignment for s in roles.sinks)
        }
        for language, apis in facts.apis.items()
    }
    wanted = {
        facts.program.string_ids[n] for names in assigned.values() for n in names if n in facts.program.string_ids
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
                            role = SinkRole(value, bit, apis.text(node), file, start, end, (), low)
                            facts.labels.sinks.append(role)
    facts.conditions.subject = NONE


def assigned_sanitizers(facts: Facts) -> None:
    """Assignments that decide alone whether an object does harm, ``url.host = value``.

    What the object was made of does none afterwards; the value that is assigned flows on as it is.
    """
    names = {
        apis.paths[node][-1]
        for apis in facts.apis.values()
        for node, roles in apis.roles.items()
        if any(sanitizer.assignment for sanitizer in roles.sanitizers)
    }
    stores = facts.tables["stores"]
    wanted = {facts.program.string_ids[name] for name in names if name in facts.program.string_ids}
    harmless = facts.labels.harmless_parts
    for row in np.flatnonzero(among(stores["key"], wanted)).tolist():
        obj, result = int(stores["object"][row]), int(stores["result"][row])
        apis = facts.apis.get(facts.language(obj))
        if apis is None:
            continue
        name = facts.program.strings[int(stores["key"][row])]
        facts.conditions.subject = obj
        for state in facts.resolution.states_of(obj):
            for node in apis.member(state >> KIND_BITS, name) if state & KIND == API else ():
                roles = apis.roles.get(node)
                for sanitizer in roles.sanitizers if roles is not None else ():
                    value = int(stores["value"][row])
                    if sanitizer.assignment and holds(facts, sanitizer.conditions, NONE, value=value):
                        mask = facts.wanted.mask_of(sanitizer.vulnerability)
                        if mask:
                            harmless[obj, result] = harmless.get((obj, result), 0) | mask
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


def polluting_writes(facts: Facts) -> None:
    """Sinks of prototype pollution: ``object[a][b] = value`` where objects have prototypes.

    If ``a`` is ``__proto__``, the store writes ``b`` to every object. The sink is ``b``. Between the load under ``a``
    and the store, the object may pass loops and recursive calls, as in functions that merge objects or set a value
    along a path. Excluded are deletions, stores under a key that a loop over the keys of the same object gives, and
    keys that cannot be a name (``"a." + b``).
    """
    bits = facts.wanted.bits.get("prototype-pollution", ())
    with_prototypes = np.array([traits.prototypes for traits in facts.places.traits], bool)
    if not bits or not with_prototypes.any():
        return
    tables, rep = facts.tables, facts.resolution.representative
    stores, loads, flows, pis = tables["stores"], tables["loads"], tables["flows"], tables["pis"]
    same = flows["kind"] == 0
    bindings = facts.resolution.rows("bindings")
    whole = bindings[(bindings[:, 3] == NO_KEY) & (bindings[:, 4] == ENTIRE_ARGUMENT)]
    pairs = [(flows["origin"][same], flows["target"][same]), (pis["input"], pis["value"])]
    pairs += [(tables["captures"]["outer"], tables["captures"]["inner"])]
    pairs += [(whole[:, 1], whole[:, 2])]
    returns = facts.resolution.rows("returns")
    results = returns[tables["values"]["op"][returns[:, 2]] == Op.CALL]
    pairs += [(results[:, 1], results[:, 2])]
    origins = rep[np.concatenate([origin for origin, _ in pairs])]
    targets = rep[np.concatenate([target for _, target in pairs])]
    read = rep[loads["result"][loads["key"] < UNKNOWN_KEY]]  # from an object under a key that is a value
    inside = reached(facts.program.num_values, origins, targets, read)
    file_of = facts.program.file_of_value[stores["result"]]
    chosen = (stores["key"] < UNKNOWN_KEY) & inside[rep[stores["object"]]] & with_prototypes[file_of]
    keys_of = own_keys(facts)
    for row in np.flatnonzero(chosen).tolist():
        key, result = FIRST_VALUE_KEY - int(stores["key"][row]), int(stores["result"][row])
        if facts.constant(int(stores["value"][row])) == "null":
            continue
        if int(rep[stores["object"][row]]) in keys_of.get(int(rep[key]), ()):
            continue
        if not (
            facts.is_inert(key) or NO_NAME.search(facts.constants.texts.get(key, "")) or is_stored_back(facts, row)
        ):
            place = int(file_of[row]), int(facts.places.start[result]), int(facts.places.end[result])
            facts.labels.sinks += [SinkRole(key, bit, "object[key][key]=", *place, (), False) for bit in bits]


def own_keys(facts: Facts) -> dict[int, set[int]]:
    """Values that loops over the keys of an object give -> the objects: ``for (k in o)``, ``of Object.keys(o)``, and
    ``Object.keys(o).forEach(k => ...)``, where the function's own name of ``o`` counts as well.
    """
    loads, rep = facts.tables["loads"], facts.resolution.representative
    own = facts.program.string_ids.get(KEYS, NO_STRING)
    asked = loads["key"] == own
    found: dict[int, set[int]] = {}
    for key, obj in zip(rep[loads["result"][asked]].tolist(), rep[loads["object"][asked]].tolist(), strict=True):
        found.setdefault(key, set()).add(obj)
    listed: dict[int, set[int]] = {}  # lists of keys -> the objects
    for flow in facts.labels.flows:
        if flow.take == (own,) and len(flow.put) == 1 and not flow.derived:
            listed.setdefault(int(rep[flow.target]), set()).add(int(rep[flow.origin]))
    if listed:
        rows = np.flatnonzero(among(rep[loads["object"]], sorted(listed)) & (loads["key"] <= UNKNOWN_KEY))
        for row in rows.tolist():
            found.setdefault(int(rep[loads["result"][row]]), set()).update(listed[int(rep[loads["object"][row]])])
        bindings = facts.resolution.rows("bindings")
        for _, argument, parameter, _, element in bindings[among(rep[bindings[:, 1]], sorted(listed))].tolist():
            given = facts.calls.elements_for(int(rep[parameter]))
            if given == [(argument, element)] and not facts.calls.arguments_for(int(rep[parameter])):
                found.setdefault(int(rep[parameter]), set()).update(listed[int(rep[argument])])
        captured: dict[int, set[int]] = {}
        captures = facts.tables["captures"]
        for outer, inner in zip(rep[captures["outer"]].tolist(), rep[captures["inner"]].tolist(), strict=True):
            captured.setdefault(outer, set()).add(inner)
        for objects in found.values():
            objects.update(*[captured.get(each, ()) for each in sorted(objects)])
    return found


def is_stored_back(facts: Facts, store: int) -> bool:
    """Whether a store puts a changed part back to where it was read; ``x.a = x.a`` in the source text is no such store.

    Lowering makes such stores for ``x.a.b = value``: ``x.a`` is another version then.
    """
    value = int(facts.tables["stores"]["value"][store])
    return value >= 0 and facts.rep[value] != value and facts.resolution.is_part(facts.program, store)
