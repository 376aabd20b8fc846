"""Expressions in the markup of a component that become markup themselves: ``v-html="x"``, ``{@html x}``.

Each becomes a call in the text of the component's code, ``_html(x)``, at the place of the expression, so that its names
are those of the component's script. A loop around it, ``v-for="x in list"``, becomes a loop without a body, which binds
its variable. What the markup of Vue says stands in a function, because it runs after the script. Everything else in
the markup stays blank; an expression without balanced brackets and quotes is left out, so that it cannot damage the
script. Time linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.policy.limits.parsing import MAX_ATTRIBUTE

_ROOT: Final = re.compile(rb"^<template\s*>", re.MULTILINE)
_ROOT_END: Final = b"</template>"
_ATTRIBUTE: Final = re.compile(
    rb"""(?P<comment><!--)|[\s"'](?P<name>v-html|v-for|(?:v-bind)?:inner(?:HTML|-html))\s*+=\s*+"""
    rb"""(?:"(?P<double>[^"]{1,%d})"|'(?P<single>[^']{1,%d})')""" % (MAX_ATTRIBUTE, MAX_ATTRIBUTE)
)
_TAG: Final = re.compile(rb"(?P<comment><!--)|\{@html\s")
_LOOP: Final = re.compile(rb"\s*(?:\(\s*([\w$]+)\s*(?:,[\w$\s,]*)?\)|([\w$]+))\s+(in|of)\s", re.ASCII)
_PART: Final = re.compile(rb"""["'`\\/;&]|[(\[{]|[)\]}]""")
_CLOSING: Final = {0x28: 0x29, 0x5B: 0x5D, 0x7B: 0x7D}
_ENTITY: Final = re.compile(rb"&#?\w+;")
CALL: Final = b";_html("
LOOP: Final = b";for(var "
FUNCTION: Final = b";()=>{"


def put_shown(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
    """Put the expressions of a component's markup into its ``code``, a text of the page's length whose other bytes are
    blank; ``scripts``: where scripts stand.
    """
    root = _ROOT.search(page)
    if root is None:
        _put_tags(page, code, scripts)
        return
    end = page.rfind(_ROOT_END)
    if end < root.end() or any(start < end and stop > root.start() for start, stop in scripts):
        return
    if _put_attributes(page, code, root.end(), end):
        code[root.start() : root.start() + len(FUNCTION)] = FUNCTION
        code[end : end + 2] = b"};"


def _put_attributes(page: bytes, code: bytearray, at: int, end: int) -> bool:
    """Put those of Vue; returns whether there are any."""
    if b"v-html" not in page and b"inner" not in page:
        return False
    free = at  # bytes from here on are blank
    found = False
    while (match := _ATTRIBUTE.search(page, at, end)) is not None:
        at = match.end() - 1  # the quote may be the byte before the next attribute
        if match["comment"]:
            at = page.find(b"-->", match.end(), end)
            if at < 0:
                break
            continue
        start, stop = match.span("double" if match["double"] is not None else "single")
        text = match["double"] or match["single"]
        opening = CALL
        if match["name"] == b"v-for":
            opening, text = LOOP, _loop(text)
        if start - len(opening) < free or not is_expression(text):
            continue
        code[start - len(opening) : start] = opening
        code[start:stop] = text
        code[stop : stop + 2] = b");"
        free = stop + 2
        found = True
    return found


def _loop(text: bytes) -> bytes:
    """``(x, i) in list`` as the head of a loop over the list, of the same length; "" if it is not written so."""
    head = _LOOP.match(text)
    if head is None:
        return b""
    group = 1 if head[1] is not None else 2
    blank = bytearray(b" " * head.end())
    blank[head.start(group) : head.end(group)] = head[group]
    blank[head.start(3) : head.end(3)] = b"of"
    return bytes(blank) + text[head.end() :]


def _put_tags(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
    """Put those of Svelte."""
    at = 0
    ends = dict(scripts)
    starts = sorted(ends)
    number = 0
    while (match := _TAG.search(page, at)) is not None:
        at = match.end()
        while number < len(starts) and ends[starts[number]] <= match.start():
            number += 1
        if number < len(starts) and starts[number] <= match.start():
            at = max(at, ends[starts[number]])
        elif match["comment"]:
            at = page.find(b"-->", at)
            if at < 0:
                return
        else:
            stop = _end_of(page, at, min(len(page), at + MAX_ATTRIBUTE))
            if stop > at and is_expression(page[at:stop]):
                code[match.end() - len(CALL) : match.end()] = CALL
                code[at:stop] = page[at:stop]
                code[stop : stop + 1] = b")"
                at = stop + 1


def _end_of(page: bytes, at: int, end: int) -> int:
    """Where the brace that is open at ``at`` is closed, or -1."""
    depth = 0
    for part in _PART.finditer(page, at, end):
        sign = part[0]
        depth += (sign in b"([{") - (sign in b")]}")
        if depth < 0:
            return part.start()
    return -1


def is_expression(text: bytes) -> bool:
    """Whether a text has balanced brackets and quotes, and is one expression as far as that shows."""
    if not text.strip() or _ENTITY.search(text) is not None:
        return False
    open_brackets = bytearray()
    quote = b""
    before = -1  # where a slash was
    for part in _PART.finditer(text):
        sign = part[0]
        if quote:
            if sign == b"\\":
                return False
            quote = b"" if sign == quote else quote
        elif sign in (b'"', b"'", b"`"):
            quote = sign
        elif sign in (b";", b"\\"):
            return False
        elif sign == b"/":
            if before == part.start() - 1 or text[part.end() : part.end() + 1] == b"*":
                return False
            before = part.start()
        elif sign in b"([{":
            open_brackets.append(_CLOSING[sign[0]])
        elif sign in b")]}" and (not open_brackets or open_brackets.pop() != sign[0]):
            return False
    return not quote and not open_brackets
