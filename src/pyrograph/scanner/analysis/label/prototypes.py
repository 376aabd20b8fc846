"""Sinks of prototype pollution: ``object[a][b] = value`` where objects have prototypes.

If ``a`` is ``__proto__``, the store writes ``b`` to every object. The sink is ``b``. Between the load under ``a`` and
the store, the object may pass loops, recursive calls and lists of what is left to do, as in functions that merge
objects or set a value along a path. ``polluting_writes`` finds them before the guards are looked at, and
``confirmed_writes`` keeps those for which somebody else may choose ``a``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from pyrograph.graph import Reached, reached
from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op, ParameterKind, Test
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.labels import MAX_DEFINITIONS, MAX_HELD_PATHS
from pyrograph.rules.entries import CallFlow, Flow
from pyrograph.scanner.analysis.columns import rows_of
from pyrograph.scanner.analysis.label.assignments import NO_NAME, is_stored_back
from pyrograph.scanner.analysis.label.comparison_checks import ABSENT
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.object_states import unconditional
from pyrograph.scanner.analysis.label.own_keys import is_own_key
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, MADE_BY
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

Ints = npt.NDArray[np.int64]
Column = npt.NDArray[np.signedinteger[Any]]  # of a table, whatever its width


# By test: the constants with which conditions compare a member that are no proof that it is none of the prototype's.
HELD: Final[dict[int, tuple[str, ...]]] = {Test.EQUAL: ABSENT, Test.IS: ("'object", "'function")}


THROUGH_FUNCTION: Final = "key.constructor"  # the aspect of a name that leads to a function, and from there further


@dataclass(frozen=True, slots=True)
class Writes:
    """What ``polluting_writes`` added to the sinks."""

    start: int  # the first of the added sinks; those of writes come first
    objects: list[int]  # by write: the representative of the object that it changes
    loads: npt.NDArray[np.bool_]  # those whose results may get there
    keys: list[int]  # under which these loads read, one added sink each and bit
    asked: Ints  # by load: the version of its key that is asked about (``_before_lookups``)
    same: _Same


def polluting_writes(facts: Facts) -> Writes | None:
    """Excluded are deletions, stores under a key that a loop over the keys of the same object gives, and keys that
    cannot be a name (``"a." + b``).

    The keys of loads become sinks as well, so that guards on them are looked at.
    """
    bits = facts.wanted.bits.get("prototype-pollution", ())
    with_prototypes = np.array([traits.prototypes for traits in facts.places.traits], bool)
    if not bits or not with_prototypes.any():
        return None
    tables, rep = facts.tables, facts.resolution.representative
    stores, loads, flows, pis = tables["stores"], tables["loads"], tables["flows"], tables["pis"]
    same = flows["kind"] == 0
    bindings = facts.resolution.rows("bindings")
    whole = bindings[(bindings[:, 3] == NO_KEY) & (bindings[:, 4] == ENTIRE_ARGUMENT)]
    moved = flows["origin"][same], flows["target"][same]
    pairs: list[tuple[Column, Column]] = [(pis["input"], pis["value"])]
    pairs += [(tables["captures"]["outer"], tables["captures"]["inner"])]
    pairs += [(whole[:, 1], whole[:, 2])]
    pairs += _gathered(facts, bindings, [moved, *pairs])
    unmade = tables["values"]["op"][moved[1]] != Op.NEW  # ``{...object}`` is another object
    pairs.append((moved[0][unmade], moved[1][unmade]))
    kept = _accumulated(facts)
    pairs += [(kept[0], kept[1])]
    returns = facts.resolution.rows("returns")
    results = returns[tables["values"]["op"][returns[:, 2]] == Op.CALL]
    pairs += [(results[:, 1], results[:, 2])]
    read = loads["key"] < UNKNOWN_KEY  # from an object under a key that is a value, and none of its own
    set_before: list[tuple[int, int]] = []
    for row in np.flatnonzero(read).tolist():
        read[row] = not is_own_key(facts, FIRST_VALUE_KEY - int(loads["key"][row]), int(loads["object"][row]))
        if read[row] and (values := _set_before(facts, row)):
            read[row] = False
            set_before += [(value, int(loads["result"][row])) for value in values]
    stored = np.array(set_before, np.int64).reshape(-1, 2)
    pairs += [(stored[:, 0], stored[:, 1])]
    origins = rep[np.concatenate([origin for origin, _ in pairs])]
    targets = rep[np.concatenate([target for _, target in pairs])]
    same_object = _Same(facts, origins, targets)
    inside = same_object.reached(rep[loads["result"][read]])
    file_of = facts.program.file_of_value[stores["result"]]
    chosen = (stores["key"] < UNKNOWN_KEY) & inside[rep[stores["object"]]] & with_prototypes[file_of]
    sinks = facts.labels.sinks
    start = len(sinks)
    objects: list[int] = []
    for row in np.flatnonzero(chosen).tolist():
        key, result = FIRST_VALUE_KEY - int(stores["key"][row]), int(stores["result"][row])
        if facts.constant(int(stores["value"][row])) == "null":
            continue
        if is_own_key(facts, key, int(stores["object"][row])):
            continue
        if not (
            facts.is_inert(key) or NO_NAME.search(facts.constants.texts.get(key, "")) or is_stored_back(facts, row)
        ):
            place = int(file_of[row]), int(facts.places.start[result]), int(facts.places.end[result])
            named = _before_lookups(facts, key)
            sinks += [SinkRole(named, bit, "object[key][key]=", *place, (), False) for bit in bits]
            objects += [int(rep[stores["object"][row]])] * len(bits)
    for origin, obj, result in _copied_into(facts, inside):
        if with_prototypes[facts.program.file_of_value[result]]:
            file = int(facts.program.file_of_value[result])
            place = file, int(facts.places.start[result]), int(facts.places.end[result])
            sinks += [SinkRole(origin, bit, "object[key][key]=", *place, (), False) for bit in bits]
            objects += [int(rep[obj])] * len(bits)
    asked = np.full(len(read), NONE, np.int64)
    for row in np.flatnonzero(read).tolist() if objects else ():
        asked[row] = _before_lookups(facts, FIRST_VALUE_KEY - int(loads["key"][row]))
    keys = distinct(asked[read]).tolist() if objects else []
    for key in keys:
        place = int(facts.program.file_of_value[key]), int(facts.places.start[key]), int(facts.places.end[key])
        sinks += [SinkRole(key, bit, "object[key]", *place, (), False) for bit in bits]
    return Writes(start, objects, read, keys, asked, same_object)


class _Same:
    """Where an object may get to and stay the same one: along edges, and through containers that hold it.

    ``todo.push([object[key], value])`` and ``const [to, from] = todo.pop()``: the object is at the path ``[*].0`` of
    the list in between. Paths have ``DEPTH`` keys at most. Keys that the program computes are left out: such a store is
    one of those that are looked for.
    """

    DEPTH: Final = 2

    def __init__(self, facts: Facts, origins: Ints, targets: Ints) -> None:
        """``origins``, ``targets``: edges between representatives."""
        self.edges = Reached(facts.program.num_values, origins, targets)  # where each path begins a search of its own
        rep, stores, loads = facts.resolution.representative, facts.tables["stores"], facts.tables["loads"]
        moved = [each for each in facts.labels.flows if not each.derived and bool(each.take) != bool(each.put)]
        put = rows_of([(each.origin, each.target, each.put[0]) for each in moved if len(each.put) == 1], 3)
        taken = rows_of([(each.origin, each.target, each.take[0]) for each in moved if len(each.take) == 1], 3)
        kept = (stores["value"] >= 0) & (stores["key"] >= UNKNOWN_KEY)
        stored = np.stack([stores["value"][kept], stores["result"][kept], stores["key"][kept]], axis=1)
        read = loads["key"] >= UNKNOWN_KEY
        loaded = np.stack([loads["object"][read], loads["result"][read], loads["key"][read]], axis=1)
        self.puts: Ints = np.concatenate([stored, put]).astype(np.int64)
        self.takes: Ints = np.concatenate([loaded, taken]).astype(np.int64)
        for rows in (self.puts, self.takes):
            rows[:, :2] = rep[rows[:, :2]]

    def reached(self, starts: npt.NDArray[np.integer[Any]]) -> npt.NDArray[np.bool_]:
        """By representative, whether one of the objects may be it."""
        held: dict[tuple[int, ...], npt.NDArray[np.bool_]] = {}
        work: list[tuple[tuple[int, ...], Ints]] = [((), starts.astype(np.int64))]
        while work:  # each path is looked at again only if it got further values
            path, found = work.pop()
            before = held.get(path)
            if before is None and len(held) >= MAX_HELD_PATHS:
                continue
            fresh = found if before is None else found[~before[found]]
            if before is not None and not len(fresh):
                continue
            search = self.edges.anew()
            search.add(fresh)
            new = search.seen
            held[path] = new if before is None else before | new
            if len(path) < self.DEPTH:
                rows = self.puts[new[self.puts[:, 0]]]
                work += [((key, *path), rows[rows[:, 2] == key, 1]) for key in distinct(rows[:, 2]).tolist()]
            if path:
                rows = self.takes[new[self.takes[:, 0]]]
                if path[0] != UNKNOWN_KEY:
                    rows = rows[(rows[:, 2] == path[0]) | (rows[:, 2] == UNKNOWN_KEY)]
                if len(rows):
                    work.append((path[1:], rows[:, 1]))
        return held[()]


def _before_lookups(facts: Facts, key: int) -> int:
    """The version of a key before conditions that ask what an object holds under it: ``if (object[key])``. Whatever
    object has a prototype holds objects under the names of the prototype's.
    """
    pis, conditions = facts.tables["pis"], facts.tables["conditions"]
    while facts.op[key] == Op.PI:
        row = facts.data[key]
        test, left, right = (int(conditions[name][pis["condition"][row]]) for name in ("test", "left", "right"))
        is_member = test == Test.IN and facts.rep[left] == facts.rep[key]
        if not is_member:
            if facts.op[left] != Op.LOAD or (under := facts.load_key[facts.data[left]]) > FIRST_VALUE_KEY:
                break
            allowed = HELD.get(test, ())
            if facts.rep[FIRST_VALUE_KEY - under] != facts.rep[key]:
                break
            if allowed and facts.constant(right) not in allowed:
                break
            if not allowed and test != Test.TRUTH:
                break
        key = int(pis["input"][row])
    return key


def _copied_into(facts: Facts, inside: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """``Object.assign(object[a], value)``: what a call copies into an argument that may be such an object, that
    argument, and the call's result. Its keys are those of what is copied.
    """
    moved: dict[int, list[int]] = {}
    for flow in facts.labels.flows:
        if not (flow.derived or flow.take or flow.put):
            moved.setdefault(flow.target, []).append(flow.origin)
    arguments, rep = facts.tables["arguments"], facts.resolution.representative
    rows = np.flatnonzero(among(arguments["post"], set(moved)) & inside[rep[arguments["value"]]]) if moved else ()
    return [
        (origin, facts.arg_value[row], facts.call_result[facts.calls.call_of_argument[row]])
        for row in (int(each) for each in rows)
        for origin in moved[facts.arg_post[row]]
        if not facts.is_inert(origin)
    ]


def _accumulated(facts: Facts) -> Ints:
    """Edges from arguments to results that a call passes on to its callback: ``names.reduce(step, object)``."""
    found: list[tuple[int, int]] = []
    for call, node in dict.fromkeys(facts.resolution.api_calls):
        roles = facts.apis[facts.language(facts.call_result[call])].roles.get(node)
        flows = [each for one in roles.propagators for each in one.flows] if roles is not None else []
        if any(isinstance(each, CallFlow) and any(port.kind == "ret" for port in each.arguments) for each in flows):
            for flow in flows:
                if isinstance(flow, Flow) and flow.same and flow.target.kind == "ret" and not flow.origin.path:
                    found += [
                        (facts.arg_value[row], facts.call_result[call]) for row in facts.args.at(call, flow.origin)
                    ]
    return rows_of(found, 2).T.astype(np.int64)


def _set_before(facts: Facts, row: int) -> set[int]:
    """The values that a load gives because the program has stored them under this very key: ``o[k] = {}; o[k][n] = v``.

    Empty where some way to the load has no such store. Whatever the key, it is no prototype that is read then.
    """
    loads, stores = facts.tables["loads"], facts.tables["stores"]
    key = unconditional(facts, FIRST_VALUE_KEY - int(loads["key"][row]))
    work = [int(loads["object"][row])]
    seen, found = set(work), set[int]()
    while work:
        at = work.pop()
        op, data = facts.op[at], facts.data[at]
        inputs: list[int] = []
        if op == Op.PI:
            inputs = [int(facts.tables["pis"]["input"][data])]
        elif op in (Op.PHI, Op.CARRY):
            inputs = facts.flows.same_as(at)
        elif op == Op.STORE:
            under = int(stores["key"][data])
            if under < UNKNOWN_KEY and unconditional(facts, FIRST_VALUE_KEY - under) == key:
                if is_stored_back(facts, data):
                    inputs = [int(stores["object"][data])]
                elif facts.constant(int(stores["value"][data])) is None:
                    found.add(int(stores["value"][data]))
                    continue
        if not inputs or len(seen) > MAX_DEFINITIONS:
            return set()
        work += [each for each in dict.fromkeys(inputs) if each not in seen]
        seen.update(inputs)
    return found


def _gathered(facts: Facts, bindings: Column, same: Sequence[tuple[Column, Column]]) -> list[tuple[Column, Column]]:
    """Edges from arguments into the parameter that gathers them (``arguments``), and from it to what is read of it, or
    of a copy of it: ``[].slice.call(arguments)``.

    Which argument is read does not count: it is often a variable of a loop.
    """
    tables, rep = facts.tables, facts.resolution.representative
    parameters = tables["parameters"]
    gathering = parameters["value"][parameters["kind"] == ParameterKind.VARARG]
    elements = bindings[(bindings[:, 3] != NO_KEY) & among(bindings[:, 2], set(gathering.tolist()))]
    if not len(elements):
        return []
    moved = [each for each in facts.labels.flows if each.take and not each.derived]
    slices = np.stack([tables["slices"]["object"], tables["slices"]["result"]])
    copies = rows_of([(each.origin, each.target) for each in moved if each.put == each.take], 2).T
    copied = np.concatenate([copies, slices], axis=1)
    taken = rows_of([(each.origin, each.target) for each in moved if not each.put], 2).T
    pairs = (*same, (copied[0], copied[1]))
    origins, targets = (rep[np.concatenate([pair[side] for pair in pairs])] for side in (0, 1))
    held = reached(facts.program.num_values, origins, targets, rep[elements[:, 2]])
    read = held[rep[tables["loads"]["object"]]]
    given = (elements[:, 1], elements[:, 2])
    loaded = (tables["loads"]["object"][read], tables["loads"]["result"][read])
    found = [given, loaded]
    for origin, target in (copied, taken):
        chosen = held[rep[origin]]
        found.append((origin[chosen], target[chosen]))
    return found


def confirmed_writes(facts: Facts, writes: Writes | None, between: npt.NDArray[np.bool_]) -> None:
    """Drop the sinks that the keys of loads became, and writes to objects that no chosen key leads to.

    A key is chosen if data from a source may arrive at it, and no guard says that it is none of the prototype's. Each
    aspect is asked for by itself: ``__proto__`` is refused and ``constructor`` is not.
    ``between``: what lies between sources and sinks, also where everything is labelled.
    """
    if writes is None:
        return
    labels = facts.labels
    bits = facts.wanted.bits.get("prototype-pollution", ())
    inside = {bit: _objects_inside(facts, writes, between, 1 << bit) for bit in bits}
    end = writes.start + len(writes.objects)
    added = zip(labels.sinks[writes.start : end], writes.objects, strict=True)
    kept = [sink for sink, obj in added if inside[sink.vulnerability][obj]]
    further = labels.sinks[end + len(writes.keys) * len(bits) :]
    labels.sinks[writes.start :] = kept + further


def _objects_inside(facts: Facts, writes: Writes, between: npt.NDArray[np.bool_], mask: int) -> npt.NDArray[np.bool_]:
    """By representative, whether an object may be the prototype, because names lead there that have the aspect."""
    rep, loads = facts.resolution.representative, facts.tables["loads"]
    chosen = {key for key in writes.keys if between[key] and not _is_cleared(facts, key, mask)}
    rows = writes.loads & among(writes.asked, chosen)
    is_function = mask == facts.wanted.mask_of(THROUGH_FUNCTION)
    asked = _AskedForKind(facts) if is_function and rows.any() else None
    bare = _Bare(facts, facts.wanted.mask_of("prototype-pollution"))
    for row in np.flatnonzero(rows).tolist():
        rows[row] = not (bare.is_bare(int(loads["object"][row])) or (asked is not None and asked.is_asked(row)))
    inside = writes.same.reached(rep[loads["result"][rows]])
    if is_function:
        rows &= inside[rep[loads["object"]]]
        inside = writes.same.reached(rep[loads["result"][rows]])
    return inside


class _AskedForKind:
    """Loads of which the code asks whether they give an object: ``typeof o[k] === "object"``, ``isObject(o[k])``.

    A function is no object there, so that ``constructor`` leads no further.
    """

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        conditions = facts.tables["conditions"]
        self.found: set[tuple[int, int]] = set()  # representatives of an object, and of the key it was read under
        for test, left, right in zip(*(conditions[name].tolist() for name in ("test", "left", "right")), strict=True):
            if left == NONE:
                continue
            if test == Test.IS and right != NONE and facts.constant(right) == "'object":
                self.add(left)
            rep = facts.rep[left]
            if test == Test.TRUTH and facts.op[rep] == Op.CALL:
                for row in facts.args.of(facts.data[rep]):
                    self.add(facts.arg_value[row])

    def add(self, value: int) -> None:
        facts = self.facts
        rep = facts.rep[value]
        if facts.op[rep] == Op.LOAD:
            row = facts.data[rep]
            if (key := facts.load_key[row]) < UNKNOWN_KEY:
                self.found.add((facts.rep[facts.load_object[row]], facts.rep[FIRST_VALUE_KEY - key]))

    def is_asked(self, row: int) -> bool:
        facts = self.facts
        key = FIRST_VALUE_KEY - facts.load_key[row]
        return (facts.rep[facts.load_object[row]], facts.rep[key]) in self.found


def _is_cleared(facts: Facts, key: int, mask: int) -> bool:
    """Whether guards cleared all values that a key may be, where branches behind the guards meet again."""
    work, seen = [key], {key}
    while work:
        at = work.pop()
        if facts.labels.clean.get(at, 0) & mask == mask:
            continue
        op = facts.op[at]
        inputs = [int(facts.tables["pis"]["input"][facts.data[at]])] if op == Op.PI else []
        inputs += facts.flows.same_as(at) if op in (Op.PHI, Op.CARRY) else []
        if not inputs or len(seen) > MAX_DEFINITIONS:
            return False
        work += [each for each in dict.fromkeys(inputs) if each not in seen]
        seen.update(inputs)
    return True


class _Bare:
    """Objects that have no prototype: they have no property but their own, whatever the name."""

    def __init__(self, facts: Facts, mask: int) -> None:
        self.facts = facts
        self.mask = mask
        self.known: dict[int, bool] = {}  # by representative

    def is_bare(self, value: int) -> bool:
        """Whether all that a value may be was made by a call whose result is clean, or lies in such an object."""
        rep = self.facts.rep[value]
        if rep not in self.known:
            self.known[rep] = True  # of what depends on itself the rest decides
            self.known[rep] = self.made_bare(rep)
        return self.known[rep]

    def made_bare(self, rep: int) -> bool:
        facts = self.facts
        if facts.op[rep] == Op.CALL:
            return facts.labels.clean.get(rep, 0) & self.mask == self.mask
        origins = [each for each in self.origins(rep) if not facts.is_inert(each)]
        return 0 < len(origins) <= MAX_DEFINITIONS and all(self.is_bare(each) for each in origins)

    def origins(self, rep: int) -> list[int]:
        """What a name or a merge may be; for an element of an object without a prototype, what lies in such ones."""
        facts = self.facts
        tables = facts.tables
        found = [*facts.flows.heap_in.get(rep, ()), *facts.flows.same_as(rep)]
        if facts.op[rep] == Op.LOAD:
            load = facts.data[rep]
            found += self.stored(facts.load_object[load], facts.load_key[load])
            if facts.load_key[load] < UNKNOWN_KEY and self.is_bare(facts.load_object[load]):
                stores = tables["stores"]
                file = facts.program.file_of_value[rep]
                near = (stores["key"] < UNKNOWN_KEY) & (facts.program.file_of_value[stores["result"]] == file)
                place = self.place(facts.load_object[load])
                rows = [row for row in np.flatnonzero(near).tolist() if self.place(int(stores["object"][row])) == place]
                found += [int(stores["value"][row]) for row in rows if not is_stored_back(facts, row)]
        return [each for each in found if facts.rep[each] != rep]

    def place(self, value: int) -> tuple[int, ...]:
        """Names what an object is read from: equal for reads of the same field in methods of one class."""
        facts = self.facts
        keys: list[int] = []
        rep = facts.rep[value]
        while facts.op[rep] == Op.LOAD and len(keys) < MAX_DEFINITIONS:
            keys.append(max(facts.load_key[facts.data[rep]], UNKNOWN_KEY))
            rep = facts.rep[facts.load_object[facts.data[rep]]]
        own = _made(facts, rep)
        return (*own, *keys) if own else (-1, rep, *keys)

    def stored(self, obj: int, key: int) -> list[int]:
        """What is stored under a name in objects of the same class."""
        facts, stores = self.facts, self.facts.tables["stores"]
        own = _made(facts, obj)
        rows = np.flatnonzero(stores["key"] == key).tolist() if own and key >= 0 else []
        return [
            int(stores["value"][row])
            for row in rows
            if set(own) & set(facts.resolution.states_of(int(stores["object"][row]))) and not is_stored_back(facts, row)
        ]


def _made(facts: Facts, value: int) -> list[int]:
    """The classes, and functions called with ``new``, of which a value may be an instance."""
    return [state for state in facts.resolution.states_of(value) if state & KIND in (INSTANCE_OF, MADE_BY)]
