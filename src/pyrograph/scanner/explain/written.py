"""What the text of a condition says: front ends lower ``!=`` to the negation of ``==``, and one text may test more."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.ir.codes import Test

# Comparisons that front ends lower to the negation of another one, as they are written in any of the languages.
NEGATED: Final = re.compile(rb"!==?|<>|[<>]=|\bnot\s+in\b|\bis\s+not\b")
INVERTED_TRUTH: Final = re.compile(rb"==")  # a comparison with nothing is lowered to the truth of what is compared
# The text of a comparison that does not hold both operands: the value of a case, or its values.
NO_OPERATOR: Final = re.compile(rb"[\w.\"-]+(?:,\s*[\w.\"-]+)*")
COMPARISON: Final = re.compile(rb"[=!]==?|<>|[<>]=?|\b(?:in|is)\b")
TWO_WAYS: Final = re.compile(rb"&&|\|\||\b(?:and|or|if|else)\b|^\s*(?:!|not\b)|:")  # outside brackets
DOUBTFUL: Final = re.compile(rb"[?/#\"'`\n]")  # also in brackets: ``a?.b``, a comment, what is no plain literal
PATTERN: Final = re.compile(rb"/(?:\\[^\s\"'`=<>!#]|[^\\/\s\"'`=<>!#])+/[a-z]*")  # a literal without operators
QUOTED: Final = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")


def is_case(test: int, text: bytes) -> bool:
    """Whether the text of a comparison is the value of a case, or its values, alone.

    >>> is_case(Test.EQUAL, b'"a"'), is_case(Test.IN, b'"a", "b"'), is_case(Test.EQUAL, b'x == "a"')
    (True, True, False)
    """
    return test in (Test.EQUAL, Test.IN) and NO_OPERATOR.fullmatch(QUOTED.sub(b'""', text)) is not None


def is_written(test: int, side: int, text: bytes) -> bool:
    """Whether a condition is true, as it is written, where it has this side.

    >>> is_written(Test.EQUAL, 0, b'name != "a"'), is_written(Test.EQUAL, 0, b'name == "!="')
    (True, False)
    >>> is_written(Test.LESS, 1, b"len(a) >= 3"), is_written(Test.TRUTH, 0, b"f(x) == nil")
    (False, True)
    """
    pattern = INVERTED_TRUTH if test == Test.TRUTH else NEGATED
    return bool(side) != (pattern.search(outside(text)) is not None)


def is_plain(test: int, text: bytes) -> bool:
    """Whether a text shows what is tested, and nothing in it may turn the answer round.

    >>> is_plain(Test.TRUTH, b"/^[a-z]+$/.test(s)"), is_plain(Test.TRUTH, b"/==$/.test(s)")
    (True, False)
    >>> is_plain(Test.LESS, b"len(a) > 3"), is_plain(Test.LESS, b"1 <= len(a) < 3"), is_plain(Test.TRUTH, b"a ?? b")
    (True, False, False)
    """
    bare = QUOTED.sub(b"", PATTERN.sub(b"", text))
    around = outside(bare)
    if DOUBTFUL.search(bare) or TWO_WAYS.search(around) or not around.strip():
        return False
    operators = COMPARISON.findall(around)
    if test in (Test.TRUTH, Test.IS) and not operators:
        return True
    return len(operators) == 1 and (test != Test.TRUTH or operators[0][:1] in b"=!")


def outside(text: bytes) -> bytes:
    """``text`` without what it quotes and what stands in brackets. Time linear in the text, however deep they are."""
    found = bytearray()
    depth = 0
    for each in QUOTED.sub(b"", text):
        if each in b"([":
            depth += 1
        elif each in b")]":
            depth -= 1
        elif depth <= 0:
            found.append(each)
    return bytes(found)
