"""Which objects some store or call may change, and which changes of one object change another.

All versions of an object have one representative. ``effects`` adds what guards and labels say, ``label.reverse_reads``
what calls have read.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.kernels.arrays import distinct
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution

Ints = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Changes:
    """A graph of representatives: if the origin of an edge changes, so does its target."""

    seeds: Ints  # (k,) changed by something else
    origins: Ints  # (m,)
    targets: Ints  # (m,)
    parts: Ints  # (stores,) what is stored, or NONE
    back: Mask  # (stores,) whether a part is stored where it was read from


def changes(program: Program, resolution: Resolution, written: npt.ArrayLike) -> Changes:
    """The changes by stores, by models and by calls of functions of the program. Time linear in the program.

    Args:
        program: All units.
        resolution: The frozen call graph.
        written: (k,) values that models write.
    """
    t = program.tables
    op, data = t["values"]["op"], t["values"]["data"]
    rep = resolution.representative
    seeds: list[npt.ArrayLike] = []
    origins: list[npt.ArrayLike] = []
    targets: list[npt.ArrayLike] = []

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

    states = distinct(np.asarray(written, np.int64))
    seeds.append(rep[states[op[states] == Op.POST]])

    # Calls: the state at exit comes back; it is what came in where it is a state of the parameter that nothing changes.
    returns = resolution.rows("returns")
    if len(returns):
        formal_of = np.full(program.num_values, NONE, np.int32)
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

    captures = t["captures"]
    touched = captures["out"] != captures["inner"]
    same = touched & (rep[captures["out"]] == rep[captures["inner"]])
    seeds.append(rep[captures["outer"][touched & ~same]])
    origins.append(rep[captures["inner"][same]])
    targets.append(rep[captures["outer"][same]])
    return Changes(_joined(seeds), _joined(origins), _joined(targets), part, back)


def _joined(rows: list[npt.ArrayLike]) -> Ints:
    return np.concatenate([np.asarray(each, np.int64) for each in rows])
