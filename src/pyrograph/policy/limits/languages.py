"""Limits of lowering that hold for one language, and of walks over syntax trees."""

from __future__ import annotations

from typing import Final

# -- Lowering: single languages ----------------------------------------------------------------------------------------

MAX_FALLTHROUGH: Final = 16
"""Bodies that one case of a switch in Go may fall through. [cases]

Reason: Each body is lowered once for each case that reaches it.
Lost: Flows from a case into bodies further down.
Problem: a case falls through more than {MAX_FALLTHROUGH} others; those further down are not analysed for it
Remedy: Fall through fewer cases.
"""
MAX_TYPE_DEPTH: Final = 8
"""Steps through named types to a composite one, and through accesses to a declared type, in Go. [steps]

Reason: Types may be recursive.
Lost: The type of an expression: its methods are then looked for by name.
Problem: none: may add or miss findings.
"""
MAX_BOUND_PARAMETERS: Final = 4
"""Parameters that a bound function in JavaScript passes on. [parameters]

Reason: Judgement: a bound function is lowered as one that calls, and its number of arguments is not known.
Lost: Arguments after these.
Problem: none: may miss findings.
"""
MAX_BOUND_ARGUMENTS: Final = 16
"""Arguments that are bound to one function, by one partial application or by several. [arguments]

Reason: Judgement: an object that binds arguments to itself in a loop would bind more and more.
Lost: Calls of the function with further bound arguments.
Problem: none: may miss findings; no program is known that binds as many.
"""
MAX_SPREAD: Final = 4
"""Elements of a spread argument that are matched one by one with those of the rest parameter, where both do not begin
at the same position. [elements]

Reason: Judgement: a list that is passed on with one argument in front, or without its first one, is short.
Lost: Flow of the elements after these.
Problem: none: may miss findings; wrappers have few parameters.
"""
MIN_WALKED_NODES: Final = 20_000
"""Size of a syntax tree from which it is looked at whether a query of tree-sitter may be quadratic. [nodes]

Reason: Below, quadratic time is a fraction of a second.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
MAX_QUERY_DEPTH: Final = 500
"""Depth of a large syntax tree from which it is walked instead of queried. [levels]

Reason: Generated code has 100 levels.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
DEPTH_SAMPLES: Final = 40
"""Places of a syntax tree where its depth is looked at. [places]

Reason: A part that is deep and costs much is large, so a sample meets it.
Lost: Nothing: another search finds the same.
Problem: none: speed only.
"""
MAX_FOLLOWED_ELEMENTS: Final = 16
"""Elements of a container in Python whose methods (``append``, ``pop`` ...) are followed. [elements]

Reason: Judgement: each call makes a new literal of all elements.
Lost: Positions: the models of the packs take over, which treat all elements alike.
Problem: none: may add findings.
"""
MAX_UNROLLED_ELEMENTS: Final = 4
"""Elements of a literal that a comprehension in Python goes through one by one. [elements]

Reason: Judgement: the body is lowered once for each.
Lost: Positions: a comprehension over more is a loop.
Problem: none: may add findings.
"""
