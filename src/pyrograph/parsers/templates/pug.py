"""Pug: ``= x`` and ``#{x}`` are escaped, ``!= x``, ``!{x}`` and ``attribute!= x`` are not.

Indentation makes blocks. Only the parts of a line that may write, bind or include something are read. Time linear in
the text.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.parsers.templates.contexts import Contexts, is_run
from pyrograph.parsers.templates.page import NOTHING, Names, Page, below, in_code
from pyrograph.parsers.templates.script import Script
from pyrograph.policy.limits.templates import MAX_PUG_LINE
from pyrograph.policy.names.markup import COMPILED_ATTRIBUTES, LITERAL_ATTRIBUTES

EACH: Final = re.compile(rb"(?:each|for)\s+([\w$]+)\s*(?:,\s*([\w$]+)\s*)?(?:in|of)\s+(.*)", re.DOTALL)
INCLUDE: Final = re.compile(rb"(?:include|extends)\s+(\S+)")
MIXIN: Final = re.compile(rb"mixin\s+[\w$-]+\s*(?:\(([^)]*)\))?")
BUFFERED: Final = re.compile(rb"([\w#.:-]*)(\([^()]*(?:\([^()]*\)[^()]*)*\))?(!?=)\s")
ATTRIBUTE: Final = re.compile(rb"([\w:@.-]+)(!?)=(?!=)\s*")
TAG: Final = re.compile(rb"[\w#.:-]*\(")
NAMED: Final = re.compile(rb"(?<=[(\s,])[\w:@.-]++")
OPERATORS: Final = (b"+", b"?", b"|", b"&")
SCRIPT: Final = re.compile(rb"script(?:\(([^()]*)\))?\.$")


def read(text: bytes, dialect: str) -> Page:
    """Values that a Pug template writes unescaped."""
    page = Page()
    names = Names()
    script = Script(page, names)
    open_at: list[int] = []  # indentation of the lines whose blocks are open
    script_text: Contexts | None = None  # of the script whose text follows
    silent = -1  # indentation of a comment or of plain text, whose block is no code
    compiled = literal = -1  # indentation of the element whose texts a library compiles, or leaves as they are
    at = 0
    for line in text.split(b"\n"):
        start, at = at, at + len(line) + 1
        body = line.lstrip(b" \t")
        indent = len(line) - len(body)
        body = body.rstrip()
        if not body:
            continue
        if silent >= 0 and indent > silent:
            interpolations(page, script, body, start + indent, script_text)
            continue
        silent, script_text = -1, None
        while open_at and indent <= open_at[-1]:
            open_at.pop()
            names.close("block")
        if len(body) > MAX_PUG_LINE:
            page.cut.add(f"lines longer than {MAX_PUG_LINE:,} bytes are not read")
            continue
        if body.startswith(b"//"):
            silent = indent
            if not body.startswith(b"//-"):
                continue
        elif found := EACH.match(body):
            parts = script.run(found[3])
            open_at.append(indent)
            names.open("block")
            names.bind(found[1].decode(), below(parts, None))
            if found[2]:
                names.bind(found[2].decode(), NOTHING)
        elif found := MIXIN.match(body):
            open_at.append(indent)
            names.open("block")
            for name in (found[1] or b"").split(b","):
                names.bind(name.strip(b" .").decode("utf-8", "replace"), NOTHING)
        elif found := INCLUDE.match(body):
            page.include(found[1].decode("utf-8", "replace"), dict(names.bound))
        elif body.startswith(b"-"):
            script.run(body[1:])
        else:
            compiled = compiled if indent > compiled else -1
            literal = literal if indent > literal else -1
            if compiled < 0 and has_attribute(body, COMPILED_ATTRIBUTES):
                compiled = indent
            if literal < 0 and has_attribute(body, LITERAL_ATTRIBUTES):
                literal = indent
            is_code = compiled >= 0 > literal
            if body.endswith(b"."):
                silent = indent
                script_text = in_script(body) or (in_compiled() if is_code else None)
            line_of(page, script, body, start + indent, is_code=is_code)
    return page


def has_attribute(body: bytes, names: re.Pattern[str]) -> bool:
    """Whether the tag on a line has an attribute of one of these names."""
    opening = body.find(b"(") if TAG.match(body) else -1
    return opening >= 0 and any(names.match(each.decode("latin-1")) for each in NAMED.findall(body, opening))


def line_of(page: Page, script: Script, body: bytes, start: int, *, is_code: bool = False) -> None:
    """A tag or text on one line: what it writes of attributes, behind ``!=``, and in texts.

    ``is_code``: texts are code, so that it does not help that they are escaped.
    """
    if body.startswith(b"!="):
        page.write(script.run(body[2:]), start, start + len(body))
        return
    found = BUFFERED.match(body + b" ") if body[:1] not in b"|<" else None
    if found is not None and found[3] == b"!=":
        page.write(script.run(body[found.end(3) :]), start, start + len(body))
    elif found is not None and is_code:
        page.write(in_code(script.run(body[found.end(3) :])), start, start + len(body))
    opening = body.find(b"(")
    if opening >= 0 and body[:1] not in b"|<=+" and b"=" in body[opening:] and TAG.match(body):
        for each in ATTRIBUTE.finditer(body, opening):
            runs = is_run(each[1].decode("latin-1"))
            if (each[2] or runs) and body[each.start() - 1 : each.start()] in (b"(", b" ", b",", b"\t"):
                parts = script.run(value_at(body, each.end()))
                page.write(parts if each[2] else in_code(parts), start + each.start(), start + len(body))
    interpolations(page, script, body, start, in_compiled() if is_code else None)


def in_compiled() -> Contexts:
    """A text that a library in the page compiles."""
    contexts = Contexts()
    opening = "<p v-if>"
    contexts.feed(opening, 0, len(opening))
    return contexts


def in_script(body: bytes) -> Contexts | None:
    """The place behind ``script.``, if what follows is run."""
    found = SCRIPT.match(body)
    if found is None:
        return None
    contexts = Contexts()
    opening = f"<script {(found[1] or b'').decode('latin-1')}>"
    contexts.feed(opening, 0, len(opening))
    return contexts


def interpolations(page: Page, script: Script, body: bytes, start: int, around: Contexts | None = None) -> None:
    """``!{x}``, and ``#{x}`` where the text ``around`` it is code."""
    if around is not None:
        escaped_interpolations(page, script, body, start, around)
    at = 0
    while len(body) <= MAX_PUG_LINE and (opening := body.find(b"!{", at)) >= 0:
        end = body.find(b"}", opening)
        if end < 0:
            return
        page.write(script.run(body[opening + 2 : end]), start + opening, start + end + 1)
        at = end + 1


def escaped_interpolations(page: Page, script: Script, body: bytes, start: int, around: Contexts) -> None:
    text, at = body.decode("latin-1") + "\n", 0
    while len(body) <= MAX_PUG_LINE and (opening := body.find(b"#{", at)) >= 0:
        end = body.find(b"}", opening)
        if end < 0:
            break
        around.feed(text, at, opening)
        if around.is_code():
            page.write(in_code(script.run(body[opening + 2 : end])), start + opening, start + end + 1)
        at = end + 1
    around.feed(text, at, len(text))


def is_between(body: bytes, index: int) -> bool:
    """Whether a blank stands beside an operator, so that the expression goes on behind it."""
    return body[index : index + 1] == b" " and (
        body[index - 1 : index] in OPERATORS or body[index + 1 : index + 2] in OPERATORS
    )


def value_at(body: bytes, at: int) -> bytes:
    """An attribute's expression: up to the blank, comma or bracket behind it that stands in no brackets or quotes."""
    depth, quote = 0, 0
    for index in range(at, len(body)):
        byte = body[index]
        if quote:
            quote = 0 if byte == quote else quote
        elif byte in b"\"'`":
            quote = byte
        elif byte in b"([{":
            depth += 1
        elif byte in b")]}":
            depth -= 1
            if depth < 0:
                return body[at:index]
        elif byte in b", " and depth == 0 and body[at:index].strip() and not is_between(body, index):
            return body[at:index]
    return body[at:]
