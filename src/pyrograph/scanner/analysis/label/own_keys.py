"""Keys that loops over the keys of an object give, and questions whether an object has such a key of its own.

An object may be read again in another function, as a member of another object: ``req.form`` in a callback.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyrograph.ir.codes import KEYS, NO_STRING, NONE, UNKNOWN_KEY
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.object_states import object_of, unconditional
from pyrograph.scanner.analysis.numbers import CARRY_OP, CELL_OP, LOAD_OP, PHI_OP, PI_OP, POST_OP, STORE_OP

Member = tuple[int, tuple[int, ...]]  # an object, and the keys from it to a member, the last one first


def own_keys(facts: Facts) -> dict[int, set[int]]:
    """The keys of ``_own_keys``, found once for a program."""
    if facts.guards.own_keys is None:
        facts.guards.own_keys = _own_keys(facts)
    return facts.guards.own_keys


def is_own_key(facts: Facts, key: int, obj: int) -> bool:
    """Whether a loop over the keys of an object, in whatever state it was, gives ``key``."""
    keys = own_keys(facts)
    objects = keys.get(int(facts.rep[key])) or keys.get(int(facts.rep[unconditional(facts, key)]))
    return objects is not None and is_one_of(facts, obj, objects)


def is_one_of(facts: Facts, obj: int, objects: set[int]) -> bool:
    """Whether ``obj`` is one of ``objects``, in whatever state, or the same member of the same object as one of them:
    ``req.form`` in a callback is read again from the ``req`` around it.
    """
    if int(facts.rep[obj]) in objects or object_of(facts, obj) in objects:
        return True
    asked = member_of(facts, obj)
    return any(member_of(facts, each) == asked for each in sorted(objects))


def member_of(facts: Facts, value: int) -> Member:
    """The object from which ``value`` is read by known keys, and these keys, the last one first; of a variable that a
    function captures, that of the function around it. Where the member was stored before, what was stored. ``value``
    itself where ways meet that bring several, and beyond ``MAX_DEFINITIONS``.
    """
    work: list[Member] = [(value, ())]
    seen, found = set(work), set[Member]()
    while work and len(seen) <= MAX_DEFINITIONS:  # what is pushed is new in ``seen``
        at = work.pop()
        before = dict.fromkeys(members_before(facts, *at))
        if not before:
            found.add((int(facts.rep[at[0]]), at[1]))
        work += [each for each in before if each not in seen]
        seen.update(before)
    return found.pop() if len(found) == 1 and not work else (int(facts.rep[value]), ())


def members_before(facts: Facts, value: int, path: tuple[int, ...]) -> list[Member]:
    """What the member of an object is in the states of the object one step back; nothing at the first state."""
    tables, op, data = facts.tables, facts.op[value], facts.data[value]
    if op == STORE_OP and path and int(tables["stores"]["key"][data]) == path[-1]:
        stored = int(tables["stores"]["value"][data])
        return [(stored, path[:-1])] if stored != NONE else []
    if op == PI_OP:
        return [(int(tables["pis"]["input"][data]), path)]
    if op == POST_OP:
        return [(int(facts.arg_value[data]), path)]
    if op == STORE_OP:
        return [(int(tables["stores"]["object"][data]), path)]
    rep = int(facts.rep[value])
    if op in (PHI_OP, CARRY_OP, CELL_OP):
        return [(each, path) for each in facts.flows.same_as(value)]
    if rep in facts.flows.captured:
        return [(facts.flows.captured[rep], path)]
    if facts.op[rep] == LOAD_OP and facts.load_key[facts.data[rep]] >= 0 and len(path) < MAX_DEFINITIONS:
        return [(facts.load_object[facts.data[rep]], (*path, facts.load_key[facts.data[rep]]))]
    return []


def asks_for_own_key(facts: Facts, call: int, values: Iterable[int]) -> bool:
    """Whether a call asks an object for a key that a loop over its keys gives: ``hasOwn(o, k)`` in ``for (k in o)``.

    Such a question proves nothing of the key: who chooses the object chooses its own keys, ``__proto__`` included.
    ``values``: representatives of the values that the question is about.
    """
    objects: set[int] = set()
    keys = own_keys(facts)
    for value in values:
        objects |= keys.get(value, set())
    if not objects:
        return False
    rows = [*facts.args.at(call, Port("this")), *facts.args.at(call, Port("from", 0))]
    return any(is_one_of(facts, facts.arg_value[row], objects) for row in rows)


def _own_keys(facts: Facts) -> dict[int, set[int]]:
    """Values that loops over the keys of an object give -> the objects: ``for (k in o)``, ``of Object.keys(o)``, and
    ``Object.keys(o).forEach(k => ...)``, where the function's own name of ``o`` counts as well.
    """
    loads, rep = facts.tables["loads"], facts.resolution.representative
    own = facts.program.string_ids.get(KEYS, NO_STRING)
    asked = loads["key"] == own
    found: dict[int, set[int]] = {}
    for key, obj in zip(rep[loads["result"][asked]].tolist(), loads["object"][asked].tolist(), strict=True):
        found.setdefault(key, set()).update((int(rep[obj]), object_of(facts, obj)))
    listed: dict[int, set[int]] = {}  # lists of keys -> the objects
    for flow in facts.labels.flows:
        if flow.take == (own,) and len(flow.put) == 1 and not flow.derived:
            both = int(rep[flow.origin]), object_of(facts, flow.origin)
            listed.setdefault(int(rep[flow.target]), set()).update(both)
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
    if found:
        _passed_keys(facts, found, captured)
    for objects in found.values():
        objects.update(*[captured.get(each, ()) for each in sorted(objects)])
    return found


def _passed_keys(facts: Facts, found: dict[int, set[int]], captured: dict[int, set[int]]) -> None:
    """Add the parameters of callbacks that get such keys and nothing else: ``forIn(o, (value, k) => ...)``, a helper of
    the program. Where one call alone gives the helper its object, that of the call counts as well.
    """
    rep = facts.resolution.representative
    bindings = facts.resolution.rows("bindings")
    work = sorted(found)
    while work:  # each round takes keys that were not in ``found`` before
        passed = bindings[among(rep[bindings[:, 1]], work)]
        work = []
        for parameter in dict.fromkeys(rep[passed[:, 2]].tolist()):
            given = facts.calls.arguments_for(parameter)
            if parameter in found or len(given) != 1 or facts.calls.elements_for(parameter):
                continue
            objects = set(found.get(int(rep[given[0]]), ()))
            for obj in sorted(objects):
                made = facts.calls.arguments_for(obj)
                if len(made) == 1:
                    origin = int(rep[made[0]])
                    objects |= {origin, object_of(facts, made[0]), *captured.get(origin, ())}
            if objects:
                found[parameter] = objects
                work.append(parameter)
