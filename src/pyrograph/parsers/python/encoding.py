"""The encoding that a file declares in a comment of its first two lines (PEP 263)."""

from __future__ import annotations

import re

_DECLARATION = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_BLANK = re.compile(rb"[ \t\f]*(?:#.*)?\r?")


def declared_encoding(text: bytes) -> tuple[str, int] | None:
    """The encoding that line 1 or 2 declares, and the line; None without one or for UTF-8."""
    for number, line in enumerate(text[:1000].split(b"\n", 2)[:2], start=1):
        match = _DECLARATION.match(line)
        if match:
            name = match[1].decode("ascii", "replace").lower().replace("_", "-")
            if name == "utf-8" or name.startswith("utf-8-"):
                return None
            return name, number
        if not _BLANK.fullmatch(line):
            return None
    return None
