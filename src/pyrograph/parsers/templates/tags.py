"""Templates of Jinja's kind: Jinja, Django, Nunjucks, Twig, Swig, Liquid, Tornado.

``{{ x }}`` is escaped, but for what a filter has marked (``|safe``), and where it says ``{% autoescape false %}``. The
 text is walked once, tag by tag; each tag's end is the first one behind it. Time linear in the text, whatever it is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.page import (
    NOTHING,
    Include,
    Macro,
    Names,
    Page,
    Parts,
    below,
    guessed,
    inexact,
    paths_of,
)
from pyrograph.policy.limits import MAX_SHOWN_PARTS, MAX_TAG_DEPTH, MAX_TAG_LENGTH

ENDS: Final = {"{{": "}}", "{%": "%}", "{#": "#}"}
TAG: Final = re.compile(r"\{[{%#]")
TOKEN: Final = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?)
    | (?P<number>\d[\w.]*)
    | (?P<name>[A-Za-z_\x80-\xff][\w$\x80-\xff]*)
    | (?P<mark>==|!=|<=|>=|\?\?|&&|\|\||//|\*\*|\?\.|\S)
    )""",
    re.VERBOSE | re.DOTALL | re.ASCII,
)
VERBATIM: Final = {name: re.compile(r"\{%[-+]?\s*end" + name + r"\b") for name in ("raw", "verbatim", "comment")}
COMPARING: Final = frozenset({"==", "!=", "<", ">", "<=", ">=", "in", "is", "not", "===", "!=="})
CONSTANTS: Final = frozenset(
    {"true", "false", "none", "null", "True", "False", "None", "nil", "loop", "forloop", "self"}
)
OFF: Final = frozenset({"false", "off", "False", "None", "none"})


class Token(NamedTuple):
    kind: str  # "text", "number", "name", "mark"; "" behind the last
    text: str


END: Final = Token("", "")


def read(text: bytes, dialect: str) -> Page:
    """What a template of such a ``dialect`` writes unescaped: "jinja", "django", "nunjucks", "twig", "tornado"."""
    return Reader(text.decode("latin-1"), dialect).read()  # so that characters are bytes


class Reader:
    def __init__(self, text: str, dialect: str) -> None:
        self.text = text
        self.dialect = dialect
        self.page = Page()
        self.names = Names()
        self.escaping = [True]
        self.macros: list[tuple[str, tuple[str, ...], Page, Names]] = []  # that are open, and what was around them
        self.imported: dict[str, tuple[str, str]] = {}  # name of a macro -> template, its name there
        self.modules: dict[str, str] = {}  # name -> template whose macros are called by it

    def read(self) -> Page:
        at = 0
        missing: set[str] = set()  # tags whose end comes nowhere any more
        while (found := TAG.search(self.text, at)) is not None:
            opening, start = found[0], found.start()
            end = self.text.find(ENDS[opening], start + 2) if opening not in missing else -1
            if end < 0:
                missing.add(opening)
                if len(missing) == len(ENDS):
                    break
                at = start + 2
                continue
            at = end + 2
            if opening == "{#":
                continue
            if end - start > MAX_TAG_LENGTH:
                self.page.cut.add(f"tags longer than {MAX_TAG_LENGTH:,} characters are not read")
                continue
            tokens = tokens_of(self.text, start + 2, end)
            if opening == "{{":
                self.write(Expression(tokens, self), start, at)
            else:
                at = self.statement(tokens, start, at)
        while self.macros:
            self.end_macro()
        return self.page

    def write(self, expression: Expression, start: int, end: int) -> None:
        parts = expression.value()
        if self.escaping[-1]:
            parts = frozenset([each for each in parts if each.raw])
        self.page.write(parts, start, end)

    def statement(self, tokens: list[Token], start: int, end: int) -> int:
        """What a ``{% %}`` tag does; where the text goes on."""
        if not tokens or tokens[0].kind != "name":
            return end
        name = tokens[0].text
        e = Expression(tokens[1:], self)
        if name == "raw" and self.dialect == "tornado":
            self.page.write(e.value(), start, end)
        elif name in VERBATIM:
            closing = VERBATIM[name].search(self.text, end)
            return len(self.text) if closing is None else closing.start()
        elif name == "autoescape":
            self.escaping.append(e.next().text not in OFF)
        elif name == "endautoescape":
            if len(self.escaping) > 1:
                self.escaping.pop()
        elif name == "for":
            self.names.open(name)
            self.loop(e)
        elif name in ("with", "blocktrans", "blocktranslate", "trans"):
            self.names.open(name)
            self.bindings(e)
        elif name == "macro":
            self.macro(e)
        elif name == "endmacro":
            self.end_macro()
        elif name in ("import", "from"):
            self.import_(e)
        elif name in ("set", "assign"):
            self.assignment(e)
        elif name in ("include", "extends", "parent", "layout"):
            self.include(e)
        elif name[:3] == "end":
            self.names.close(name[3:])
        return end

    def macro(self, e: Expression) -> None:
        """What follows is shown where the macro is called: a page of its own."""
        name = unquoted(e.next())
        parameters = []
        for each, before in zip(e.tokens[2:], e.tokens[1:], strict=False):
            if each.kind == "name" and before.text in ("(", ","):
                parameters.append(unquoted(each))
        if len(self.macros) < MAX_TAG_DEPTH:
            self.macros.append((name, tuple(parameters), self.page, self.names))
            self.page, self.names = Page(), Names()

    def end_macro(self) -> None:
        if self.macros:
            name, parameters, page, names = self.macros.pop()
            page.macros[name] = Macro(parameters, self.page)
            page.macros |= self.page.macros
            page.cut |= self.page.cut
            self.page, self.names = page, names

    def import_(self, e: Expression) -> None:
        """``from "a" import b as c``, ``import "a" as b``."""
        first = e.next()
        e.at += 1
        if first.kind != "text" or not (e.take("import") or e.next().text == "as"):
            return
        if e.take("as"):
            self.modules[e.next().text] = unquoted(first)
            return
        while e.next().kind == "name" and e.next().text not in ("with", "without"):
            name = bound = e.next().text
            e.at += 1
            if e.take("as"):
                bound = e.next().text
                e.at += 1
            self.imported[bound] = (unquoted(first), name)
            e.take(",")

    def called_macro(self, name: str) -> tuple[str, str] | None:
        """The template, "" for this one, and the name of a macro that can be called so."""
        if name in self.imported:
            return self.imported[name]
        around = [self.page, *(page for _, _, page, _ in self.macros)]
        is_here = any(name in page.macros for page in around) or any(name == each[0] for each in self.macros)
        return ("", name) if is_here else None

    def loop(self, e: Expression) -> None:
        names = []
        while (e.next().kind == "name" and e.next().text != "in") or e.next().text in (",", "(", ")"):
            if e.next().kind == "name":
                names.append(e.next().text)
            e.at += 1
        if not names or not e.take("in"):
            return
        start = e.at
        values = e.value()
        called = [token.text for token in e.tokens[start:] if token.kind == "name"]
        numbered = "enumerate" in called
        if len(names) == 1:
            keys = {"keys"} & set(called[-1:])
            self.names.bind(names[0], NOTHING if keys else below(values, None))
            return
        pairs = numbered or "items" in called or self.dialect in ("nunjucks", "twig", "swig")
        for name in names[:-1]:
            self.names.bind(name, NOTHING if pairs else below(below(values, None), None))
        self.names.bind(names[-1], below(values, None) if pairs else below(below(values, None), None))

    def bindings(self, e: Expression) -> None:
        """``a = x, b = y``, ``a=x b=y``, ``x as y``."""
        while e.next().kind:
            at = e.at
            if e.next().text in ("with", "and", ",", "only", "context", "count"):
                e.at += 1
            elif e.next().kind == "name" and e.peek(1).text == "=":
                name = e.next().text
                e.at += 2
                self.names.bind(name, e.value())
            else:
                parts = e.value()
                if e.take("as") and e.next().kind == "name":
                    self.names.bind(e.next().text, parts)
            e.at = max(e.at, at + 1)

    def assignment(self, e: Expression) -> None:
        names = []
        while e.next().kind == "name" or e.next().text in (",", "."):
            names.append(e.next().text)
            e.at += 1
        parts = e.value() if e.take("=") else NOTHING
        if len(names) == 1:
            self.names.bind(names[0], parts)
        elif "." not in names:
            for name in names[::2]:
                self.names.bind(name, below(parts, None))

    def include(self, e: Expression) -> None:
        first = e.next()
        if first.kind != "text":
            return
        e.at += 1
        given: dict[str, Parts] = {}
        only = any(token.text in ("only",) for token in e.tokens[e.at :]) or (
            [token.text for token in e.tokens[e.at :]][-2:] == ["without", "context"]
        )
        while e.next().kind:
            at = e.at
            if e.next().kind in ("name", "text") and e.peek(1).text in ("=", ":"):
                name = unquoted(e.next())
                e.at += 2
                given[name] = e.value()
            e.at = max(e.at, at + 1)
        bound = given if only else {**self.names.bound, **given}
        self.page.include(unquoted(first), bound, only=only)


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

    def __init__(self, tokens: Sequence[Token], reader: Reader) -> None:
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
        """What stands in brackets: everything in it, but for names of keywords and keys."""
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
            given = Expression(self.tokens[self.at : end], self.reader)
            given.depth = self.depth
            self.reader.include(given)
            self.at = end
            return NOTHING
        parts = self.inside(")")
        return self.applied(name, parts)

    def applied(self, name: str, parts: Parts) -> Parts:
        if words.is_harmless(name):
            return NOTHING
        if name in words.RAW:
            return frozenset([each._replace(raw=True) for each in parts])
        if name in words.ESCAPING:
            return frozenset([each for each in parts if each.raw or not self.reader.escaping[-1]])
        if name in words.KEEPING:
            return parts
        if name in words.ELEMENTS:
            return below(parts, None)
        if name in words.WHOLE:
            return inexact(parts)
        return guessed(parts)

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
                    arguments = self.inside(")")
                    parts = self.method(unquoted(token), parts, arguments)
                else:
                    for key in token.text.split("."):  # "rows.0.1" has a number in it
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
            arguments = NOTHING
            first = self.peek(1)
            keyword = self.peek(1).text == "attribute" and self.peek(2).text == "="
            if self.next() == Token("mark", "("):
                if keyword:
                    first = self.peek(3)
                self.at += 1
                arguments = self.inside(")")
            elif self.next() == Token("mark", ":") and self.dialect_takes_colons():
                self.at += 1
                token = self.next()
                self.at += 1
                if token.kind == "name" and token.text not in CONSTANTS:
                    arguments = self.steps(self.names.find(unquoted(token)))
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
