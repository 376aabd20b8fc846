"""Text that code puts together: literals and the holes between them, whatever the construct of the language.

``f"select {x}"``, ``"select " + x``, ``"select %s" % x`` and ``fmt.Sprintf("select %s", x)`` are all the literal
``select `` and one hole. An operation replaces holes where they stand and leaves the rest of the code alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyrograph.parsers.editing.tree import Tree  # loads a parser

Span = tuple[int, int]  # bytes, the end exclusive


@dataclass(frozen=True, slots=True)
class Literal:
    """A stretch of constant text: the content, as it is written in the code."""

    start: int  # bytes, without quotes
    end: int
    token: Span  # the literal with its quotes
    opening: str  # prefix and quote
    closing: str
    doubled: str = ""  # characters that are written twice: "{}" in an f-string, "%" in a format


@dataclass(frozen=True, slots=True)
class Hole:
    """A value that becomes part of the text."""

    code: Span  # the expression
    place: Span | None  # what placeholder text may replace, from one literal's content to the next one's; None: nothing
    closing: str = ""  # what must follow the placeholder: the quote of a literal that ended before the hole
    simple: bool = True  # it is written as it is: no format, no conversion
    is_text: bool = False  # it is text for certain: it is added to text, or formatted as one


@dataclass(frozen=True, slots=True)
class Text:
    """Literals and holes in reading order. A formatted text keeps its values behind the format."""

    span: Span  # of the whole expression
    parts: tuple[Literal | Hole, ...]
    formatted: bool = False  # holes and values stand apart: all are replaced, or none
    around: tuple[Span, ...] = ()  # formatted: what is left out once no hole remains

    @property
    def holes(self) -> tuple[Hole, ...]:
        return tuple(part for part in self.parts if isinstance(part, Hole))


def joined(operands: Sequence[tuple[Span, Text | None]], span: Span) -> Text | None:
    """The text of literals and values that an operator joins; None where none of them is a literal.

    ``operands``: the code of each, and its text where it is one.
    """
    if not any(text is not None for _, text in operands):
        return None
    parts: list[Literal | Hole] = []
    for number, (code, text) in enumerate(operands):
        if text is not None:
            if text.formatted:
                return None
            parts += text.parts
            continue
        previous = operands[number - 1][1] if number else None
        following = operands[number + 1][1] if number + 1 < len(operands) else None
        last = number + 1 == len(operands)
        place, closing = _place(code, previous, following, last=last)
        parts.append(Hole(code, place, closing, is_text=True))
    return Text(span, tuple(parts))


def _place(code: Span, previous: Text | None, following: Text | None, *, last: bool) -> tuple[Span | None, str]:
    """What a placeholder for an operand may replace, and the quote that must follow it."""
    before = previous.parts[-1] if previous is not None else None
    if not isinstance(before, Literal):
        return None, ""
    if last:
        return (before.end, code[1]), before.closing
    after = following.parts[0] if following is not None else None
    if not isinstance(after, Literal) or after.opening != before.opening:
        return None, ""
    return (before.end, after.start), ""


def operands(tree: Tree, node: int) -> list[int]:
    """The operands of additions that nest to the left, from left to right; of another node, the node alone."""
    kind = tree.kind(node)
    found: list[int] = []
    while tree.kind(node) == kind:
        left, operator, right = (tree.child(node, field) for field in ("left", "operator", "right"))
        if left is None or right is None or operator is None or tree.source(operator) != "+":
            break
        found.append(right)
        node = left
    return [node, *reversed(found)]
