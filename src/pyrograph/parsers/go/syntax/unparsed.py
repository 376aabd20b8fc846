"""Valid Go that the grammar does not know: ``new(time.Now())``, a pointer to a value (Go 1.26).

The grammar takes the name ``new`` as a sign that a type follows. Under another name the call is parsed as any other;
front ends read names from the file, where it is still ``new``. So the length and all places stay the same.
"""

from __future__ import annotations

import re
from typing import Final

OTHER_NAME: Final = b"nEw"  # as long as `new`

# `new(` before what is no type. A name, a pointer, a slice and an instance of a generic type are parsed as types.
_NEW_OF_VALUE: Final = re.compile(
    rb"""(?<![\w.])new(?=\(\s*
    (?! (?:\[\w*\]|\*)*+ (?: (?:map|chan|struct|interface|func)\b | <-
                           | [A-Za-z_][\w.]*+ (?:\[(?!\d)[^()"'`\n]*\])? \s*+ \) ) )
    (?!\)) )""",
    re.VERBOSE,
)


def with_plain_calls(source: bytes) -> bytes:
    """``source`` with calls of ``new`` for values under another name; itself if there are none."""
    return _NEW_OF_VALUE.sub(OTHER_NAME, source)
