"""Random graphs shaped like programs, from a seed, for the benchmarks of the engine.

Functions are chains of values with skip edges; calls lead from an argument to a parameter, and in the ``flat`` shape
also back from the callee's end to the call. Without the way back (``narrow``) little is reached from anywhere, as in
the context-sensitive graph a scan searches.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pyrograph import graph

FUNCTION = 50  # values per function
CALLS = 3  # calls per function, with an argument each


@dataclass(frozen=True)
class Shape:
    """The parameters of one benchmark."""

    name: str  # "flat" or "narrow"
    nodes: int
    sources: int


def program(shape: Shape, seed: int = 0) -> tuple[graph.Graph, np.ndarray]:
    """A graph of ``shape.nodes`` nodes (rounded down to whole functions) and distinct sources in it.

    0.1 % of the nodes are sinks and 0.5 % sanitizers; degree about 1.6 if flat, 1.5 if narrow. Same seed, same graph.
    """
    rng = np.random.default_rng(seed)
    functions = shape.nodes // FUNCTION
    n = functions * FUNCTION
    node = np.arange(n)
    within = node % FUNCTION
    chain = node[within < FUNCTION - 1]
    skip = rng.integers(0, n, int(0.6 * n))
    ahead = skip + rng.integers(2, 12, len(skip))
    skip, ahead = skip[ahead // FUNCTION == skip // FUNCTION], ahead[ahead // FUNCTION == skip // FUNCTION]
    caller = np.repeat(np.arange(functions), CALLS)
    site = caller * FUNCTION + rng.integers(1, FUNCTION - 1, len(caller))
    near = (caller + rng.integers(-50, 50, len(caller))) % functions
    popular = (functions * rng.random(len(caller)) ** 3).astype(np.int64)
    callee = np.where(rng.random(len(caller)) < 0.9, near, popular)
    pairs = [(chain, chain + 1), (skip, ahead)]
    if shape.name == "flat":
        pairs += [(site, callee * FUNCTION), (callee * FUNCTION + FUNCTION - 1, site + 1)]
    else:
        callee = np.maximum(callee, caller)  # calls go forward only, and end soon
        few = rng.random(len(callee)) < 0.3
        pairs.append((site[few], callee[few] * FUNCTION))
    edges = np.concatenate([np.column_stack(pair) for pair in pairs])
    draw = rng.random(n)
    roles = np.where(draw < 0.001, graph.Role.SINK, graph.Role.NORMAL)
    roles[(draw > 0.5) & (draw < 0.505)] = graph.Role.SANITIZER
    built = graph.to_csr(n, edges, node_data=graph.node_words(roles)).graph
    normal = np.flatnonzero(roles == graph.Role.NORMAL)
    sources = rng.choice(normal, min(shape.sources, len(normal)), replace=False)
    return built, sources


def edges_followed(built: graph.Graph, sources: np.ndarray, sample: int = 32) -> float:
    """Out-edges of the nodes that a source reaches and that are no sanitizers, on average over some sources."""
    some = sources[:: max(1, len(sources) // sample)][:sample]
    reached = graph.reachability(built, some, backend="host")
    open_ends = built.roles()[reached.sink] != graph.Role.SANITIZER
    return float(np.diff(built.offsets)[reached.sink[open_ends]].sum()) / max(len(some), 1)
