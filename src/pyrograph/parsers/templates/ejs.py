"""EJS and Eta: ``<%= x %>`` is escaped, ``<%- x %>``, Eta's ``<%~ x %>``, is not, ``<% %>`` is JavaScript.

The template is turned into the JavaScript that its engine would make of it, byte for byte at the same place: text
becomes blanks, what is written becomes an argument of a call. Each tag ends at the first ``%>`` behind it, as in the
engine.
"""

from __future__ import annotations

import re
from typing import Final

from pyrograph.parsers.templates.contexts import Contexts
from pyrograph.parsers.templates.page import Names, Page, Parts, in_code
from pyrograph.parsers.templates.script import Script

OLD_INCLUDE: Final = re.compile(rb"\s*(?:include|partial)\s+([\w./-]+)\s*;?\s*$")
BLANK: Final = re.compile(rb"[^\n]")


def read(text: bytes, dialect: str) -> Page:
    """Values that an EJS template writes unescaped."""
    page = Page()
    script = Script(page, Names())
    unescaped: set[int] = set()  # starts of tags
    as_code: set[int] = set()  # of those that write where code is run
    shown, contexts = text.decode("latin-1"), Contexts()
    code: list[bytes] = []
    at = 0
    while (start := text.find(b"<%", at)) >= 0:
        if text.startswith(b"<%%", start):  # stands for "<%"
            code.append(BLANK.sub(b" ", text[at : start + 3]))
            at = start + 3
            continue
        end = text.find(b"%>", start + 2)
        if end < 0:
            break
        code.append(BLANK.sub(b" ", text[at:start]))
        contexts.feed(shown, at, start)
        mark = text[start + 2 : start + 3]
        inner = start + (3 if mark in (b"=", b"-", b"~", b"#", b"_") and end > start + 2 else 2)
        close = end - 1 if end > inner and text[end - 1 : end] in (b"-", b"_") else end
        body = text[inner:close]
        included = OLD_INCLUDE.match(body) if len(body) < 300 else None
        blank = b" " * (end + 2 - close)
        at = end + 2
        if included is not None:
            page.include(included[1].decode(), dict(script.names.bound))
            body, mark = b"", b"#"
        if mark == b"#" and inner > start + 2:
            code.append(BLANK.sub(b" ", text[start:at]))
        elif mark in (b"=", b"-", b"~") and inner > start + 2:
            script.tags[start + 1] = (start, at)
            if mark != b"=":
                unescaped.add(start)
            elif contexts.is_code():
                as_code.add(start)
            code += (b";$(", body.rstrip(b"; \t\r\n").ljust(len(body)), b");".ljust(len(blank)))
        else:
            code += (b";".rjust(inner - start), body, b"\n".ljust(len(blank)))
    if not code:
        return page

    def written(parts: Parts, start: int, end: int) -> None:
        if start in unescaped:
            page.write(parts, start, end)
        elif start in as_code:
            page.write(in_code(parts), start, end)

    script.written = written
    script.run(b"".join(code))
    return page
