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
* ``control``: branches, loops, switches, exceptions;
* ``functions``: functions, classes, imports. Bodies are lowered after the body that encloses them, when all versions of
  a captured variable are known.
"""

from pyrograph.parsers.builder.control import trips
from pyrograph.parsers.builder.frame import Argument, Constant, Contents, Outcome, Range, Span, State
from pyrograph.parsers.builder.functions import Builder

__all__ = ["Argument", "Builder", "Constant", "Contents", "Outcome", "Range", "Span", "State", "trips"]
