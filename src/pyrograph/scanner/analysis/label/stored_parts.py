"""What stores put into objects: another value, or a later version of what was there.

``check(x.a.b)`` may change ``x.a.b``, so ``x.a`` and ``x``: a front end stores each under the key it was loaded from.
Such a store replaces nothing.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_CHECKED_KEYS, MAX_VERSIONS_BACK
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import LOAD_OP, PARAMETER_OP, PI_OP, POST_OP, STORE_OP
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY


class StoredParts:
    """The stores of a program, by function and key: sorted when a call is first asked for, in time linear in them."""

    def __init__(self, facts: Facts, links: CallLinks) -> None:
        self.facts = facts
        self.links = links
        numbers = facts.program.numbers
        self.store_object = numbers("stores", "object")
        self.store_key = numbers("stores", "key")
        self.store_value = numbers("stores", "value")
        self.pi_input = numbers("pis", "input")
        # the states of objects of which a call has read a part that changes after it: see ``reverse_reads``
        self.changed_later = {flow.target for flow in facts.labels.kept.reads}
        self.changed_later |= {row[2] for row in facts.labels.kept.elements}
        # the states in which modelled calls that put something into an object leave it, and the ones above
        self.filled = {flow.target for flow in facts.labels.flows if facts.op[flow.target] == POST_OP}
        self.filled |= self.changed_later
        self.is_sorted = False
        self.stored: set[tuple[int, int]] = set()  # (function, key) where another value is stored
        # (function, key) where something is stored into what was loaded under the key, or into a parameter: UNKNOWN_KEY
        self.extended: set[tuple[int, int]] = set()
        # (function, key) -> the arguments of calls whose effect is stored under the key that they were loaded from
        self.written_back: dict[tuple[int, int], list[int]] = {}
        self.handed_on: dict[int, list[int]] = {}  # parameter -> the arguments of calls to which its function gives it
        self.bound: dict[int, list[int]] = {}  # by ``bound_to``

    def sort(self) -> None:
        """Fill ``stored``, ``written_back`` and ``handed_on``, once."""
        if self.is_sorted:
            return
        self.is_sorted = True
        facts = self.facts
        functions = facts.function_of[facts.tables["stores"]["result"]].tolist()
        for row, function in enumerate(functions):
            slot = function, max(self.store_key[row], UNKNOWN_KEY)
            given: list[int] = []
            part = self.first_version(self.store_value[row], given)
            if (
                part != NONE
                and facts.op[part] == LOAD_OP
                and self.is_stored_back(part, self.store_object[row], slot[1])
            ):
                self.written_back.setdefault(slot, []).extend(given)
            else:
                self.stored.add(slot)
                self.extended.update((function, key) for key in self.key_of_collection(self.store_object[row]))
        for flow in facts.labels.kept.reads:
            self.stored.update((int(facts.function_of[flow.target]), key) for key in flow.put)
        for _, _, target, key in facts.labels.kept.elements:
            self.stored.add((int(facts.function_of[target]), key))
        arguments = facts.tables["arguments"]
        made = facts.resolution.representative[arguments["value"]]
        is_parameter = facts.tables["values"]["op"][made] == PARAMETER_OP
        rows = np.flatnonzero(is_parameter & (arguments["position"] != RECEIVER))
        for row, parameter in zip(rows.tolist(), made[rows].tolist(), strict=True):
            self.handed_on.setdefault(parameter, []).append(row)

    def key_of_collection(self, holder: int) -> tuple[int, ...]:
        """The key under which the object of a store was loaded, ``UNKNOWN_KEY`` if it is a parameter; else nothing."""
        facts = self.facts
        made = self.first_version(holder, [])
        if made == NONE or facts.op[made] == LOAD_OP:
            return () if made == NONE else (max(facts.load_key[facts.data[made]], UNKNOWN_KEY),)
        return (UNKNOWN_KEY,) if facts.op[facts.rep[made]] == PARAMETER_OP else ()

    def first_version(self, part: int, given: list[int]) -> int:
        """The version of a value before calls, conditions and stores; the rows of the arguments that it is of calls are
        added to ``given``. NONE if one of them puts something into it.
        """
        facts = self.facts
        for _ in range(MAX_VERSIONS_BACK):
            if part == NONE or facts.op[part] not in (POST_OP, PI_OP, STORE_OP):
                break
            row = facts.data[part]
            if part in self.filled:
                return NONE
            if facts.op[part] == POST_OP:
                given.append(row)
                part = facts.arg_value[row]
            else:
                part = self.pi_input[row] if facts.op[part] == PI_OP else self.store_object[row]
        return part

    def is_stored_back(self, part: int, holder: int, key: int) -> bool:
        """Whether ``part`` was loaded from ``holder`` and this key."""
        facts = self.facts
        row = facts.data[part]
        return facts.load_key[row] == key and facts.rep[facts.load_object[row]] == facts.rep[holder]

    def replaces(self, argument: int, keys: Sequence[int]) -> bool:
        """Whether a function that the call of an argument (a row) calls, or one that it gives the object, or such a
        part of it, stores another value under a key; under any key of a collection whose elements are asked for. True
        above ``MAX_VERSIONS_BACK`` functions.
        """
        calls = self.facts.calls
        if not calls.functions_of(calls.call_of_argument[argument]):
            return False
        self.sort()
        collections = [keys[at - 1] if at else UNKNOWN_KEY for at, key in enumerate(keys) if key == UNKNOWN_KEY]
        work, known, seen = [argument], {argument}, set[int]()
        while work:  # what is pushed is new in ``known``
            row = work.pop()
            functions = calls.functions_of(calls.call_of_argument[row])
            if not functions:
                continue
            further: list[int] = []
            for function in functions:
                if function in seen:
                    continue
                seen.add(function)
                if len(seen) > MAX_VERSIONS_BACK or any([(function, key) in self.stored for key in keys]):
                    return True
                if any([(function, key) in self.extended for key in collections]):
                    return True
                for key in keys:
                    further += self.written_back.get((function, key), ())
            for parameter in self.bound_to(row):
                further += self.handed_on.get(parameter, ())
            work += sorted(set(further) - known)
            known.update(further)
        return False

    def bound_to(self, argument: int) -> list[int]:
        """The parameters that an argument (a row) may get to: those that it is bound to as it is, and all those of a
        function of which that is not known.
        """
        known = self.bound.get(argument)
        if known is None:
            facts = self.facts
            known = self.bound[argument] = []
            call, rep = facts.calls.call_of_argument[argument], facts.rep[facts.arg_value[argument]]
            if functions := facts.calls.functions_of(call):
                arrivals = [
                    each for each in self.links.arrivals(call) if each[2] == NO_KEY and each[3] == ENTIRE_ARGUMENT
                ]
                bound = {facts.rep[formal] for given, formal, _, _ in arrivals if facts.rep[given] == rep}
                parameters = facts.tables["parameters"]["value"]
                for function in functions:
                    rows = facts.functions.parameters_of(function)
                    every = [facts.rep[int(parameters[row])] for row in rows]
                    known += [each for each in every if each in bound] or every
        return known

    def moves(self, row: int, key: int) -> bool:
        """Whether the call of an argument may put another element at a position: it is a method of the list."""
        facts = self.facts
        return facts.arg_position[row] == RECEIVER and key >= 0 and facts.program.strings[key].isdigit()

    def held_by(self, state: int, key: int) -> int:
        """What was last stored under a constant key into this version of an object, or NONE."""
        facts = self.facts
        for _ in range(MAX_VERSIONS_BACK if key >= 0 else 0):
            op, row = facts.op[state], facts.data[state]
            if op == STORE_OP and (self.store_key[row] < 0 or self.store_key[row] == key):
                return self.store_value[row] if self.store_key[row] == key else NONE
            if op == STORE_OP:
                state = self.store_object[row]
            elif op == PI_OP:
                state = self.pi_input[row]
            elif (
                op == POST_OP
                and state not in self.filled
                and not self.moves(row, key)
                and not self.replaces(row, (key,))
            ):
                state = facts.arg_value[row]
            else:
                return NONE
        return NONE

    def holding(self, roots: set[int]) -> tuple[set[int], set[int]]:
        """Representatives of the objects into which one of these values, or what holds it, was stored, and the keys."""
        stores, rep = self.facts.tables["stores"], self.facts.resolution.representative
        rows = np.flatnonzero(stores["value"] != NONE)
        values, holders, keys = rep[stores["value"][rows]], rep[stores["object"][rows]], stores["key"][rows]
        objects: set[int] = set()
        under: set[int] = set()
        found = roots
        for _ in range(MAX_CHECKED_KEYS):
            stored = among(values, found)
            under.update(keys[stored].tolist())
            found = set(holders[stored].tolist()) - objects
            if not found:
                break
            objects |= found
        return objects, under
