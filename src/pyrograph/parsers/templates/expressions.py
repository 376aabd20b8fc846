"""Expressions of templates of Jinja's kind: which parts of the values an expression writes, and how."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple, Protocol

from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.page import (
    NOTHING,
    Include,
    Names,
    Page,
    Parts,
    below,
    guessed,
    inexact,
    literals,
    named,
    paths_of,
    result_of,
)
from pyrograph.policy.limits.templates import MAX_SHOWN_PARTS, MAX_TAG_DEPTH

TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)
    | (?P<number>\d[\w.]*)
    | (?P<name>[A-Za-z_\x80-\xff][\w$\x80-\xff]*)
    | (?P<mark>==|!=|<=|>=|\?\?|&&|\|\||//|\*\*|\?\.|\S)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
COMPARING: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "in", "is", "not", "===", "!=="})
CONSTANTS: Final = frozenset(
    {"true", "false", "none", "null", "True", "False", "None", "nil", "loop", "forloop", "self"}
)


class Token(NamedTuple):
    kind: str  # "text", "number", "name", "mark"; "" behind the last
    text: str


END: Final = Token("", "")


class Surroundings(Protocol):
    """The template around an expression, as far as it has been read."""

    dialect: str
    page: Page
    names: Names
    escaping: list[bool]  # whether each open block escapes; the last is the innermost
    modules: dict[str, str]  # name -> template whose macros are called by it

    def called_macro(self, name: str) -> tuple[str, str] | None: ...

    def include(self, e: Expression) -> None: ...


def tokens_of(text: str, start: int, end: int) -> list[Token]:
    while start < end and text[start] in "-+~":
        start += 1
    while end > start and text[end - 1] in "-+~":
        end -= 1
    found = []
    while (token := TOKEN.match(text, start, end)) is not None:
        kind = token.lastgroup or ""
        found.append(Token(kind, token[kind]))
        start = token.end()
    return found


def unquoted(token: Token) -> str:
    text = token.text[1:-1] if token.kind == "text" else token.text
    return text.encode("latin-1", "replace").decode("utf-8", "replace")


class Expression:
    """The tokens of one expression, read from left to right; what cannot be read has no value."""

    def __init__(self, tokens: Sequence[Token], reader: Surroundings) -> None:
        self.tokens = tokens
        self.at = 0
        self.names = reader.names
        self.reader = reader
        self.depth = 0

    def next(self) -> Token:
        return self.peek(0)

    def peek(self, ahead: int) -> Token:
        at = self.at + ahead
        return self.tokens[at] if at < len(self.tokens) else END

    def take(self, text: str) -> bool:
        if self.next().text == text and self.next().kind in ("mark", "name"):
            self.at += 1
            return True
        return False

    def value(self) -> Parts:
        """The value of the expression from here on."""
        self.depth += 1
        if self.depth > MAX_TAG_DEPTH:
            self.reader.page.cut.add(f"expressions nested more than {MAX_TAG_DEPTH} deep are not read")
            self.at = len(self.tokens)
            self.depth -= 1
            return NOTHING
        parts = self.alternatives()
        if self.next() == Token("name", "if"):
            self.at += 1
            self.alternatives()
            if self.take("else"):
                parts |= self.value()
        elif self.take("?"):
            parts = self.value()
            if self.take(":"):
                parts |= self.value()
        self.depth -= 1
        if len(parts) > MAX_SHOWN_PARTS:
            self.reader.page.cut.add(f"an expression outputs more than {MAX_SHOWN_PARTS} values; some are ignored")
            parts = frozenset(sorted(parts, key=repr)[:MAX_SHOWN_PARTS])
        return parts

    def alternatives(self) -> Parts:
        parts = self.comparison()
        while self.next().text in ("or", "and", "||", "&&", "??") and self.next().kind != "text":
            self.at += 1
            parts |= self.comparison()
        return parts

    def comparison(self) -> Parts:
        refused = False
        while self.take("not") or self.take("!"):
            refused = True
        parts = self.joined()
        while self.next().text in COMPARING and self.next().kind != "text":
            self.at += 1
            refused = True
            self.joined()
        return NOTHING if refused else parts

    def joined(self) -> Parts:
        parts = self.operand()
        while self.next().kind == "mark" and self.next().text in ("+", "~", "%", "-", "*", "/", "//", "**"):
            text = self.next().text
            self.at += 1
            other = self.operand()
            parts = parts | other if text in "+~%" else NOTHING
        return parts

    def operand(self) -> Parts:
        if self.next().text in ("-", "+") and self.next().kind == "mark":
            self.at += 1
        token = self.next()
        self.at += 1
        parts = NOTHING
        if token.kind == "name":
            if token.text in CONSTANTS:
                parts = NOTHING
            elif self.next().text == "(" and self.next().kind == "mark":
                parts = self.called(token.text)
            elif token.text in self.reader.modules and self.next().text == "." and self.peek(2).text == "(":
                macro = unquoted(self.peek(1))
                self.at += 3
                self.arguments(self.reader.modules[token.text], macro)
            else:
                parts = self.names.find(unquoted(token))
        elif token.kind == "mark" and token.text in ("(", "[", "{"):
            parts = self.inside({"(": ")", "[": "]", "{": "}"}[token.text])
        elif token.kind == "mark":
            self.at -= 1 if token.text in (")", "]", "}", ",", "=", ":") else 0
        return self.filtered(self.steps(parts))

    def inside(self, closing: str) -> Parts:
        """An expression in brackets: everything in it, except names of keywords and keys."""
        parts = NOTHING
        while self.next().kind and not self.take(closing):
            at = self.at
            if self.next().kind in ("name", "text") and self.peek(1).kind == "mark" and self.peek(1).text in ("=", ":"):
                self.at += 2
            parts |= self.value()
            if self.at == at or self.next().text in (",", ":", "="):
                self.at += 1
        return parts

    def closing(self) -> int:
        """Where the bracket that is open ends: behind it."""
        open_brackets = 1
        for at in range(self.at, len(self.tokens)):
            token = self.tokens[at]
            if token.kind == "mark" and token.text in ("(", "[", "{"):
                open_brackets += 1
            elif token.kind == "mark" and token.text in (")", "]", "}"):
                open_brackets -= 1
                if not open_brackets:
                    return at + 1
        return len(self.tokens)

    def arguments(self, template: str, macro: str) -> None:
        """The macro is called with what follows."""
        given: list[Parts] = []
        named: dict[str, Parts] = {}
        while self.next().kind and not self.take(")"):
            at = self.at
            if self.next().kind == "name" and self.peek(1) == Token("mark", "="):
                name = unquoted(self.next())
                self.at += 2
                named[name] = self.value()
            else:
                given.append(self.value())
            if self.at == at or self.next().text == ",":
                self.at += 1
        names = {name: paths_of(parts) for name, parts in named.items()}
        shown = Include(template, names, bool(template), macro=macro, given=tuple([paths_of(parts) for parts in given]))
        self.reader.page.includes.append(shown)

    def called(self, name: str) -> Parts:
        """A function's result, for the arguments that follow."""
        self.at += 1
        macro = self.reader.called_macro(name)
        if macro is not None:
            self.arguments(*macro)
            return NOTHING
        if name == "include" and self.next().kind == "text":
            # read once: an argument that includes something itself would be read twice, and what is in it four times
            end = self.closing()
            inner = Expression(self.tokens[self.at : end], self.reader)
            inner.depth = self.depth
            self.reader.include(inner)
            self.at = end
            return NOTHING
        given = self.given()
        self.calls(name, given)
        parts = NOTHING.union(*given)
        if not parts and name not in words.BUILT_IN:
            return result_of(unquoted(Token("name", name)))
        return self.applied(name, parts)

    def given(self) -> list[Parts]:
        """The arguments of a call whose bracket is open; those that have a name come last, as one."""
        found: list[Parts] = []
        rest = NOTHING
        while self.next().kind and not self.take(")"):
            at = self.at
            if self.next().kind == "name" and self.peek(1) == Token("mark", "="):
                self.at += 2
                rest |= self.value()
            else:
                found.append(self.value())
            if self.at == at or self.next().text in (",", ":", "="):
                self.at += 1
        return [*found, rest] if rest else found

    def calls(self, name: str, given: Sequence[Parts], receiver: Parts | None = None) -> None:
        """List a function or a method that may be the program's, if it gets a part of the values."""
        if receiver or any(given):
            own = None if receiver is None else paths_of(receiver)
            self.reader.page.call(unquoted(Token("name", name)), [paths_of(each) for each in given], own)

    def applied(self, name: str, parts: Parts) -> Parts:
        if name in words.ESCAPING_HTML:
            return frozenset([each._replace(escaped=True) for each in parts])
        if words.is_harmless(name):
            return NOTHING
        if name in words.RAW:
            return frozenset([each._replace(raw=True) for each in parts])
        if name in words.ESCAPING:
            return frozenset([each for each in parts if each.raw or not self.reader.escaping[-1]])
        if name in words.MARKDOWN:
            return named(parts, name)
        if name in words.KEEPING:
            return parts
        if name in words.ELEMENTS:
            return below(parts, None)
        if name in words.LITERALS:
            return literals(parts)
        if name in words.WHOLE:
            return inexact(parts)
        return guessed(parts, unquoted(Token("name", name)))

    def steps(self, parts: Parts) -> Parts:
        """Members, elements and method calls that follow."""
        while self.next().kind == "mark":
            mark = self.next().text
            if mark in (".", "?."):
                self.at += 1
                token = self.next()
                if token.kind not in ("name", "number"):
                    return parts
                self.at += 1
                if self.next() == Token("mark", "("):
                    self.at += 1
                    given = self.given()
                    self.calls(token.text, given, parts)
                    parts = self.method(unquoted(token), parts, NOTHING.union(*given))
                else:
                    for key in token.text.split("."):  # "rows.0.1" has a number in it
                        self.calls(key, (), parts)
                        parts = below(parts, unquoted(Token("name", key)))
            elif mark == "[":
                self.at += 1
                token = self.next()
                constant = token.kind in ("text", "number") and self.peek(1).text == "]"
                self.inside("]")
                parts = below(parts, unquoted(token) if constant else None)
            elif mark == "(":
                self.at += 1
                parts = guessed(parts | self.inside(")"))
            else:
                break
        return parts

    def method(self, name: str, parts: Parts, arguments: Parts) -> Parts:
        if name in ("items", "values", "all", "copy", "strip", "toString", "iter"):
            return parts
        if name == "keys" or words.is_harmless(name):
            return NOTHING
        if name == "get":
            return below(parts, None)
        if name in words.KEEPING or name in words.WHOLE or name in words.ELEMENTS:
            return self.applied(name, parts | arguments)
        return below(parts, name) | guessed(arguments)

    def filtered(self, parts: Parts) -> Parts:
        while self.next() == Token("mark", "|") and self.peek(1).kind == "name":
            name = self.peek(1).text
            self.at += 2
            given: list[Parts] = []
            first = self.peek(1)
            keyword = self.peek(1).text == "attribute" and self.peek(2).text == "="
            if self.next() == Token("mark", "("):
                if keyword:
                    first = self.peek(3)
                self.at += 1
                given = self.given()
            elif self.next() == Token("mark", ":") and self.dialect_takes_colons():
                self.at += 1
                token = self.next()
                self.at += 1
                if token.kind == "name" and token.text not in CONSTANTS:
                    given = [self.steps(self.names.find(unquoted(token)))]
            arguments = NOTHING.union(*given)
            if name == "map" and first.kind == "text" and not keyword:
                self.calls(unquoted(first), (below(parts, None), *given[1:]))
            else:
                self.calls(name, (parts, *given))
            if name == "map" and keyword and first.kind == "text":
                for key in unquoted(first).split("."):
                    parts = below(below(parts, None), key) if key else parts
            elif name == "map" and first.kind == "text":
                parts = self.applied(unquoted(first), parts)
            elif name in ("attr", "get", "get_item") and first.kind == "text":
                parts = below(parts, unquoted(first))
            elif name in ("default", "d", "default_if_none", "add", "join", "replace", "format", "concat"):
                parts = self.applied(name, parts | arguments)
            else:
                parts = self.applied(name, parts)
            parts = self.steps(parts) if self.next().text == "." else parts
        return parts

    def dialect_takes_colons(self) -> bool:
        return self.reader.dialect in ("django", "liquid")
