"""Summaries: same-level flow through calls, and the two layers that keep calls and returns matched."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pyrograph.scanner.assemble.edges import Context, Ints


@dataclass(slots=True)
class Summaries:
    """Same-level flow through calls: (argument's node, result's node, site, mask, assumed)."""

    origin: Ints
    target: Ints
    site: Ints
    mask: npt.NDArray[np.int64]


def summarise(
    origin: Ints, target: Ints, mask: npt.NDArray[np.int64], context: npt.NDArray[np.integer], site: Ints
) -> Summaries:
    """Which results each argument reaches through the callee, and for which vulnerabilities, along these edges.

    One monotone worklist over (node, formal): a fact is the mask of vulnerabilities for which the formal reaches the
    node inside its procedure. Recursion needs no special case.
    """
    intra: dict[int, list[tuple[int, int]]] = {}
    calls_of: dict[int, dict[int, list[tuple[int, int]]]] = {}  # formal -> site -> (argument, mask)
    returns_of: dict[int, list[tuple[int, int, int]]] = {}  # state at exit -> (site, target, mask)
    columns = (origin.tolist(), target.tolist(), mask.tolist(), context.tolist(), site.tolist())
    for u, v, m, c, s in zip(*columns, strict=True):
        if c == Context.INTRA:
            intra.setdefault(u, []).append((v, m))
        elif c == Context.CALL:
            calls_of.setdefault(v, {}).setdefault(s, []).append((u, m))
        elif c == Context.RETURN:
            returns_of.setdefault(u, []).append((s, v, m))
    facts: dict[int, dict[int, int]] = {}
    found: dict[tuple[int, int, int], int] = {}
    work = deque((formal, formal, -1) for formal in calls_of)  # what arrives, known or not
    while work:
        node, formal, arriving = work.popleft()
        known = facts.setdefault(node, {})
        before = known.get(formal, 0)
        new = arriving & ~before
        if not new:
            continue
        known[formal] = before | new
        for end, passing in intra.get(node, ()):
            if new & passing:
                work.append((end, formal, new & passing))
        sites = calls_of[formal]
        for call, end, passing in returns_of.get(node, ()):
            for argument, entering in sites.get(call, ()):
                name = (argument, end, call)
                through = new & passing & entering & ~found.get(name, 0)
                if not through:
                    continue
                found[name] = found.get(name, 0) | through
                intra.setdefault(argument, []).append((end, through))
                for outer, arrived in facts.get(argument, {}).items():
                    if arrived & through:
                        work.append((end, outer, arrived & through))
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
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The two-layer graph: (origin, target, row) with node 2u in layer A and 2u + 1 in layer D.

    Args:
        rows: Numbers to tell edges by; their places in the columns when absent.

    Returns:
        ``row`` is an edge's number, or -1 - the number of a summary.
    """
    rows = np.arange(len(u)) if rows is None else rows
    summaries = -1 - np.arange(len(through.origin))
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
