"""The mod set: objects that some call may modify. All others leave a call as they entered it.

The version of an argument after a call (``post``) gets the version at exit of the callee. If the callee only reads its
parameter, this flow adds nothing; but there are many such paths, and one through a captured or global variable loses
the calling context. So they are removed before the search.

An object (all its versions share one representative) is modified by a store into it; by a flow, source or sanitizer of
a model that ends in one of its versions; by a guard that separates versions; and if it is passed to, captured by, or
holds something that is modified. Computed as reachability from callees to callers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph import reached
from pyrograph.ir.codes import Op
from pyrograph.ir.packed import PAIR_BITS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.scanner.analysis.changes import changes
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Effects:
    modified: Mask  # (values,) whether the object that a value is a version of is modified
    no_op_stores: Mask  # (stores,) rows that put an unchanged part back where it was read


def effects(program: Program, resolution: Resolution, labels: Labels) -> Effects:
    """The mod set. Time linear in the program."""
    t = program.tables
    op, rep = t["values"]["op"], resolution.representative
    written = [f.target for f in labels.flows] + [s.value for s in labels.sources]
    written += [*labels.clean, *labels.deleted_keys, *(each.target for each in resolution.flows.moves)]
    known_changes = changes(program, resolution, written)
    seeds: list[npt.ArrayLike] = [known_changes.seeds]
    origins: list[npt.ArrayLike] = [known_changes.origins]  # if this changes …
    targets: list[npt.ArrayLike] = [known_changes.targets]  # … so does that

    # Versions that guards clean on every path to the exit; and those where a call returns true.
    unguarded = _unguarded(program, resolution, labels)
    captures = t["captures"]
    for formals, left in ((t["parameters"]["value"], t["parameters"]["out"]), (captures["inner"], captures["out"])):
        known = left >= 0
        checked = known & ~unguarded[np.where(known, left, 0)]
        seeds.append(rep[formals[checked]])
    if labels.checks.checked_by_call:
        checks = np.array([(state, pi) for pi, (_, state, _) in labels.checks.checked_by_call.items()], np.int64)
        same = (op[rep[checks[:, 0]]] == Op.PARAMETER) & unguarded[checks[:, 0]]
        seeds.append(rep[checks[~same, 1]])
        origins.append(rep[checks[same, 0]])
        targets.append(rep[checks[same, 1]])
    if resolution.flows.element_returns:
        seeds.append(rep[np.array([row[2] for row in resolution.flows.element_returns], np.int64)])

    reverse = [flow[:2] for flow in labels.kept.reads] + [row[1:3] for row in labels.kept.elements]
    if reverse:
        changed, holding = np.array(reverse, np.int64).T
        origins.append(rep[changed])
        targets.append(rep[holding])

    by_rep = reached(
        program.num_values,
        np.concatenate([np.asarray(o, np.int64) for o in origins]),
        np.concatenate([np.asarray(o, np.int64) for o in targets]),
        np.concatenate([np.asarray(s, np.int64) for s in seeds]),
    )
    no_op_stores = known_changes.back & ~by_rep[np.maximum(known_changes.parts, 0)]
    return Effects(by_rep[rep], no_op_stores)


def _unguarded(program: Program, resolution: Resolution, labels: Labels) -> Mask:
    """Versions of an object that its first one reaches by a path on which no guard cleans it or casts doubt on it."""
    t = program.tables
    rep = resolution.representative
    pis, arguments, stores, flows = t["pis"], t["arguments"], t["stores"], t["flows"]
    passed = arguments["post"] >= 0
    origin = np.concatenate([pis["input"], arguments["value"][passed], stores["object"], flows["origin"]])
    target = np.concatenate([pis["value"], arguments["post"][passed], stores["result"], flows["target"]])
    clean = np.zeros(program.num_values, bool)
    clean[np.fromiter(labels.clean, np.int64)] = True
    clean[np.fromiter(labels.checks.unverified_guards, np.int64)] = True
    chosen = (rep[origin] == rep[target]) & ~clean[target]
    dead = dead_inputs(program, labels)  # "else: abort(400)"
    if len(dead):
        chosen &= ~among(pairs_of(origin, target), dead)
    first = np.flatnonzero((rep == np.arange(len(rep))) & ~clean)
    return reached(program.num_values, origin[chosen], target[chosen], first)


def dead_inputs(program: Program, labels: Labels) -> npt.NDArray[np.int64]:
    """Phi inputs, as ``pairs_of`` version and phi, from arms that end in a call that does not return."""
    if not labels.non_returning:
        return np.empty(0, np.int64)
    t = program.tables
    calls = t["calls"]["result"][np.array(sorted(labels.non_returning), np.int64)]
    function = t["values"]["function"]
    blocks, joins = t["blocks"], t["joins"]
    order = np.lexsort((blocks["first"], blocks["function"]))
    keys = pairs_of(blocks["function"][order], blocks["first"][order])
    at = np.searchsorted(keys, pairs_of(function[calls], calls), side="right") - 1
    ended = np.zeros(len(order), bool)
    ended[order[at[at >= 0]]] = True
    pairs = pairs_of(joins["version"], joins["value"])
    is_dead = ended[joins["block"]]
    dead = distinct(pairs[is_dead])
    return dead[~among(dead, pairs[~is_dead])]


def pairs_of(first: Ints, second: Ints) -> npt.NDArray[np.int64]:
    """Two columns packed into one, to look up both at once."""
    return first.astype(np.int64) << PAIR_BITS | second
