"""Braces of an entry: one text that stands for several, ``flask.request.{args,form}``."""

from __future__ import annotations

import re

from pyrograph.policy.limits.rules import MAX_BRACE_ENTRIES, MAX_NESTED_BRACES
from pyrograph.rules.errors import EntryError

UP_TO_BRACE = re.compile(r"(?:[^{}\\]|\\.|\\$)*([{}])")


def expand(text: str) -> list[str]:
    r"""All texts that ``text`` stands for, the leftmost brace varying slowest.

    A comma inside parentheses, brackets or quotes belongs to them; ``\{``, ``\}``, ``\,`` are these characters.

    >>> expand("a.{b,c}{,s}")
    ['a.b', 'a.bs', 'a.c', 'a.cs']
    >>> expand("a.{b(0,1),c(2)}")
    ['a.b(0,1)', 'a.c(2)']

    Raises:
        EntryError: A brace is not closed or not opened, offers nothing to choose from, or the result is too large.
    """
    if "{" not in text and "}" not in text and "\\" not in text:
        return [text]
    return [unescape(expanded) for expanded in _expand(text, text, 0, 0)]


def unescape(text: str) -> str:
    return re.sub(r"\\([{},])", r"\1", text) if "\\" in text else text


def _expand(whole: str, text: str, start: int, nested: int) -> list[str]:
    """``expand`` without removing escapes; ``start`` is where ``text`` begins in ``whole``, for errors."""
    heads = [""]
    at = 0
    while at < len(text):
        opening = _find_brace(text, at)
        if opening < 0:
            return [head + text[at:] for head in heads]
        if text[opening] == "}":
            raise EntryError(whole, start + opening + 1, "a brace is closed but never opened", r"remove it or write \}")
        if nested == MAX_NESTED_BRACES:
            raise EntryError(
                whole, start + opening + 1, f"more than {MAX_NESTED_BRACES} braces are nested", "write several entries"
            )
        alternatives, closing = _alternatives(whole, text, start, opening)
        choices = [
            choice for offset, part in alternatives for choice in _expand(whole, part, start + offset, nested + 1)
        ]
        if len(heads) * len(choices) > MAX_BRACE_ENTRIES:
            trouble = f"the braces stand for more than {MAX_BRACE_ENTRIES:,} entries"
            raise EntryError(whole, start + opening + 1, trouble, "write several entries")
        before = text[at:opening]
        heads = [head + before + choice for head in heads for choice in choices]
        at = closing + 1
    return heads


def _find_brace(text: str, at: int) -> int:
    """Where the next brace is that no backslash escapes, or -1."""
    found = UP_TO_BRACE.match(text, at)
    return found.start(1) if found else -1


def _alternatives(whole: str, text: str, start: int, opening: int) -> tuple[list[tuple[int, str]], int]:
    """The parts between the brace at ``opening`` and its partner with their offsets, and where the partner is."""
    parts: list[tuple[int, str]] = []
    begin = at = opening + 1
    open_brackets: list[str] = []
    quote = ""
    while at < len(text):
        character = text[at]
        if character == "\\":
            at += 1
        elif character == "{":
            open_brackets.append(character)
        elif character == "}" and "{" in open_brackets:
            while open_brackets.pop() != "{":
                pass
        elif quote and character != "}":
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([":
            open_brackets.append(character)
        elif open_brackets and character != "}":
            if character in ")]" and open_brackets[-1] != "{":
                open_brackets.pop()
        elif character in ",}":
            part = text[begin:at].lstrip(" ")
            parts.append((at - len(part), part))
            begin = at + 1
            if character == "}":
                if len(parts) == 1:
                    remedy = r"add another after a comma, or write \{ and \} for the characters"
                    raise EntryError(whole, start + opening + 1, "a brace holds only one choice", remedy)
                return parts, at
        at += 1
    raise EntryError(whole, start + opening + 1, "a brace is not closed", r"add '}' or write \{")
