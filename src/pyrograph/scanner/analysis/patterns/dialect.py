"""Dialects of regular expressions: what their notations mean, and how their engines match, as data.

A language names its dialect (``Language.pattern_dialect``). Every difference that ``parse`` and ``matcher`` know is a
field. Patterns of an engine that does not backtrack take linear time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from pyrograph.scanner.analysis.patterns.charset import EXACT, LAST, Chars, codes, complement, latin, union

Classes = Mapping[str, Chars]  # the letter of an escape -> its set: d, w, s and their complements D, W, S

ASCII_DIGITS: Final = ((48, 57),)
ASCII_WORD: Final = ((48, 57), (65, 90), (95, 95), (97, 122))
CONTROLS: Final = {"n": 10, "t": 9, "r": 13, "f": 12, "v": 11}  # escapes of control characters in all dialects


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dialect:
    """One dialect; compared by identity. Each field off or empty is the dialect without the notation."""

    # Sets of characters
    classes: Classes
    exact_classes: bool  # the classes are exact for all characters; else up to U+00FF, and nothing is claimed beyond
    ascii_classes: Classes | None = None  # the classes with the flag "a"; None: there is no such flag
    line_ends: str  # characters that end a line, which "." leaves out

    # Notations
    free_spacing: bool = False  # the flag "x": blanks and what stands behind "#" mean nothing
    comments: bool = False  # `(?#...)`
    possessive: bool = False  # `a*+` does not give back what it matched
    upper_bounds: bool = False  # `{,5}` is a repetition, not five characters
    text_anchors: bool = False  # `\A`, `\Z`, `\z`: the ends of the text
    dollar_before_last_line_end: bool = False  # "$" also stands before a line end that ends the text
    octal_escapes: bool = False  # three octal digits are a character, never a back-reference
    named_references: bool = False  # `\k<name>` is a back-reference
    categories: bool = False  # `\p{L}` with the flag "u" or "v"
    control_letters: bool = False  # `\cJ`
    set_operations: bool = False  # `[a--b]` with the flag "v"
    strict_escapes: bool = False  # an escape of a letter that means nothing is an error; else it is the letter
    bracket_may_come_first: bool = False  # `[]a]` holds a bracket; else `[]` is empty
    named_classes: bool = False  # `[[:alpha:]]`
    controls: Mapping[str, int]  # letter of an escape -> code of the character
    hexadecimal: Mapping[str, int]  # letter of an escape -> digits behind it

    # The engine
    backtracks: bool = True  # else the time is linear, and the fields below mean nothing
    merged_from: int  # alternatives of one character each, from which on the engine makes one set of them
    merges_different: bool = False  # only different alternatives count for that
    merges_sets: bool = False  # alternatives that are classes or bracketed sets are merged, too
    empty_rounds_fail: bool = False  # a round beyond the least that matches nothing fails; else it ends the repetition

    # In programs
    has_literals: bool = False  # `/pattern/flags`, and flags are given as a text of letters
    flag_names: Mapping[str, str]  # name of a flag's constant -> its letter


def _with_complements(classes: Mapping[str, Chars], last: int) -> Classes:
    return {**classes, **{letter.upper(): complement(chars, last) for letter, chars in classes.items()}}


_UNICODE: Final = _with_complements(
    {"d": ASCII_DIGITS, "w": latin(lambda each: each.isalnum() or each == "_"), "s": latin(str.isspace)}, EXACT
)
_SPACES: Final = union([*codes("\t\n\v\f\r \xa0\u1680\u2028\u2029\u202f\u205f\u3000\ufeff"), (0x2000, 0x200A)])
_ASCII: Final = _with_complements({"d": ASCII_DIGITS, "w": ASCII_WORD, "s": _SPACES}, LAST)

RE: Final = Dialect(
    classes=_UNICODE,
    exact_classes=False,
    ascii_classes={**_ASCII, "s": _UNICODE["s"]},
    line_ends="\n",
    free_spacing=True,
    comments=True,
    possessive=True,
    upper_bounds=True,
    text_anchors=True,
    dollar_before_last_line_end=True,
    octal_escapes=True,
    strict_escapes=True,
    bracket_may_come_first=True,
    controls={**CONTROLS, "a": 7},
    hexadecimal={"x": 2, "u": 4, "U": 8},
    merged_from=2,
    merges_different=True,
    merges_sets=True,
    flag_names={
        "I": "i",
        "IGNORECASE": "i",
        "M": "m",
        "MULTILINE": "m",
        "S": "s",
        "DOTALL": "s",
        "X": "x",
        "VERBOSE": "x",
        "A": "a",
        "ASCII": "a",
    },
)
ECMASCRIPT: Final = Dialect(
    classes=_ASCII,
    exact_classes=True,
    line_ends="\n\r\u2028\u2029",
    named_references=True,
    categories=True,
    control_letters=True,
    set_operations=True,
    controls=CONTROLS,
    hexadecimal={"x": 2, "u": 4},
    merged_from=3,
    empty_rounds_fail=True,
    has_literals=True,
    flag_names={},
)
RE2: Final = Dialect(
    classes={**_ASCII, "s": codes("\t\n\f\r "), "S": complement(codes("\t\n\f\r "))},
    exact_classes=True,
    line_ends="\n",
    text_anchors=True,
    categories=True,
    strict_escapes=True,
    bracket_may_come_first=True,
    named_classes=True,
    controls={**CONTROLS, "a": 7},
    hexadecimal={"x": 2},
    backtracks=False,
    merged_from=2,
    flag_names={},
)
DIALECTS: Final[Mapping[str, Dialect]] = {"re": RE, "ecmascript": ECMASCRIPT, "re2": RE2}  # as languages name them
