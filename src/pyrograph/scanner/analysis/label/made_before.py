"""Text that was made before the check: ``path = join(BASE, name)``, then ``if name not in NAMES: return``.

A check makes a version of the value that it tests, and what was made of an earlier version does not learn of it. But
where it is used only behind the check, it is what would have been made of the checked value. So the flow from the value
into what is made of it does no harm there, for what the check clears; other data that goes into it stays.

Condition for a value ``v`` and what is made of it, ``d``: each use of ``d``, and of what is made of ``d`` before the
check, stands where control comes only through the passing side of a condition about ``v``, or behind a call that raises
otherwise. What is stored, captured, passed to a function of the program or raised elsewhere counts as used there.

Why this holds in loops: all versions are in SSA form, so the definition of ``v`` dominates that of ``d``, and whatever
way leads from the last definition of ``v`` to a use passes the condition, which is then about this ``v``. A phi that
this definition does not dominate may join the ``d`` of an earlier iteration; all uses of it count.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_MADE_BEFORE
from pyrograph.scanner.analysis.label.blocks import shared_blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.passing_checks import by_mask, checked_roots
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.text_versions import Versions
from pyrograph.scanner.analysis.label.unchecked_regions import Region
from pyrograph.scanner.analysis.label.value_uses import MADE, Rows, ValueUses, flows_of_packs
from pyrograph.scanner.analysis.numbers import CALL_OP, EXPRESSION_OP


def made_before_checks(facts: Facts) -> None:
    """Fill ``guards.made_before``, and ``harmless_parts`` with it.

    Time linear in the conditions and calls that check values of the chop, times the blocks and uses in their functions
    that are looked through, at most ``MAX_MADE_BEFORE`` for each value.
    """
    blocks = shared_blocks(facts)
    versions = Versions(facts, blocks)
    stated = flows_of_packs(facts)
    origins, targets = made_on_paths(facts, stated)
    asked = np.zeros(len(facts.op), np.bool_)  # by representative
    asked[facts.resolution.representative[origins]] = True
    checks = checked_roots(facts, versions, asked, stated)
    asked[:] = False
    asked[[facts.rep[root] for root in checks]] = True
    rows = np.flatnonzero(asked[facts.resolution.representative[origins]])
    pairs: dict[int, dict[tuple[int, int], None]] = {}
    for value, made in zip(origins[rows].tolist(), targets[rows].tolist(), strict=True):
        root = versions.root(value)
        if made < max([each.at for each in checks.get(root, ())], default=NONE):
            pairs.setdefault(root, {})[value, made] = None
    if not pairs:
        return
    fill_conjunctions(facts)
    regions = [
        (region, mask, outside)
        for root, made_of_root in pairs.items()
        for mask, chosen in by_mask(checks[root])
        for region in (Region(facts, blocks, root, chosen),)
        if region.start != NONE and (outside := [pair for pair in made_of_root if region.is_outside(pair[1])])
    ]
    functions = np.zeros(len(facts.tables["functions"]["flags"]), np.bool_)
    functions[[region.function for region, _, _ in regions]] = True
    uses = ValueUses(facts, functions, stated)
    sinks: dict[int, list[SinkRole]] = {}
    for role in facts.labels.sinks:
        sinks.setdefault(role.value, []).append(role)
    decoding = {(flow.origin, flow.target) for flow in facts.conditions.decodings}
    found, harmless = facts.guards.made_before, facts.labels.harmless_parts
    for region, mask, outside in regions:
        for pair in outside:
            if pair in decoding and not mask & facts.wanted.codes:
                continue  # what it decodes to is not what was checked
            if left := kept_mask(facts, uses, sinks, region, pair[1], mask):
                found[pair] = found.get(pair, 0) | left
                harmless[pair] = harmless.get(pair, 0) | left


def made_on_paths(facts: Facts, stated: Rows) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Versions on a path from a source to a sink, and what on such a path is made of each."""
    t, between = facts.tables, facts.guards.between
    flows, arguments = t["flows"], t["arguments"]
    made = between & ((t["values"]["op"] == CALL_OP) | (t["values"]["op"] == EXPRESSION_OP))
    origin = np.concatenate([flows["origin"], arguments["value"], stated[:, 0]])
    target = np.concatenate([flows["target"], t["calls"]["result"][arguments["call"]], stated[:, 1]])
    rows = np.flatnonzero(made[target])
    rows = rows[between[origin[rows]]]
    return origin[rows], target[rows]


def kept_mask(
    facts: Facts, uses: ValueUses, sinks: dict[int, list[SinkRole]], region: Region, made: int, mask: int
) -> int:
    """The bits of ``mask`` for which ``made``, and what is made of it outside the region, does nothing there."""
    ids = facts.labels.vulnerabilities
    seen = {(made, False)}
    work = [(made, False)]  # a value, and whether it may be that of an earlier round
    for at, is_old in work:  # grows, each version twice at most
        for role in sinks.get(at, ()):
            if is_old or role.call == NONE or region.is_outside(facts.call_result[role.call]):
                same = [bit for bit, each in enumerate(ids) if each == ids[role.vulnerability]]
                mask &= ~(sum(1 << bit for bit in same) | facts.wanted.codes)  # it may be decoded on the way
        for use in uses.of(at) if mask else ():
            if not (is_old or region.is_used(use, at)):
                continue
            if use.kind != MADE or len(work) > MAX_MADE_BEFORE or not region.is_local(use.target):
                return 0
            further = use.target, is_old or region.joins_rounds(use.target)
            if further not in seen:
                seen.add(further)
                work.append(further)
    return mask
