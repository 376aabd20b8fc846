"""Limits of the search: hits, depths, and the nearest sources."""

from __future__ import annotations

from typing import Final

# -- Search ------------------------------------------------------------------------------------------------------------

MAX_HITS: Final = 500_000
"""Pairs of source and sink that one search keeps, all vulnerabilities together. [pairs]

Reason: One takes 0.4 kB, so that they take 200 MB. Measured with low confidence and all threat models: Django has at
most 580,000 pairs of sources and sinks, connected or not.
Lost: Each sink keeps its nearest sources.
Problem: {} reached from more than {MAX_NEAREST} sources; only the nearest {MAX_NEAREST} are reported
Remedy: Scan fewer vulnerabilities or directories at once.
"""
MAX_NEAREST: Final = 16
"""Sources of one sink that are kept where there are too many. [sources]

Reason: Reports show five.
Lost: Sources further away.
Problem: none; that of ``MAX_HITS``.
"""
MAX_SEARCH_WORK: Final = 1_000_000_000
"""(Sources or sinks, whichever are fewer) x edges of one graph up to which all pairs are searched for. [edges]

Reason: A search of this size takes some seconds; the nearest sources of each sink cost ``MAX_NEAREST`` x edges.
Measured with low confidence and all threat models: at most 15 million in Django, 6 million in NodeBB, 5 million in
gogs.
Lost: Each sink keeps its nearest sources.
Problem: none; that of ``MAX_HITS``.
"""
SHARED_SEARCH: Final = 4_000_000
"""Sources x edges up to which searches of several vulnerabilities are made as one. [edges]

Reason: Small searches cost as much as they have levels, which they share then.
Lost: Nothing.
Problem: none: speed only.
"""
SHARED_GRAPH: Final = 50_000
"""Edges from which on the graphs of several vulnerabilities are searched as one, if they have no more sinks than
sources. [edges]

Reason: Measured with all vulnerabilities: the search of Django takes 6.1 s of CPU, 6.8 s with 20,000 and 11.5 s
without it; that of NodeBB 5.6, 6.6 and 6.7 s. Smaller graphs are put side by side (``SHARED_SEARCH``).
Lost: Nothing.
Problem: none: speed only.
"""
BACKWARD_RATIO: Final = 4
"""Times fewer sinks than sources from which a large graph is searched backwards. [ratio]

Reason: Judgement.
Lost: Nothing.
Problem: none: speed only.
"""
MAX_STARTS: Final = 256
"""Sources or sinks from which a graph with too many pairs is searched at once. [sources]

Reason: A search whose hits are too many to be kept ends after some of these. CPython's library with low confidence and
all threat models has a graph of 1.6 million edges, 5,691 sources and 594 sinks: 73.7 s with 3,366 sources at once, 3.4
to 4.4 s with 64 to 1,024 sinks.
Lost: Nothing: the rest is asked for next.
Problem: none: speed only.
"""
MAX_PAIRS: Final = 2_000_000
"""Pairs of source and sink that are asked for at once. [pairs]

Reason: Some 110 bytes each while they are put in order: 220 MB.
Lost: Nothing: the rest is asked for next.
Problem: none: speed only.
"""
