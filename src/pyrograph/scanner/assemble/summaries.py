"""Summaries: same-level flow through calls, and the two layers that keep calls and returns matched."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.scanner.assemble.edges import Context, FlowGraph, Ints


@dataclass(slots=True)
class Summaries:
    """Same-level flow through calls: (argument's node, result's node, site, mask, assumed)."""

    origin: Ints
    target: Ints
    site: Ints
    mask: npt.NDArray[np.int64]


def summarise(graph: FlowGraph, *, assumed: bool) -> Summaries:
    """Which results each argument reaches through the callee, and for which vulnerabilities.

    One monotone worklist over (node, formal): a fact is the mask of vulnerabilities for which the formal reaches the
    node inside its procedure.
    Recursion needs no special case. ``assumed``: whether assumed edges are followed.
    """
    intra: dict[int, list[tuple[int, int]]] = {}
    calls_of: dict[int, dict[int, list[tuple[int, int]]]] = {}  # formal -> site -> (argument, mask)
    returns_of: dict[int, list[tuple[int, int, int]]] = {}  # state at exit -> (site, target, mask)
    for u, v, m, c, s, a in zip(
        graph.origin.tolist(),
        graph.target.tolist(),
        graph.mask.tolist(),
        graph.context.tolist(),
        graph.site.tolist(),
        graph.assumed.tolist(),
        strict=True,
    ):
        if a and not assumed:
            continue
        if c == Context.INTRA:
            intra.setdefault(u, []).append((v, m))
        elif c == Context.CALL:
            calls_of.setdefault(v, {}).setdefault(s, []).append((u, m))
        elif c == Context.RETURN:
            returns_of.setdefault(u, []).append((s, v, m))
    facts: dict[int, dict[int, int]] = {}
    work: deque[tuple[int, int, int]] = deque()

    def reach(node: int, formal: int, mask: int) -> None:
        known = facts.setdefault(node, {})
        new = mask & ~known.get(formal, 0)
        if new:
            known[formal] = known.get(formal, 0) | new
            work.append((node, formal, new))

    found: dict[tuple[int, int, int], int] = {}
    for formal in calls_of:
        reach(formal, formal, -1)
    while work:
        node, formal, mask = work.popleft()
        for target, passing in intra.get(node, ()):
            if mask & passing:
                reach(target, formal, mask & passing)
        sites = calls_of[formal]
        for site, target, passing in returns_of.get(node, ()):
            for argument, entering in sites.get(site, ()):
                through = mask & passing & entering
                name = (argument, target, site)
                new = through & ~found.get(name, 0)
                if not new:
                    continue
                found[name] = found.get(name, 0) | new
                intra.setdefault(argument, []).append((target, new))
                for outer, arrived in tuple(facts.get(argument, {}).items()):
                    if arrived & new:
                        reach(target, outer, arrived & new)
    if not found:
        empty = np.empty(0, np.int32)
        return Summaries(empty, empty, empty, np.empty(0, np.int64))
    names = sorted(found)
    rows = np.array(names, np.int32)
    return Summaries(rows[:, 0], rows[:, 1], rows[:, 2], np.array([found[name] for name in names], np.int64))


def two_layers(
    u: Ints,
    v: Ints,
    context: Ints,
    through: Summaries,
    *,
    rows: npt.NDArray[np.integer] | None = None,
    summary_rows: npt.NDArray[np.integer] | None = None,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The two-layer graph: (origin, target, row) with node 2u in layer A and 2u + 1 in layer D.

    Args:
        rows, summary_rows: Numbers to tell edges and summaries by; their places in the columns when absent.

    Returns:
        ``row`` is an edge's number, or -1 - the number of a summary.
    """
    rows = np.arange(len(u)) if rows is None else rows
    summaries = -1 - (np.arange(len(through.origin)) if summary_rows is None else summary_rows)
    intra, call = context == Context.INTRA, context == Context.CALL
    returns, heap = context == Context.RETURN, context == Context.HEAP
    origins, targets, numbers = [], [], []
    for chosen, before, after in (
        (intra, 0, 0),
        (intra, 1, 1),
        (call, 0, 1),
        (call, 1, 1),
        (returns, 0, 0),
        (heap, 0, 0),
        (heap, 1, 0),
    ):
        origins.append(2 * u[chosen].astype(np.int64) + before)
        targets.append(2 * v[chosen].astype(np.int64) + after)
        numbers.append(rows[chosen].astype(np.int64))
    for layer in (0, 1):
        origins.append(2 * through.origin.astype(np.int64) + layer)
        targets.append(2 * through.target.astype(np.int64) + layer)
        numbers.append(summaries)
    return np.concatenate(origins), np.concatenate(targets), np.concatenate(numbers)
