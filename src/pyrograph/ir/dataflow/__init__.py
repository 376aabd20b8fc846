"""The loop-stream dialect: loops as streams of tokens, written, checked and run.

``types``      native and tagged types, and the words that tagged values are
``streams``    the four operations token by token (the definition)
``vectorised`` the same on arrays
``graph``      a graph of operations: what is written, checked and run
``text``       reads and writes graphs
``verify``     says which constraint a graph breaks
``interpret``  runs a graph
``lower``      expresses the loops of a unit as graphs, in chapters: ``nodes``, ``control``, ``regions``,
               ``conditions``, ``operations``; with ``tables``, ``decisions``, ``scc``

The specification's operations are ``dataflow.carry``, ``invariant``, ``stream`` and ``gate``. What a loop does besides
(arithmetic, tests, calls) and how its last value leaves it are operations called ``flow.``; see ``graph``.
"""
