"""SQL text that is put together becomes constant text with placeholders, and its values become parameters.

A value may be a parameter where a value may stand: after a comparison, between quotes, in the list of ``values``. Names
of tables and columns, lists of values and parts of a statement stay where they are.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing import Editing, Hole, Literal, Text, Tree

_COMPARED: Final = re.compile(r"(?i)(?:[=<>]|\b(?:like|ilike))\s*\Z")  # before a value without quotes
_QUOTED: Final = re.compile(r"(?i)(?:[=<>(,]|\b(?:like|ilike|and|between|then|else|when))\s*\Z")  # before a quote
_LISTED: Final = re.compile(r"(?i)\bvalues\s*\([^()]*\Z")  # within the list of values
_ALONE: Final = re.compile(r"\(\s*\Z")
_ANY_OF: Final = re.compile(r"(?i)\bin\s*\(\s*\Z")
_ENDED: Final = re.compile(r"\s*(?:\Z|[\s,);])")  # after a value without quotes
_WILDCARDS: Final = "%_"
_SPACED: Final = frozenset("'\"`{#/\\")  # begin texts, comments and blocks, or continue a line
_TRAILING: Final = re.compile(r",\s*[)\]]")
_NO_CALL: Final = re.compile(r"(?:\A|[^\w)\]]|\b(?:in|is|and|or|not|if|else))\(|\[")  # a comma may make a tuple in it


class _Held(NamedTuple):
    """A hole that becomes a placeholder: what is replaced, and what of the text belongs to the value."""

    start: int
    end: int
    closing: str
    before: str  # of the text in the quotes: "%"
    after: str


def parameters(tree: Tree, editing: Editing, text: Text, style: str) -> tuple[list[Edit], list[str]] | None:
    """The edits of the text, and the values in the order of their placeholders; None where no value can be one.

    ``style``: one of ``rules.grammar_fixes.STYLES``.
    """
    held = _held(tree, text)
    if not held or (text.formatted and len(held) < len(text.holes)):
        return None
    edits: list[Edit] = []
    values: list[str] = []
    for hole, place in held.items():
        value = _value(tree, editing, text, hole, place)
        if value is None:
            return None
        values.append(value)
        mark = {"qmark": "?", "format": "%s", "dollar": f"${len(values)}"}[style]
        edits.append(Edit(place.start, place.end, (mark + place.closing).encode()))
    taken = [(edit.start, edit.end) for edit in edits]
    edits += _percent_signs(tree, text, taken, style)
    edits += [Edit(start, end) for start, end in text.around]
    edits += _plain(tree, text, set(held))
    return edits, values


def _held(tree: Tree, text: Text) -> dict[Hole, _Held]:
    """The holes that may become placeholders, in order."""
    contents = [_content(tree, part) if isinstance(part, Literal) else None for part in text.parts]
    if any(content is not None and re.search(r"\\['\"]", content) for content in contents):
        return {}
    found: dict[Hole, _Held] = {}
    quote = ""
    whole = ""  # the text so far, a hole as one character
    for number, part in enumerate(text.parts):
        if isinstance(part, Literal):
            quote = _quote_after(contents[number] or "", quote)
            whole += contents[number] or ""
            continue
        before = _neighbour(contents, number, -1)
        after = _neighbour(contents, number, 1)
        if part.place is not None and part.simple:
            start, end = part.place
            if quote:
                held = _in_quotes(before, after, quote, whole)
                if held is not None:
                    left, right = held
                    found[part] = _Held(start - len(left) - 1, end + len(right) + 1, part.closing, left, right)
            elif _stands_alone(before, after, whole, last=not any(content != "" for content in contents[number + 1 :])):
                found[part] = _Held(start, end, part.closing, "", "")
        whole += "\0"
    return found


def _content(tree: Tree, literal: Literal) -> str:
    """A literal's content, a character for each byte."""
    return tree.text[literal.start : literal.end].decode("latin-1")


def _neighbour(contents: list[str | None], number: int, step: int) -> str:
    """The constant text next to a hole."""
    at = number + step
    return (contents[at] or "") if 0 <= at < len(contents) else ""


def _quote_after(content: str, quote: str) -> str:
    """The quote that is open behind a stretch of SQL."""
    for character in content:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
    return quote


def _in_quotes(before: str, after: str, quote: str, whole: str) -> tuple[str, str] | None:
    """The wildcards around a value that stands in quotes with nothing else."""
    _, found, inside = before.rpartition(quote)
    rest, closed, _ = after.partition(quote)
    if not found or not closed or any(character not in _WILDCARDS for character in inside + rest):
        return None
    start = whole[: len(whole) - len(inside) - 1]
    if not _QUOTED.search(start) or _ANY_OF.search(start):
        return None
    return inside, rest


def _stands_alone(before: str, after: str, whole: str, *, last: bool) -> bool:
    """Whether a value without quotes stands where a parameter may stand."""
    if not before or not _ENDED.match(after) or (not after and not last):
        return False
    if _COMPARED.search(before):
        return True
    if not _LISTED.search(whole) or not re.search(r"[(,]\s*\Z", before):
        return False
    return not (_ALONE.search(before) and re.match(r"\s*\)", after))


def _value(tree: Tree, editing: Editing, text: Text, hole: Hole, place: _Held) -> str | None:
    """The code of a parameter: the hole's on one line, with the wildcards of ``like`` around it."""
    code = _one_line(tree.between(*hole.code))
    if not place.before and not place.after:
        return code
    if editing.adds_texts_only and not hole.is_text:
        return None
    before, after = place.before, place.after
    if text.formatted and any(isinstance(part, Literal) and "%" in part.doubled for part in text.parts):
        before, after = before.replace("%%", "%"), after.replace("%%", "%")
    return editing.composed([(False, before), (True, code), (False, after)])


def _one_line(code: str) -> str:
    """Code that brackets hold on several lines, written on one; as it is where line ends may mean more."""
    if "\n" not in code or not _SPACED.isdisjoint(code):
        return code
    if _TRAILING.search(code) and _NO_CALL.search(code):
        return code
    code = re.sub(r"([(\[])\s*\n\s*", r"\1", code)
    code = re.sub(r",?\s*\n\s*([)\]])", r"\1", code)
    return re.sub(r"\s*\n\s*", " ", code)


def _percent_signs(tree: Tree, text: Text, taken: list[tuple[int, int]], style: str) -> list[Edit]:
    """Percent signs and braces of the text that stays are written once or twice, as the new form asks for."""
    edits = []
    for part in text.parts:
        if not isinstance(part, Literal):
            continue
        content = tree.text[part.start : part.end]
        double = text.formatted and "%" in part.doubled
        if style == "format" and not double:
            edits += _each(content, part.start, rb"%", b"%%", taken)
        elif style != "format" and double:
            edits += _each(content, part.start, rb"%%", b"%", taken)
        if text.formatted and "{" in part.doubled:
            edits += _each(content, part.start, rb"\{\{", b"{", taken) + _each(
                content, part.start, rb"\}\}", b"}", taken
            )
    return edits


def _each(content: bytes, start: int, pattern: bytes, new: bytes, taken: list[tuple[int, int]]) -> list[Edit]:
    found = [Edit(start + match.start(), start + match.end(), new) for match in re.finditer(pattern, content)]
    return [edit for edit in found if not any(first <= edit.start < last for first, last in taken)]


def _plain(tree: Tree, text: Text, gone: set[Hole]) -> list[Edit]:
    """A literal with holes that has none any more loses its prefix, unless it holds braces that are written twice."""
    edits = []
    for token in dict.fromkeys(part.token for part in text.parts if isinstance(part, Literal)):
        own = [part for part in text.parts if isinstance(part, Literal) and part.token == token]
        inside = [hole for hole in text.holes if token[0] <= hole.code[0] < token[1]]
        prefix = own[0].opening.rstrip("'\"`")
        if not inside or not gone.issuperset(inside) or "f" not in prefix.lower():
            continue
        if any("{" in _content(tree, part) or "}" in _content(tree, part) for part in own):
            continue
        plain = prefix.replace("f", "").replace("F", "")
        edits.append(Edit(token[0], token[0] + len(prefix), plain.encode()))
    return edits
