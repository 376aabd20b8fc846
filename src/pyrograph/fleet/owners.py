"""CODEOWNERS: whom a repository names for a path.

The format is that of GitHub and GitLab: a pattern of gitignore and owners on a line, the last line that matches counts.
GitLab's sections (``[Name]``, ``^[Name][2] @default``) give their owners to the lines below that name none. A line that
cannot be read is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from pyrograph.policy.limits.fleet import MAX_OWNERS_FILE
from pyrograph.scanner.files.ignore import Pattern, parse

PLACES: Final = (".github/CODEOWNERS", "CODEOWNERS", "docs/CODEOWNERS", ".gitlab/CODEOWNERS")  # the first one counts

_SECTION: Final = re.compile(r"\^?\[[^\]]+\](?:\[\d+\])?\s*(?P<owners>.*)")
_FIELD: Final = re.compile(r"(?:\\.|\S)+")


class Owners:
    """The rules of one file."""

    def __init__(self, content: bytes) -> None:
        lines = [] if len(content) > MAX_OWNERS_FILE else content.decode("utf-8", "replace").splitlines()
        self._rules = list(_rules(lines))

    def of(self, path: str) -> str:
        """The owners of a file as the last matching rule lists them, with a space between; "" for nobody.

        Time linear in the rules.

        >>> Owners(b"* @all\\n/src/ @core\\n").of("src/a.py")
        '@core'
        """
        for pattern, owners in reversed(self._rules):
            if pattern is not None and _matches(pattern, path):
                return owners
        return ""


def _rules(lines: Iterable[str]) -> list[tuple[Pattern | None, str]]:
    found: list[tuple[Pattern | None, str]] = []
    default = ""
    for line in lines:
        text = line.strip()
        if not text or text.startswith("#"):
            continue
        if section := _SECTION.fullmatch(text):
            default = _owners(section["owners"])
            continue
        first = _FIELD.match(text)
        if first is None or first[0].startswith("!"):
            continue
        owners = _owners(text[first.end() :])
        found.append((parse(first[0]), owners or default))
    return found


def _owners(text: str) -> str:
    return " ".join(text.partition("#")[0].split())


def _matches(pattern: Pattern, path: str) -> bool:
    """Whether a pattern names the file, or a directory that it is in."""
    if pattern.regex is None:
        return False
    if not pattern.directories_only and pattern.regex.fullmatch(path):
        return True
    if pattern.text.endswith("/*"):  # unlike gitignore: the files of a directory, and not those below
        return False
    at = path.rfind("/")
    while at > 0:
        if pattern.regex.fullmatch(path, 0, at):
            return True
        at = path.rfind("/", 0, at)
    return False
