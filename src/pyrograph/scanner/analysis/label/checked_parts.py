"""Values that a check was given as parts, used by themselves afterwards: ``Model(name=name)``, then ``open(name)``.

``schema.parse({ name })`` raises where the schema refuses ``name``, and so does a class that declares its fields;
``form.is_valid()`` answers for what the form was made with. ``schema_checks`` says what such a check proves of each
part, and where it passes (``guards.parts``): behind the call, or on one side of a condition. The part has no version
there, because the call got something else. So each use of the part is looked at: where control comes only through a
check that passed (``Region``), the flow into it does no harm, for what the check clears. A later read of the same
member, ``request.args["name"]``, is as clean, unless something is stored there.

What uses the part before the check, or where it may have failed, keeps all of it. Text that was made before is that of
``made_before``, which asks for the same checks.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.ir.codes import NONE
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.membership import is_left_by_call
from pyrograph.scanner.analysis.label.passing_checks import (
    UNSUITED,
    Passing,
    by_mask,
    changed_values,
    checked_values,
)
from pyrograph.scanner.analysis.label.repeated_reads import place_of
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.label.unchecked_regions import Region
from pyrograph.scanner.analysis.label.value_uses import Use, ValueUses, flows_of_packs
from pyrograph.scanner.analysis.numbers import LOAD_OP, PARAMETER_OP


def checked_parts(facts: Facts) -> None:
    """Fill ``harmless_parts`` for the uses of checked parts, and leave out the sinks that they do no harm in.

    Time linear in the values of the program, and in the blocks and uses of functions with such checks.
    """
    wanted = asked_again(facts) if facts.guards.parts or facts.guards.looped else set()
    parts = [
        (value, each)
        for value, each in checked_values(facts)
        if with_parts(facts)[value] or (int(facts.function_of[value]), loaded_key(facts, value)) in wanted
    ]
    if not parts:
        return
    fill_conjunctions(facts)
    blocks = shared_blocks(facts)
    versions = Versions(facts, blocks)
    stated = flows_of_packs(facts)
    changed = changed_values(facts, stated)
    checks: dict[int, list[Passing]] = {}
    for value, each in parts:
        root = versions.root(value)
        if facts.op[root] not in UNSUITED and not changed[facts.rep[root]]:
            checks.setdefault(root, []).append(each)
    regions = [
        (Region(facts, blocks, root, chosen), root, mask)
        for root, passing in checks.items()
        for mask, chosen in by_mask(passing)
    ]
    functions = np.zeros(len(facts.tables["functions"]["flags"]), np.bool_)
    functions[[region.function for region, _, _ in regions]] = True
    uses = ValueUses(facts, functions, stated)
    reps = facts.resolution.representative
    states: dict[int, list[int]] = {}  # representative -> the versions of it
    for value in np.flatnonzero(among(reps, {facts.rep[root] for root in checks})).tolist():
        states.setdefault(facts.rep[value], []).append(value)
    harmless: dict[int, list[tuple[Region, int]]] = {}  # version -> where it does no harm, for what
    for region, root, mask in regions:
        if region.start == NONE:
            continue
        for value in states[facts.rep[root]]:
            if facts.function_of[value] == region.function and versions.root(value) == root:
                clear_uses(facts, region, uses.of(value), value, mask)
                harmless.setdefault(value, []).append((region, mask))
        for again in reads_again(facts, region, root):
            facts.mark_clean(again, mask)
        if facts.op[root] == PARAMETER_OP and (out := state_left(facts, region, root)) != NONE:
            facts.mark_clean(out, mask)
    facts.labels.sinks[:] = [role for role in facts.labels.sinks if not is_harmless(facts, role, harmless)]


def asked_again(facts: Facts) -> set[tuple[int, int]]:
    """(function, key) of the members that are read on some path."""
    loads = facts.tables["loads"]
    rows = np.flatnonzero(facts.labels.chop[loads["result"]] & (loads["key"] >= 0))
    return set(zip(facts.function_of[loads["result"][rows]].tolist(), loads["key"][rows].tolist(), strict=True))


def loaded_key(facts: Facts, value: int) -> int:
    """The key of the member that a value was read from, or NONE."""
    rep = facts.rep[value]
    return facts.load_key[facts.data[rep]] if facts.op[rep] == LOAD_OP else NONE


def clear_uses(facts: Facts, region: Region, uses: list[Use], value: int, mask: int) -> None:
    """Note the uses of one version that stand where the checks have passed, unless one of the same target does not."""
    parts = facts.labels.harmless_parts
    open_ = {use.target for use in uses if region.is_used(use, value)}
    is_encoded = not mask & facts.wanted.codes  # what it decodes to is not what was checked
    decoding = {(flow.origin, flow.target) for flow in facts.conditions.decodings} if is_encoded else set()
    for use in uses:
        pair = value, use.target
        if use.target not in open_ and pair not in decoding:
            parts[pair] = parts.get(pair, 0) | mask


def state_left(facts: Facts, region: Region, parameter: int) -> int:
    """The state in which a function leaves its parameter, if it returns only where the checks have passed; or NONE."""
    out = int(facts.tables["parameters"]["out"][facts.data[parameter]]) if facts.data[parameter] != NONE else NONE
    return out if out != NONE and region.leaves_by_raising() else NONE


def is_harmless(facts: Facts, role: SinkRole, harmless: dict[int, list[tuple[Region, int]]]) -> bool:
    """Whether a sink gets a version of a checked part where the checks have passed that clear all of its aspects."""
    if role.value not in harmless or role.call == NONE:
        return False
    ids = facts.labels.vulnerabilities
    left = sum(1 << bit for bit, each in enumerate(ids) if each == ids[role.vulnerability])
    for region, mask in harmless[role.value]:
        if not region.is_outside(facts.call_result[role.call]):
            left &= ~mask
    return not left


def reads_again(facts: Facts, region: Region, root: int) -> Iterator[int]:
    """The later reads of the member that a part was read from, on each way to which the checks have passed."""
    if facts.op[root] != LOAD_OP or facts.load_key[facts.data[root]] < 0:
        return
    place = place_of(facts, root, MAX_GUARD_SLICE)
    key = facts.load_key[facts.data[root]]
    holder = facts.rep[facts.load_object[facts.data[root]]]
    stored = [int(facts.tables["stores"]["value"][row]) for row in facts.flows.stores_at(holder, key)]
    if not all(is_left_by_call(facts, each) for each in stored):
        return
    loads = facts.tables["loads"]
    results = loads["result"]
    rows = np.flatnonzero((loads["key"] == key) & (facts.function_of[results] == region.function))
    entry = region.blocks.rows("blocks", "function", region.function)[0]
    before = region.reached(entry, NONE)
    for value in results[rows].tolist():
        block = region.blocks.block_of(region.function, value)
        first = region.calls.get(block, NONE)
        is_behind = block not in before or (first != NONE and value > first)
        if value != root and is_behind and place_of(facts, value, MAX_GUARD_SLICE) == place:
            yield value
