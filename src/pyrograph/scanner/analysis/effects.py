"""Which objects a call may leave changed: what it leaves in all others is what it was given.

A state after a call (``post``) gets what the callee has at its exits. Where the callee only reads its parameter, that
is what came in, and the way through the callee says nothing; but such ways are many, and where one of them passes a
captured or global variable, it forgets the calling context. So they are left out before anything is searched.

An object (all states of it share one representative) changes where something is stored into it, where a model's flow,
source or sanitizer ends in one of its states, where a guard tells its versions apart, and where it is passed to,
captured by, or holds something that changes. That is reachability, backwards from callees to callers; everything else
does not change.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.graph import reached
from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import distinct
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Effects:
    changed: Mask  # (values,) whether the object that a value is a state of changes
    idle_stores: Mask  # (stores,) rows that put an unchanged part back where it was read


def effects(program: Program, resolution: Resolution, labels: Labels, returns: Ints) -> Effects:
    """What changes. ``returns``: the rows of ``resolution.returns``, (m, 3). Time linear in the program."""
    t = program.tables
    op, data = t["values"]["op"], t["values"]["data"]
    rep = resolution.representative
    n = program.num_values
    seeds: list[npt.ArrayLike] = []
    origins: list[npt.ArrayLike] = []  # if this changes …
    targets: list[npt.ArrayLike] = []  # … so does that

    # Stores: of a part that was read from there, after the part got a new state, or of something else.
    stores, loads = t["stores"], t["loads"]
    holder = rep[stores["object"]]
    part = np.where(stores["value"] >= 0, rep[np.maximum(stores["value"], 0)], NONE)
    is_load = (part >= 0) & (op[np.maximum(part, 0)] == Op.LOAD)
    row = np.where(is_load, data[np.maximum(part, 0)], 0)
    if len(loads["object"]):
        back = is_load & (rep[loads["object"][row]] == holder) & (loads["key"][row] == stores["key"])
        back &= stores["key"] >= 0
    else:
        back = np.zeros(len(holder), bool)
    seeds.append(holder[~back])
    origins.append(part[back])
    targets.append(holder[back])

    # What models say of a state.
    said = [f.target for f in labels.flows] + [s.value for s in labels.sources]
    said += [*labels.clean, *labels.dropped]
    if said:
        states = distinct(np.array(said, np.int64))
        seeds.append(rep[states[op[states] == Op.POST]])

    # What guards say of it, where no way to the exit goes by them; and where a call returns true.
    intact = _intact(program, resolution, labels)
    captures = t["captures"]
    for formals, left in ((t["parameters"]["value"], t["parameters"]["out"]), (captures["inner"], captures["out"])):
        known = left >= 0
        checked = known & ~intact[np.where(known, left, 0)]
        seeds.append(rep[formals[checked]])
    if labels.checked:
        checks = np.array([(state, pi) for pi, (_, state, _) in labels.checked.items()], np.int64)
        same = (op[rep[checks[:, 0]]] == Op.PARAMETER) & intact[checks[:, 0]]
        seeds.append(rep[checks[~same, 1]])
        origins.append(rep[checks[same, 0]])
        targets.append(rep[checks[same, 1]])
    if resolution.element_returns:
        seeds.append(rep[np.array([row[2] for row in resolution.element_returns], np.int64)])

    # Calls: the state at exit comes back; it is what came in where it is a state of the parameter that nothing changes.
    if len(returns):
        formal_of = np.full(n, NONE, np.int32)
        parameters = t["parameters"]
        known = parameters["out"] >= 0
        formal_of[parameters["out"][known]] = parameters["value"][known]
        into_post = op[returns[:, 2]] == Op.POST
        left, post = returns[into_post, 1], returns[into_post, 2]
        formal = formal_of[left]
        same = (formal >= 0) & (rep[left] == rep[np.maximum(formal, 0)])
        seeds.append(rep[post[~same]])
        origins.append(rep[left[same]])
        targets.append(rep[post[same]])

    touched = captures["out"] != captures["inner"]
    same = touched & (rep[captures["out"]] == rep[captures["inner"]])
    seeds.append(rep[captures["outer"][touched & ~same]])
    origins.append(rep[captures["inner"][same]])
    targets.append(rep[captures["outer"][same]])

    by_rep = reached(
        n,
        np.concatenate([np.asarray(o, np.int64) for o in origins]),
        np.concatenate([np.asarray(o, np.int64) for o in targets]),
        np.concatenate([np.asarray(s, np.int64) for s in seeds]),
    )
    return Effects(by_rep[rep], back & ~by_rep[np.maximum(part, 0)])


def _intact(program: Program, resolution: Resolution, labels: Labels) -> Mask:
    """Which states of an object are reached from its first one by a way on which no guard makes it clean."""
    t = program.tables
    rep = resolution.representative
    pis, arguments, stores, flows = t["pis"], t["arguments"], t["stores"], t["flows"]
    passed = arguments["post"] >= 0
    origin = np.concatenate([pis["input"], arguments["value"][passed], stores["object"], flows["origin"]])
    target = np.concatenate([pis["value"], arguments["post"][passed], stores["result"], flows["target"]])
    clean = np.zeros(program.num_values, bool)
    clean[np.fromiter(labels.clean, np.int64)] = True
    chosen = (rep[origin] == rep[target]) & ~clean[target]
    first = np.flatnonzero((rep == np.arange(len(rep))) & ~clean)
    return reached(program.num_values, origin[chosen], target[chosen], first)
