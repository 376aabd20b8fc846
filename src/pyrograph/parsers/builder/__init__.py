"""The shared builder: the words in which every front end says what a program does.

It owns SSA, objects, conditions, constants and control flow, and knows no language and no syntax kind. ``Builder`` is
one object with one vocabulary; its words stand in layers, each a class that knows only the ones above it in this list:

* ``frame``: what is remembered of a function while it is lowered, and plain data that front ends hand over;
* ``values``: the unit's tables: values, flow, constants, texts;
* ``names``: environments with write logs, versions, captured variables; loop headers are lazy, a value older than the
  loop gets its ``carry`` when it is read inside;
* ``objects``: objects are states, and aliases see every store; calls;
* ``conditions``: a test leaves an ``Outcome``, with a pi version of every variable it reads, directly or through the
  definitions before;
* ``jumps``: ends of arms and rounds, ``break``, ``continue``, ``raise``;
* ``functions``: functions, classes, imports. Bodies are lowered after the body that encloses them, when all versions of
  a captured variable are known.

Words that nest as the input does (a branch whose arms the front end lowers) are in ``parsers.control``, above the
builder: compiled code, which the builder may be, has a stack that ends.
"""

from pyrograph.parsers.builder.frame import (
    Argument,
    Attempt,
    Constant,
    Contents,
    Frame,
    Loop,
    Mark,
    Outcome,
    Overrun,
    Range,
    Source,
    Span,
    State,
)
from pyrograph.parsers.builder.functions import Builder
from pyrograph.parsers.builder.jumps import trips

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
    "State",
    "trips",
]
