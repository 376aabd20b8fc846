"""Expressions of markup that are put into the text of a component's code."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.parsers.pages.brackets import PART

_CLOSING: Final = {0x28: 0x29, 0x5B: 0x5D, 0x7B: 0x7D}
_ENTITY: Final = re.compile(rb"&#?\w+;")


def put_tokens(code: bytearray, tokens: Sequence[bytes], at: int, end: int) -> bool:
    """Put tokens one after the other into blanks of ``code[at:end]``; False, and nothing is put, if they do not fit."""
    places = []
    for token in tokens:
        at = code.find(b" " * len(token), at, end)
        if at < 0:
            return False
        places.append((at, token))
        at += len(token)
    for place, token in places:
        code[place : place + len(token)] = token
    return bool(tokens)


def is_expression(text: bytes) -> bool:
    """Whether a text has balanced brackets and quotes, and is one expression as far as that shows."""
    if not text.strip() or _ENTITY.search(text) is not None:
        return False
    open_brackets = bytearray()
    quote = b""
    before = -1  # where a slash was
    for part in PART.finditer(text):
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
