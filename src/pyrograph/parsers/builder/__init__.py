"""The shared builder: the words in which every front end says what a program does.

It owns SSA, objects, conditions, constants and control flow, and knows no language and no syntax kind. ``Builder`` is
one object with one vocabulary; its words stand in layers, each a class that knows only the ones above it in this list:

* ``data``: plain data that front ends and the builder hand each other;
* ``frame``: the state of a function while it is lowered, in parts with one purpose each;
* ``values``: the unit's tables: values, flow, constants, texts;
* ``arms``: environments with write logs, phis at merges; loop headers are lazy, a value older than the loop gets its
  header phi (``carry``) when it is read inside;
* ``names``: scopes, reads and writes of variables, captured variables;
* ``objects``: objects are states, and aliases see every store;
* ``calls``: calls, which leave arguments in new states;
* ``choices``: which edges into a merge the test of a merged variable leaves, and what is known on them;
* ``conditions``: a test returns an ``Outcome``, with a pi version of every variable that it reads, directly or through
  earlier definitions;
* ``jumps``: ends of arms, back edges of loops, ``break``, ``continue``, ``raise``;
* ``exits``: ``return``, ``yield``, and the versions of parameters at each exit;
* ``functions``: functions, classes, imports. Bodies are lowered after the body that encloses them, when all versions of
  a captured variable are known.

Words that nest as the input does (a branch whose arms the front end lowers) are in ``parsers.control``, above the
builder: compiled code, which the builder may be, has a stack that ends.
"""

from pyrograph.parsers.builder.data import Argument, Constant, Contents, Outcome, Overrun, Range, Source, Span, Writes
from pyrograph.parsers.builder.frame import Attempt, Frame, Loop, Mark
from pyrograph.parsers.builder.functions import Builder
from pyrograph.parsers.builder.jumps import trip_count

__all__ = [
    "Argument",
    "Attempt",
    "Builder",
    "Constant",
    "Contents",
    "Frame",
    "Loop",
    "Mark",
    "Outcome",
    "Overrun",
    "Range",
    "Source",
    "Span",
    "Writes",
    "trip_count",
]
