"""Barrier guards of fields that are loaded again after the check.

A condition makes a new version of each value that it tests, and of the objects that the value was loaded from. A later
load of the same field gives that version as long as the object has not changed. After a call that got the object,
``check(req.a); log(req); use(req.a)``, the load gives a new value. This module makes it clean as well, unless
something was stored under the key in between. So are loads after a call that checked the field and whose outcome a
condition asks for, ``if err := req.Validate(); err != nil { return err }``, and loads from a parameter, if all calls
pass an object whose field was checked. So are loads of elements, and of their fields, after a loop or a function that
asked about each of them (``element_checks``).

Assumed: an unknown callee does not change a checked field, nor does a function far below a known one. A program that
does so is missed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.kernels.arrays import among
from pyrograph.scanner.analysis.label.call_links import CallLinks
from pyrograph.scanner.analysis.label.checked_elements import checked_elements
from pyrograph.scanner.analysis.label.counted_rounds import counted_rounds
from pyrograph.scanner.analysis.label.element_checks import LoopChecks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.field_masks import FieldMasks
from pyrograph.scanner.analysis.label.repeated_reads import answered_reads


def guard_rereads(facts: Facts) -> None:
    """Give loads of checked fields the masks that ``Labels.clean`` has for the versions behind the checks, and note
    those that a check that no rule describes is in front of (``validated_fields``).

    Needs the result of ``guarded_versions``. Time linear in the loads of keys that are checked somewhere, times
    ``MAX_VERSIONS_BACK``.
    """
    checks, everything = facts.labels.checks, facts.wanted.all
    # two bits more than there are vulnerabilities: some check is in front; it is one of ``likely``
    doubt, likely = everything + 1, 2 * (everything + 1)
    proofs = [
        (value, (condition, side), mask)
        for condition, each in facts.guards.proofs.items()
        for values, side, mask in each
        for value in values
    ]
    proofs += [
        (value, (condition, side), doubt)
        for condition, doubted in facts.guards.doubts.items()
        for values, side in doubted
        for value in values
    ]
    guarded = dict(facts.labels.clean)
    for value in checks.unverified_guards:
        guarded[value] = guarded.get(value, 0) | (likely if value in checks.likely else doubt)
    loops = LoopChecks(facts)
    counted_rounds(facts, loops)
    guards = FieldMasks(facts, guarded, everything | doubt | likely, proofs, loops, CallLinks(facts.resolution))
    checked_elements(facts, guards)
    answered_reads(facts, lambda version: guards.aside(lambda: guards.answer(version, ())) & everything)
    loads = list(rereads(facts, guards))
    for value, mask in [*loads, *checked_collections(facts, guards)]:
        if mask & everything:
            facts.mark_clean(value, mask & everything)
    checks.validated_fields.update([value for value, mask in loads if mask & (doubt | likely)])
    checks.likely.update([value for value, mask in loads if mask & likely and not mask & doubt])


def rereads(facts: Facts, guards: FieldMasks) -> Iterator[tuple[int, int]]:
    """(load, mask) of the loads of checked fields."""
    if not guards.checked and not guards.passed_on:
        return
    loads = facts.tables["loads"]
    every = [*guards.checked.values(), *guards.asked.values(), guards.passed_on]
    last = {keys[-1] for parts in every for _, keys, _ in parts if keys} | guards.collections | guards.positions
    roots = {root for parts in every for root, _, _ in parts} | guards.loops.roots
    roots |= {facts.rep[version] for version in guards.by_call}
    holders, under = guards.parts.holding(roots)
    roots, last = roots | holders, last | under
    asked = (among(loads["key"], last) | (loads["key"] < 0)) & facts.guards.between[loads["result"]]
    for row in np.flatnonzero(asked).tolist():
        value = int(loads["result"][row])
        if not guards.is_below(value, roots):
            continue
        key = max(facts.load_key[row], UNKNOWN_KEY)
        mask = guards.fresh(facts.load_object[row], (key,), value)
        if key in guards.positions:
            mask |= guards.fresh(facts.load_object[row], (UNKNOWN_KEY,), value)
        is_row = guards.loops.goes_over_elements and (key == UNKNOWN_KEY or key in guards.positions)
        if is_row and not guards.loops.has_keys(facts.rep[value]):
            mask |= guards.fresh(facts.load_object[row], (UNKNOWN_KEY, UNKNOWN_KEY), value)
        if key in guards.collections and not guards.loops.has_keys(facts.rep[value]):
            mask |= guards.fresh(facts.load_object[row], (key, UNKNOWN_KEY), value)
        if mask:
            yield value, mask


def checked_collections(facts: Facts, guards: FieldMasks) -> Iterator[tuple[int, int]]:
    """(version, mask) of collections whose elements were all checked: for what uses them as a whole."""
    whole = (UNKNOWN_KEY,)
    for carry in guards.loops.by_carry:
        if guards.loops.is_whole(carry):
            yield carry, guards.fresh(carry, whole)
    sides: dict[tuple[int, int], set[int]] = {}
    for parts in (guards.asked, guards.checked):
        for at, known in parts.items():
            sides.setdefault(at, set()).update(root for root, above, _ in known if above == whole)
    for at, lists in guards.loops.by_empty.items():
        for _, places, _ in lists:
            held = {root for root, each in places.items() if any(above == whole and not below for above, below in each)}
            sides.setdefault(at, set()).update(held)
    for (condition, side), roots in sides.items():
        for row in guards.loops.blocks.rows("pis", "condition", condition) if roots else ():
            version = int(facts.tables["pis"]["value"][row])
            if guards.pi_side[row] == side and facts.rep[version] in roots:
                yield version, guards.fresh(version, whole)
    for call in guards.parts.links.sites:
        asked_about = {value for value, _, _, key in guards.parts.links.arrivals(call) if key >= UNKNOWN_KEY}
        for row in facts.args.of(call):
            after = facts.arg_post[row]
            if after != NONE and facts.arg_value[row] in asked_about and facts.labels.chop[after]:
                yield after, guards.fresh(after, whole)
