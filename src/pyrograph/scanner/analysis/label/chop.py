"""Computes the chop: the values on some path from a source to a sink.

Over-approximates: ignores access paths, calling contexts and barriers, and has one node for all versions of an object.
It has each kind of edge that ``assemble`` has, so that a value outside is on no path that the search finds. Expensive
questions, guards above all, are only asked of values inside. Those whose answers nobody needs but the value itself are
only asked of versions on a path: a second search goes from version to version inside of the chop.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.graph import Reached, reached
from pyrograph.ir.codes import UNKNOWN_KEY, Op, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.labels import MAX_CHECKED_KEYS, MAX_LISTS_PASSED
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


def source_sink_chop(facts: Facts) -> Mask:
    """Which values (values,) are on some path from a source to a sink. Time linear in the program.

    Keeps in ``guards.brought`` which ones sources reach at all. That a handler reads a part of the request does not
    make the request as a whole one of these. Keeps in ``guards.between`` which versions are on a path as they are, not
    by another version of the object.
    """
    program, resolution, labels = facts.program, facts.resolution, facts.labels
    t, rep = program.tables, resolution.representative
    flows, loads, slices, stores, arguments = (t[name] for name in ("flows", "loads", "slices", "stores", "arguments"))
    captures, made = t["captures"], t["functions"]["value"]
    sources = rep[np.array([source.value for source in labels.sources], np.int64)]
    back = _stored_back(facts, sources)
    stored, computed = stores["value"] >= 0, stores["key"] < UNKNOWN_KEY
    stored[back] = False  # from sources alone
    targets, callbacks = resolution.rows("targets"), resolution.rows("callbacks")
    callbacks = callbacks[callbacks[:, 3] >= 0]
    bindings = resolution.rows("bindings")
    asked = bindings[bindings[:, 4] != ENTIRE_ARGUMENT]
    edges: list[tuple[Ints, Ints]] = [
        (flows["origin"], flows["target"]),
        (loads["object"], loads["result"]),
        (slices["object"], slices["result"]),
        (stores["value"][stored], stores["object"][stored]),
        (FIRST_VALUE_KEY - stores["key"][computed], stores["object"][computed]),
        (arguments["value"], t["calls"]["result"][arguments["call"]]),  # by a callee that nothing is known of
        (captures["outer"], captures["inner"]),
        (captures["out"], captures["outer"]),
        (captures["outer"], made[captures["function"]]),  # a function value holds what the function captures …
        (made[captures["function"]], captures["inner"]),  # … and gives it back where it is called
        (t["calls"]["callee"][targets[:, 0]], made[targets[:, 1]]),
        (callbacks[:, 3], made[callbacks[:, 2]]),
        (asked[:, 2], asked[:, 1]),  # what a function says of each element is known of the collection
        *_checked(facts),
    ]
    for rows, before, after in (
        (bindings, 1, 2),
        (resolution.rows("returns"), 1, 2),
        (rows_of(resolution.flows.element_returns, 4), 1, 2),
        (rows_of(resolution.fields, 4), 1, 2),
        (rows_of(resolution.flows.loads, 3), 1, 0),
        (rows_of(resolution.flows.method_values, 3), 0, 1),
        (rows_of(resolution.flows.method_receivers, 4), 1, 2),
        (rows_of(resolution.flows.context_free_edges, 2), 0, 1),
        (rows_of([row[:2] for row in resolution.flows.moves], 2), 0, 1),
        (rows_of(resolution.stored.left_states, 2), 0, 1),
        (rows_of(resolution.flows.kills, 3), 0, 1),
        (rows_of(resolution.flows.copy_edges, 2), 0, 1),
        (rows_of([(flow.origin, flow.target) for flow in labels.flows], 2), 0, 1),
        (rows_of(labels.kept.receivers, 2), 0, 1),
        (rows_of([(flow.origin, flow.target) for flow in labels.kept.reads], 2), 0, 1),
        (rows_of(labels.kept.elements, 4), 1, 2),
    ):
        edges.append((rows[:, before], rows[:, after]))
    calls = np.arange(program.num_values, program.num_values + len(t["calls"]["result"]), dtype=np.int32)
    nodes = np.concatenate([rep, calls])
    first, second = (np.concatenate(column) for column in zip(*edges, strict=True))
    origin, target = nodes[first], nodes[second]
    moves = origin != target
    origin, target = origin[moves], target[moves]
    sinks = rep[np.array([sink.value for sink in labels.sinks], np.int64)]
    search = Reached(len(nodes), origin, target)
    search.add(sources)
    facts.guards.brought = search.seen[rep]
    holders = rep[stores["object"][back]]
    search.add(holders)
    found = search.seen
    origin = np.concatenate([origin, rep[stores["value"][back]]])
    target = np.concatenate([target, holders])
    passed = found[origin]  # backwards only among these edges
    inside: Mask = (found & reached(len(nodes), target[passed], origin[passed], sinks))[nodes]
    facts.guards.between = _versions_between(facts, inside, first, second)
    chop: Mask = inside[: program.num_values]
    return chop


def _versions_between(facts: Facts, inside: Mask, origin: Ints, target: Ints) -> Mask:
    """Which versions (values,) are on some path: along these edges, and from a version of an object to the next one.

    A path may also end where a function returns with an outcome that its caller tests. ``inside``: (values and calls,)
    the nodes of the chop.
    """
    t, labels = facts.tables, facts.labels
    pis, stores, arguments, parameters = (t[name] for name in ("pis", "stores", "arguments", "parameters"))
    returned, stored, computed = arguments["post"] >= 0, stores["value"] >= 0, stores["key"] < UNKNOWN_KEY
    versions = (
        (pis["input"], pis["value"]),
        (arguments["value"][returned], arguments["post"][returned]),
        (stores["object"], stores["result"]),
        (stores["value"][stored], stores["result"][stored]),
        (FIRST_VALUE_KEY - stores["key"][computed], stores["result"][computed]),
    )
    origin = np.concatenate([origin, *(before for before, _ in versions)])
    target = np.concatenate([target, *(after for _, after in versions)])
    kept = inside[origin] & inside[target]
    origin, target = origin[kept], target[kept]
    found: Mask = reached(len(inside), origin, target, np.array([source.value for source in labels.sources], np.int64))
    sinks = np.array([sink.value for sink in labels.sinks], np.int64)
    exits = np.concatenate([parameters["true"], parameters["false"]])
    passed = found[origin]
    found &= reached(len(inside), target[passed], origin[passed], np.concatenate([sinks, exits[exits >= 0]]))
    found &= inside  # a source may be an exit, too, and lie on no path
    return found[: facts.program.num_values]


def _stored_back(facts: Facts, sources: Ints) -> Ints:
    """The rows of stores of a source's state, behind a call, into what the source was read from."""
    t, rep = facts.tables, facts.resolution.representative
    stores, loads = t["stores"], t["loads"]
    rows = np.flatnonzero(stores["value"] >= 0).astype(np.int32)
    rows = rows[among(rep[stores["value"][rows]], sources)]
    value = rep[stores["value"][rows]]
    is_load = t["values"]["op"][value] == Op.LOAD
    rows, load = rows[is_load], t["values"]["data"][value[is_load]]
    same = (rep[loads["object"][load]] == rep[stores["object"][rows]]) & (loads["key"][load] == stores["key"][rows])
    found: Ints = rows[same]
    return found


def _checked(facts: Facts) -> list[tuple[Ints, Ints]]:
    """Edges of ``CheckRoles.checked_by_call``: from a predicate's parameter at its exits to the versions
    under a condition.

    The call whose result is tested is a node of its own between them, numbered after the values.
    """
    t, first = facts.tables, facts.program.num_values
    op, data = t["values"]["op"], t["values"]["data"]
    conditions, pis, parameters = t["conditions"], t["pis"], t["parameters"]
    tested = np.where(conditions["left"] >= 0, conditions["left"], 0)
    is_call = (conditions["test"] == Test.TRUTH) & (conditions["left"] >= 0) & (op[tested] == Op.CALL)
    under = is_call[pis["condition"]]
    calls = data[tested[pis["condition"][under]]]
    bindings = facts.resolution.rows("bindings")
    asked = among(bindings[:, 0], calls) & (op[bindings[:, 2]] == Op.PARAMETER)
    sites, rows = bindings[asked, 0], data[bindings[asked, 2]]
    edges: list[tuple[Ints, Ints]] = [(first + calls, pis["value"][under])]
    for side in ("true", "false"):
        state = parameters[side][rows]
        known = (rows >= 0) & (state >= 0)
        edges.append((state[known], first + sites[known]))
    return edges


def with_parts(facts: Facts) -> Mask:
    """The chop and the values loaded from it: a check of ``o.a`` also matters to later loads of ``o.a``.

    So does a check of ``[a, b]`` to ``a``: lists that are written down with a value of the chop belong to it, and the
    parameters of the functions that they are passed to. And one of a member that is read once more, where each read is
    a source. And one by a function that is asked about a source: that may be read again.
    """
    if not len(facts.guards.with_parts):
        loads, rep = facts.tables["loads"], facts.resolution.representative
        whole, part = rep[loads["object"]], rep[loads["result"]]
        found = facts.labels.chop.copy()  # all versions of each object
        stores, bindings = facts.tables["stores"], facts.resolution.rows("bindings")
        holders = rep[stores["object"][(stores["value"] >= 0) & found[stores["value"]]]]
        lists = np.zeros(len(found), np.bool_)
        lists[holders[facts.tables["values"]["op"][holders] == Op.NEW]] = True
        lists &= ~found
        origin, target = facts.tables["flows"]["origin"], facts.tables["flows"]["target"]
        joined = facts.tables["values"]["op"][target] == Op.PHI
        origin, target = rep[origin[joined]], rep[target[joined]]
        given, taken = rep[bindings[:, 1]], rep[bindings[:, 2]]
        for _ in range(MAX_LISTS_PASSED):
            lists[target[lists[origin]]] = True
            lists[taken[lists[given]]] = True
        found |= lists
        asked = np.zeros(facts.program.num_values, np.bool_)
        left = facts.tables["conditions"]["left"]
        asked[rep[left[left >= 0]]] = True
        asked = asked[facts.tables["calls"]["result"]]  # calls whose results are tested
        sources = np.zeros(len(found), np.bool_)
        sources[rep[np.array([source.value for source in facts.labels.sources], np.int64)]] = True
        sites = bindings[:, 0]
        own = sites < len(asked)
        own[own] = asked[sites[own]]
        found[taken[own & sources[given]]] = True
        named = loads["key"] >= 0  # the same member of the same object is read again: ``req.query`` twice
        member = whole[named].astype(np.int64) * len(facts.program.strings) + loads["key"][named]
        found[part[named][among(member, distinct(member[found[part[named]]]))]] = True
        for _ in range(MAX_CHECKED_KEYS):
            found[part[found[whole]]] = True
        facts.guards.with_parts = found[rep]
    return facts.guards.with_parts
