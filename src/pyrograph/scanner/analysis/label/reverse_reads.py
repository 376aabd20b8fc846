"""Reverse reads: an object that was read by a call changes, and so does what holds it.

    self.rows.setdefault(name, []).append(value)  # ``setdefault`` returns what ``self.rows`` holds under ``name``
    order.lines().append(value)  # ``def lines(self): return self._lines``
    found = table.get(name) or []  # one of two objects
    found.append(value)
    rows.append(row)  # ``rows`` is a parameter
    row["name"] = value

A store or a call makes a new state of an object. Units put it back where a load read the object. Here it is put back
where a call read it, or put it: into the state of the argument behind that call. The states of an object are not
ordered, so what reads the holder between the two calls gets the change as well.

What calls read is known from models that move a value itself (``this[$0] => ret``), and from functions of the program
that return a part of a parameter, or what they put there. A model that returns its argument as a whole may copy it, so
it reads nothing. Only objects that change are looked at. Linear in the calls of the program, but for ``MAX_PLACES`` and
``MAX_PART_KEYS``.

Source: "reverse read" and "reverse store" steps of CodeQL's data flow library (``DataFlowImpl``).
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.kernels.arrays import among
from pyrograph.kernels.edgelists import Reached
from pyrograph.policy.limits.labels import MAX_PART_KEYS, MAX_PLACES
from pyrograph.scanner.analysis.changes import changes
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import DataFlow
from pyrograph.scanner.analysis.numbers import CALL_OP, LOAD_OP, PARAMETER_OP, PHI_OP, POST_OP, STORE_OP
from pyrograph.scanner.analysis.resolve.tables import grouped
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

Place = tuple[int, tuple[int, ...]]  # a value, and the keys under which it holds an object, outermost first


def reverse_reads(facts: Facts) -> None:
    """Fill ``Labels.kept.reads`` and ``elements``. Call it when all flows of models are known."""
    op, reps = facts.tables["values"]["op"], facts.resolution.representative
    found = changes(facts.program, facts.resolution, [flow.target for flow in facts.labels.flows])
    places = _Places(facts)
    # what may lie in something that a call has read it from, or put it into
    asked = among(op, (CALL_OP, PHI_OP))
    asked[[*places.held, *places.elements]] = True
    search = Reached(facts.program.num_values, found.origins, found.targets)
    search.add(found.seeds)
    states = grouped(facts.program, np.where(among(op, (POST_OP, STORE_OP)), reps, NONE))
    while True:
        work = np.flatnonzero(search.seen & asked).tolist()
        if not work:
            return
        asked[work] = False  # so there are fewer in each round
        above = list[int]()
        for rep in work:
            for site, holder, key in places.elements.get(rep, ()):
                facts.labels.kept.elements.append((site, places.out_of.get(rep, rep), holder, key))
                above.append(facts.rep[holder])
                for take in dict.fromkeys((UNKNOWN_KEY, key)):
                    for further, path in places.collected.get(
                        (facts.rep[holder], (take,)), ()
                    ):  # ``Object.values(o).map(...)``
                        facts.labels.kept.reads.append(DataFlow(holder, further, (take,), path, derived=False))
                        above.append(facts.rep[further])
            for holder, path in list(dict.fromkeys(places.holding(rep)))[:MAX_PLACES]:
                facts.labels.kept.reads += [
                    DataFlow(state, holder, (), path, derived=False) for state in states.get(rep, ()) if state != holder
                ]
                above.append(facts.rep[holder])
        search.add(np.array(above, np.int64))


def _given_elements(facts: Facts) -> dict[int, list[tuple[int, int, int]]]:
    """By parameter, the collections of which calls give it elements, ``rows.forEach(row => ...)``, ``f(*rows)``: the
    site, the state of the collection behind the call, and the key.
    """
    calls = {each.site: each.call for each in facts.resolution.callbacks}
    rows = facts.resolution.rows("bindings")
    rows = rows[(rows[:, 3] == NO_KEY) & (rows[:, 4] != ENTIRE_ARGUMENT)]
    found: dict[int, list[tuple[int, int, int]]] = {}
    states: dict[int, dict[int, list[int]]] = {}  # call -> argument -> its states behind the call
    for site, argument, parameter, _, element in rows.tolist():
        call = calls.get(site, site if site < len(facts.call_result) else NONE)
        if call not in states:
            of_call = states[call] = dict[int, list[int]]()
            for row in facts.args.of(call) if call != NONE else ():
                if facts.arg_post[row] != NONE:
                    of_call.setdefault(facts.arg_value[row], []).append(facts.arg_post[row])
        for state in states[call].get(argument, ()):
            found.setdefault(facts.rep[parameter], []).append((site, state, max(element, UNKNOWN_KEY)))
    return found


class _Places:
    """Where objects lie: answers for one program."""

    def __init__(self, facts: Facts) -> None:
        self.facts = facts
        self.results = facts.program.numbers("functions", "result")
        # collection, and keys of its elements -> what models have read them from or put them into
        self.collected: dict[Place, dict[Place, None]] = {}
        for value, take, target, put in facts.flows.parts:
            places = self.collected.setdefault((facts.rep[value], take), {})
            if len(places) < MAX_PLACES:
                places[target, put] = None
        self.held: dict[int, list[Place]] = {}  # representative -> what models have read it from or put it into
        loads: dict[int, dict[int, list[int]]] = {}
        for (rep, take), places in self.collected.items():
            for part in self.read_along(rep, take, loads) if take else (rep,):
                self.held.setdefault(part, []).extend(places)
        self.elements = _given_elements(facts)  # parameter -> (site, state of what it is an element of, key)
        rows = facts.resolution.rows("returns")
        rows = rows[facts.tables["values"]["op"][rows[:, 2]] == POST_OP]
        self.left, self.posts = rows[:, 1].tolist(), rows[:, 2].tolist()
        self.rows_of = RowsByKey(rows[:, 0])
        parameters = facts.tables["parameters"]
        known = parameters["out"] >= 0
        self.formal_of = dict(
            zip(parameters["out"][known].tolist(), parameters["value"][known].tolist(), strict=True)
        )  # state of a parameter at the exit -> the parameter
        self.out_of = {  # parameter -> its state at the exit
            facts.rep[formal]: out for out, formal in self.formal_of.items() if facts.rep[out] == facts.rep[formal]
        }
        self.returned: dict[int, tuple[Place, ...]] = {}  # function -> the parameters of which it returns a part
        self.wanted = NONE  # the last function whose ``returned`` was asked for and is not known

    def read_along(self, rep: int, keys: tuple[int, ...], loads: dict[int, dict[int, list[int]]]) -> Iterable[int]:
        """Representatives of what is read from an object under ``keys``, one in the other.

        ``loads`` keeps the representatives of the loads of an object by their keys.
        """
        found: Iterable[int] = (rep,)
        for key in keys:
            parts = dict[int, None]()
            for each in found:
                if each not in loads:
                    loads[each] = self.loads_by_key(each)
                parts.update(dict.fromkeys(loads[each].get(key, ())))
            found = parts
        return found

    def loads_by_key(self, rep: int) -> dict[int, list[int]]:
        """Representatives of the loads of an object by their key, all of them under ``UNKNOWN_KEY``."""
        facts = self.facts
        found: dict[int, list[int]] = {UNKNOWN_KEY: []}
        for part in facts.flows.loads_from(rep):
            if facts.op[part] == LOAD_OP:
                found[UNKNOWN_KEY].append(part)
                key = facts.load_key[facts.data[part]]
                if key != UNKNOWN_KEY:
                    found.setdefault(key, []).append(part)
        return found

    def holding(self, rep: int) -> list[Place]:
        """What holds an object, other than what a unit puts it back into."""
        while True:
            self.wanted = NONE
            found = self.known_holding(rep)
            if self.wanted == NONE:
                return found
            self.follow(self.wanted)

    def known_holding(self, rep: int) -> list[Place]:
        """``holding`` as far as the functions that are called are known."""
        found = list(self.by_calls(rep))
        merged = self.merged(rep)
        for each in merged:
            found += self.by_calls(each)
            if self.facts.op[each] == LOAD_OP:
                found.append(self.read_at(each))
        for each in (rep, *merged) if merged else ():
            found += self.stored_in(each, "result")
        return found

    def stored_in(self, rep: int, column: str) -> list[Place]:
        """The objects that an object is stored in, before (``object``) or behind (``result``) the store."""
        stores = self.facts.tables["stores"]
        return [
            (int(stores[column][row]), (max(int(stores["key"][row]), UNKNOWN_KEY),))
            for row in self.facts.flows.stores_of(rep)[:MAX_PLACES]
        ]

    def loaded_from(self, load: int) -> Place:
        """What a load reads, and the key."""
        row = self.facts.data[load]
        return self.facts.load_object[row], (max(self.facts.load_key[row], UNKNOWN_KEY),)

    def read_at(self, part: int) -> Place:
        """Where a load has read, from the object that no load has read, or the last one that is looked at."""
        holder = part
        path: tuple[int, ...] = ()
        while len(path) < MAX_PART_KEYS and self.facts.op[self.facts.rep[holder]] == LOAD_OP:
            holder, keys = self.loaded_from(self.facts.rep[holder])
            path = (*keys, *path)
        return holder, path

    def by_calls(self, rep: int) -> list[Place]:
        """What a call has read an object from, or put it into."""
        found = self.held.get(rep, [])
        return [*found, *self.read_by_function(rep)] if self.facts.op[rep] == CALL_OP else found

    def merged(self, rep: int) -> list[int]:
        """Representatives of the objects of which ``rep`` is one, if it is a merge of several."""
        facts, found, work = self.facts, dict[int, None](), [rep]
        while work and len(found) <= MAX_PLACES:
            each = work.pop()
            if facts.op[each] == PHI_OP:
                inputs = dict.fromkeys(facts.rep[origin] for origin in facts.flows.same_as(each))
                fresh = [origin for origin in inputs if origin not in found and origin != rep]
                found.update(dict.fromkeys(fresh))
                work += fresh
        return list(found)

    def read_by_function(self, result: int) -> list[Place]:
        """The arguments of a call whose functions return parts of these, or what they put into them.

        A function that is not known counts as one that returns no part, and is ``wanted``.
        """
        call = self.facts.data[result]
        found: list[Place] = []
        for function in self.facts.calls.functions_of(call)[:MAX_PLACES]:
            if function not in self.returned:
                self.wanted = function
            for formal, path in self.returned.get(function, ()):
                for row in self.rows_of.of(call).tolist():
                    if self.formal_of.get(self.left[row]) == formal:
                        found.append((self.posts[row], path))
        return found

    def follow(self, function: int) -> None:
        """Fill ``returned`` for a function, and before for those that it calls. One that calls itself returns nothing
        else that way.

        Calls may be nested as deep as a program likes, so the functions that wait for others are in a list.
        """
        waiting = [function]
        self.returned[function] = ()
        while waiting:
            self.wanted = NONE
            known = self.known_returned(waiting[-1])
            if self.wanted == NONE:
                self.returned[waiting.pop()] = known
            else:
                self.returned[self.wanted] = ()
                waiting.append(self.wanted)

    def known_returned(self, function: int) -> tuple[Place, ...]:
        """The parameters of which a function returns a part, or the whole, as far as those that it calls are known."""
        facts = self.facts
        origins = dict.fromkeys(facts.rep[each] for each in facts.flows.same_as(self.results[function]))
        found = dict[Place, None]()
        for each in list(origins)[:MAX_PLACES]:
            found.update(dict.fromkeys(self.within_parameters(each)))
        return tuple(found)[:MAX_PLACES]

    def within_parameters(self, rep: int) -> list[Place]:
        """The parameters, by their representatives, that hold an object of their function, and the keys on the way."""
        facts = self.facts
        found: list[Place] = []
        seen: set[Place] = {(rep, ())}
        work: list[Place] = [(rep, ())]
        while work and len(seen) <= MAX_PLACES * MAX_PLACES:
            each, path = work.pop()
            if facts.op[each] == PARAMETER_OP:
                found.append((each, path))
                continue
            above: list[Place] = list(self.by_calls(each))
            if facts.op[each] == LOAD_OP:
                above.append(self.loaded_from(each))
            elif facts.op[each] == PHI_OP:
                above += [(origin, ()) for origin in facts.flows.same_as(each)]
            above += self.stored_in(each, "object")
            for holder, keys in above:
                place = facts.rep[holder], (*keys, *path)
                if len(place[1]) <= MAX_PART_KEYS and place not in seen:
                    seen.add(place)
                    work.append(place)
        return found
