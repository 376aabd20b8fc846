"""Assembly: the graph that is searched, built only where a source and a sink can meet.

``flow`` writes down all data flow between values. Then three steps, each exact and each smaller than the one before:

1. **Coarse pruning** (``pruning``). All data flow as one graph over values, fields and calling contexts ignored: keep
   what some source reaches and what reaches some sink. This is the only step that looks at the whole program, and it is
   columnar. The same again with calls and returns matched.
2. **Expansion** (``expansion``, ``paths``). What is left is expanded, forwards from the sources, into nodes (value,
   path): ``value.path`` *is tainted*, but for the keys that were overwritten since. A strong store feeds its own key
   and passes on all others. Only what is really stored makes a path, so that this is far smaller than asking,
   backwards from the sinks, for whatever is loaded somewhere.
3. **Summaries and layers** (``summaries``). For each formal of each procedure, which of its results it reaches without
   leaving: one monotone search whose rows are (node, formal) with a mask of vulnerabilities. Summary edges close the
   calls; two layers keep calls and returns matched.

Source of the construction: Reps, Horwitz, Sagiv (POPL 1995); Shi, Wang, Yao, Zhang (OOPSLA 2022).
"""

from pyrograph.scanner.analysis.assemble.edges import Context, Edges, FlowGraph, Ints, Kind, Path
from pyrograph.scanner.analysis.assemble.expansion import expand
from pyrograph.scanner.analysis.assemble.flow import data_flow
from pyrograph.scanner.analysis.assemble.summaries import Summaries, summarise, two_layers
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution


def assemble(program: Program, resolution: Resolution, labels: Labels) -> FlowGraph:
    """Build the graph; see the module's text. Cost: linear in the program for step 1, in what is left for the
    others.
    """
    edges = data_flow(program, resolution, labels)
    return expand(program, labels, edges)


__all__ = [
    "Context",
    "Edges",
    "FlowGraph",
    "Ints",
    "Kind",
    "Path",
    "Summaries",
    "assemble",
    "data_flow",
    "expand",
    "summarise",
    "two_layers",
]
