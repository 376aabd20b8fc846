"""Programs with calls, at random, and their summary edges by a plain worklist: what kernels must find, too."""

from __future__ import annotations

from collections import deque
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.kernels.levels.summaries import Edges, Sites


class Program(NamedTuple):
    """The arguments of ``levels.summaries.summaries``."""

    procedure: npt.NDArray[np.intp]
    edges: Edges
    calls: Sites
    returns: Sites


def program(procedures: int, size: int, calls: int, seed: int, bits: int = 6) -> Program:
    """Procedures of ``size`` nodes, the first two formals, the last two exits; so many calls, recursion included."""
    rng = np.random.default_rng(seed)
    n = procedures * size
    procedure = np.arange(n) // size
    every = np.uint64((1 << bits) - 1)

    def masks(count: int) -> npt.NDArray[np.uint64]:
        return every & ~(np.uint64(1) << rng.integers(0, 2 * bits, count).astype(np.uint64))

    chain = np.flatnonzero(np.arange(n) % size < size - 1)
    extra = rng.integers(0, n, n // 2)
    ahead = procedure[extra] * size + rng.integers(0, size, len(extra))
    origin, target = np.concatenate([chain, extra]), np.concatenate([chain + 1, ahead])
    broken = rng.random(len(origin)) < 0.9
    origin, target = origin[broken], target[broken]
    caller, callee = rng.integers(0, procedures, calls), rng.integers(0, procedures, calls)
    site = np.arange(calls)
    place = caller * size + rng.integers(0, size - 1, calls)
    two = np.repeat(np.arange(calls), 2)
    slot = np.tile([0, 1], calls)
    into = Sites(
        np.maximum(place[two] - slot, caller[two] * size), callee[two] * size + slot, site[two], masks(2 * calls)
    )
    back = Sites(callee[two] * size + size - 1 - slot, place[two] + 1, site[two], masks(2 * calls))
    return Program(procedure, Edges(origin, target, masks(len(origin))), into, back)


def plain(given: Program) -> list[tuple[int, int, int, int]]:
    """Rows (origin, target, site, mask), sorted: facts (node, formal) to masks, until nothing is new."""
    _, edges, calls, returns = given
    intra: dict[int, list[tuple[int, int]]] = {}
    for u, v, mask in zip(*(column.tolist() for column in edges), strict=True):
        intra.setdefault(u, []).append((v, mask))
    arguments: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for u, v, site, mask in zip(*(column.tolist() for column in calls), strict=True):
        arguments.setdefault((v, site), []).append((u, mask))
    results: dict[int, list[tuple[int, int, int]]] = {}
    for u, v, site, mask in zip(*(column.tolist() for column in returns), strict=True):
        results.setdefault(u, []).append((v, site, mask))
    facts: dict[int, dict[int, int]] = {}
    found: dict[tuple[int, int, int], int] = {}
    work: deque[tuple[int, int, int]] = deque()

    def reach(node: int, formal: int, mask: int) -> None:
        known = facts.setdefault(node, {})
        new = mask & ~known.get(formal, 0)
        if new:
            known[formal] = known.get(formal, 0) | new
            work.append((node, formal, new))

    for formal in sorted({formal for formal, _ in arguments}):
        reach(formal, formal, (1 << 64) - 1)
    while work:
        node, formal, mask = work.popleft()
        for target, passing in intra.get(node, ()):
            reach(target, formal, mask & passing)
        for target, site, passing in results.get(node, ()):
            for argument, entering in arguments.get((formal, site), ()):
                name = (argument, target, site)
                new = mask & passing & entering & ~found.get(name, 0)
                if new:
                    found[name] = found.get(name, 0) | new
                    intra.setdefault(argument, []).append((target, new))
                    for outer, arrived in tuple(facts.get(argument, {}).items()):
                        reach(target, outer, arrived & new)
    return sorted((*name, mask) for name, mask in found.items())


def rows(found: Sites) -> list[tuple[int, int, int, int]]:
    """What the kernels found, as rows."""
    return [tuple(map(int, row)) for row in zip(*found, strict=True)]  # type: ignore[misc]
