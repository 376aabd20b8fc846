"""Assembly: the graph that is searched, built only where a source and a sink can meet.

``flow`` collects all data flow between values as ``edges``. Then three steps, each on a smaller graph:

1. **Pruning** (``pruning``). Computes the chop of the graph over values, without access paths and calling contexts;
   then again with calls and returns matched. Only this step reads the whole program; it works on columns.
2. **Expansion** (``expansion``, ``access_paths``). Expands what is left, forwards from the sources, into nodes (value,
   access path): ``value.path`` is tainted, except for keys that were overwritten since. A path exists only where
   something tainted was stored. Backwards from loads, there would be far more.
3. **Summaries and layers** (``summaries``). For each formal of each procedure, the exits that it reaches within the
   procedure: one worklist over (node, formal) with masks of vulnerabilities. Summary edges represent completed calls;
   two layers match calls and returns.

Source of the construction: Reps, Horwitz, Sagiv (POPL 1995); Shi, Wang, Yao, Zhang (OOPSLA 2022).
"""

from pyrograph.scanner.analysis.assemble.edges import AccessPath, Context, Edges, FlowGraph, Ints, Kind
from pyrograph.scanner.analysis.assemble.expansion import expand
from pyrograph.scanner.analysis.assemble.flow import data_flow
from pyrograph.scanner.analysis.assemble.summaries import Summaries, summarise, two_layers
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution


def assemble(program: Program, resolution: Resolution, labels: Labels) -> FlowGraph:
    """Build the flow graph. Time linear in the program for pruning, and in what is left for expansion."""
    edges = data_flow(program, resolution, labels)
    return expand(program, labels, edges)


__all__ = [
    "AccessPath",
    "Context",
    "Edges",
    "FlowGraph",
    "Ints",
    "Kind",
    "Summaries",
    "assemble",
    "data_flow",
    "expand",
    "summarise",
    "two_layers",
]
