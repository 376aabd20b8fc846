"""Where comments stand, found without a parser: what is neither a comment nor a string is skipped."""

from __future__ import annotations

import re
from collections.abc import Iterator

# Every repetition is possessive (``*+``) and every string ends at the end of the text at the latest, so that a pattern
# whose opening matches does not fail: time linear in the text, whatever it is.
_END = r"\\?\Z"  # of the text, perhaps behind a backslash
_DOUBLE = rf'"(?:\\.|[^"\\\n])*+(?:"|(?=\n)|{_END})'
_SINGLE = rf"'(?:\\.|[^'\\\n])*+(?:'|(?=\n)|{_END})"
_TOKEN = re.compile(
    rf'(?P<comment>\#[^\n]*+)|"""(?:\\.|"(?!"")|[^"\\])*+(?:"""|{_END})|'
    rf"'''(?:\\.|'(?!'')|[^'\\])*+(?:'''|{_END})|{_DOUBLE}|{_SINGLE}",
    re.DOTALL,
)


def comments(text: str) -> Iterator[tuple[int, int]]:
    """Start and end of each comment. Time linear in the text."""
    return (match.span() for match in _TOKEN.finditer(text) if match["comment"] is not None)
