"""The edges of a hit's path: a search of its own finds the shortest path again, and each summary edge on it is
expanded into a path through the callee.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Container, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph import graph as engine
from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import FIRST_SUMMARY
from pyrograph.kernels.arrays import among, stable_order
from pyrograph.policy.limits.explanation import MAX_CACHED, MAX_EXPANDED, MAX_MEASURED, MAX_NESTING, MAX_PACKED
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.assemble import Context, FlowGraph, Kind, Summaries
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.analysis.search import Hit, Projection
from pyrograph.scanner.explain.texts import Texts

Longs = npt.NDArray[np.int64]


# Numbers, because a path may have thousands of edges, and looking up a member of an enumeration takes long.
CALL: Final = int(Context.CALL)
RETURN: Final = int(Context.RETURN)
SUMMARY: Final = int(Context.SUMMARY)
LOAD: Final = int(Kind.LOAD)
UNCHANGED: Final = frozenset((int(Kind.SAME), int(Kind.KILL)))  # an object, but for another key that is stored in it
# Edges of a completed call that does next to nothing: it is entered, puts a result together, and is left.
CALL_STEPS: Final = 5


class Edge(NamedTuple):
    origin: int  # node of the flow graph
    target: int
    row: int  # of the flow graph
    depth: int  # calls deep


class Body(NamedTuple):
    """Ways through a function: which ones a search of them may use, where they begin and where they may end."""

    summaries: int  # identity
    bit: int
    assumed: bool
    formal: int
    exits: tuple[int, ...]


class Expansion(NamedTuple):
    """The path through the callee that a summary edge represents."""

    enter: int  # row of the call edge
    inside: list[int]  # rows, and summary edges as in ``ir.packed``
    leave: int  # row of the return edge
    body: Body


class PathFinder:
    """Reconstructs the paths of hits."""

    def __init__(self, program: Program, resolution: Resolution, labels: Labels, flow: FlowGraph, texts: Texts) -> None:
        self.program = program
        self.resolution = resolution
        self.labels = labels
        self.flow = flow
        self.texts = texts
        self.args = Arguments(program)
        values = program.tables["values"]
        self.op = program.numbers("values", "op")  # lists: a NumPy number compared with an enumeration is slow
        self.data = program.numbers("values", "data")
        self.function = values["function"]
        self.start, self.end = values["start"], values["end"]
        self.context: list[int] = flow.context.tolist()
        self.kind: list[int] = flow.kind.tolist()
        self.assumed: list[bool] = flow.assumed.tolist()
        self.origin, self.target = flow.origin.data, flow.target.data
        self.paths: dict[int, engine.Paths] = {}  # by the graph that they lie in
        self.expanded: dict[tuple[int, int], Expansion | None] = {}  # by graph and summary: ``expand_summary``
        # the same by the bodies that are open, where these change it; paths to one sink have much in common
        self.reopened: dict[tuple[int, int, frozenset[Body]], Expansion | None] = {}
        self.named: dict[tuple[int, int], tuple[Body, ...]] = {}  # by graph and summary: ``bodies_of``
        self.found: dict[tuple[int, int, int], list[Edge]] = {}  # by source and sink role, and the call passed
        self.levels: dict[int, _IntraGraph] = {}  # by the summaries they were made with
        self.open_edges: dict[int, bytes] = {}  # by the graph that is searched: ``passing_edges``
        self.bodies: dict[Body, tuple[list[int], int] | None] = {}  # the rows of the path to an exit, and that one
        self.edges_walked = 0  # work so far: edges of paths that were built or inspected
        self.cached = 0  # edges in ``found``
        self.packed: dict[tuple[int, int, int], tuple[array[int], array[int]]] = {}  # by the same: ``rows``
        self.packed_rows = 0  # in ``packed``
        self.instead: dict[tuple[int, int, int], array[int]] = {}  # the same of paths that stand for the shortest one

    def edges(self, hit: Hit) -> list[Edge]:
        """The edges of the canonical shortest path, including those inside callees."""
        known = self.found.get((hit.source_role, hit.sink_role, hit.through))
        if known is not None:
            return known
        if self.cached > MAX_CACHED:
            self.found.clear()
            self.reopened.clear()
            self.cached = 0
        edges = self.edges_along(hit, self.rows(hit))
        self.found[hit.source_role, hit.sink_role, hit.through] = edges
        self.cached += len(edges)
        return edges

    def edges_along(self, hit: Hit, rows: Sequence[tuple[int, int]]) -> list[Edge]:
        """The edges of a path of these rows and depths, including those inside callees."""
        edges: list[Edge] = []
        origin, target = self.origin, self.target
        for row, depth in rows:
            if row >= 0:
                edges.append(Edge(origin[row], target[row], row, depth))
            else:
                self.expand(hit.projection, FIRST_SUMMARY - row, depth, edges, 0)
        self.edges_walked += len(edges)
        return edges

    def take(self, hit: Hit, rows: Sequence[int]) -> None:
        """Let the path of a hit be this one from now on, since no run takes the shortest one."""
        name = hit.source_role, hit.sink_role, hit.through
        self.instead[name] = array("i", rows)
        self.found.pop(name, None)
        if (packed := self.packed.pop(name, None)) is not None:
            self.packed_rows -= len(packed[0])

    def rows(self, hit: Hit) -> list[tuple[int, int]]:
        """The edges of the canonical shortest path, or of what is taken instead: (row, calls deep)."""
        known = self.packed.get((hit.source_role, hit.sink_role, hit.through))
        if known is not None:
            return list(zip(*known, strict=True))
        column = hit.projection.rows.data
        instead = self.instead.get((hit.source_role, hit.sink_role, hit.through))
        rows = [column[edge] for edge in self.graph_edges(hit)] if instead is None else instead.tolist()
        found = self.with_depths(rows)
        if self.packed_rows > MAX_PACKED:
            self.packed.clear()
            self.packed_rows = 0
        name = hit.source_role, hit.sink_role, hit.through
        self.packed[name] = array("i", rows), array("i", [each for _, each in found])
        self.packed_rows += len(rows)
        return found

    def with_depths(self, rows: Iterable[int]) -> list[tuple[int, int]]:
        """Each row of a path with the number of calls that the path is in there."""
        found = []
        depth = 0
        for row in rows:
            context = SUMMARY if row < 0 else self.context[row]
            if context == RETURN:
                depth = max(0, depth - 1)
            found.append((row, depth))
            if context == CALL:
                depth += 1
        return found

    @staticmethod
    def rows_without(hit: Hit, blocked: set[int]) -> list[int] | None:
        """The rows of a shortest path that takes none of these; None if there is none. O(nodes + edges)."""
        column = hit.projection.rows
        found = engine.path_avoiding(hit.projection.graph, hit.source, hit.sink, among(column, blocked))
        return None if found is None else column[found].tolist()

    def graph_edges(self, hit: Hit) -> list[int]:
        """The edges of the shortest path in the projection's graph, or of the shortest one through ``hit.through``."""
        paths, graph = self.paths_in(hit.projection), hit.projection.graph
        if hit.through == NONE:
            return paths.edges(hit.source, hit.sink)
        origin = int(np.searchsorted(graph.offsets, hit.through, side="right")) - 1
        target = int(graph.targets[hit.through])
        return [*paths.edges(hit.source, origin), hit.through, *paths.edges(target, hit.sink)]

    def forget(self) -> None:
        """Free the distances that are kept of sinks, if they need much memory."""
        if sum(paths.kept for paths in self.paths.values()) > MAX_MEASURED:
            for paths in self.paths.values():
                paths.forget()

    def paths_in(self, projection: Projection) -> engine.Paths:
        known = self.paths.get(id(projection))
        if known is None:
            known = self.paths[id(projection)] = engine.Paths(projection.graph)
        return known

    def expand(
        self,
        projection: Projection,
        summary: int,
        depth: int,
        edges: list[Edge],
        nesting: int,
        opened: frozenset[Body] = frozenset(),
    ) -> None:
        """Append the path through the callee that a summary edge represents.

        ``opened``: the bodies that are being expanded. A shortest path goes through none of them once more: a function
        that calls itself returns some of what it gets without doing so.
        """
        if nesting == MAX_NESTING or len(edges) >= MAX_EXPANDED:
            return
        name = (id(projection), summary)
        if name not in self.expanded:
            self.expanded[name] = self.expand_summary(projection, summary)
        found = self.expanded[name]
        if found is None:
            return
        opened |= {found.body}
        if any(
            row < 0 and not opened.isdisjoint(self.bodies_of(projection, FIRST_SUMMARY - row)) for row in found.inside
        ):
            again = (*name, opened)
            if again not in self.reopened:
                self.reopened[again] = self.expand_summary(projection, summary, opened)
            found = self.reopened[again] or found
        enter, inside, leave, _ = found
        origin, target = self.origin, self.target
        edges.append(Edge(origin[enter], target[enter], enter, depth))
        for row in inside:
            if row >= 0:
                edges.append(Edge(origin[row], target[row], row, depth + 1))
            else:
                self.expand(projection, FIRST_SUMMARY - row, depth + 1, edges, nesting + 1, opened)
        edges.append(Edge(origin[leave], target[leave], leave, depth))

    def expand_summary(
        self, projection: Projection, summary: int, opened: frozenset[Body] = frozenset()
    ) -> Expansion | None:
        """A shortest same-level path from the argument of a summary through the callee at its site to its result, by
        no summary of one of the bodies ``opened``.
        """
        argument, result = int(projection.summaries.origin[summary]), int(projection.summaries.target[summary])
        site = int(projection.summaries.site[summary])
        calls, returns = self.call_edges

        def avoids(row: int) -> bool:
            return row >= 0 or opened.isdisjoint(self.bodies_of(projection, FIRST_SUMMARY - row))

        leaves = {self.origin[row]: row for row in reversed(returns.at(result, site)) if self.passes(projection, row)}
        entries = [row for row in calls.at(argument, site) if self.passes(projection, row)]
        for enter, name in zip(entries, self.bodies_of(projection, summary), strict=True):
            if name not in self.bodies or opened:
                found = self.body(projection, name.formal, leaves, avoids if opened else None)
                if opened and found is not None:
                    return Expansion(enter, found[0], leaves[found[1]], name)
                if opened:
                    continue
                self.bodies[name] = found
            found = self.bodies[name]
            if found is not None:
                return Expansion(enter, found[0], leaves[found[1]], name)
        return None

    def passes(self, projection: Projection, row: int) -> bool:
        """Whether data of the vulnerability passes an edge of the flow graph."""
        return bool(self.flow.mask.data[row] >> projection.bit & 1) and (projection.assumed or not self.assumed[row])

    def bodies_of(self, projection: Projection, summary: int) -> tuple[Body, ...]:
        """What a summary edge may stand for: a way from each parameter that its argument gets to, to the exits from
        which its result comes.
        """
        known = self.named.get((id(projection), summary))
        if known is None:
            argument, result = int(projection.summaries.origin[summary]), int(projection.summaries.target[summary])
            site = int(projection.summaries.site[summary])
            calls, returns = self.call_edges
            left = {self.origin[row] for row in returns.at(result, site) if self.passes(projection, row)}
            place = id(projection.summaries), projection.bit, projection.assumed
            entered = [self.target[row] for row in calls.at(argument, site) if self.passes(projection, row)]
            known = tuple(Body(*place, formal, tuple(sorted(left))) for formal in entered)
            self.named[id(projection), summary] = known
        return known

    def body(
        self, projection: Projection, formal: int, leaves: Container[int], may_take: Callable[[int], bool] | None
    ) -> tuple[list[int], int] | None:
        """The rows of a shortest path from ``formal`` to one of ``leaves``, and that one. O(callee).

        A completed call counts as ``CALL_STEPS`` edges: it is entered and left, and does something between.
        ``may_take``: whether an edge may be taken; None: each that data of the vulnerability passes.
        """
        graph, is_open = self.level(projection.summaries), self.passing_edges(projection)
        first, rows_of, targets = graph.first.data, graph.rows.data, graph.targets.data
        before: dict[int, tuple[int, int]] = {}
        waiting = [deque([(formal, -1, 0)]), *(deque[tuple[int, int, int]]() for _ in range(CALL_STEPS))]
        at = 0
        while any(waiting):  # each edge is queued once: when its origin gets its row in ``before``
            while not waiting[at]:
                at = (at + 1) % len(waiting)
            node, origin, entered = waiting[at].popleft()
            if node in before:
                continue
            before[node] = (origin, entered)
            if node in leaves:
                rows = []
                back = node
                while back != formal:  # up a tree
                    back, row = before[back]
                    rows.append(row)
                return rows[::-1], node
            for edge in range(first[node], first[node + 1]):
                target, row = targets[edge], rows_of[edge]
                if is_open[edge] and target not in before and (may_take is None or may_take(row)):
                    waiting[(at + (CALL_STEPS if row < 0 else 1)) % len(waiting)].append((target, node, row))
        return None

    def passing_edges(self, projection: Projection) -> bytes:
        """A byte for each edge of ``level``: whether data of the vulnerability passes it, and the search may use it."""
        known = self.open_edges.get(id(projection))
        if known is None:
            graph = self.level(projection.summaries)
            passing = (graph.masks >> projection.bit & 1).astype(np.bool_)
            if not projection.assumed:
                passing &= ~graph.assumed
            known = self.open_edges[id(projection)] = passing.tobytes()
        return known

    def level(self, summaries: Summaries) -> _IntraGraph:
        """Same-level edges by origin: intra-procedural ones, then summaries."""
        known = self.levels.get(id(summaries))
        if known is not None:
            return known
        flow = self.flow
        inside = np.flatnonzero(flow.context == Context.INTRA)
        origin = np.concatenate([flow.origin[inside], summaries.origin])
        order = stable_order(origin)
        rows = np.concatenate([inside, FIRST_SUMMARY - np.arange(len(summaries.origin))])[order]
        target = np.concatenate([flow.target[inside], summaries.target])[order]
        masks = np.concatenate([flow.mask[inside], summaries.mask])[order]
        assumed = np.concatenate([flow.assumed[inside], np.zeros(len(summaries.origin), np.bool_)])[order]
        first = np.concatenate([[0], np.cumsum(np.bincount(origin, minlength=len(flow.value)))])
        level = self.levels[id(summaries)] = _IntraGraph(first, rows, target, masks, assumed)
        return level

    @cached_property
    def call_edges(self) -> tuple[_CallEdges, _CallEdges]:
        """Call edges by argument and site, and return edges by result and site."""
        flow = self.flow
        return _CallEdges.of(flow, Context.CALL, flow.origin), _CallEdges.of(flow, Context.RETURN, flow.target)

    def source_text(self, value: int) -> str:
        return self.texts.text(int(self.program.file_of_value[value]), int(self.start[value]), int(self.end[value]))


@dataclass(frozen=True, slots=True)
class _CallEdges:
    """Rows of the flow graph by an end and a site: arrays, because of millions of edges only a few are asked for."""

    keys: Longs  # (n,) ascending: ``num_sites * end + site + 1``, because an edge may have no site
    rows: Longs  # (n,) ascending for equal keys
    num_sites: int

    @classmethod
    def of(cls, flow: FlowGraph, context: Context, ends: npt.NDArray[np.integer]) -> _CallEdges:
        rows = np.flatnonzero(flow.context == context)
        sites = flow.site[rows].astype(np.int64)
        num_sites = int(sites.max(initial=NONE)) + 2
        keys = ends[rows].astype(np.int64) * num_sites + sites + 1
        order = stable_order(keys)
        return cls(keys[order], rows[order], num_sites)

    def at(self, end: int, site: int) -> list[int]:
        """The rows of one end at one site. O(log n)."""
        key = end * self.num_sites + site + 1
        first, last = np.searchsorted(self.keys, (key, key + 1)).tolist()
        found: list[int] = self.rows[first:last].tolist()
        return found


@dataclass(frozen=True, slots=True)
class _IntraGraph:
    first: Longs  # (nodes + 1,) where the edges of each node begin
    rows: Longs
    targets: Longs
    masks: Longs  # vulnerabilities that pass each edge
    assumed: npt.NDArray[np.bool_]
