"""Which nodes of a graph some seed reaches: the step that pruning and effects are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]


def reached(num_nodes: int, origin: Numbers, target: Numbers, seeds: Numbers) -> npt.NDArray[np.bool_]:
    """Which nodes some seed reaches. Level-synchronous, O(nodes + edges) plus a constant a level."""
    order = np.argsort(origin, kind="stable")
    targets = target[order]
    offsets = np.zeros(num_nodes + 1, np.int64)
    np.cumsum(np.bincount(origin, minlength=num_nodes), out=offsets[1:])
    seen = np.zeros(num_nodes, bool)
    seen[seeds] = True
    frontier: Numbers = np.flatnonzero(seen)
    place = np.empty(num_nodes, np.int64)  # of a node in the new frontier: the last of its places there
    while len(frontier):
        counts = offsets[frontier + 1] - offsets[frontier]
        total = int(counts.sum())
        if not total:
            break
        starts = np.repeat(offsets[frontier] - np.concatenate([[0], np.cumsum(counts)[:-1]]), counts)
        following = targets[starts + np.arange(total)]
        following = following[~seen[following]]
        seen[following] = True
        places = np.arange(len(following))
        place[following] = places
        frontier = following[place[following] == places]  # each node once, without sorting
    return seen


def between(num_nodes: int, origin: Numbers, target: Numbers, starts: Numbers, ends: Numbers) -> npt.NDArray[np.bool_]:
    """Which nodes lie between some start and some end. Costs ``reached``, backwards only in what a start reaches."""
    found = reached(num_nodes, origin, target, starts)
    passed = found[origin]
    found &= reached(num_nodes, target[passed], origin[passed], ends)
    return found
