"""Reasons in a file's first bytes to leave it out: a build wrote it, or it is no script."""

from __future__ import annotations

import codecs
import re

from pyrograph.model.languages import JAVASCRIPT, TYPESCRIPT
from pyrograph.parsers.language import COPIES, MINIFIED, OTHER_KIND
from pyrograph.policy.limits.files import LONG_LINE

# "/*!" keeps a comment through minification: with a version and a licence in it, a build wrote it above a release.
_BANNER = re.compile(
    rb"\s*/\*!(?:(?!\*/).){0,200}?\bv?[0-9]+\.[0-9]+\.[0-9]+\b(?:(?!\*/).){0,1500}?\blicen[sc]e", re.I | re.S
)


def reason_in_head(syntax: str, head: bytes) -> str:
    """Why nobody wrote the file, or ""."""
    if syntax == TYPESCRIPT.id and head.lstrip(codecs.BOM_UTF8).startswith(b"<"):
        return OTHER_KIND  # Qt's translations are XML, and end in .ts
    if _is_minified(head):
        return MINIFIED
    return COPIES if syntax == JAVASCRIPT.id and _BANNER.match(head.removeprefix(codecs.BOM_UTF8)) else ""


def _is_minified(head: bytes) -> bool:
    """Whether the longest line is code without blanks, rather than one long text."""
    longest = max(head.split(b"\n"), key=len)
    if len(longest) < LONG_LINE:
        return False
    blanks = longest.count(b" ") + longest.count(b"\t")
    symbols = sum(map(longest.count, (b"(", b")", b"{", b"}", b";", b"=", b",")))
    return symbols * 100 >= len(longest) * 8 and blanks * 100 <= len(longest) * 12
