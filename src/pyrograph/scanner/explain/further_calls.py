"""Further calls of the function that a sink stands in.

``run(sql)`` of a program has one sink, and each call of it that untrusted data reaches is a place to mend. A finding
lists the nearest path of each source, and these paths take a few of the calls. ``FurtherCalls.of`` finds the others:
for each call edge into the functions that the shown paths enter last, a shortest path from a source of the finding
through this edge. Sources of another kind than the one of the best path do not count: a caller of a library is no
request.

Cost: one search backwards for each call, bounded by ``MAX_FURTHER_CALLS`` of a finding and ``MAX_FURTHER_EDGES`` of a
scan.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice

from pyrograph.policy.limits.explanation import (
    MAX_ENTERED,
    MAX_FOLLOWED,
    MAX_FURTHER_CALLS,
    MAX_FURTHER_EDGES,
)
from pyrograph.rules.kinds import REQUEST_KINDS
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.paths import CALL
from pyrograph.scanner.explain.steps import Steps

Spot = tuple[int, int, int]  # file and bytes of a call


class FurtherCalls:
    """Paths through the other calls of the functions with the sinks."""

    def __init__(self, steps: Steps) -> None:
        self.steps = steps
        self.left = MAX_FURTHER_EDGES
        self.num_calls = len(steps.program.tables["calls"]["result"])  # sites from here on are no calls of the program

    def of(self, shown: Sequence[Hit], hits: Sequence[Hit], may_walk: Callable[[Hit], bool]) -> list[tuple[Hit, int]]:
        """Hits whose path takes another call, each with the result of that call, by the place of the call.

        Args:
            shown: The hits whose paths the finding lists; the best one first.
            hits: All hits of the finding, the likeliest first: several of a source, if it does harm in several aspects.
            may_walk: Whether the bound on work lets the path of a hit be inspected.
        """
        first = shown[0]
        if not may_walk(first):
            return []
        taken = self.taken([hit for hit in shown if may_walk(hit)])
        of_aspect = {id(first.projection): [hit for hit in shown if hit.projection is first.projection]}
        for hit in hits:
            if hit.assumed == first.assumed and self.is_like(hit, first):
                of_aspect.setdefault(id(hit.projection), []).append(hit)
        found: list[tuple[Spot, Hit, int]] = []
        for sources in of_aspect.values():
            found += self.of_one(sources, taken, MAX_FURTHER_CALLS - len(found), may_walk)
        return [(hit, result) for _, hit, result in sorted(found, key=lambda each: each[0])]

    def of_one(
        self, sources: Sequence[Hit], taken: set[Spot], most: int, may_walk: Callable[[Hit], bool]
    ) -> list[tuple[Spot, Hit, int]]:
        """The same for the hits of one projection, with the place of each call; adds these places to ``taken``."""
        first = sources[0]
        projection, flow = first.projection, self.steps.flow
        paths = self.steps.paths_in(projection)
        rows, sites = projection.rows.data, flow.site.data
        found: list[tuple[Spot, Hit, int]] = []
        for node, end in self.entered([hit for hit in sources[:MAX_FOLLOWED] if may_walk(hit)]):
            for edge, origin in paths.entering(node):
                row = rows[edge]
                if row < 0 or self.steps.context[row] != CALL or not 0 <= sites[row] < self.num_calls:
                    continue
                result, place = self.call(sites[row])
                if place in taken:
                    continue
                self.left -= projection.graph.num_edges
                if self.left < 0 or len(found) >= most:
                    return found
                source = next((hit for hit in sources if paths.reaches(hit.source, origin)), None)
                paths.forget_sink(origin)
                if source is not None:
                    taken.add(place)
                    through = source._replace(through=edge, sink=end.sink, sink_role=end.sink_role)
                    found.append((place, through, result))
        return found

    def is_like(self, hit: Hit, first: Hit) -> bool:
        """Whether the source of a hit is of the same kind as that of the best path, or both are parts of a request."""
        kind, other = (self.steps.labels.sources[each.source_role].kind for each in (hit, first))
        return kind == other or (kind in REQUEST_KINDS and other in REQUEST_KINDS)

    def calls_of(self, hit: Hit) -> Iterator[tuple[int, int]]:
        """The call edges of the path, from the sink on: (edge of the projection's graph, site)."""
        rows, sites = hit.projection.rows.data, self.steps.flow.site.data
        for edge in reversed(self.steps.graph_edges(hit)):
            row = rows[edge]
            if row >= 0 and self.steps.context[row] == CALL:
                yield edge, sites[row]

    def taken(self, hits: Sequence[Hit]) -> set[Spot]:
        """The places of the calls that the paths take."""
        sites = [site for hit in hits for _, site in self.calls_of(hit)]
        return {self.call(site)[1] for site in sites if 0 <= site < self.num_calls}

    def entered(self, hits: Sequence[Hit]) -> list[tuple[int, Hit]]:
        """The nodes at which the paths enter the functions next to the sink, each with the first hit that does."""
        nodes: dict[int, Hit] = {}
        for hit in hits:
            targets = hit.projection.graph.targets
            for edge, _ in islice(self.calls_of(hit), MAX_ENTERED):
                nodes.setdefault(int(targets[edge]), hit)
        return list(nodes.items())

    def call(self, site: int) -> tuple[int, Spot]:
        """The result of the call at a site, and its file and bytes: copies of a function share them."""
        steps = self.steps
        result = int(steps.program.tables["calls"]["result"][site])
        return result, (int(steps.program.file_of_value[result]), int(steps.start[result]), int(steps.end[result]))
