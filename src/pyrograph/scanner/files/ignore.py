"""Ignore patterns in git's notation, matched one entry at a time.

A walk asks about every directory before it enters it, so a pattern here matches an entry itself and never, as
git's own documentation has it too, the entries below a directory that matched. That is what keeps negation
(``!``) simple: the last pattern that matches an entry decides.

Patterns come from the tree that is scanned, so no pattern may take long: ``*`` and ``**`` become atomic groups,
which never go back; matching takes O(len(path) * len(pattern)). Nor may many patterns: plain names, plain paths,
``*text`` and ``text*``, which nearly all patterns are, are looked up in tables, however many there are. All others are
matched one by one, so only ``MAX_WILDCARDS`` characters of them are used for one entry.

The tests compare this with ``git check-ignore``. It is written here rather than taken from a library because a
library's matcher answers for whole paths, and because importing one costs as much as scanning a small project.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from pyrograph.policy.limits.files import MAX_PATTERN, MAX_WILDCARDS, PATTERN_COST

_CLASSES = {  # POSIX names inside brackets, ASCII only as in git
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": " \\t",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "\\x21-\\x7e",
    "lower": "a-z",
    "print": "\\x20-\\x7e",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}


_SPECIAL = frozenset("*?[\\")


@dataclass(frozen=True)
class Pattern:
    """One line of an ignore file."""

    text: str  # without "!", a final "/" and trailing blanks
    negated: bool  # "!": the entry is not ignored after all
    directories_only: bool  # a final "/"

    @cached_property
    def regex(self) -> re.Pattern[str] | None:
        """Matches a whole path relative to the ignore file; None where the pattern can match nothing."""
        return translate(self.text)


def parse(line: str) -> Pattern | None:
    """Read one line of an ignore file; None for a comment, a blank line, and what cannot match anything.

    >>> parse("!build/ ")
    Pattern(text='build', negated=True, directories_only=True)
    """
    line = line.rstrip("\r\n")
    bare = line.rstrip(" ")
    if len(bare) < len(line):
        line = bare + " " * bare.endswith("\\")  # a blank behind a backslash stays
    if not line or line.startswith("#"):
        return None
    negated = line.startswith("!")
    text = line[negated:]
    directories_only = text.endswith("/")
    text = text[: len(text) - directories_only]
    return Pattern(text, negated, directories_only) if text else None


def translate(text: str) -> re.Pattern[str] | None:
    """The regular expression of a pattern, to be used with ``fullmatch``; None where it can match nothing.

    A pattern with a slash at its start or in its middle is anchored; any other matches at every depth. A slash
    inside brackets, which could never match, makes the whole pattern match nothing.
    """
    segments = text.removeprefix("/").split("/") if "/" in text else ["**", text]
    runs: list[list[str]] = [[]]  # what stands between two "**", as expressions of single names
    for segment in segments:
        if len(segment) > 1 and not segment.strip("*") and len(segments) > 1:  # git takes "***" for "**"
            runs.append([])
            continue
        name = _name(segment)
        if name is None:
            return None
        runs[-1].append(name)

    first, *others = runs
    anywhere = "(?:[^/]+/)*"
    regex = "/".join(first)
    if others and first:
        regex += "/"
    for run in others[:-1]:
        if run:
            regex += f"(?>{anywhere}?{'/'.join(run)}/)"
    if others:
        last = others[-1]
        regex += anywhere + "/".join(last) if last else ".+"
    return re.compile(regex, re.DOTALL)


def _name(segment: str) -> str | None:
    """The expression for one name, without slashes."""
    pieces = [""]  # fixed text between two stars
    position = 0
    while position < len(segment):
        character = segment[position]
        position += 1
        if character == "*":
            pieces.append("")
        elif character == "?":
            pieces[-1] += "[^/]"
        elif character == "[":
            found = _bracket(segment, position)
            if found is None:
                return None
            expression, position = found
            pieces[-1] += expression
        else:
            if character == "\\":
                if position == len(segment):
                    return None
                character = segment[position]
                position += 1
            pieces[-1] += re.escape(character)
    if len(pieces) == 1:
        return pieces[0]
    middle = "".join(f"(?>[^/]*?{piece})" for piece in pieces[1:-1] if piece)
    return f"{pieces[0]}{middle}[^/]*{pieces[-1]}"


def _bracket(segment: str, start: int) -> tuple[str, int] | None:
    """The expression for ``[...]`` whose inside begins at ``start``, and where it ends; None where it does not end."""
    position = start
    negated = segment[position : position + 1] in ("!", "^")
    position += negated
    inside = ""
    first = True
    while True:
        if position >= len(segment):
            return None
        if segment[position] == "]" and not first:
            break
        first = False
        if segment.startswith("[:", position):
            end = segment.find(":]", position)
            name = segment[position + 2 : end]
            if end < 0 or name not in _CLASSES:
                return None
            inside += _CLASSES[name]
            position = end + 2
            continue
        low, position = _character(segment, position)
        inside += re.escape(low)
        if segment[position : position + 1] == "-" and segment[position + 1 : position + 2] not in ("", "]"):
            high, position = _character(segment, position + 1)
            if low <= high:  # an empty range still matches its first character, in git too
                inside += f"{re.escape(low)}-{re.escape(high)}"
    return f"(?!/)[{'^' * negated}{inside}]", position + 1


def _character(segment: str, position: int) -> tuple[str, int]:
    if segment[position] == "\\" and position + 1 < len(segment):
        position += 1
    return segment[position], position + 1


class IgnoreRules:
    """The patterns of one ignore file, or of one list of options."""

    def __init__(self, lines: Iterable[str], room: int = MAX_WILDCARDS) -> None:
        """Read the lines; nothing is compiled before a path asks for it.

        Args:
            lines: Of an ignore file.
            room: What the patterns that are matched one by one may cost. If they cost more, the lines from the
                first to the last one that is too many are not used, so that what is used means what it says.
        """
        patterns = [pattern for line in lines if (pattern := parse(line)) is not None]
        kinds = [_kind(pattern.text) for pattern in patterns]
        self.cost = 0  # of the patterns that are matched one by one
        self.left_out = 0  # patterns, from the first on
        for index in range(len(patterns) - 1, -1, -1):
            if kinds[index] == "":
                text = patterns[index].text
                cost = PATTERN_COST + len(text)
                if self.cost + cost > room or len(text) > MAX_PATTERN:
                    self.left_out = index + 1
                    break
                self.cost += cost
        self._patterns = patterns
        self._others: list[int] = []  # indices of the patterns that are matched one by one
        # kind and text -> the index of the last such pattern: of any, and of those that match files, too
        self._directories: dict[str, int] = {}
        self._files: dict[str, int] = {}
        lengths: dict[str, set[int]] = {"*": set(), "^": set()}
        for index in range(self.left_out, len(patterns)):
            pattern, kind = patterns[index], kinds[index]
            if not kind:
                self._others.append(index)
                continue
            text = pattern.text.removeprefix("/") if kind == "/" else pattern.text.strip("*")
            if kind in lengths:
                lengths[kind].add(len(text))
            self._directories[kind + text] = index
            if not pattern.directories_only:
                self._files[kind + text] = index
        self._ends = sorted(lengths["*"])
        self._starts = sorted(lengths["^"])

    def __bool__(self) -> bool:
        return len(self._patterns) > self.left_out

    @cached_property
    def _any_other(self) -> re.Pattern[str]:
        """Matches where at least one of the patterns that are matched one by one does: nearly always the only match."""
        regexes = (self._patterns[index].regex for index in self._others)
        return re.compile(
            "|".join(f"(?:{regex.pattern})" for regex in regexes if regex is not None) or "(?!)", re.DOTALL
        )

    def verdict(self, path: str, *, directory: bool) -> bool | None:
        """Whether the entry is ignored (True), brought back (False), or not spoken of (None).

        Args:
            path: Relative to where the rules stand, ``/`` between names, neither first nor last.
            directory: Whether the entry is a directory.
        """
        known = self._directories if directory else self._files
        name = path.rpartition("/")[2]
        last = max(known.get("=" + name, -1), known.get("/" + path, -1))
        for length in self._ends:
            if length <= len(name):
                last = max(last, known.get("*" + name[len(name) - length :], -1))
        for length in self._starts:
            if length <= len(name):
                last = max(last, known.get("^" + name[:length], -1))
        if self._others and self._any_other.fullmatch(path):
            for index in reversed(self._others):
                if index < last:
                    break
                pattern = self._patterns[index]
                if pattern.directories_only and not directory:
                    continue
                if pattern.regex is not None and pattern.regex.fullmatch(path):
                    last = index
                    break
        return None if last < 0 else not self._patterns[last].negated


def _kind(text: str) -> str:
    """How a pattern is looked up: "=" a name, "/" a path, "*" the end of a name, "^" its start; "" by matching."""
    if _SPECIAL.isdisjoint(text):
        return "/" if "/" in text else "="
    inside = text.strip("*")
    if not inside or "/" in inside or not _SPECIAL.isdisjoint(inside) or len(text) - len(inside) != 1:
        return ""
    return "*" if text[0] == "*" else "^"
