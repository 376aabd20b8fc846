"""The graph engine: who reaches whom, for many sources at once.

A library of its own; nothing in it knows of taint. The operations have permanent identifiers:

| operation | in Python | answers |
|---|---|---|
| ``graph.bfs`` | ``bfs`` | which sinks each source reaches, and at what depth |
| ``graph.reachability`` | ``reachability``, ``visited`` | which nodes each source reaches |
| ``dataflow.fixpoint`` | ``fixpoint`` | which facts arrive where, through a transfer function |
| | ``parents``, ``Paths``, ``path_avoiding`` | shortest paths to show: of one source, of many, without some edges |
| | ``reached``, ``chop``, ``reached_bits`` | which nodes some seed reaches, lie on a path, for which of 64 questions |
| | ``Reached`` | ``reached`` where the seeds become known one after the other |
| | ``nearest_sources`` | the first few sources that reach each node |

Those of the last three rows treat all seeds as one, and read columns of edges that nobody keeps; they run on NumPy.
"""

from pyrograph.graph.backend import Backend, Device, available, for_device
from pyrograph.graph.csr import (
    ROLE_MASK,
    ROLE_SHIFT,
    Built,
    Graph,
    GraphError,
    Role,
    node_words,
    to_csr,
    try_to_csr,
)
from pyrograph.graph.fixpoint import fixpoint
from pyrograph.graph.hits import Facts, Hits, Pairs
from pyrograph.graph.search import bfs, reachability, visited
from pyrograph.graph.transfer import Masks, Reach, Sanitize, Transfer
from pyrograph.graph.tree import Paths, Tree, parents, path_avoiding
from pyrograph.kernels.edgelists import Reached, chop, nearest_sources, reached, reached_bits
from pyrograph.kernels.errors import BackendError, LimitError
from pyrograph.kernels.launches import Launch, collecting

__all__ = [
    "ROLE_MASK",
    "ROLE_SHIFT",
    "Backend",
    "BackendError",
    "Built",
    "Device",
    "Facts",
    "Graph",
    "GraphError",
    "Hits",
    "Launch",
    "LimitError",
    "Masks",
    "Pairs",
    "Paths",
    "Reach",
    "Reached",
    "Role",
    "Sanitize",
    "Transfer",
    "Tree",
    "available",
    "bfs",
    "chop",
    "collecting",
    "fixpoint",
    "for_device",
    "nearest_sources",
    "node_words",
    "parents",
    "path_avoiding",
    "reachability",
    "reached",
    "reached_bits",
    "to_csr",
    "try_to_csr",
    "visited",
]
