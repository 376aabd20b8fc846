"""Brackets in the text of an expression: a quote or a comment in it is not looked for."""

from __future__ import annotations

import re
from typing import Final

PART: Final = re.compile(rb"""["'`\\/;&]|[(\[{]|[)\]}]""")


def end_of(page: bytes, at: int, end: int) -> int:
    """Where the bracket that is open at ``at`` is closed, or -1."""
    depth = 0
    for part in PART.finditer(page, at, end):
        sign = part[0]
        depth += (sign in b"([{") - (sign in b")]}")
        if depth < 0:
            return part.start()
    return -1
