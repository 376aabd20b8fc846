"""Valid Go that the grammar does not know: ``new(time.Now())``, a pointer to a value (Go 1.26).

The grammar takes the name ``new`` as a sign that a type follows. Under another name the call is parsed as any other;
front ends read names from the file, where it is still ``new``. So the length and all places stay the same.
"""

from __future__ import annotations

import re
from typing import Final

OTHER_NAME: Final = b"nEw"  # as long as `new`

_NEW: Final = re.compile(rb"\bnew\b")
# `new(` before what is no type. A name, a pointer, a slice and an instance of a generic type are parsed as types.
_NEW_OF_VALUE: Final = re.compile(
    rb"""(?<![\w.])new(?=\s*+\(\s*+
    (?! (?:(?:\[\s*+\w*+\s*+\]|\*)\s*+)*+ (?: (?:map|chan|struct|interface|func)\b | <-
                           | [A-Za-z_]\w*+ (?:\s*+\.\s*+\w++)*+ \s*+ (?:\[\s*+(?!\d)[^()"'`\n]*\])? \s*+ \) ) )
    (?!\)) )""",
    re.VERBOSE,
)
_COMMENT_OR_TEXT: Final = re.compile(
    rb"""//[^\n]*+ | /\*(?:[^*]|\*(?!/))*+\*/ | "(?:\\.|[^"\\\n])*+" | `[^`]*+` | '(?:\\.|[^'\\\n])*+'""", re.VERBOSE
)
_NOT_A_LINE_END: Final = re.compile(rb"[^\n]")


def with_plain_calls(source: bytes) -> bytes:
    """``source`` with calls of ``new`` for values under another name; itself if there are none. Time linear."""
    if not _NEW.search(source):
        return source
    code = _COMMENT_OR_TEXT.sub(_without_comment, source)
    places = [match.start() for match in _NEW_OF_VALUE.finditer(code)]
    if not places:
        return source
    renamed = bytearray(source)
    for place in places:
        renamed[place : place + len(OTHER_NAME)] = OTHER_NAME
    return bytes(renamed)


def _without_comment(match: re.Match[bytes]) -> bytes:
    """Blanks for a comment; a text as it is."""
    found = match[0]
    return _NOT_A_LINE_END.sub(b" ", found) if found.startswith(b"/") else found
