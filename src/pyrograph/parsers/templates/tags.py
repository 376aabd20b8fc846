"""Templates of Jinja's kind: Jinja, JinjaX, Django, Nunjucks, Twig, Swig, Liquid, Tornado.

``{{ x }}`` is escaped, but for what a filter has marked (``|safe``), and where it says ``{% autoescape false %}`` or
the dialect is one without escaping. In JinjaX, an element with a capital letter shows another template:
``<Card title={{ x }} />``. The text is walked once, tag by tag; each tag's end is the first one behind it. Time linear
in the text, whatever it is.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.parsers.templates import words
from pyrograph.parsers.templates.contexts import Contexts
from pyrograph.parsers.templates.expressions import Expression, Token, tokens_of, unquoted
from pyrograph.parsers.templates.page import (
    NOTHING,
    Macro,
    Names,
    Page,
    Parts,
    below,
    in_code,
)
from pyrograph.policy.limits.templates import MAX_TAG_DEPTH, MAX_TAG_LENGTH

ENDS: Final = {"{{": "}}", "{%": "%}", "{#": "#}"}
TAG: Final = re.compile(r"\{[{%#]")
VERBATIM: Final = {name: re.compile(r"\{%[-+]?\s*end" + name + r"\b") for name in ("raw", "verbatim", "comment")}
# Tags of Django that no function of the program stands for.
OTHER_TAGS: Final = words.named(
    """
    if elif else ifequal ifnotequal ifchanged block load url csrf_token comment cycle firstof filter now regroup
    spaceless templatetag widthratio lorem debug resetcycle static get_static_prefix get_media_prefix cache localize
    localtime timezone get_current_timezone plural empty
    """
)
UNESCAPED: Final = frozenset({"jinja-unescaped", "jinjax-unescaped"})  # dialects
COMPONENTS: Final = frozenset({"jinjax", "jinjax-unescaped"})  # dialects
COMPONENT: Final = re.compile(r"<(?:[\w.-]{1,100}:)?((?:[\w-]{1,100}\.){0,10}[A-Z][\w-]{0,100})(?=[\s/>])", re.ASCII)
TAG_OR_COMPONENT: Final = re.compile(TAG.pattern + "|" + COMPONENT.pattern, re.ASCII)
ATTRIBUTE: Final = re.compile(r"""\s+|(>)|([a-zA-Z@:$_][\w@:$.-]*)(?:\s*=\s*("|'|\{\{))?|.""", re.ASCII | re.DOTALL)
ATTRIBUTE_ENDS: Final = {'"': '"', "'": "'", "{{": "}}"}
OFF: Final = frozenset({"false", "off", "False", "None", "none"})


def read(text: bytes, dialect: str, *, escapes: bool = True) -> Page:
    """Values that a template of a ``dialect`` writes unescaped: "jinja", "django", "nunjucks", "twig", "tornado".

    ``escapes``: whether it does where nothing in it says so.
    """
    return Reader(text.decode("latin-1"), dialect, escapes=escapes).read()  # so that characters are bytes


class Reader:
    def __init__(self, text: str, dialect: str, *, escapes: bool = True) -> None:
        self.text = text
        self.dialect = dialect
        self.page = Page()
        self.names = Names()
        self.escaping = [escapes and dialect not in UNESCAPED]
        self.contexts = Contexts()
        self.macros: list[tuple[str, tuple[str, ...], Page, Names]] = []  # that are open, and what was around them
        self.imported: dict[str, tuple[str, str]] = {}  # name of a macro -> template, its name there
        self.modules: dict[str, str] = {}  # name -> template whose macros are called by it

    def read(self) -> Page:
        at = 0
        missing: set[str] = set()  # tags whose end comes nowhere any more
        tag = TAG_OR_COMPONENT if self.dialect in COMPONENTS else TAG
        while (found := tag.search(self.text, at)) is not None:
            opening, start = found[0], found.start()
            self.contexts.feed(self.text, at, start)
            if opening[0] == "<":
                at = self.component(found[1], found.end())
                continue
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

    def component(self, name: str, at: int) -> int:
        """The element of another template, whose attributes are all that it sees; the place behind its opening tag.

        A text between quotes is constant, unless the attribute's name begins with a colon. The content between the tags
        belongs to this template.
        """
        given: dict[str, Parts] = {}
        stop = min(len(self.text), at + MAX_TAG_LENGTH)
        while (found := ATTRIBUTE.match(self.text, at, stop)) is not None:
            at = found.end()
            if found[1]:
                self.page.include(name.replace(".", "/"), given, only=True)
                return at
            if not found[3]:
                continue
            end = self.text.find(ATTRIBUTE_ENDS[found[3]], at, stop)
            if end < 0:
                return at
            if found[3] == "{{" or found[2][0] == ":":
                key = found[2].lstrip(":").replace("-", "_")
                given[key] = Expression(tokens_of(self.text, at, end), self).value()
            at = end + len(ATTRIBUTE_ENDS[found[3]])
        if at < len(self.text):
            self.page.cut.add(f"tags longer than {MAX_TAG_LENGTH:,} characters are not read")
        return at

    def write(self, expression: Expression, start: int, end: int) -> None:
        parts = expression.value()
        shown = frozenset([each for each in parts if not each.escaped and (each.raw or not self.escaping[-1])])
        self.page.write(shown | in_code(parts) if self.contexts.is_code() else shown, start, end)

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
        elif self.dialect == "django" and name not in OTHER_TAGS:
            self.tag(name, e)
        return end

    def tag(self, name: str, e: Expression) -> None:
        """A tag of the program's, which is a function: ``{% bio user.text length=3 as shown %}``."""
        given: list[Parts] = []
        while e.next().kind and e.next() != Token("name", "as"):
            at = e.at
            if e.next().kind == "name" and e.peek(1).text == "=":
                e.at += 2
            given.append(e.value())
            e.at = max(e.at, at + 1)
        e.calls(name, given)

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
        elements = frozenset([each._replace(mixed=True) for each in below(below(values, None), None)])
        for name in names[:-1]:
            self.names.bind(name, NOTHING if pairs else elements)
        self.names.bind(names[-1], below(values, None) if pairs else elements)

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
