"""The oracle: the engine's operations in plain Python, obviously right and slow.

Every other backend must give exactly these answers. Nothing here is shared with them, and nothing is clever: one
queue per source, one dictionary of depths, one level of facts after the other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence

Transfer = Callable[[int, int, int, int, int], int]  # source, current, target, metadata, fact -> word that flows on
Hit = tuple[int, int, int, int]  # source, node, depth, source_idx
FactHit = tuple[int, int, int, int, int]  # source, node, depth, source_idx, word

SOURCE_AND_SINK = 3
SANITIZER = 4
SINKS = (2, 3)


def depths(
    offsets: Sequence[int], targets: Sequence[int], roles: Sequence[int], source: int, max_depth: int | None
) -> dict[int, int]:
    """Fewest edges from ``source`` to each node reached within ``max_depth`` edges; nothing leaves a sanitizer."""
    depth = {source: 0}
    queue = deque([source])
    while queue:  # each node gets one depth, and is queued then
        current = queue.popleft()
        if roles[current] == SANITIZER or depth[current] == max_depth:
            continue
        for target in targets[offsets[current] : offsets[current + 1]]:
            if target not in depth:
                depth[target] = depth[current] + 1
                queue.append(target)
    return depth


def bfs(
    offsets: Sequence[int],
    targets: Sequence[int],
    roles: Sequence[int],
    sources: Sequence[int],
    max_depth: int | None = None,
) -> list[Hit]:
    """Each sink that each source reaches, once, at its depth; the source itself only if it is both. Sorted."""
    return sorted(
        (source, node, depth, index)
        for index, source in enumerate(sources)
        for node, depth in depths(offsets, targets, roles, source, max_depth).items()
        if (roles[node] == SOURCE_AND_SINK if depth == 0 else roles[node] in SINKS)
    )


def reachability(
    offsets: Sequence[int],
    targets: Sequence[int],
    roles: Sequence[int],
    sources: Sequence[int],
    max_depth: int | None = None,
) -> list[Hit]:
    """Each node that each source reaches, itself at depth 0 included, whatever its role. Sorted."""
    return sorted(
        (source, node, depth, index)
        for index, source in enumerate(sources)
        for node, depth in depths(offsets, targets, roles, source, max_depth).items()
    )


def facts(
    offsets: Sequence[int],
    targets: Sequence[int],
    metadata: Callable[[int, int], int],
    source: int,
    word: int,
    transfer: Transfer,
    max_depth: int | None,
) -> list[dict[int, int]]:
    """The bits that arrive first at each node, level by level: ``facts(...)[depth][node]``.

    A node's fact is the union of what has arrived. Each time it grows, the whole of it is offered to every edge that
    leaves the node, and what is new at the other end belongs to the next level.

    Args:
        metadata: ``(edge, current)`` to the word the transfer function gets.
    """
    known: dict[int, int] = {source: word} if word else {}
    levels = [dict(known)]
    while levels[-1] and (max_depth is None or len(levels) <= max_depth):
        arriving: dict[int, int] = {}
        for current in levels[-1]:
            for edge in range(offsets[current], offsets[current + 1]):
                target = targets[edge]
                flows = int(transfer(source, current, target, metadata(edge, current), known[current]))
                new = flows & ~known.get(target, 0)
                if new:
                    arriving[target] = arriving.get(target, 0) | new
        for node, new in arriving.items():
            known[node] = known.get(node, 0) | new
        levels.append(arriving)
    return levels


def fixpoint(
    offsets: Sequence[int],
    targets: Sequence[int],
    roles: Sequence[int],
    metadata: Callable[[int, int], int],
    seeds: Sequence[int],
    words: Sequence[int],
    transfer: Transfer,
    accept: Callable[[int], int],
    max_depth: int | None = None,
) -> list[FactHit]:
    """Each sink that facts of each seed reach, once for each depth at which new accepted bits arrive. Sorted.

    Args:
        accept: Node to the bits that count as a hit there; the role is looked at first.
    """
    found = []
    for index, (source, word) in enumerate(zip(seeds, words, strict=True)):
        for depth, level in enumerate(facts(offsets, targets, metadata, source, word, transfer, max_depth)):
            for node, new in level.items():
                is_hit = roles[node] == SOURCE_AND_SINK if depth == 0 else roles[node] in SINKS
                if is_hit and new & accept(node):
                    found.append((source, node, depth, index, new & accept(node)))
    return sorted(found)


def parents(
    offsets: Sequence[int], targets: Sequence[int], roles: Sequence[int], source: int, max_depth: int | None = None
) -> dict[int, int]:
    """For each node reached, the smallest predecessor on a shortest path; the source is its own parent."""
    depth = depths(offsets, targets, roles, source, max_depth)
    parent = {source: source}
    for current in sorted(depth):
        if roles[current] != SANITIZER:
            for target in targets[offsets[current] : offsets[current + 1]]:
                if depth.get(target) == depth[current] + 1:
                    parent.setdefault(target, current)
    return parent


def reached(edges: Sequence[tuple[int, int]], seeds: Sequence[int]) -> set[int]:
    """The nodes that some seed reaches, the seeds included."""
    found = set(seeds)
    before = -1
    while before != len(found):  # grows until it has all
        before = len(found)
        found |= {target for origin, target in edges if origin in found}
    return found


def chop(edges: Sequence[tuple[int, int]], starts: Sequence[int], ends: Sequence[int]) -> set[int]:
    """The nodes on some path from a start to an end."""
    return reached(edges, starts) & reached([(target, origin) for origin, target in edges], ends)


def reached_bits(edges: Sequence[tuple[int, int, int]], words: Sequence[int]) -> list[int]:
    """The bits of each node's word, and those that arrive over edges (origin, target, passing bits)."""
    found = list(words)
    before: list[int] = []
    while before != found:  # bits are only added
        before = list(found)
        for origin, target, passing in edges:
            found[target] |= found[origin] & passing
    return found


def nearest_sources(
    offsets: Sequence[int], targets: Sequence[int], sources: Sequence[int], count: int, max_depth: int | None = None
) -> tuple[list[tuple[int, int, int]], list[bool]]:
    """(source, node, depth) of the first ``count`` sources of each node, by depth, node and source; and for each node
    whether more than ``count`` sources reach it.
    """
    roles = [0] * (len(offsets) - 1)
    of_node: list[list[tuple[int, int]]] = [[] for _ in roles]
    for source, node, depth, _ in reachability(offsets, targets, roles, sources, max_depth):
        of_node[node].append((depth, source))
    kept = [(depth, node, source) for node, found in enumerate(of_node) for depth, source in sorted(found)[:count]]
    return [(source, node, depth) for depth, node, source in sorted(kept)], [len(found) > count for found in of_node]
