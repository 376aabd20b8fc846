"""Resolution: which functions, classes, instances and APIs reach which value, in one monotone loop.

Functions, classes, modules and APIs are *states* that travel along SAME edges from where they are made to where they
are called or read. A resolved call adds edges from arguments to parameters, a model that calls its argument adds such
edges too; these bring more states; nothing is ever removed, so it ends. Values that always hold the same thing (an
object's states after stores and calls, versions under a condition) share one representative: that keeps the loop small.

A value has at most ``MAX_STATES`` states, ``MAX_HANDLERS`` on the way from a table of handlers to a call
(``handler_tables``), or ``MAX_ALIKE`` functions of one arity; where one has more is in ``Reached.overflown``.

``Solver`` joins the state of the resolution, in three groups; all else are functions over it:

* points-to: ``points_to`` (nodes, points-to sets, copy edges, the queue), ``capacity`` (how large a set may be),
  ``concerns`` (what a state that arrives sets off) and ``accesses`` (loads and stores);
* dispatch: ``calls`` (the call graph), ``functions``, ``classes``, ``names``, and ``guesses`` for calls that are left;
* models: ``models`` (what the packs say about APIs, and which calls it was applied to).

``propagation`` takes each state that arrives somewhere to the rules below. A rule knows only those above it in this
list:

* ``resolution``: the result, the call graph;
* ``solver``: the parts and the listeners;
* ``api_members``, ``packages``, ``modules``, ``class_members``, ``computed_names``, ``loads``: members by the kind of
  the object;
* ``vendored``: copies of libraries; ``imports`` (imports and global names) and ``stores``;
* ``entry_points``: functions that frameworks call;
* ``constants``, ``ports``, ``binding``: what a model names at a call, and the constant that a key is; which arguments
  arrive at which parameters;
* ``callbacks``, ``partials``, ``containers``, ``api_calls``: calls of APIs;
* ``dispatch``: calls of functions of the program;
* ``library_objects``, ``candidates``, ``fallbacks``: calls that nothing resolved;
* ``conventions``: entry points and base classes that only names and types show;
* ``propagation``, ``freeze``, ``loop``: the order of all that.

Before all of them, ``cloning`` gives functions that call their arguments a copy for each use, and ``representatives``
joins values to nodes.
"""

from pyrograph.scanner.analysis.resolve.loop import resolve
from pyrograph.scanner.analysis.resolve.resolution import Resolution

__all__ = ["Resolution", "resolve"]
