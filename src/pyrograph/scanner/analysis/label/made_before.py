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

from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import EXCEPTIONAL, NONE, CallFlag, FunctionFlag
from pyrograph.policy.limits.labels import MAX_MADE_BEFORE
from pyrograph.scanner.analysis.label.blocks import Blocks, shared_blocks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guards import proofs_of
from pyrograph.scanner.analysis.label.labels import SinkRole
from pyrograph.scanner.analysis.label.rounds import fill_conjunctions
from pyrograph.scanner.analysis.label.value_uses import MADE, Use, ValueUses, flows_of_packs
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    CARRY_OP,
    CELL_OP,
    CONST_OP,
    EXPRESSION_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    NEW_OP,
    OUT_OP,
    PARAMETER_OP,
    PHI_OP,
    PI_OP,
    POST_OP,
    RESULT_OP,
    STORE_OP,
)
from pyrograph.scanner.analysis.schema import ENTIRE_ARGUMENT, NO_KEY

# What is the same everywhere, what changes from outside, and what is put together after it is made.
UNSUITED: Final = (CELL_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, NEW_OP, STORE_OP)
FOLLOWED: Final = (CALL_OP, CARRY_OP, EXPRESSION_OP, LOAD_OP, PHI_OP, PI_OP, POST_OP)  # what stays a local value

Rows = npt.NDArray[np.int32]  # of ``flows_of_packs``


class Passing(NamedTuple):
    """Where a check of a value passes: a side of a condition, or behind a call that raises otherwise."""

    condition: int
    side: int
    call: int
    mask: int
    at: int  # a value that stands there


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


def by_mask(passing: list[Passing]) -> list[tuple[int, list[Passing]]]:
    """The bits of all masks, those together that the same checks clear."""
    found: dict[tuple[int, ...], int] = {}
    every = 0
    for each in passing:
        every |= each.mask
    for bit in range(every.bit_length()):
        chosen = tuple([number for number, each in enumerate(passing) if each.mask >> bit & 1])
        if chosen:
            found[chosen] = found.get(chosen, 0) | 1 << bit
    return [(mask, [passing[number] for number in chosen]) for chosen, mask in found.items()]


class Versions:
    """What versions are the same text, and what the checks on the way to a version prove of it."""

    def __init__(self, facts: Facts, blocks: Blocks) -> None:
        self.facts, self.blocks = facts, blocks
        self.pi_input = facts.program.numbers("pis", "input")
        self.roots: dict[int, int] = {}
        self.proven: dict[int, int] = {}
        self.changing: dict[int, bool] = {}

    def root(self, value: int, depth: int = 0) -> int:
        """The first version of the same text: before calls, conditions, and where versions of it meet again."""
        facts = self.facts
        chain: list[int] = []
        while value not in self.roots:
            row = facts.data[value]
            if facts.op[value] == PI_OP:
                before = self.pi_input[row]
            elif facts.op[value] == POST_OP and not self.is_changed(facts.calls.call_of_argument[row], depth):
                before = facts.arg_value[row]
            elif facts.op[value] == PHI_OP and depth < MAX_MADE_BEFORE:
                self.roots[value] = value  # what goes round in a circle is a version of its own
                joined = {self.root(origin, depth + 1) for origin, _ in facts.flows.origins_of(value)}
                before = joined.pop() if len(joined) == 1 else value
                del self.roots[value]
            else:
                before = value
            chain.append(value)
            if before == value:
                self.roots[value] = value
            value = before
        first = self.roots[value]
        for each in chain:
            self.roots[each] = first
        return first

    def is_changed(self, call: int, depth: int) -> bool:
        """Whether a function of the program that is called stores into what it is given."""
        return any([self.stores(function, depth) for function in self.facts.calls.functions_of(call)])

    def stores(self, function: int, depth: int) -> bool:
        """Whether a function has another state of one of its parameters where it is left."""
        known = self.changing.get(function)
        if known is None:
            facts, parameters = self.facts, self.facts.tables["parameters"]
            known = self.changing[function] = depth >= MAX_MADE_BEFORE
            for row in self.blocks.rows("parameters", "function", function) if not known else ():
                value, out = int(parameters["value"][row]), int(parameters["out"][row])
                states = facts.flows.origins_of(out) if out != NONE else []
                if any([self.root(origin, depth + 1) != value for origin, _ in states]):
                    known = self.changing[function] = True
        return known

    def mask(self, version: int, depth: int = 0) -> int:
        """What the checks on the way to a version, in its function and those that it asks, clear."""
        known = self.proven.get(version)
        if known is not None:
            return known
        facts = self.facts
        self.proven[version] = 0  # what goes round in a circle proves nothing
        op, row = facts.op[version], facts.data[version]
        found = facts.labels.clean.get(version, 0)
        if depth == MAX_MADE_BEFORE:
            pass
        elif op == PI_OP:
            found |= self.behind(version, depth + 1) | self.mask(self.pi_input[row], depth + 1)
        elif op == POST_OP:
            found |= self.mask(facts.arg_value[row], depth + 1)
        elif op in (PHI_OP, OUT_OP):
            before = [self.mask(origin, depth + 1) for origin, _ in facts.flows.origins_of(version)]
            common = facts.wanted.all if before else 0
            for each in before:
                common &= each
            found |= common
        self.proven[version] = found
        return found

    def behind(self, pi: int, depth: int = 0) -> int:
        """What the condition of a pi clears."""
        facts = self.facts
        found = facts.labels.clean.get(pi, 0)
        asked = facts.labels.checks.checked_by_call.get(pi)
        if asked is not None:
            found |= self.mask(asked[1], depth)
        if not found and not facts.labels.chop[pi]:
            pis, row = facts.tables["pis"], facts.data[pi]
            for proof in proofs_of(facts, int(pis["condition"][row])):
                if proof.side == int(pis["side"][row]) and facts.rep[pi] in proof.values:
                    found |= proof.mask
        return found


def checked_roots(
    facts: Facts, versions: Versions, asked: npt.NDArray[np.bool_], stated: Rows
) -> dict[int, list[Passing]]:
    """The texts that something checks, with where the checks pass. ``asked``: (representatives,) those that count."""
    checks = facts.labels.checks
    found: dict[int, dict[tuple[int, int, int], Passing]] = {}
    pis = facts.tables["pis"]

    def add(root: int, each: Passing) -> None:
        sides = found.setdefault(root, {})
        side = each.condition, each.side, each.call
        known = sides.get(side, each)
        sides[side] = each._replace(mask=known.mask | each.mask, at=max(known.at, each.at))

    candidates = np.array([*facts.labels.clean, *checks.checked_by_call], np.int64)
    candidates = candidates[asked[facts.resolution.representative[candidates]] & facts.labels.chop[candidates]]
    for pi in dict.fromkeys(candidates.tolist()):
        if facts.op[pi] == PI_OP and (mask := versions.behind(pi)):
            row = facts.data[pi]
            side = int(pis["condition"][row]), int(pis["side"][row])
            add(versions.root(pi), Passing(*side, NONE, mask, pi))
    for call, value, mask in raising_calls(facts, versions, asked):
        add(versions.root(value), Passing(NONE, 0, call, mask, facts.call_result[call]))
    if not found:
        return {}
    filled = np.array([source.value for source in facts.labels.sources], np.int32)
    filled = np.concatenate([stated[:, 1], filled])
    filled = filled[facts.tables["values"]["op"][filled] == POST_OP]
    changed = np.zeros(len(facts.op), np.bool_)  # by representative: these are no texts
    changed[facts.resolution.representative[filled]] = True
    changed[facts.resolution.representative[facts.tables["stores"]["object"]]] = True
    return {
        root: list(sides.values())
        for root, sides in found.items()
        if facts.op[root] not in UNSUITED and not changed[facts.rep[root]]
    }


def raising_calls(facts: Facts, versions: Versions, asked: npt.NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """(call, argument, mask) of the calls of the program's functions that return only if their argument passed.

    Only functions that hold a condition are asked, and raise something or call what does not return.
    """
    t, resolution = facts.tables, facts.resolution
    raised = t["functions"]["raised"]
    refuses = np.zeros(len(raised), np.bool_)
    leaving = np.zeros(len(facts.op), np.bool_)
    leaving[t["flows"]["target"]] = True
    refuses[leaving[raised]] = True
    refuses[facts.function_of[[facts.call_result[call] for call in facts.labels.non_returning]]] = True
    asks = np.zeros(len(raised), np.bool_)
    asks[t["conditions"]["function"]] = True
    bindings = resolution.rows("bindings")
    bindings = bindings[asked[resolution.representative[bindings[:, 1]]]]
    chosen = facts.labels.chop[bindings[:, 1]] & (refuses & asks)[facts.function_of[bindings[:, 2]]]
    chosen &= (bindings[:, 0] < len(facts.call_result)) & (bindings[:, 3] == NO_KEY)
    chosen &= bindings[:, 4] == ENTIRE_ARGUMENT
    found: list[tuple[int, int, int]] = []
    for call, argument, formal in bindings[chosen][:, :3].tolist():
        targets = facts.calls.functions_of(call)
        row = facts.data[formal] if facts.op[formal] == PARAMETER_OP else NONE
        if len(targets) != 1 or row == NONE or call not in resolution.fully_resolved or not runs_now(facts, call):
            continue
        out = int(t["parameters"]["out"][row])
        mask = versions.mask(out) if out != NONE else 0
        if mask:
            found.append((call, argument, mask))
    return found


def runs_now(facts: Facts, call: int) -> bool:
    """Whether the called function has returned where the call has."""
    flags = int(facts.tables["calls"]["flags"][call])
    if flags & (CallFlag.DEFERRED | CallFlag.DECORATOR | CallFlag.NEW):
        return False
    kinds = [int(facts.tables["functions"]["flags"][each]) for each in facts.calls.functions_of(call)]
    waits = bool(flags & CallFlag.AWAIT)
    return not any(kind & FunctionFlag.GENERATOR or (kind & FunctionFlag.ASYNC and not waits) for kind in kinds)


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


class Region:
    """The part of a function to which control comes from the definition of a text without passing some checks."""

    def __init__(self, facts: Facts, blocks: Blocks, root: int, passing: list[Passing]) -> None:
        self.facts, self.blocks = facts, blocks
        self.function = int(facts.function_of[root])
        self.start = blocks.place_of(self.function, root)
        self.sides = {(each.condition, each.side) for each in passing if each.condition != NONE}
        self.calls: dict[int, int] = {}  # block -> the result of the first call in it that raises where a check fails
        for each in passing:
            if each.call != NONE:
                result = facts.call_result[each.call]
                block = blocks.block_of(self.function, result)
                self.calls[block] = min(self.calls.get(block, result), result)
        self.outside = self.reached(self.start, NONE) if self.start != NONE else set()
        self.joining: dict[int, bool] = {}  # block -> ``joins_rounds``

    def reached(self, start: int, without: int) -> set[int]:
        """The blocks that control may come to from ``start``; by any side, if a block is left out instead."""
        control = self.facts.tables["control"]
        ended = self.blocks.ended_in(self.function)
        seen = {start}
        work = [start]
        for at in work:  # grows, each block once
            is_left = at in ended or (without == NONE and at in self.calls)
            for row in self.blocks.rows("control", "origin", at):
                target, condition, side = (int(control[name][row]) for name in ("target", "condition", "side"))
                if target in seen or target == without or (is_left and side != EXCEPTIONAL):
                    continue
                is_raised = side == EXCEPTIONAL
                if is_raised or without != NONE or not self.passes(condition, side):
                    seen.add(target)
                    work.append(target)
        return seen

    def is_outside(self, value: int) -> bool:
        """Whether a value stands where no check has passed; so does one of which it is not known where it stands."""
        if value == NONE or int(self.facts.function_of[value]) != self.function:
            return True
        block = self.blocks.place_of(self.function, value)
        if block == NONE or block in self.outside:
            first = self.calls.get(block, NONE)
            return first == NONE or value <= first or self.facts.op[value] in (PHI_OP, CARRY_OP)
        return False

    def is_used(self, use: Use, value: int) -> bool:
        """Whether a use of ``value`` may take place where no check has passed."""
        if use.kind == MADE and self.facts.op[use.target] == RESULT_OP:
            return not self.returns_others(value)
        return self.is_outside(use.at)

    def is_local(self, target: int) -> bool:
        """Whether a value stays in the function, so that all of its uses are known."""
        return self.facts.op[target] in FOLLOWED and int(self.facts.function_of[target]) == self.function

    def joins_rounds(self, target: int) -> bool:
        """Whether what a phi joins may have been made of the text of an earlier round."""
        facts = self.facts
        if facts.op[target] not in (PHI_OP, CARRY_OP):
            return False
        if facts.op[target] == PHI_OP and len(facts.flows.origins_of(target)) == 1:
            return False  # the other ways leave the function
        block = self.blocks.place_of(self.function, target)
        if block in (NONE, self.start):
            return True
        known = self.joining.get(block)
        if known is None:
            entry = self.blocks.rows("blocks", "function", self.function)[0]
            known = self.joining[block] = entry != self.start and block in self.reached(entry, self.start)
        return known

    def passes(self, condition: int, side: int, depth: int = 0) -> bool:
        """Whether the checks have passed where a condition has this side: one of its parts, or each alternative."""
        if condition == NONE or depth == MAX_MADE_BEFORE:
            return False
        parts = self.facts.guards.conjunctions.get(condition)
        if parts is None:
            return (condition, side) in self.sides
        if side:
            return any([self.passes(*part, depth + 1) for part in parts])
        return all([self.passes(part, 1 - wanted, depth + 1) for part, wanted in parts])

    def returns_others(self, value: int) -> bool:
        """Whether all blocks outside that leave the function are known to return, or to raise, others than ``value``.

        A flow into a function's result does not say where it returns. A block that nothing follows returns the value
        that is made in it, if that is one that the function returns.
        """
        facts, function = self.facts, self.function
        functions = facts.tables["functions"]
        if int(functions["flags"][function]) & FunctionFlag.GENERATOR:
            return False
        made: set[int] = set()
        for name in ("result", "raised"):
            for origin, _ in facts.flows.origins_of(int(functions[name][function])):
                if origin != value and facts.op[origin] not in (PARAMETER_OP, PHI_OP, CARRY_OP, PI_OP):
                    made.add(self.blocks.block_of(function, origin))
        ended = self.blocks.ended_in(function)
        for block in self.outside:
            ways = self.blocks.edges(block) if block not in ended else ()
            if not ways and block not in ended and block not in made:
                return False
        return True
