"""Sets of characters as intervals of code points.

A set is a tuple of ``(first, last)``, ascending, apart from each other. What a dialect's ``\\w``, ``\\d`` and ``\\s``
hold is exact up to U+00FF. Where a dialect's classes are those of Unicode, characters beyond are in neither a class nor
its complement, so that nothing is ever claimed of them.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final

Chars = tuple[tuple[int, int], ...]

LAST: Final = 0x10FFFF
EXACT: Final = 0xFF  # up to here classes are exact in all dialects
EVERYTHING: Final[Chars] = ((0, LAST),)


def union(intervals: Iterable[tuple[int, int]]) -> Chars:
    """The set of what is in any of these intervals, in any order."""
    found: list[tuple[int, int]] = []
    for first, last in sorted(intervals):
        if found and first <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], last))
        else:
            found.append((first, last))
    return tuple(found)


def complement(chars: Chars, last: int = LAST) -> Chars:
    """What is not in the set, up to ``last``.

    >>> complement(((0, 9), (11, 20)), 30)
    ((10, 10), (21, 30))
    """
    found, at = [], 0
    for low, high in chars:
        if at < low:
            found.append((at, min(low - 1, last)))
        at = high + 1
    if at <= last:
        found.append((at, last))
    return tuple(found)


def either_case(chars: Chars) -> Chars:
    """The set with the other case of its letters; exact for ASCII and Latin-1."""
    other = [
        (ord(twin), ord(twin))
        for low, high in chars
        for code in range(low, min(high, EXACT) + 1)
        for twin in (chr(code).lower(), chr(code).upper())
        if len(twin) == 1 and ord(twin) <= EXACT
    ]
    return union([*chars, *other])


def latin(holds: Callable[[str], bool]) -> Chars:
    """The characters up to U+00FF of which ``holds`` is true."""
    return union((code, code) for code in range(EXACT + 1) if holds(chr(code)))


def codes(text: str) -> Chars:
    """The characters of ``text``."""
    return union((ord(each), ord(each)) for each in set(text))


@lru_cache(maxsize=256)  # one long text may stand at very many calls
def replaced(steps: tuple[tuple[Chars, str], ...]) -> Chars:
    """What may be in a text after these steps, first to last: each removes characters and puts a text in their place.

    >>> complement(replaced(((codes("<>"), "&lt;"), (codes("&"), ""))))
    ((38, 38), (60, 60), (62, 62))
    """
    rest = EVERYTHING
    for removed, added in steps:
        rest = union([*complement(union([*complement(rest), *removed])), *codes(added)])
    return rest


_NAMED: Final[dict[str, Callable[[str], bool]]] = {
    "alnum": str.isalnum,
    "alpha": str.isalpha,
    "ascii": str.isascii,
    "blank": " \t".__contains__,
    "digit": str.isdigit,
    "lower": str.islower,
    "space": " \t\n\r\f\v".__contains__,
    "upper": str.isupper,
    "word": lambda each: each.isalnum() or each == "_",
    "xdigit": "0123456789abcdefABCDEF".__contains__,
}
NAMED_CLASSES: Final = {  # POSIX's, for ASCII
    name: union((code, code) for code in range(128) if holds(chr(code))) for name, holds in _NAMED.items()
}


def category(name: str, *, negated: bool) -> Chars | None:
    """``\\p{L}``: the characters of a general category, up to U+00FF; None where the name is no such category."""
    name = {"Letter": "L", "Lowercase_Letter": "Ll", "Uppercase_Letter": "Lu", "Number": "N", "Punctuation": "P"}.get(
        name.removeprefix("gc=").removeprefix("General_Category="), name
    )
    if name in ("Alphabetic", "Alpha"):
        name = "L"
    if not (len(name) in (1, 2) and name[0] in "LMNPSZC"):
        return None
    return latin(lambda each: unicodedata.category(each).startswith(name) != negated)
