"""A graph of stream operations: what is written, checked and run.

A graph has *values* (streams, numbered in the order in which they are defined: arguments first, then the results of
each operation) and operations, whose order says nothing: a carry's fed-back operand is defined below it. Each argument
brings one token an activation; so does each result.

Besides the dialect's four operations there are those of the program around them, ``flow.``:

``%r = flow.constant 5 : index``                  one token an activation; ``?`` for a value that is not known
``%r = flow.constant 5, %t : i1 -> index``        one token for each token of %t
``%r = flow.add %a, 1 : index, index -> index``   and the other operators, on one token of each operand
``%r = flow.less %a, %b : index, index -> i1``    and the other tests: equal, in, is, prefix; truth of one operand
``%r = flow.both %a, %b : i1, i1 -> i1``          and either; not of one operand
``%r = flow.select %c, %a, %b : i1, T, T -> T``   %a where %c is true, else %b
``%r = flow.leave %d, %a : i1, T -> T``           %a where %d is false: what a loop ends with
``%r = flow.more %a : index -> i1``               whether something iterated over has another element; element, rest
``%r = flow.merge %a, %b : T, T -> T``            one of them, and nothing is known of which
``%r = flow.call "f" %a : index -> index``        anything else: load, slice, store, post, made_of, text, new, value

An operand of these, but of none of the dialect's, may be a constant or ``?``.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

from pyrograph.ir.dataflow.types import Type


@dataclass(frozen=True, slots=True)
class Literal:
    """A constant operand, as it is written: a number, ``true``, ``"text"``, ``null``; ``?`` when not known."""

    text: str

    @property
    def known(self) -> bool:
        return self.text != "?"

    @property
    def value(self) -> Any:
        return json.loads(self.text)


Operand = int | Literal
UNKNOWN: Final = Literal("?")


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    operands: tuple[Operand, ...]
    types: tuple[Type, ...]  # of the operands, constants but that of ``flow.constant`` included
    results: tuple[int, ...]
    result_types: tuple[Type, ...]
    attribute: str | None = None  # the quoted text after the name


@dataclass(frozen=True, slots=True)
class Graph:
    name: str
    arguments: tuple[int, ...]
    operations: tuple[Operation, ...]
    results: tuple[int, ...]
    names: tuple[str, ...]  # how each value is written, without the %
    types: tuple[Type, ...]  # of each value


# Operands and results of the operations around the dialect: c an i1, v any one type, * any number of anything.
FLOW: Final[dict[str, tuple[str, str]]] = {
    **dict.fromkeys(
        (
            *("flow.add", "flow.subtract", "flow.multiply", "flow.divide", "flow.floor_divide", "flow.modulo"),
            *("flow.remainder", "flow.power", "flow.and", "flow.or", "flow.xor", "flow.shift_left"),
            "flow.shift_right",
        ),
        ("vv", "v"),
    ),
    **dict.fromkeys(("flow.negate", "flow.invert", "flow.element", "flow.rest"), ("v", "v")),
    **dict.fromkeys(("flow.less", "flow.equal", "flow.in", "flow.is", "flow.prefix"), ("vv", "c")),
    **dict.fromkeys(("flow.truth", "flow.more"), ("v", "c")),
    **dict.fromkeys(("flow.both", "flow.either"), ("cc", "c")),
    "flow.not": ("c", "c"),
    "flow.select": ("cvv", "v"),
    "flow.leave": ("cv", "v"),
    **dict.fromkeys(
        (
            *("flow.merge", "flow.call", "flow.load", "flow.store", "flow.post", "flow.made_of", "flow.text"),
            *("flow.slice", "flow.new", "flow.value"),
        ),
        ("*", "v"),
    ),
}
