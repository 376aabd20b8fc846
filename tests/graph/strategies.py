"""Graphs, lanes and masks for Hypothesis, and the backends that can be compared here."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from pyrograph import graph

FAST: list[graph.Backend] = ["vectorised"]
if graph.available()["numba"]:
    FAST.append("numba")
ALL: list[graph.Backend] = ["reference", *FAST]


# A backend, and numbers of its modules that bring small graphs to limits they would not meet.
VARIANTS: dict[str, tuple[graph.Backend, dict[str, int]]] = {
    "vectorised": ("vectorised", {}),
    "vectorised, no thin levels": ("vectorised", {"vectorised.THIN": 0}),
    "vectorised, one row at a time": ("vectorised", {"vectorised.STATES": 1}),
}
if graph.available()["numba"]:
    VARIANTS |= {
        "numba": ("numba", {}),
        "numba, queues": ("numba", {"multicore.SHARED": 1 << 60, "compiled.GROUP": 7}),
        "numba, queues and rows": ("numba", {"multicore.SHARED": 2}),
        "numba, rows": ("numba", {"multicore.SHARED": 0}),
        "numba, a word of sources": ("numba", {"closure.WIDTH": 1}),
        "numba, rows of one piece": ("numba", {"multicore.SHARED": 0, "depthrows.PIECES": 1}),
        "numba, rows of 16 bits": ("numba", {"multicore.SHARED": 0, "depthrows.DEEPEST_BYTE": 1}),
        "numba, too deep for rows": (
            "numba",
            {"multicore.SHARED": 0, "depthrows.DEEPEST_BYTE": 1, "depthrows.DEEPEST": 2},
        ),
        "numba, no room for rows": ("numba", {"multicore.SHARED": 0, "depthrows.ROWS_BYTES": 64}),
    }

ROLES = st.sampled_from([0, 0, 0, 1, 2, 2, 3, 4])
SHAPES = [
    "chain", "star", "in-star", "cycle", "complete", "tree", "diamonds", "apart", "doubled", "hub", "layers",
]  # fmt: skip
BITS = 3  # vulnerabilities in a generated mask


@st.composite
def edge_lists(draw: st.DrawFn, n: int) -> list[tuple[int, int]]:
    """Edges of a graph of ``n`` nodes: random ones, or one of the shapes that kernels get wrong."""
    if n == 0:
        return []
    node = st.integers(0, n - 1)
    shape = draw(st.sampled_from(["random", "random", *SHAPES]))
    match shape:
        case "chain":
            edges = [(u, u + 1) for u in range(n - 1)]
        case "star":
            edges = [(0, u) for u in range(1, n)]
        case "in-star":
            edges = [(u, 0) for u in range(1, n)]
        case "cycle":
            edges = [(u, (u + 1) % n) for u in range(n)]
        case "complete":
            edges = [(u, v) for u in range(min(n, 9)) for v in range(min(n, 9))]
        case "tree":
            edges = [((u - 1) // 2, u) for u in range(1, n)]
        case "diamonds":
            pairs = ((3 * k, 3 * k + i, 3 * k + 3) for k in range(n // 3) for i in (1, 2))
            edges = [edge for a, b, c in pairs if c < n for edge in ((a, b), (b, c))]
        case "apart":
            edges = [(u, u + 1) for u in range(n - 1) if u != n // 2]
        case "doubled":
            edges = [(u, v) for u in range(n - 1) for v in (u, u + 1, u + 1)]
        case "hub":
            edges = [edge for u in range(1, n) for edge in ((u, 0), (0, u))]
        case "layers":
            edges = [(u, v) for u in range(n) for v in range(u + 1, n) if v // 3 == u // 3 + 1]
        case _:
            edges = []
    return edges + draw(st.lists(st.tuples(node, node), max_size=2 * n if shape == "random" else 4))


@st.composite
def graphs(draw: st.DrawFn, *, max_nodes: int = 40) -> graph.Graph:
    """A sound graph with any roles, parallel edges, self edges and a mask on every edge."""
    n = draw(st.one_of(st.integers(0, 8), st.sampled_from([31, 32, 33]), st.integers(0, max_nodes)))
    edges = draw(edge_lists(n))
    data = graph.node_words(draw(st.lists(ROLES, min_size=n, max_size=n)))
    masks = draw(st.lists(st.integers(0, 2**BITS - 1), min_size=len(edges), max_size=len(edges)))
    return graph.try_to_csr(n, edges, node_data=data, edge_data=masks)


@st.composite
def lanes(draw: st.DrawFn, of: graph.Graph) -> list[int]:
    """Sources: none, a few, or more than fit one word; repeats included."""
    if of.num_nodes == 0:
        return []
    node = st.integers(0, of.num_nodes - 1)
    count = draw(st.sampled_from([0, 1, 2, 5, 63, 64, 65, 130]))
    if count <= 5:
        return draw(st.lists(node, min_size=count, max_size=count))
    first = draw(node)
    return [(first + 7 * i) % of.num_nodes for i in range(count)]


@st.composite
def masks(draw: st.DrawFn, of: graph.Graph) -> graph.Masks:
    """Node and sink masks, either of which may be missing."""
    words = st.one_of(
        st.none(),
        st.lists(st.integers(0, 2**BITS - 1), min_size=of.num_nodes, max_size=of.num_nodes).map(
            lambda values: np.array(values, np.uint64)
        ),
    )
    return graph.Masks(draw(words), draw(words))


DEPTHS = st.one_of(st.none(), st.integers(0, 5))
KEPT = st.one_of(st.none(), st.integers(0, 5))
