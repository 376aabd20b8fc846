"""Templates with actions, as Go has them: ``{{.Title}}``, ``{{range .Posts}}``, ``{{template "row" .}}``.

``html/template`` escapes what an action writes, ``text/template`` does not. Functions and methods are called with
parts of the values; a field that an action names may be a method, so it is listed as a call, too. The text is walked
once, action by action; time linear in the text.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.contexts import Contexts
from pyrograph.parsers.templates.page import (
    NOTHING,
    Include,
    Macro,
    Names,
    Page,
    Part,
    Parts,
    below,
    guessed,
    inexact,
    paths_of,
)
from pyrograph.policy.limits.templates import MAX_SHOWN_PARTS, MAX_TAG_DEPTH, MAX_TAG_LENGTH

ACTION: Final = re.compile(r"\{\{(?:-\s)?\s*(/\*)?")
TOKEN: Final = re.compile(
    r"""(\s*)("(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|:=|[|(),=]|\$\w*|\.[^\W\d]\w*|\.(?!\d)|[^\s|(),=.]+|\.)"""
)
NUMBER: Final = re.compile(r"[-+]?\.?\d")
CONSTANTS: Final = frozenset({"true", "false", "nil"})
# Built-in functions whose result is a number, a truth value, or text in which markup is escaped.
HARMLESS: Final = frozenset({"html", "js", "urlquery", "len", "not", "eq", "ne", "lt", "le", "gt", "ge"})
SHOWING: Final = frozenset({"print", "printf", "println"})
CHOOSING: Final = frozenset({"and", "or"})
BUILT_IN: Final = HARMLESS | SHOWING | CHOOSING | {"index", "slice", "call"}
TABLE: Final = "dict"  # the usual name of a function that makes a table of names and values


class Token(NamedTuple):
    text: str
    glued: bool  # nothing is between it and the token before


class Value(NamedTuple):
    """What an operand is."""

    parts: Parts
    text: str | None = None  # of a constant
    table: dict[str, Parts] | None = None
    function: str = ""  # it is the name of a function, which the operands behind it are given to


EMPTY: Final = Value(NOTHING)
END: Final = Token("", glued=False)


def read(text: bytes, dialect: str) -> Page:
    """What the actions of a template call and, if it is a "text-template", write; an "html-template" escapes."""
    return Reader(text.decode("latin-1"), dialect).read()  # so that characters are bytes


class Reader:
    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.escapes = dialect == "html-template"
        self.contexts = Contexts(escapes_scripts=self.escapes)
        self.page = Page()
        self.names = Names()
        self.root: Parts = frozenset([Part(())])
        self.dots = [self.root]
        self.blocks: list[tuple[str, Page | None]] = []  # that are open; the page around a template's definition

    def read(self) -> Page:
        at = 0
        while (found := ACTION.search(self.text, at)) is not None:
            start = found.start()
            self.contexts.feed(self.text, at, start)
            if found[1]:
                end = self.text.find("*/", found.end())
                end = self.text.find("}}", end) if end >= 0 else -1
            else:
                end = self.end_of(found.end())
            if end < 0:
                break
            at = end + 2
            if end - start > MAX_TAG_LENGTH:
                self.page.cut.add(f"tags longer than {MAX_TAG_LENGTH:,} characters are not read")
            elif not found[1]:
                self.action(tokens_of(self.text[found.end() : end]), start, at)
        while self.blocks:
            self.end()
        return self.page

    def end_of(self, at: int) -> int:
        """Where an action ends: at the first ``}}``, or behind the text in which that one stands."""
        end = self.text.find("}}", at)
        while 0 <= end < at + MAX_TAG_LENGTH and len(re.findall(r'"|`', self.text[at:end])) % 2:
            end = self.text.find("}}", end + 2)
        return end

    def action(self, tokens: list[Token], start: int, end: int) -> None:
        first = tokens[0].text if tokens else ""
        rest = tokens[1:]
        if first == "end":
            self.end()
        elif first == "else":
            self.otherwise(rest)
        elif first in ("if", "with", "range"):
            self.open(first, rest)
        elif first in ("define", "block") and rest:
            if first == "block":
                self.include(rest)
            self.define(unquoted(rest[0].text))
        elif first == "template":
            self.include(rest)
        elif first not in ("break", "continue", ""):
            declares = any(each.text in (":=", "=") for each in tokens[:4]) and first[:1] == "$"
            value = self.pipeline(tokens)
            if not declares and (not self.escapes or self.contexts.is_code()):
                self.page.write(value.parts, start, end)

    # Blocks

    def open(self, kind: str, tokens: list[Token]) -> None:
        self.names.open(kind)
        self.blocks.append((kind, None))
        value = self.pipeline(tokens, loop=kind == "range")
        if kind == "range":
            self.dots.append(below(value.parts, None))
        else:
            self.dots.append(value.parts if kind == "with" else self.dots[-1])

    def otherwise(self, tokens: list[Token]) -> None:
        """``else``, ``else if``, ``else with``: the dot is what it was before the block."""
        if not self.blocks:
            return
        self.dots[-1] = self.dots[-2]
        if tokens and tokens[0].text in ("if", "with"):
            value = self.pipeline(tokens[1:])
            if tokens[0].text == "with":
                self.dots[-1] = value.parts

    def define(self, name: str) -> None:
        if len(self.blocks) >= MAX_TAG_DEPTH:
            name = ""
        self.blocks.append(("define", self.page))
        self.names.open("define")
        self.dots.append(self.root)
        inner = Page()
        if name:
            self.page.macros[name] = Macro((), inner)
        self.page = inner

    def end(self) -> None:
        if not self.blocks:
            return
        kind, around = self.blocks.pop()
        self.dots.pop()
        self.names.close(kind)
        if around is not None:
            around.macros |= self.page.macros
            around.cut |= self.page.cut
            self.page = around

    def include(self, tokens: list[Token]) -> None:
        """``template "name" pipeline``: the value is all that the other template sees."""
        if not tokens or tokens[0].text[:1] not in ('"', "`"):
            return
        value = self.pipeline(tokens[1:]) if len(tokens) > 1 else EMPTY
        names = {key: paths_of(parts) for key, parts in (value.table or {}).items()}
        context = () if value.table is not None else paths_of(value.parts)
        self.page.includes.append(Include(unquoted(tokens[0].text), names, True, context))

    # Pipelines

    def pipeline(self, tokens: list[Token], *, loop: bool = False, depth: int = 0) -> Value:
        """The value of commands that are given to each other: ``.Text | lines``. Variables may be declared before."""
        declared: list[str] = []
        for at, each in enumerate(tokens[:4]):
            if each.text in (":=", "="):
                declared = [token.text for token in tokens[:at] if token.text[:1] == "$"]
                tokens = tokens[at + 1 :]
                break
        value = EMPTY
        given = False
        for command in split_at_pipes(tokens):
            value = self.command(command, value if given else None, depth)
            given = True
        element = below(value.parts, None) if loop else value.parts
        if declared:
            for name in declared[:-1]:
                self.names.bind(name, NOTHING)
            self.names.bind(declared[-1], element)
        return value

    def command(self, tokens: list[Token], piped: Value | None, depth: int) -> Value:
        operands: list[Value] = []
        at = 0
        while at < len(tokens):
            value, at = self.operand(tokens, at, depth, is_called=not operands and piped is not None)
            operands.append(value)
        if not operands:
            return EMPTY
        first, arguments = operands[0], operands[1:]
        if piped is not None:
            arguments.append(piped)
        if first.function[:1] == ".":
            self.page.call(first.function[1:], [paths_of(each.parts) for each in arguments], paths_of(first.parts))
            return Value(guessed(few([first, *arguments])))
        if not first.function:
            return first
        return self.call(first.function, arguments)

    def call(self, name: str, arguments: list[Value]) -> Value:
        parts = few(arguments)
        if name == TABLE:
            keys, values = arguments[::2], arguments[1::2]
            table = {key.text: value.parts for key, value in zip(keys, values, strict=False) if key.text is not None}
            return Value(inexact(parts), None, table)
        if name not in BUILT_IN:
            self.page.call(name, [paths_of(each.parts) for each in arguments], None)
        if name == "index" and arguments:
            found = arguments[0].parts
            for key in arguments[1:]:
                found = below(found, key.text)
            return Value(found)
        if name in CHOOSING or name == "slice":
            return Value(parts)
        if name in SHOWING:
            return Value(inexact(parts))
        harmless = name in HARMLESS or name == "call" or words.is_harmless(name)
        return EMPTY if harmless else Value(guessed(parts, name))

    def operand(self, tokens: list[Token], at: int, depth: int, *, is_called: bool) -> tuple[Value, int]:
        """An operand with the fields behind it, and where the next one begins. The last field of the first operand is
        the method ``.Name`` if others follow, or if it ``is_called`` with what is piped to it.
        """
        text = tokens[at].text
        is_first = at == 0
        at += 1
        value = EMPTY
        fields: list[str] = []
        if text == "(":
            first = at
            nested = 1
            while at < len(tokens) and nested:
                nested += {"(": 1, ")": -1}.get(tokens[at].text, 0)
                at += 1
            if depth >= MAX_TAG_DEPTH:
                self.page.cut.add(f"expressions nested more than {MAX_TAG_DEPTH} deep are not read")
            else:
                value = self.pipeline(tokens[first : at - 1 if not nested else at], depth=depth + 1)
        elif text[0] in "\"`'":
            value = Value(NOTHING, unquoted(text))
        elif text[0] == "$":
            value = Value(self.root if text == "$" else self.names.bound.get(text, NOTHING))
        elif text == ".":
            value = Value(self.dots[-1])
        elif text[0] == ".":
            value = Value(self.dots[-1])
            fields.append(text[1:])
        elif text in CONSTANTS or NUMBER.match(text):
            value = Value(NOTHING, text)
        elif text not in (",", ")", "="):
            value = Value(NOTHING, None, None, text)
        while at < len(tokens) and tokens[at].glued and tokens[at].text[0] == "." and len(tokens[at].text) > 1:
            fields.append(tokens[at].text[1:])
            at += 1
        if not fields:
            return value, at
        if value.function:  # the result of a function without arguments
            value = self.call(value.function, [])
        parts = value.parts
        for name in fields[:-1]:
            self.page.call(key_of(name), [], paths_of(parts))
            parts = below(parts, key_of(name))
        if is_called or (is_first and at < len(tokens)):
            return Value(parts, None, None, "." + key_of(fields[-1])), at
        self.page.call(key_of(fields[-1]), [], paths_of(parts))
        return Value(below(parts, key_of(fields[-1]))), at


def few(values: list[Value]) -> Parts:
    """The parts of several values; at most ``MAX_SHOWN_PARTS``."""
    found = frozenset(part for each in values for part in each.parts)
    return found if len(found) <= MAX_SHOWN_PARTS else frozenset(sorted(found, key=repr)[:MAX_SHOWN_PARTS])


def tokens_of(text: str) -> list[Token]:
    text = text.rstrip()
    if text.endswith("-") and text[-2:-1].isspace():
        text = text[:-1].rstrip()
    return [Token(found[2], not found[1]) for found in TOKEN.finditer(text)]


def split_at_pipes(tokens: list[Token]) -> list[list[Token]]:
    """The commands of a pipeline."""
    found: list[list[Token]] = [[]]
    depth = 0
    for each in tokens:
        depth += {"(": 1, ")": -1}.get(each.text, 0)
        if each.text == "|" and depth == 0:
            found.append([])
        else:
            found[-1].append(each)
    return found


def unquoted(text: str) -> str:
    return key_of(text[1:-1] if text[:1] in "\"`'" else text)


def key_of(text: str) -> str:
    return text.encode("latin-1", "replace").decode("utf-8", "replace")
