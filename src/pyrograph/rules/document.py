"""The content of a rule file with the lines of its keys, and the errors found in it so far."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any, TypeVar

from pyrograph.rules.entries import Origin
from pyrograph.rules.errors import EntryError, RuleError
from pyrograph.rules.lines import Lines

E = TypeVar("E")
ID = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")  # of a vulnerability, and with other separators of a pack


class RuleFile:
    """A file's content with the lines of its keys, and the errors found so far."""

    def __init__(self, content: dict[str, Any], lines: Lines, file: str) -> None:
        self.content = content
        self.lines = lines
        self.file = file
        self.errors: list[RuleError] = []

    def wrong(self, path: Sequence[str], trouble: str, remedy: str, line: int | None = None) -> None:
        at = self.lines.key(*path) if line is None else line
        self.errors.append(RuleError(self.file, at, ".".join(path), trouble, remedy))

    def known(self, table: dict[str, Any], keys: Collection[str], *path: str) -> None:
        """Every key of ``table`` is one of ``keys``."""
        for key in table:
            if key not in keys:
                self.wrong((*path, key), f"unknown key '{key}'", suggestion(key, keys))

    def text(self, table: dict[str, Any], key: str, *path: str) -> str:
        value = table.get(key)
        if isinstance(value, str) and value.strip():
            return value
        trouble = f"'{key}' is missing" if key not in table else f"'{key}' is not a text or is blank"
        self.wrong((*path, key), trouble, f'write {key} = "..."')
        return ""

    def table(self, key: str) -> dict[str, Any]:
        value = self.content.get(key, {})
        if isinstance(value, dict):
            return value
        self.wrong((key,), f"'{key}' is not a table", f"write [{key}] on a line of its own")
        return {}

    def entries(self, path: tuple[str, str], read: Callable[[str, Origin], list[E]]) -> list[E]:
        """The entries of the list at ``path``, each read by ``read``."""
        values = self.content[path[0]][path[1]]
        if not isinstance(values, list):
            self.wrong(path, "not a list of entries", f'write {path[1]} = ["..."]')
            return []
        if not values:
            self.wrong(path, "the list is empty", "add an entry or remove the key")
        found: list[E] = []
        for index, text in enumerate(values):
            line = self.lines.item(index, *path)
            if not isinstance(text, str):
                self.wrong(path, f"entry {index + 1} is not a text", "put it in quotes", line)
                continue
            try:
                found += read(text, Origin(self.file, line, text))
            except EntryError as error:
                trouble = f"'{error.text}', column {error.column}: {error.trouble}"
                self.wrong(path, trouble, error.remedy, line)
        return found


def suggestion(wrong: str, right: Iterable[str]) -> str:
    """A remedy for a misspelt word: the nearest right one, or all of them."""
    choices = sorted(right)
    near = difflib.get_close_matches(wrong, choices, 1)
    return f"did you mean '{near[0]}'?" if near else f"use one of {', '.join(choices)}"
