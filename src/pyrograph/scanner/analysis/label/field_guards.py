"""Barrier guards of fields that are loaded again after the check.

A condition makes a new version of each value that it tests, and of the objects that the value was loaded from. A later
load of the same field gives that version as long as the object has not changed. After a call that got the object,
``check(req.a); log(req); use(req.a)``, the load gives a new value. This module makes it clean as well, unless
something was stored under the key in between. So are loads after a call that checked the field and whose outcome a
condition asks for, ``if err := req.Validate(); err != nil { return err }``, and loads from a parameter, if all calls
pass an object whose field was checked.

Assumed: an unknown callee does not change a checked field, nor does a function far below a known one. A program that
does so is missed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_CHECKED_KEYS, MAX_VERSIONS_BACK
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.numbers import (
    CELL_OP,
    EXPRESSION_OP,
    LOAD_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    STORE_OP,
)

Keys = tuple[int, ...]


def guard_rereads(facts: Facts) -> None:
    """Give loads of checked fields the masks that ``Labels.clean`` has for the versions behind the checks, and note
    those that a check that no rule describes is in front of (``validated_fields``).

    Needs the result of ``guarded_versions``. Time linear in the loads of keys that are checked somewhere, times
    ``MAX_VERSIONS_BACK``.
    """
    for value, mask in rereads(facts, _FieldGuards(facts, facts.labels.clean, facts.wanted.all)):
        facts.mark_clean(value, mask)
    checks = facts.labels.checks
    doubtful = _FieldGuards(facts, dict.fromkeys(checks.unverified_guards, 1), 1)
    checks.validated_fields.update([value for value, _ in rereads(facts, doubtful)])


def rereads(facts: Facts, guards: _FieldGuards) -> Iterator[tuple[int, int]]:
    """(load, mask) of the loads of checked fields."""
    if not guards.checked:
        return
    loads = facts.tables["loads"]
    last = {keys[-1] for parts in guards.checked.values() for _, keys, _ in parts}
    roots = {root for parts in guards.checked.values() for root, _, _ in parts}
    roots |= {facts.rep[version] for version in guards.by_call}
    asked = among(loads["key"], last) & facts.labels.chop[loads["result"]]
    for row in np.flatnonzero(asked).tolist():
        value = int(loads["result"][row])
        if not guards.is_below(value, roots):
            continue
        guards.left = MAX_VERSIONS_BACK
        guards.seen = {}
        mask = guards.mask(facts.load_object[row], (facts.load_key[row],))
        if mask:
            yield value, mask


class _FieldGuards:
    def __init__(self, facts: Facts, guarded: dict[int, int], everything: int) -> None:
        """``guarded``: masks of versions; ``everything``: the mask of what holds without a check."""
        self.facts = facts
        self.guarded = guarded
        self.everything = everything
        tables, numbers = facts.tables, facts.program.numbers
        self.store_object = numbers("stores", "object")
        self.store_key = numbers("stores", "key")
        self.store_value = numbers("stores", "value")
        self.pi_input = numbers("pis", "input")
        self.pi_condition = numbers("pis", "condition")
        self.pi_side = numbers("pis", "side")
        self.first: dict[int, int] = {}  # version -> the one before all calls and conditions
        # (condition, side) -> (representative of an object, keys below it, mask of what that field is clean for there)
        self.checked: dict[tuple[int, int], list[tuple[int, Keys, int]]] = {}
        for pi, mask in guarded.items():
            if facts.op[pi] != PI_OP:
                continue
            row = facts.data[pi]
            at = self.pi_input[row]
            keys: Keys = ()
            side = (self.pi_condition[row], self.pi_side[row])
            while len(keys) < MAX_CHECKED_KEYS:
                at = self.version_before(at)
                if facts.op[at] != LOAD_OP or facts.load_key[facts.data[at]] < 0:
                    break
                keys = (facts.load_key[facts.data[at]], *keys)
                at = facts.load_object[facts.data[at]]
                self.checked.setdefault(side, []).append((facts.rep[at], keys, mask))
        stored = facts.function_of[tables["stores"]["result"]].tolist()
        self.stored = set(zip(stored, self.store_key, strict=True)) if self.checked else set()  # (function, key)
        self.by_call = facts.labels.checks.checked_by_call
        self.left = 0
        self.seen: dict[tuple[int, Keys], int] = {}

    def version_before(self, value: int) -> int:
        """The version of ``value`` before the calls and the conditions that it went through.

        Each version is walked once: checks in a row are a chain of versions.
        """
        facts = self.facts
        chain: list[int] = []
        while value not in self.first and facts.op[value] in (POST_OP, PI_OP):  # each is made of an earlier value
            chain.append(value)
            row = facts.data[value]
            value = facts.arg_value[row] if facts.op[value] == POST_OP else self.pi_input[row]
        value = self.first.get(value, value)
        for each in chain:
            self.first[each] = value
        return value

    def is_below(self, value: int, roots: set[int]) -> bool:
        """Whether ``value`` was loaded, through any number of keys and captures, from one of ``roots``."""
        facts = self.facts
        for _ in range(MAX_CHECKED_KEYS):
            rep = facts.rep[value]
            if rep in roots:
                return True
            if rep in facts.flows.captured:
                value = facts.flows.captured[rep]
            else:
                value = self.version_before(value)
                if facts.op[value] == PHI_OP:  # an object that nested functions may have changed
                    before = [origin for origin, _ in facts.flows.origins_of(value) if facts.op[origin] != CELL_OP]
                    if len(before) != 1:
                        return False
                    value = before[0]
                    continue
                if facts.op[value] in (PARAMETER_OP, EXPRESSION_OP):
                    return True  # what callers pass
                if facts.op[value] != LOAD_OP:
                    return False
                value = facts.load_object[facts.data[value]]
        return facts.rep[value] in roots

    def mask(self, state: int, keys: Keys) -> int:
        """The vulnerabilities for which the field ``keys`` of this object version is clean, by checks on the way to it.

        At a phi only what holds on all arms counts. A call keeps the mask unless a function that it may call stores
        under one of the keys: another object in place of one on the way changes the field, too.
        """
        facts = self.facts
        if (state, keys) in self.seen:
            return self.seen[state, keys]
        if not self.left:
            return 0
        self.left -= 1
        self.seen[state, keys] = self.everything  # at a loop's back edge: what holds before the loop decides
        op, row = facts.op[state], facts.data[state]
        found = 0
        if op == PI_OP:
            rep = facts.rep[state]
            for root, part, mask in self.checked.get((self.pi_condition[row], self.pi_side[row]), ()):
                if root == rep and part == keys:
                    found |= mask
            if state in self.by_call:  # the parameter, where the function that was asked returns with this outcome
                found |= self.mask(self.by_call[state][1], keys)
            found |= self.mask(self.pi_input[row], keys)
        elif op == POST_OP:
            functions = facts.calls.functions_of(facts.calls.call_of_argument[row])
            if not any([(function, key) in self.stored for function in functions for key in keys]):
                found = self.mask(facts.arg_value[row], keys)
        elif op in (PHI_OP, CELL_OP):
            inputs = facts.flows.same_as(state)
            found = self.everything if inputs else 0
            for each in inputs:
                found &= self.mask(each, keys)
        elif op == STORE_OP:
            if self.store_key[row] != keys[0]:
                found = self.mask(self.store_object[row], keys) if self.store_key[row] >= 0 else 0
            elif len(keys) > 1 and self.store_value[row] != NONE:
                found = self.mask(self.store_value[row], keys[1:])
            elif self.store_value[row] != NONE:
                found = self.stored_back(self.store_value[row], self.store_object[row], keys)
        elif op == LOAD_OP and facts.load_key[row] >= 0 and len(keys) < MAX_CHECKED_KEYS:
            found = self.mask(facts.load_object[row], (facts.load_key[row], *keys))
        elif facts.rep[state] in facts.flows.captured:
            found = self.mask(facts.flows.captured[facts.rep[state]], keys)
        elif op == PARAMETER_OP:
            found = self.passed(facts.rep[state], keys)
        elif op == EXPRESSION_OP and len(copied := facts.flows.same_as(state)) == 1:
            found = self.mask(copied[0], keys)
        self.seen[state, keys] = found
        return found

    def passed(self, parameter: int, keys: Keys) -> int:
        """The mask of a field of what all calls of the program pass; 0 if somebody else passes something, too."""
        facts = self.facts
        given = facts.calls.arguments_for(parameter)
        if not given or facts.calls.elements_for(parameter) or parameter in facts.guards.untrusted:
            return 0
        found = self.everything
        for each in given:
            if not found:
                break
            found &= self.mask(each, keys)
        return found

    def stored_back(self, part: int, holder: int, keys: Keys) -> int:
        """The mask of a field to which a later version of its own value is stored: ``x.a = changed(x.a)``; else 0."""
        facts = self.facts
        found = 0
        while facts.op[part] in (POST_OP, PI_OP):  # each is made of an earlier value
            row = facts.data[part]
            found |= self.guarded.get(part, 0)
            part = facts.arg_value[row] if facts.op[part] == POST_OP else self.pi_input[row]
        row = facts.data[part]
        if facts.op[part] != LOAD_OP or facts.load_key[row] != keys[0]:
            return 0
        return found | self.mask(holder, keys) if facts.rep[facts.load_object[row]] == facts.rep[holder] else 0
