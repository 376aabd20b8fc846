"""Command text that is put together becomes a list of words, or its untrusted parts are quoted for the shell."""

from __future__ import annotations

import re
from typing import Final

from pyrograph.model.edit import Edit
from pyrograph.parsers.editing import Hole, Literal, Text
from pyrograph.policy.names.functions import SHELL_BUILTINS, WORDS_NAMES
from pyrograph.scanner.fix.site import Site

_PLAIN: Final = re.compile(r"[\w\-./:=,+@%^ \t]*")  # characters that no shell reads as anything but themselves
_QUOTE: Final = re.compile(r"['\"]")

Word = list[tuple[bool, str]]  # (whether it is code, content or code)


def words(site: Site, text: Text) -> list[str] | None:
    """Code of each word of the command; None where a shell might read the text in another way.

    Each value has to be one word or a part of one: a value that is a word by itself is taken for one if it is
    untrusted, because then the program passes one name or number, not options of its own, and its name says no other.
    """
    found: list[Word] = []
    holes: list[tuple[Word, Hole]] = []
    open_word: Word | None = None
    for part in text.parts:
        if isinstance(part, Literal):
            content = site.tree.between(part.start, part.end)
            for sign in part.doubled:
                content = content.replace(sign * 2, sign)
            if not _PLAIN.fullmatch(content):
                return None
            for piece in re.split(r"([ \t]+)", content):
                if not piece:
                    continue
                if piece.isspace():
                    open_word = None
                    continue
                if open_word is None:
                    open_word = []
                    found.append(open_word)
                open_word.append((False, piece))
        else:
            if not part.simple or (site.editing.adds_texts_only and not part.is_text):
                return None
            if open_word is None:
                open_word = []
                found.append(open_word)
            open_word.append((True, site.tree.between(*part.code)))
            holes.append((open_word, part))
    if len(found) < 2 or any(is_code for is_code, _ in found[0]):
        return None
    program = found[0][0][1]
    if "=" in program or program in SHELL_BUILTINS:
        return None
    alone = [hole.code for word, hole in holes if len(word) == 1]
    if any(not site.touches(*code) or WORDS_NAMES.search(site.tree.between(*code)) for code in alone):
        return None
    rendered = []
    for word in found:
        code = word[0][1] if len(word) == 1 and word[0][0] else site.editing.composed(word)
        if code is None:
            return None
        rendered.append(code)
    return rendered


def arranged(found: list[str], form: str) -> str | None:
    """The words as arguments; ``form``: one of ``rules.grammar_fixes.WORDS``."""
    if form == "list":
        return f"[{', '.join(found)}]"
    return ", ".join(found) if form == "items" else f"{found[0]}, [{', '.join(found[1:])}]"


def quoted(site: Site, text: Text, name: str) -> list[Edit] | None:
    """Calls ``name`` with each untrusted value of a command; quotes that hold nothing but the value are removed."""
    chosen = [hole for hole in text.holes if site.touches(*hole.code)]
    if not chosen and len(text.holes) == 1:
        chosen = list(text.holes)
    if not chosen:
        return None
    edits: list[Edit] = []
    open_quote = ""
    for number, part in enumerate(text.parts):
        if isinstance(part, Literal):
            content = site.tree.between(part.start, part.end)
            if "\\" in content or "`" in content:
                return None
            for match in _QUOTE.finditer(content):
                if not open_quote or open_quote == match[0]:
                    open_quote = "" if open_quote else match[0]
            continue
        if part not in chosen:
            continue
        if not part.simple:
            return None
        if open_quote:
            spans = _quotes_around(site, text, number, open_quote)
            if spans is None:
                return None
            edits += [Edit(start, end) for start, end in spans]
        elif WORDS_NAMES.search(site.tree.between(*part.code)):
            return None
        start, end = part.code
        edits += [Edit(start, start, f"{name}(".encode()), Edit(end, end, b")")]
    return edits


def _quotes_around(site: Site, text: Text, number: int, quote: str) -> list[tuple[int, int]] | None:
    """The places of the two quotes around a value; None where more stands between them."""
    if not 0 < number < len(text.parts) - 1:
        return None
    before, after = text.parts[number - 1], text.parts[number + 1]
    if not isinstance(before, Literal) or not isinstance(after, Literal):
        return None
    source = site.tree.text
    if source[before.end - 1 : before.end] != quote.encode() or before.end == before.start:
        return None
    if source[after.start : after.start + 1] != quote.encode() or after.end == after.start:
        return None
    return [(before.end - 1, before.end), (after.start, after.start + 1)]
