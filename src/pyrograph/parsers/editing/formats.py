"""Formats: literals whose holes are filled by values that stand elsewhere."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pyrograph.parsers.editing.texts import Hole, Literal, Span, Text
from pyrograph.parsers.editing.tree import Tree

PERCENT = re.compile(r"%(?:%|[-+# 0]*\d*(?:\.\d+)?([a-zA-Z]))")  # one conversion, or a percent sign
FIELD = re.compile(r"\{\{|\}\}|\{(\w*)\}")  # one field of str.format, or a brace
Conversion = Callable[[re.Match[str], int], Span | None]  # the code that fills a match, the n-th hole; None: no fix


def formatted(
    tree: Tree,
    literals: Sequence[Literal],
    pattern: re.Pattern[str],
    filled: Conversion,
    span: Span,
    around: tuple[Span, ...],
    doubled: str,
) -> Text | None:
    """The text of a format; None where a hole is filled by nothing that is known, or a sign starts nothing."""
    parts: list[Literal | Hole] = []
    count = 0
    for literal in literals:
        content = tree.text[literal.start : literal.end].decode("latin-1")  # a character is a byte
        at = literal.start
        rest = pattern.sub("", content)
        if any(sign in rest for sign in doubled):
            return None
        for match in pattern.finditer(content):
            if match[1] is None:
                continue
            code = filled(match, count)
            if code is None:
                return None
            count += 1
            start, end = literal.start + match.start(), literal.start + match.end()
            parts.append(Literal(at, start, literal.token, literal.opening, literal.closing, doubled))
            simple = match[0] in ("%s", "%v", "%d") or "{" in match[0]
            parts.append(Hole(code, (start, end), simple=simple, is_text=match[0] == "%s"))
            at = end
        parts.append(Literal(at, literal.end, literal.token, literal.opening, literal.closing, doubled))
    if not count:
        return None
    return Text(span, tuple(parts), formatted=True, around=around)


def by_position(values: Sequence[Span]) -> Conversion:
    """The n-th hole is filled by the n-th value."""
    return lambda _, number: values[number] if number < len(values) else None


def by_field(values: Sequence[Span], named: Mapping[str, Span]) -> Conversion:
    """A hole is filled by the value of its name or number, or by its own place."""

    def filled(match: re.Match[str], number: int) -> Span | None:
        if match[1] in named:
            return named[match[1]]
        index = int(match[1]) if match[1].isdecimal() else number if not match[1] else len(values)
        return values[index] if index < len(values) else None

    return filled
