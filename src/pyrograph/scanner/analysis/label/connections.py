"""Clients that open their connections by a function of the program that asks what kind of address these lead to.

``&http.Client{Transport: &http.Transport{DialContext: dial}}``, where ``dial`` refuses private addresses, decides where
requests may go, after names were looked up and for redirects, too. The client says so, and no condition on the path.
What the function does with the answer is not looked at, so that this is a doubt and no proof.

Time O(calls + loads), and ``MAX_DEFINITIONS`` values for each sink, if the program has a function that asks so.
"""

from __future__ import annotations

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.policy.names.questions import ADDRESS_NAMES
from pyrograph.scanner.analysis.label.definitions import attributes, definitions, results_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import CALL_OP, LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION


def checked_connections(facts: Facts) -> frozenset[int]:
    """The calls of sinks that use such a client, or make a request that one gets."""
    asking = asking_functions(facts)
    if not asking:
        return frozenset()
    sinks: dict[int, set[int]] = {}  # by call: what must not be untrusted, but for options that may hold the client
    for sink in facts.labels.sinks:
        if sink.call != NONE:
            values = sinks.setdefault(sink.call, set())
            if facts.op[facts.rep[sink.value]] != NEW_OP:
                values.add(facts.rep[sink.value])
    made = {facts.rep[facts.call_result[call]]: call for call in sinks}
    requests: dict[int, set[int]] = {}  # by call: the calls of sinks that made what it is given
    arguments, loads, reps = facts.tables["arguments"], facts.tables["loads"], facts.resolution.representative
    objects = reps[loads["object"]]
    rows = np.flatnonzero(among(objects, list(made)))  # one of several results
    of_several = dict(zip(reps[loads["result"]][rows].tolist(), objects[rows].tolist(), strict=True))
    given = reps[arguments["value"]]
    for row in np.flatnonzero(among(given, [*made, *of_several])).tolist():
        origin = int(given[row])
        requests.setdefault(int(arguments["call"][row]), set()).add(made[of_several.get(origin, origin)])
    found: set[int] = set()
    for call in sorted(sinks.keys() | requests.keys()):
        others = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
        holders = [facts.arg_value[row] for row in others if facts.rep[facts.arg_value[row]] not in sinks.get(call, ())]
        if facts.call_receiver[call] != NONE:
            holders.append(facts.call_receiver[call])
        holders = [each for each in holders if not is_callback(facts, each)]
        if any(not asking.isdisjoint(functions_held(facts, each)) for each in holders):
            found |= ({call} & sinks.keys()) | requests.get(call, set())
    return frozenset(found)


def is_callback(facts: Facts, value: int) -> bool:
    """Whether a function itself is given to the request: it gets the answer, and opens no connection."""
    return any(subjects(facts.resolution.states_of(value), FUNCTION))


def asking_functions(facts: Facts) -> frozenset[int]:
    """The functions that ask what kind of address something is: themselves, in a function in them, or in one that they
    call.
    """
    strings = facts.program.strings
    named = [number for number, text in enumerate(strings) if ADDRESS_NAMES.search(text) is not None]
    if not named:
        return frozenset()
    calls, loads = facts.tables["calls"], facts.tables["loads"]
    values = [calls["result"][among(calls["name"], named)], loads["result"][among(loads["key"], named)]]
    found = {int(facts.function_of[value]) for value in np.concatenate(values).tolist()}
    found |= {int(facts.tables["functions"]["parent"][each]) for each in found if each != NONE}
    sites, targets = facts.resolution.rows("targets").T
    own = sites < len(calls["result"])
    callers = calls["result"][sites[own & among(targets, sorted(found))]]
    return frozenset(found | {int(facts.function_of[value]) for value in callers.tolist()} - {NONE})


def functions_held(facts: Facts, value: int) -> set[int]:
    """The functions of the program that an object holds, at any depth, by whatever names it gets; those, too, whose
    object the method of a library that it holds belongs to: ``DialContext: dialer.DialContext``.
    """
    found: set[int] = set()
    seen: set[int] = set()
    work = [value]
    while work and len(seen) < MAX_DEFINITIONS:  # what is looked at is new in ``seen``
        rep = facts.rep[work.pop()]
        if rep in seen:
            continue
        seen.add(rep)
        found.update(subjects(facts.resolution.states_of(rep), FUNCTION))
        stores = facts.tables["stores"]
        work += [int(stores["value"][row]) for row in facts.flows.stores_into(rep) if stores["value"][row] != NONE]
        if facts.op[rep] == CALL_OP:
            call = facts.data[rep]
            work += results_of(facts, call) or [facts.arg_value[row] for row in facts.args.of(call)]
        elif facts.op[rep] == LOAD_OP:
            held = [*definitions(facts, rep), *attributes(facts, rep)]
            work += [each for each in held if facts.rep[each] != rep] or [facts.load_object[facts.data[rep]]]
        else:
            work += definitions(facts, rep)
    return found
