"""Resolution: which functions, classes, instances and APIs reach which value, in one monotone loop.

Functions, classes, modules and APIs are *states* that travel along SAME edges from where they are made to where they
are called or read. A resolved call adds edges from arguments to parameters, a model that calls its argument adds such
edges too; these bring more states; nothing is ever removed, so it ends. Values that always hold the same thing (an
object's states after stores and calls, versions under a condition) share one representative: that keeps the loop small.

A value has at most ``MAX_STATES`` states; where one has more is in ``Resolution.limited``.

``solver`` moves states and knows no meaning; ``loop`` tells the chapters of each state that arrives somewhere; each
chapter knows only those above it in this list:

* ``numbers``: the unit's enumerations as plain integers;
* ``resolution``: what is found, the call graph;
* ``solver``: states, nodes, edges, watchers;
* ``members``: loads, what lies under a name or a key; then ``names`` (imports, names of modules) and ``stores``;
* ``uses``: functions that frameworks call;
* ``models``: calls of APIs; then ``calls``: calls of functions of the program;
* ``fallbacks``: calls that nothing resolved.

Before all of them, and knowing none, ``copies`` gives functions that call what they are given a copy for each use.
"""

from pyrograph.scanner.analysis.resolve.loop import resolve
from pyrograph.scanner.analysis.resolve.resolution import Resolution

__all__ = ["Resolution", "resolve"]
