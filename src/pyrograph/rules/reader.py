"""How an entry is read: its braces are expanded (``braces``), then each result from left to right, and used up."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NoReturn, TypeVar

from pyrograph.rules.braces import expand
from pyrograph.rules.errors import EntryError

T = TypeVar("T")

NAME = re.compile(r"(?:[^\W\d]|\$)[\w$]*")
BLANKS = re.compile(r" *")
WORD = re.compile(r"[^\W\d]\w*(?![\w.#\[(/:@-])")  # a word that is not the beginning of an API


class Reader:
    """One expanded entry and how far it has been read."""

    __slots__ = ("at", "language", "text")

    def __init__(self, text: str, language: str) -> None:
        self.text = text
        self.at = 0
        self.language = language

    def fail(self, trouble: str, remedy: str, at: int | None = None) -> NoReturn:
        raise EntryError(self.text, (self.at if at is None else at) + 1, trouble, remedy)

    def take(self, literal: str) -> bool:
        """Whether ``literal`` comes next; if so, it is behind us now."""
        if self.text.startswith(literal, self.at):
            self.at += len(literal)
            return True
        return False

    def find(self, pattern: re.Pattern[str]) -> str:
        """What ``pattern`` matches here, or ""; it is behind us now."""
        found = pattern.match(self.text, self.at)
        if found is None:
            return ""
        self.at = found.end()
        return found.group()

    def expect(self, literal: str, remedy: str) -> None:
        if not self.take(literal):
            self.fail(f"expected '{literal}' {self.instead()}", remedy)

    def name(self, after: str) -> str:
        if name := self.find(NAME):
            return name
        self.fail(f"a name is missing after '{after}' {self.instead()}", "write the member's name")

    def blanks(self) -> None:
        self.find(BLANKS)

    def word(self, *words: str) -> str:
        """The one of ``words`` that comes next as a whole word, with the blanks after it behind us, or ""."""
        found = WORD.match(self.text, self.at)
        if found is None or found.group() not in words:
            return ""
        self.at = found.end()
        self.blanks()
        return found.group()

    def next(self) -> str:
        return self.text[self.at : self.at + 1]

    def instead(self) -> str:
        return f"but found '{self.next()}'" if self.next() else "but the entry ends"

    def end(self, remedy: str = "remove it, or see docs/rule-language.md") -> None:
        if self.at < len(self.text):
            self.fail(f"cannot read '{self.text[self.at :]}' here", remedy)


def entries(text: str, language: str, read: Callable[[Reader], T]) -> list[T]:
    """Expand the braces of ``text`` and read each result with ``read``, which must use it up.

    Raises:
        EntryError: The first expanded entry that does not follow the grammar.
    """
    if text != text.strip():
        raise EntryError(text, 1 if text[:1].isspace() else len(text), "a leading or trailing blank", "remove it")
    if not text:
        raise EntryError(text, 1, "the entry is empty", "name an API or remove the entry")
    if ("unless" in text) and (found := re.search(r" unless [^{]*(?<!\\)\{", text)):
        trouble = "with braces after 'unless', one of the entries always applies"
        raise EntryError(text, found.end(), trouble, "write the choices as a list: contains ('a', 'b'), in ('a', 'b')")
    results = []
    for expanded in expand(text):
        reader = Reader(expanded, language)
        results.append(read(reader))
        reader.end()
    return results
