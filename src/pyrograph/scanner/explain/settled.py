"""Branches that no run takes, because the whole program gives what they depend on the same value.

    class access:
        def __init__(self, login=False): self.login = login
        def __call__(self, view): ...  # if self.login and anonymous: return redirect(next)

    @access()  # and so everywhere

``branches`` knows the constants that the calls of a path pass. Here no path is needed: what every call of a function
passes, or leaves to the default, holds in it, and in the functions inside it. A field holds what the methods of its
class store in it. A function counts that only calls name which are all known, as far as the program shows: none that a
framework calls, or that is given to a call or kept somewhere.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

import numpy as np

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_GUARD_USES
from pyrograph.scanner.analysis.numbers import RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF
from pyrograph.scanner.explain.branches import BranchCheck, Known, common
from pyrograph.scanner.explain.callers import Callers

PLACED: Final = frozenset({Op.CALL, Op.LOAD, Op.NEW, Op.EXPRESSION})  # values that their block computes


class Settled:
    """Answers for one program; kept by value and by function."""

    def __init__(self, branches: BranchCheck, callers: Callers) -> None:
        self.branches = branches
        self.callers = callers
        self.control_flow = branches.control_flow
        self.program, self.resolution, self.reps = branches.program, branches.resolution, branches.reps
        self.constants: dict[tuple[int, int], str | None] = {}  # by representative and depth: ``settled``
        self.known: dict[int, Known] = {}  # by function: ``known_in``

    def is_possible(self, values: Iterable[int]) -> bool:
        """Whether some run may compute these values."""
        for value in values:
            if self.control_flow.op[value] in PLACED:
                function = int(self.control_flow.function[value])
                known = self.known_in(function)
                if known and not self.branches.computes(value, function, known):
                    return False
        return True

    def known_in(self, function: int) -> Known:
        """The constants that the conditions of a function ask for. Linear in its conditions, once."""
        found = self.known.get(function)
        if found is None:
            found = self.known[function] = {}
            table = self.program.tables["conditions"]
            for condition in self.control_flow.conditions_in(function) if function in self.control_flow.blocks else ():
                for side in ("left", "right"):
                    value = int(table[side][condition])
                    if value != NONE and (text := self.settled(value)) is not None:
                        found[self.reps[value]] = text
        return found

    def settled(self, value: int, depth: int = 0) -> str | None:
        """The constant that a parameter or a field is in each run; None where that is not known."""
        asked = self.reps[value], depth  # each answer needs those of further depth alone, whoever asks first
        if asked not in self.constants:
            self.constants[asked] = self._settled(*asked)
        return self.constants[asked]

    def _settled(self, rep: int, depth: int) -> str | None:
        if depth == MAX_ASKED_DEPTH:
            return None
        if rep in self.branches.outer:
            return self.settled(self.branches.outer[rep], depth + 1)
        op = self.control_flow.op[rep]
        if op == Op.PARAMETER:
            return self.passed_everywhere(int(self.control_flow.function[rep]), rep)
        return self.stored_everywhere(rep, depth) if op == Op.LOAD else None

    def passed_everywhere(self, function: int, parameter: int) -> str | None:
        """The constant that all calls of a function pass to a parameter."""
        sites = self.sites(function)
        if not sites or self.own.get(function) == parameter:
            return None
        return common([self.branches.given(site, function, {}).get(parameter) for site in sites])

    def sites(self, function: int) -> list[int]:
        """The calls of a function, if the program shows them all; else none."""
        functions = self.program.tables["functions"]
        owner = int(functions["owner"][function])
        if function in self.entered or self.callers.uses_of(function) or self.callers.holding(function):
            return []
        if owner != NONE and (not self.branches.is_constructor(function) or owner in self.given_classes):
            return []  # other methods are called by whoever has the object
        name = functions["name"][function] if owner == NONE else self.program.tables["owners"]["name"][owner]
        if int(name) in self.unresolved:
            return []
        sites: list[int] = self.resolution.rows("targets")[self.callers.callers.of(function), 0].tolist()
        is_real = all(0 <= site < len(self.branches.results) for site in sites)
        return sites if is_real and len(sites) <= MAX_GUARD_USES else []

    @cached_property
    def entered(self) -> frozenset[int]:
        """The functions that a framework calls."""
        return frozenset(use.function for use in self.resolution.entry_points)

    @cached_property
    def unresolved(self) -> frozenset[int]:
        """The names by which calls mean nothing that is known: each may be any function of the name."""
        names = self.program.tables["calls"]["name"]
        return frozenset(int(names[call]) for call in np.flatnonzero(names >= 0).tolist() if self.is_unknown(call))

    def is_unknown(self, call: int) -> bool:
        """Whether a call names no function, class or library."""
        callee = int(self.program.tables["calls"]["callee"][call])
        return not self.control_flow.functions_of(call) and not (callee != NONE and self.resolution.states_of(callee))

    @cached_property
    def given_classes(self) -> frozenset[int]:
        """The classes that calls are given: somebody else may make instances."""
        found: set[int] = set()
        for value in dict.fromkeys(self.program.tables["arguments"]["value"].tolist()):
            if self.control_flow.op[self.reps[value]] != Op.CALL:
                found.update(subjects(self.resolution.states_of(value), CLASS))
        return frozenset(found)

    def stored_everywhere(self, load: int, depth: int) -> str | None:
        """The constant that the methods of a class store in a field, which one of them reads of its own object."""
        row = self.control_flow.data[load]
        loads, stores = self.program.tables["loads"], self.program.tables["stores"]
        key, held = int(loads["key"][row]), self.callers.first_of(int(loads["object"][row]))
        owner = self.owner_of(self.reps[self.branches.outer.get(held, held)])
        if key < 0 or owner == NONE or self.resolution.class_members.get(owner, {}).get(key):
            return None
        lineage = self.resolution.lineage(owner)
        texts: list[str | None] = []
        for each in self.callers.regions.stored_under.of(key).tolist():
            if len(texts) > MAX_GUARD_USES:
                return None
            obj = self.callers.first_of(int(stores["object"][each]))
            obj = self.reps[self.branches.outer.get(obj, obj)]
            owners = [self.owner_of(obj)] if self.owner_of(obj) != NONE else self.instances(obj)
            if owners and not any(o in lineage or owner in self.resolution.lineage(o) for o in owners):
                continue  # the field of another class
            value = int(stores["value"][each])
            if value != NONE and self.is_read_of(self.callers.first_of(value), key):
                continue  # what is read of a field is stored back where a call got it
            text = self.branches.constant(value, {}) if value != NONE else None
            texts.append(text if text is not None or value == NONE else self.settled(value, depth + 1))
        return common(texts)

    def is_read_of(self, value: int, key: int) -> bool:
        """Whether a value is read of the field ``key`` of the object itself."""
        if self.control_flow.op[value] != Op.LOAD:
            return False
        loads, row = self.program.tables["loads"], self.control_flow.data[value]
        held = self.callers.first_of(int(loads["object"][row]))
        return int(loads["key"][row]) == key and self.owner_of(self.reps[self.branches.outer.get(held, held)]) != NONE

    def instances(self, value: int) -> list[int]:
        return subjects(self.resolution.states_of(value), INSTANCE_OF)

    def owner_of(self, value: int) -> int:
        """The class in whose methods a value is the object itself, or NONE."""
        is_own = self.own.get(int(self.control_flow.function[value])) == value
        return int(self.program.tables["functions"]["owner"][self.control_flow.function[value]]) if is_own else NONE

    @cached_property
    def own(self) -> dict[int, int]:
        """By method: its parameter that is the object itself."""
        parameters = self.program.tables["parameters"]
        rows = np.flatnonzero(parameters["kind"] == RECEIVER_KIND)
        values = [self.reps[each] for each in parameters["value"][rows].tolist()]
        return dict(zip(parameters["function"][rows].tolist(), values, strict=True))
