"""Constants as Go computes them: literals, arithmetic, comparisons, parts of texts.

Functions for ``Builder.fold``: they raise ``TypeError`` or ``ValueError`` for operands that they do not apply to.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from pyrograph.ir.codes import Operator
from pyrograph.parsers.builder import Constant
from pyrograph.parsers.folding import shifted

ESCAPE = re.compile(rb"\\([abfnrtv\\'\"]|[0-7]{3}|x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8})")
_SIMPLE_ESCAPES: Final = {b"a": b"\a", b"b": b"\b", b"f": b"\f", b"n": b"\n", b"r": b"\r", b"t": b"\t", b"v": b"\v"}


def integer_of(text: str) -> int | None:
    """A Go integer literal: ``0x_1F``, ``0b1``, ``0o17`` and also ``017``."""
    text = text.replace("_", "")
    try:
        if len(text) > 1 and text[0] == "0" and text[1].isdigit():
            return int(text, 8)
        return int(text, 0)
    except ValueError:
        return None


def unescaped(match: re.Match[bytes]) -> bytes:
    """The bytes of an escape sequence in a literal, matched by ``ESCAPE``."""
    escape = match.group(1)
    simple = _SIMPLE_ESCAPES.get(escape)
    if simple is not None:
        return simple
    if escape[:1] in b"\\'\"":
        return escape
    if escape[:1] == b"x":
        return bytes((int(escape[1:], 16),))
    if escape[:1] in b"uU":
        code = int(escape[1:], 16)
        return chr(code).encode("utf-8", "replace") if code < 0x110000 else b"\xef\xbf\xbd"
    return bytes((int(escape, 8) & 0xFF,))


def sum_of(*parts: Constant) -> Constant:
    """The sum of numbers."""
    total: int | float = 0
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, (int, float)):
            raise TypeError("no number")
        total += part
    return total


def as_number(value: Constant) -> int | float:
    """``value``, which must be a number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError("no number")
    return value


def as_whole(value: Constant) -> int:
    """``value``, which must be an integer."""
    if type(value) is not int:
        raise TypeError("no integer")
    return value


def _divide(left: Constant, right: Constant) -> Constant:
    """The quotient; that of integers is truncated towards zero."""
    a, b = as_number(left), as_number(right)
    if isinstance(a, int) and isinstance(b, int):
        return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    return a / b


def _remainder(left: Constant, right: Constant) -> Constant:
    a, b = as_whole(left), as_whole(right)
    return abs(a) % abs(b) * (-1 if a < 0 else 1)


def _shift_left(left: Constant, right: Constant) -> Constant:
    return shifted(as_whole(left), as_whole(right))


def _shift_right(left: Constant, right: Constant) -> Constant:
    return as_whole(left) >> as_whole(right)


def element_of(value: Constant, index: Constant) -> Constant:
    """A byte of a text."""
    if not isinstance(value, str) or as_whole(index) < 0:
        raise TypeError("no text")
    return value.encode("utf-8", "surrogatepass")[as_whole(index)]


def slice_of(value: Constant, start: Constant, end: Constant = None) -> Constant:
    """Some bytes of a text, as text."""
    if not isinstance(value, str) or as_whole(start) < 0 or (end is not None and as_whole(end) < 0):
        raise TypeError("no text")
    data = value.encode("utf-8", "surrogatepass")
    return data[as_whole(start) : len(data) if end is None else as_whole(end)].decode("utf-8")


ARITHMETIC: Final[dict[str, Callable[[Constant, Constant], Constant]]] = {
    "-": lambda a, b: as_number(a) - as_number(b),
    "*": lambda a, b: as_number(a) * as_number(b),
    "/": _divide,
    "%": _remainder,
    "<<": _shift_left,
    ">>": _shift_right,
    "&": lambda a, b: as_whole(a) & as_whole(b),
    "|": lambda a, b: as_whole(a) | as_whole(b),
    "^": lambda a, b: as_whole(a) ^ as_whole(b),
    "&^": lambda a, b: as_whole(a) & ~as_whole(b),
}


ORDER: Final[dict[str, Callable[[float, float], bool]]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


EXCHANGED: Final = {">": "<", "<=": ">="}  # ``a > b`` is ``b < a``


OPERATORS: Final = {
    "+": Operator.ADD,
    "-": Operator.SUBTRACT,
    "*": Operator.MULTIPLY,
    "/": Operator.DIVIDE,
    "%": Operator.REMAINDER,
    "&": Operator.AND,
    "|": Operator.OR,
    "^": Operator.XOR,
    "<<": Operator.SHIFT_LEFT,
    ">>": Operator.SHIFT_RIGHT,
}
