"""Expressions in the markup of a component that become markup themselves: ``v-html="x"``; those of Svelte: ``blocks``.

Each becomes a call in the text of the component's code, ``$html(x)``, at the place of the expression, so that its names
are those of the component's script. A loop around it, ``v-for="x in list"``, becomes a loop without a body, which binds
its variable. What the markup of Vue says stands in a function, because it runs after the script. The function is what
the component exports, and its parameter the properties that the markup reads: the element of a component that the
script imports, ``<Card :text="x" />``, is a call, ``Card({text: x})``. Names of references mean what these hold
(``put_unwrapped``). In a component that is an object of options, names are its members (``component_options``).
Everything else in the markup stays blank; an expression without balanced brackets and quotes is left out, so that it
cannot damage the script. Time linear in the page.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.parsers.pages.blocks import put_blocks
from pyrograph.parsers.pages.brackets import end_of
from pyrograph.parsers.pages.component_options import (
    MEMBER,
    Options,
    computed,
    computed_in,
    heads,
    member_at,
    options_of,
    put_name,
)
from pyrograph.parsers.pages.expressions import is_expression, put_tokens
from pyrograph.policy.limits.parsing import MAX_ATTRIBUTE, MAX_PROPERTIES
from pyrograph.policy.names.markup import REFERENCE_MAKERS

_ROOT: Final = re.compile(rb"^<template\s*>", re.MULTILINE)
_ROOT_END: Final = b"</template>"
_ATTRIBUTE: Final = re.compile(
    rb"""(?P<comment><!--)|<(?P<tag>[a-zA-Z][\w-]{0,100})(?=[\s/>])|[\s"'](?P<name>v-html|v-for|(?:v-bind)?:inner(?:HTML|-html))\s*+=\s*+"""
    rb"""(?:"(?P<double>[^"]{1,%d})"|'(?P<single>[^']{1,%d})')""" % (MAX_ATTRIBUTE, MAX_ATTRIBUTE)
)
_HEAD: Final = re.compile(rb"\s*([\w$]+)\s+of\s", re.ASCII)
_PART_OF_TAG: Final = re.compile(
    rb"""(?P<end>/?>)|\s++|(?P<name>(?:v-bind:|:)(?P<bound>[^\s"'<>/=]++)|[^\s"'<>/=]++)"""
    rb"""(?:\s*+(?P<equals>=)\s*+(?P<value>"[^"]++"|'[^']++'))?|[^<]""",
    re.DOTALL,
)
_PLAIN: Final = re.compile(rb"[a-zA-Z_$][\w$-]*", re.ASCII)
_HYPHEN: Final = re.compile(rb"-(\w)")
_HUMP: Final = re.compile(rb"(?<=[a-z0-9])([A-Z])")
_IMPORT: Final = re.compile(rb"^\s*import\s+([A-Z]\w*)\s+from\s*['\"][^'\"\n]+\.vue['\"]", re.MULTILINE)
_SETUP: Final = re.compile(rb"<script\s[^>]{0,200}\bsetup\b")
_DEFAULT: Final = re.compile(rb"\bexport\s+default\b")
_PROPERTIES: Final = re.compile(rb"(?P<call>\bdefineProps)\b[^()]{0,%d}\(" % MAX_ATTRIBUTE)
_NAME: Final = re.compile(rb"[a-zA-Z_$][\w$]*", re.ASCII)
_REFERENCE: Final = re.compile(
    rb"\b(?:const|let|var)\s+(?:(?P<name>[a-zA-Z_$][\w$]*)(?:\s*:[^=;]{1,%d})?|\{(?P<parts>[^{}]*)\})\s*=\s*(?:await\s+)?"
    rb"(?:[\w$]+\.)?(?:%s)\s*[(<]" % (MAX_ATTRIBUTE, REFERENCE_MAKERS.encode()),
    re.ASCII,
)
_CALLED: Final = re.compile(rb"(?<![\w$.])([a-zA-Z_$][\w$]*)\s?\(", re.ASCII)
_WORDS: Final = frozenset(b"const let var function return export default import from type true false null".split())
_LOOP: Final = re.compile(rb"\s*(?:\(\s*([\w$]+)\s*(?:,[\w$\s,]*)?\)|([\w$]+))\s+(in|of)\s", re.ASCII)
_BLANKS: Final = bytes(each if each in b"\n\r" else 0x20 for each in range(256))
CALL: Final = b";$html("
LOOP: Final = b";for(var "
FUNCTION: Final = b";()=>{"


def put_shown(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]]) -> None:
    """Put the expressions of a component's markup into its ``code``, a text of the page's length whose other bytes are
    blank; ``scripts``: where scripts stand.
    """
    root = _ROOT.search(page)
    if root is None:
        put_blocks(page, code, scripts)
        return
    end = page.rfind(_ROOT_END)
    if end < root.end() or any(start < end and stop > root.start() for start, stop in scripts):
        return
    options = options_of(page, code, scripts) if _SETUP.search(page) is None else None
    markup = Markup(page, code, root.end(), end, options)
    first = markup.put()
    if first < 0:
        return
    if options is None:
        ways = [_export(page, code, scripts, first, end)]
        if put_unwrapped(page, code, scripts, (root.start(), first, markup.free, end), ways[0]):
            return
    else:
        ways = heads(options, bytes(code[first:end]), {*markup.components.values(), *markup.bound})
        put_name(code, options)
    if not any(put_tokens(code, tokens, root.start(), first) for tokens in ways):
        code[root.start() : root.start() + len(FUNCTION)] = FUNCTION
    code[end : end + 2] = b"};"


def _export(page: bytes, code: bytearray, scripts: Sequence[tuple[int, int]], at: int, end: int) -> list[bytes]:
    """The head of a function that the component exports, whose parameter holds the properties that ``code[at:end]``,
    its markup, reads; none if the component exports something itself.
    """
    text = b"\n".join([page[start:stop] for start, stop in scripts])
    if _SETUP.search(page) is None or _DEFAULT.search(text) is not None:
        return []
    declared = _PROPERTIES.search(text)
    stop = end_of(text, declared.end(), len(text)) if declared is not None else -1
    names = dict.fromkeys(_NAME.findall(text, declared.end("call"), stop)) if declared is not None and stop > 0 else {}
    read = set(_NAME.findall(bytes(code[at:end])))
    shown = [name + b"," for name in names if name in read and name not in _WORDS]
    return [b";export default ", b"function(", b"{", *shown[:MAX_PROPERTIES], b"}){"]


def put_unwrapped(
    page: bytes,
    code: bytearray,
    scripts: Sequence[tuple[int, int]],
    places: tuple[int, int, int, int],
    head: list[bytes],
) -> bool:
    """Put functions around the markup in which the names of references mean what these hold, as in the markup of Vue;
    False, and nothing is put, if there are none, or they do not fit. ``places``: where the head may stand, where the
    first expression begins, where the last ends, and the end of the markup.

        ;()=>{()=>{()=>{ ... };var items=$0.value||$0;};var $0=items;};
    """
    at, first, free, end = places
    text = b"\n".join([page[start:stop] for start, stop in scripts])
    shown = bytes(code[first:end])
    read = set(_NAME.findall(shown)) - set(_CALLED.findall(shown))
    names = [name for name in references(text) if name in read][:MAX_PROPERTIES]
    before = max([stop for _, stop in scripts if stop <= at], default=at)
    after = min([start for start, _ in scripts if start >= end], default=len(page))
    if not names:
        return False
    held = [
        part
        for number, name in enumerate(names)
        for part in (b"var ", name, b"=$%d." % number, b"value||", b"$%d;" % number)
    ]
    kept = [part for number, name in enumerate(names) for part in (b"var ", b"$%d=" % number, name + b";")]
    tail = [b"};", *held, b"};", *kept, b"};"]
    for opening in (head, [FUNCTION]):
        was = bytes(code[before:first])
        if opening and put_tokens(code, [*opening, b"()=>{", b"()=>{"], before, first):
            if put_tokens(code, tail, free, after):
                return True
            code[before:first] = was
    return False


def references(text: bytes) -> list[bytes]:
    """The variables of a script that may hold references: ``const text = ref("")``, ``const { notes } = useAll()``."""
    found: dict[bytes, None] = {}
    for match in _REFERENCE.finditer(text):
        if match["name"]:
            found[match["name"]] = None
        for each in (match["parts"] or b"").split(b","):
            name = _NAME.search(each.rpartition(b":")[2])
            if name is not None:
                found[name[0]] = None
    return list(found)


class Markup:
    """The markup of Vue in ``page[at:end]``."""

    def __init__(self, page: bytes, code: bytearray, at: int, end: int, options: Options | None) -> None:
        self.page = page
        self.code = code
        self.at = at
        self.end = end
        self.free = at  # bytes from here on are blank
        self.first = -1  # where the first expression was put
        self.options = options
        self.bound: set[bytes] = set()  # variables of loops
        self.components = {}  # tag -> name
        for name in _IMPORT.findall(page):
            self.components[name] = name
            self.components[_HUMP.sub(rb"-\1", name).lower()] = name

    def put(self) -> int:
        """Put all; returns where the first begins, or -1."""
        page, end = self.page, self.end
        if not self.components and b"v-html" not in page and b"inner" not in page:
            return -1
        while (match := _ATTRIBUTE.search(page, self.at, end)) is not None:
            self.at = match.end()
            if match["comment"]:
                self.at = page.find(b"-->", match.end(), end)
                if self.at < 0:
                    break
            elif match["tag"]:
                if match["tag"] in self.components:
                    self.put_component(match.start(), match.end(), self.components[match["tag"]])
            else:
                start, stop = match.span("double" if match["double"] is not None else "single")
                self.put_call(start, stop, is_loop=match["name"] == b"v-for")
                self.at = stop  # the quote may be the byte before the next attribute
        return self.first

    def put_call(self, start: int, stop: int, *, is_loop: bool) -> None:
        text = self.page[start:stop]
        opening = CALL
        if is_loop:
            opening, text = LOOP, _loop(text)
        if not is_expression(text):
            return
        at, put = start - len(opening), opening + text
        self.put_computed(text, at)
        wider = at - len(MEMBER)
        member = self.member_in(text, is_loop=is_loop)
        if member >= 0 and wider >= self.free and not self.code[wider:start].strip(b" "):
            at, put = wider, opening + text[:member] + MEMBER + text[member:]
        if at < self.free or self.code[at:start].strip():
            return
        body = self.code.find(b" ", stop + 1, self.end)
        if is_loop and body < 0:
            return
        self.code[at : stop + 1] = put + b")"
        if is_loop or body == stop + 1:
            self.code[body] = 0x3B  # ";"
        else:
            body = stop
        self.note(at, max(body, stop) + 1)

    def put_computed(self, text: bytes, at: int) -> None:
        """Bind the name that an expression begins with, if a function of the component's options makes its value."""
        name = None if self.options is None or self.first < 0 else computed_in(text, self.options, self.bound)
        if name is not None and put_tokens(self.code, computed(name), self.free, at):
            self.bound.add(name)

    def member_in(self, text: bytes, *, is_loop: bool) -> int:
        """Where an expression begins with a member of the component's object, or -1. Notes the variable of a loop."""
        head = _HEAD.match(text) if is_loop else None
        if head is not None:
            self.bound.add(head[1])
        if self.options is None or (is_loop and head is None):
            return -1
        before = 0 if head is None else head.end()
        member = member_at(text[before:], self.options, {*self.components.values(), *self.bound})
        return member + before if member >= 0 else -1

    def put_component(self, start: int, at: int, name: bytes) -> None:
        """The element of a component: a call with its properties, ``<Card :text="x" />`` as ``Card({text: x})``."""
        bound = []
        stop = min(self.end, at + MAX_ATTRIBUTE)
        while True:
            part = _PART_OF_TAG.match(self.page, at, stop)
            if part is None:
                return
            at = part.end()
            if part["end"]:
                break
            if part["name"] == b"v-for" and part["value"]:
                self.put_call(part.start("value") + 1, part.end("value") - 1, is_loop=True)
            elif part["bound"] and part["value"] and part["bound"] != b"key":
                bound.append(part)
        self.at = at
        usable = [
            each
            for each in bound
            if each.start() >= self.free and is_expression(each["value"][1:-1]) and _PLAIN.fullmatch(each["bound"])
        ]
        if not usable:
            return
        code = self.code
        first = max(self.free, start)
        if not put_tokens(code, [b";" + name, b"(", b"{"], first, usable[0].start("bound")):
            return
        for each in usable:
            begin, close = each.start("bound"), each.end("value") - 1
            key = _HYPHEN.sub(lambda found: found[1].upper(), each["bound"])
            code[begin : begin + len(key)] = key
            code[each.start("equals")] = 0x3A  # ":"
            code[each.start("value") + 1 : close] = each["value"][1:-1]
            code[close] = 0x2C  # ","
        code[usable[-1].end("value") - 1] = 0x7D  # "}"
        code[at - 1] = 0x29  # ")"
        self.note(first, at)

    def note(self, start: int, end: int) -> None:
        self.first = start if self.first < 0 else self.first
        self.free = end


def _loop(text: bytes) -> bytes:
    """``(x, i) in list`` as the head of a loop over the list, of the same length; "" if it is not written so."""
    head = _LOOP.match(text)
    if head is None:
        return b""
    group = 1 if head[1] is not None else 2
    blank = bytearray(text[: head.end()].translate(_BLANKS))
    blank[head.start(group) : head.end(group)] = head[group]
    blank[head.start(3) : head.end(3)] = b"of"
    return bytes(blank) + text[head.end() :]
