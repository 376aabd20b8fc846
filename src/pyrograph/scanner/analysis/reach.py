"""Which nodes of a graph some seed reaches: the step that pruning and effects are made of."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Index = npt.NDArray[np.intp]
Numbers = npt.NDArray[np.int32] | npt.NDArray[np.int64]


def reached(num_nodes: int, origin: Numbers, target: Numbers, seeds: Numbers) -> npt.NDArray[np.bool_]:
    """Which nodes some seed reaches. Level-synchronous, O(nodes + edges) plus a constant a level."""
    count, first, targets, _ = _grouped(num_nodes, origin, target)
    seen = np.zeros(num_nodes, bool)
    seen[seeds] = True
    frontier = seen.nonzero()[0]
    place = np.empty(num_nodes, np.intp)  # of a node in the new frontier: the last of its places there
    while len(frontier):  # ends: a node is in one frontier, the one after it is seen first
        edges, _ = _edges_of(count, first, frontier)
        following = targets.take(edges)
        following = following[~seen.take(following)]
        seen[following] = True
        places = np.arange(len(following))
        place[following] = places
        frontier = following[place.take(following) == places]  # each node once, without sorting
    return seen


def _grouped(num_nodes: int, origin: Numbers, target: Numbers) -> tuple[Index, Index, Numbers, Index]:
    """Edges by their origin: (how many, where they begin, targets, order)."""
    order = origin.argsort(kind="stable")
    count = np.bincount(origin, minlength=num_nodes)
    return count, count.cumsum() - count, target[order], order


def _edges_of(count: Index, first: Index, nodes: Index) -> tuple[Index, Index]:
    """The edges of these nodes, and how many each has."""
    counts = count.take(nodes)
    begin = (first.take(nodes) + counts - np.cumsum(counts)).repeat(counts)
    return begin + np.arange(len(begin)), counts


def between(num_nodes: int, origin: Numbers, target: Numbers, starts: Numbers, ends: Numbers) -> npt.NDArray[np.bool_]:
    """Which nodes lie between some start and some end. Costs ``reached``, backwards only in what a start reaches."""
    found = reached(num_nodes, origin, target, starts)
    passed = found[origin]
    found &= reached(num_nodes, target[passed], origin[passed], ends)
    return found


def spread(
    num_nodes: int, origin: Numbers, target: Numbers, passing: npt.NDArray[np.int64], words: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """``reached`` for 64 things at once: the bits of ``words`` at each node, and all that arrive over edges which let
    them pass.

    Args:
        passing: (m,) bits that pass each edge.
        words: (num_nodes,) bits that begin at each node.
    """
    count, first, targets, order = _grouped(num_nodes, origin, target)
    passing = passing[order]
    found = words.copy()
    frontier = found.nonzero()[0]
    place = np.empty(num_nodes, np.intp)  # as in ``reached``
    while len(frontier):  # ends: a node is in a frontier when ``found`` has gained a bit there
        edges, counts = _edges_of(count, first, frontier)
        following = targets.take(edges)
        arriving = found.take(frontier).repeat(counts) & passing.take(edges) & ~found.take(following)
        new = arriving.nonzero()[0]
        following = following.take(new)
        np.bitwise_or.at(found, following, arriving.take(new))
        places = np.arange(len(following))
        place[following] = places
        frontier = following[place.take(following) == places]
    return found
