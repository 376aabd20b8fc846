"""The findings that the comments of example code ask for, compared with those that a scan makes.

A comment says what is expected on its own line::

    cursor.execute(query)  # expect: sql-injection from line 2
    cursor.execute(other)  # spurious: sql-injection
    cursor.execute(third)  # missing: sql-injection

The first must be found, the second is found although it is wrong (a known false finding), the third is not found
although it is right (a known miss).

Several vulnerabilities are separated by commas. A line without such a comment must stay silent, so that a known false
finding that disappears is reported as well: the comment is then out of date.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Literal

from pyrograph.rules.entries import Example

Word = Literal["expect", "spurious", "missing"]
Found = tuple[int, str, int]  # line of the sink, vulnerability, line of the source; lines from 1
Scan = Callable[[Example], Iterable[Found]]  # what a scan finds in the example, all taint kinds on

COMMENT = re.compile(r"(?:#|//|/\*|<!--)\s*(expect|spurious|missing):\s*(.*?)\s*(?:\*/.*|-->.*)?$")
EXPECTED = re.compile(r"(?:(python|javascript|go)/)?([a-z][a-z0-9-]*)(?:\s+from\s+line\s+(\d+))?$")


@dataclass(frozen=True, slots=True, order=True)
class Expectation:
    """One vulnerability that a comment names."""

    line: int  # of the comment, where the sink is
    vulnerability: str
    source_line: int  # or 0 when the comment does not say
    word: Word = "expect"

    def __str__(self) -> str:
        source = f" from line {self.source_line}" if self.source_line else ""
        return f"{self.vulnerability}{source}"


class ExpectationError(ValueError):
    """A comment that begins like an expectation and cannot be read."""


def expectations(code: str, language: str = "") -> list[Expectation]:
    """What the comments of ``code`` expect, by line.

    Args:
        code: The example.
        language: When given, "python/xss" is read as "xss" and another language's name is an error.

    Raises:
        ExpectationError: A comment cannot be read; the message names the line.
    """
    found = []
    for number, line in enumerate(code.splitlines(), 1):
        comment = COMMENT.search(line)
        if comment is None:
            continue
        word: Word = comment[1]  # type: ignore[assignment]
        for part in comment[2].split(","):
            expected = EXPECTED.match(part.strip())
            if expected is None or (language and expected[1] not in (None, language)):
                raise ExpectationError(
                    f"line {number}: '{part.strip()}' is not an expectation; "
                    f"write '{word}: <vulnerability>' or '{word}: <vulnerability> from line N'"
                )
            found.append(Expectation(number, expected[2], int(expected[3] or 0), word))
    return sorted(found)


def differences(expected: Iterable[Expectation], found: Iterable[Found]) -> list[str]:
    """One line for each way in which the findings are not those that the comments ask for, by line.

    A finding answers a comment of its line and vulnerability; when a comment names the source's line, that must be
    right, too. Several findings of one vulnerability on one line are one.
    """
    remaining: dict[tuple[int, str], set[int]] = {}
    for line, vulnerability, source_line in found:
        remaining.setdefault((line, vulnerability), set()).add(source_line)
    wrong: list[tuple[int, str]] = []
    answered: set[tuple[int, str]] = set()
    for each in sorted(expected):
        place = (each.line, each.vulnerability)
        sources = remaining.get(place, set())
        answered.add(place)
        if each.word == "missing":
            if sources:
                wrong.append((each.line, f"{each} is found now: write 'expect' instead of 'missing'"))
        elif not sources:
            wrong.append((each.line, f"{each} is not found" + (OUTDATED if each.word == "spurious" else "")))
        elif each.source_line and each.source_line not in sources:
            lines = ", ".join(map(str, sorted(sources)))
            wrong.append((each.line, f"{each} is found from line {lines} instead"))
    for (line, vulnerability), sources in remaining.items():
        if (line, vulnerability) not in answered:
            lines = ", ".join(map(str, sorted(sources)))
            wrong.append((line, f"{vulnerability} from line {lines} is found but not expected"))
    return [f"line {line}: {text}" for line, text in sorted(wrong)]


OUTDATED = " any more: remove the comment 'spurious'"


def run(example: Example, scan: Scan, language: str = "") -> list[str]:
    """How the findings of ``scan`` in this example differ from what its comments ask for; empty when they agree."""
    try:
        expected = expectations(example.code, language)
    except ExpectationError as error:
        return [str(error)]
    return differences(expected, scan(example))


def reported(example: Example) -> bool:
    """Whether the example expects a finding (a known false one does not count)."""
    return any(each.word == "expect" for each in expectations(example.code))


def silent(example: Example) -> bool:
    """Whether the example expects that nothing is found."""
    return all(each.word == "missing" for each in expectations(example.code))


def vulnerabilities(examples: Iterable[Example], words: Collection[str] = ("expect", "missing")) -> set[str]:
    """The vulnerabilities that these examples' comments name."""
    return {each.vulnerability for example in examples for each in expectations(example.code) if each.word in words}
