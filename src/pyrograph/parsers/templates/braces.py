"""Mustache and Handlebars: ``{{x}}`` is escaped, ``{{{x}}}`` and ``{{&x}}`` are not.

Sections change what names are looked up in. In Mustache a name that the innermost context lacks means that of an outer
one, which cannot be known here: both are meant. Time linear in the text, whatever it is.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.contexts import Contexts
from pyrograph.parsers.templates.page import (
    NOTHING,
    Include,
    Names,
    Page,
    Part,
    Parts,
    Path,
    below,
    guessed,
    in_code,
    inexact,
    literals,
    named,
    paths_of,
)
from pyrograph.policy.limits.templates import MAX_BRACES_TAG, MAX_CONTEXTS, MAX_SHOWN_PARTS, MAX_TEMPLATE_PATH

WORD: Final = re.compile(r"""\s*("[^"]*"?|'[^']*'?|[^\s()|"'=]+=?|\S)""", re.ASCII)
BLOCKS: Final = frozenset({"if", "unless", "block", "lookup", "log", "let"})
HERE: Final = frozenset({".", "this"})


def read(text: bytes, dialect: str) -> Page:
    """Values that a "mustache" or "handlebars" template writes unescaped."""
    return Reader(text.decode("latin-1"), dialect).read()


class Reader:
    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.inherits = dialect == "mustache"
        self.page = Page()
        self.names = Names()  # block parameters, and what "each" binds
        self.contexts: list[tuple[str, tuple[Path, ...]]] = [("", ((),))]  # (section, objects names are looked up in)

    def read(self) -> Page:
        text, at = self.text, 0
        contexts = Contexts()
        while (start := text.find("{{", at)) >= 0:
            contexts.feed(text, at, start)
            if text.startswith("{{!--", start):
                end = text.find("--", start + 5)
                end = text.find("}}", end) if end >= 0 else -1
                opening, closing = "", "}}"
            else:
                triple = text.startswith("{{{", start)
                closing = "}}}" if triple else "}}"
                opening = "&" if triple else ""
                end = text.find(closing, start + len(closing))
            if end < 0:
                break
            at = end + len(closing)
            tag = text[start + len(closing) : end].strip("~ \t\r\n")
            opening = opening or tag[:1]
            if end - start > MAX_BRACES_TAG:
                self.page.cut.add(f"tags longer than {MAX_BRACES_TAG:,} characters are not read")
            elif opening == "&":
                self.page.write(self.value(words_of(tag.lstrip("& \t"))), start, at)
            elif opening == "#":
                self.section(words_of(tag.lstrip("#*> \t")), is_partial=tag.startswith("#>"))
            elif opening == "/":
                self.leave(words_of(tag[1:]))
            elif opening == ">":
                self.partial(words_of(tag[1:]))
            elif opening != "!":
                parts = self.value(words_of(tag))
                if contexts.is_code():
                    self.page.write(in_code(parts), start, at)
        return self.page

    # Sections

    def section(self, tag: list[str], *, is_partial: bool) -> None:
        if not tag:
            return
        name, rest = tag[0], tag[1:]
        self.names.open(name)
        inner = self.contexts[-1][1]
        if is_partial or name in BLOCKS:
            pass
        elif name == "each":
            parts = below(self.value(rest_before_as(rest)), None)
            inner = contexts_of(parts)
            for index, bound in enumerate(bound_by(rest)):
                self.names.bind(bound, NOTHING if index else parts)
        elif name == "with":
            parts = self.value(rest_before_as(rest))
            inner = contexts_of(parts)
            for bound in bound_by(rest)[:1]:
                self.names.bind(bound, parts)
        elif not rest:  # Mustache's: a list, an object, or a condition
            parts = self.find(name)
            found = [*contexts_of(below(parts, None)), *contexts_of(parts)]
            inner = tuple(dict.fromkeys((*found, *self.contexts[-1][1])))[:MAX_CONTEXTS]
        self.contexts.append((name, inner))

    def leave(self, tag: list[str]) -> None:
        if tag and self.names.close(tag[0]):
            while len(self.contexts) > 1 and self.contexts.pop()[0] != tag[0]:
                pass

    def partial(self, tag: list[str]) -> None:
        if not tag:
            return
        given: dict[str, Parts] = {}
        context = self.contexts[-1][1]
        at = 1
        while at < len(tag):
            if tag[at].endswith("=") and at + 1 < len(tag):
                given[tag[at][:-1]] = self.value(tag[at + 1 : at + 2])
                at += 1
            else:
                context = contexts_of(self.value(tag[at : at + 1]))
            at += 1
        names = {key: paths_of(parts) for key, parts in given.items()}
        self.page.includes.append(Include(unquoted(tag[0]), names, False, context))

    # Values

    def value(self, tag: list[str]) -> Parts:
        """A path, or a helper that is called with arguments."""
        if not tag:
            return NOTHING
        if len(tag) == 1:
            return self.find(tag[0])
        name = tag[0] if tag[0] != "(" else tag[1]
        given = [self.find(word) for word in tag[1:] if word not in "()" and not word.endswith("=")]
        self.calls(tag)
        if words.is_harmless(name):
            return NOTHING
        parts: set[Part] = set().union(*given)
        found = frozenset(sorted(parts, key=repr)[:MAX_SHOWN_PARTS])
        if name in words.LITERALS:
            return literals(found)
        if name in words.WHOLE:
            return inexact(found)
        if name in words.MARKDOWN:
            return named(found, name)
        return found if name in words.KEEPING or name in words.RAW else guessed(found, name)

    def calls(self, tag: list[str]) -> None:
        """List a helper with its arguments, each of which may be a helper with others: ``lines (trim text)``."""
        names: list[str] = []
        given: list[list[Parts]] = []
        is_first, is_named = True, False
        for word in (*tag, ")"):
            if word == "(":
                is_first = True
            elif word == ")":
                if names:
                    name, inner = names.pop(), given.pop()
                    if any(inner):
                        self.page.call(key_of(name), [paths_of(each) for each in inner], None)
                    if given:
                        given[-1].append(NOTHING if words.is_harmless(name) else NOTHING.union(*inner))
            elif is_first:
                names.append(word)
                given.append([])
                is_first = False
            elif word.endswith("="):
                is_named = True
            else:
                if given and not is_named:
                    given[-1].append(self.find(word))
                is_named = False

    def find(self, word: str) -> Parts:
        """The parts that a path means: ``a.b``, ``this.b``, ``../b``, ``@root.b``."""
        if not word or word[0] in "\"'(" or word[0].isdigit() or word in ("true", "false", "null", "undefined", "else"):
            return NOTHING
        contexts = self.contexts[-1][1]
        level = len(self.contexts) - 1
        while word.startswith("../"):
            word = word[3:]
            while level > 0 and self.contexts[level][0] in BLOCKS:  # these open no context of their own
                level -= 1
            level -= 1
            contexts = self.contexts[max(level, 0)][1]
        if word.startswith("@root"):
            contexts, word = ((),), word[6:]
        elif word[0] == "@":
            return NOTHING
        if word in HERE or not word:
            return frozenset([Part(path) for path in contexts if path])
        keys = [key.strip("[]") for key in word.replace("/", ".").split(".") if key]
        if keys and keys[0] == "this":
            keys = keys[1:]
        bound = self.names.bound.get(keys[0]) if keys else None
        if bound is not None:
            parts = bound
            for key in keys[1:]:
                parts = below(parts, key_of(key))
            return parts
        found = [(*path, *map(key_of, keys)) for path in contexts]
        return frozenset([Part(path) for path in found if 0 < len(path) <= MAX_TEMPLATE_PATH])


def key_of(key: str) -> str:
    return key.encode("latin-1", "replace").decode("utf-8", "replace")


def words_of(tag: str) -> list[str]:
    return WORD.findall(tag)


def unquoted(word: str) -> str:
    return key_of(word.strip("\"'"))


def rest_before_as(rest: list[str]) -> list[str]:
    return rest[: rest.index("as")] if "as" in rest else rest


def bound_by(rest: list[str]) -> list[str]:
    """The block parameters of ``as |x i|``."""
    return [word for word in rest[rest.index("as") + 1 :] if word != "|"] if "as" in rest else []


def contexts_of(parts: Parts) -> tuple[Path, ...]:
    return paths_of(parts)[:MAX_CONTEXTS]
