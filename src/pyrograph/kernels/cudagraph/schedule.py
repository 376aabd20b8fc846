"""In which order: the edges of each block, and the levels of its topological sort.

A node's level is one more than the highest of those it waits for; fills that wait for nothing stand as late as they
can, because a filled buffer takes memory. Within a level nodes stand in the order of the
program, so the same program gives the same schedule.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from pyrograph.kernels.cudagraph.problems import Problem, ProgramError
from pyrograph.kernels.cudagraph.program import Block, Fill, Program, blocks, touched

Edge = tuple[str, str]  # the first runs before the second


@dataclass(frozen=True, slots=True)
class Order:
    """The order of one block."""

    levels: tuple[tuple[str, ...], ...]  # names of nodes
    edges: tuple[Edge, ...]  # as little as it takes for buffers, and every ``after``

    def level_of(self) -> dict[str, int]:
        """The level of each node."""
        return {name: number for number, level in enumerate(self.levels) for name in level}

    def sequence(self) -> list[str]:
        """All nodes, one after the other."""
        return [name for level in self.levels for name in level]


def schedule(program: Program) -> dict[str, Order]:
    """The order of every block, by the name of its region.

    Raises:
        ProgramError: Nodes wait for each other in a circle.
    """
    orders, problems = {}, []
    for name, block in blocks(program):
        edges = dependencies(block)
        circle = cycle([node.name for node in block.nodes], edges)
        if circle:
            problems.append(circle_problem(circle))
        else:
            fills = {node.name for node in block.nodes if isinstance(node, Fill)}
            early = levels([node.name for node in block.nodes], edges)
            orders[name] = Order(postponed(early, edges, fills), tuple(edges))
    if problems:
        raise ProgramError(problems)
    return orders


def dependencies(block: Block) -> list[Edge]:
    """The dependences in a block: a node follows the last writer of its buffers, a writer also their readers."""
    edges: dict[Edge, None] = {}
    writer: dict[str, str] = {}
    readers: dict[str, list[str]] = {}
    names = {node.name for node in block.nodes}
    for node in block.nodes:
        uses = touched(node)
        for name in sorted(uses.reads | uses.writes):
            before = [writer[name]] if name in writer else []
            if name in uses.writes and readers.get(name):
                before = readers[name]  # each of which waits for the writer already
            edges.update(dict.fromkeys((other, node.name) for other in before))
        for name in uses.writes:
            writer[name], readers[name] = node.name, []
        for name in uses.reads - uses.writes:
            readers.setdefault(name, []).append(node.name)
        edges.update(dict.fromkeys((other, node.name) for other in node.after if other in names))
    return sorted(edges)


def last_users(block: Block, buffer: str) -> list[str]:
    """The nodes after which nothing of a block touches a buffer: its readers since the last write, or that writer."""
    last: list[str] = []
    readers: list[str] = []
    for node in block.nodes:
        uses = touched(node)
        if buffer in uses.writes:
            last, readers = [node.name], []
        elif buffer in uses.reads:
            readers.append(node.name)
    return readers or last


def levels(names: Sequence[str], edges: Sequence[Edge]) -> tuple[tuple[str, ...], ...]:
    """Names by level, for edges without a circle."""
    after = _following(edges)
    waits = dict.fromkeys(names, 0)
    for _, second in edges:
        waits[second] += 1
    place = {name: number for number, name in enumerate(names)}
    level = [name for name in names if not waits[name]]
    found = []
    while level:
        found.append(tuple(level))
        ready = []
        for name in level:
            for other in after.get(name, ()):
                waits[other] -= 1
                if not waits[other]:
                    ready.append(other)
        level = sorted(ready, key=place.__getitem__)
    return tuple(found)


def postponed(early: Sequence[tuple[str, ...]], edges: Sequence[Edge], names: Set[str]) -> tuple[tuple[str, ...], ...]:
    """Levels in which some nodes that wait for nothing stand right before the first node that waits for them.

    Filled at level 0, a buffer that is needed at level 9 would take its memory for all that time.
    """
    level = {name: number for number, row in enumerate(early) for name in row}
    waiting = {second for _, second in edges}
    after = _following(edges)
    for name in early[0] if early else ():
        if name in names - waiting and name in after:
            level[name] = min(level[other] for other in after[name]) - 1
    return tuple(tuple(name for row in early for name in row if level[name] == number) for number in range(len(early)))


def cycle(names: Sequence[str], edges: Sequence[Edge]) -> list[str]:
    """Nodes that wait for each other in a circle, in order; empty where there is none."""
    placed = {name for level in levels(names, edges) for name in level}
    stuck = [name for name in names if name not in placed]
    if not stuck:
        return []
    before = {name: [first for first, second in edges if second == name and first not in placed] for name in stuck}
    path = [stuck[0]]
    while (other := before[path[-1]][0]) not in path:
        path.append(other)
    circle = path[path.index(other) :][::-1]
    start = min(range(len(circle)), key=lambda i: names.index(circle[i]))
    return circle[start:] + circle[:start]


def circle_problem(circle: Sequence[str]) -> Problem:
    """The message about a cycle."""
    text = " -> ".join((*circle, circle[0]))
    return Problem(circle[0], f"waits for itself: {text}; remove one `after`, or give one node a buffer of its own")


def _following(edges: Sequence[Edge]) -> Mapping[str, list[str]]:
    after: dict[str, list[str]] = {}
    for first, second in edges:
        after.setdefault(first, []).append(second)
    return after
