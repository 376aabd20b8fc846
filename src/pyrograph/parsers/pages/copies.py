"""Texts of code that nobody wrote as they stand: what a build made smaller, and releases of libraries."""

from __future__ import annotations

import re

from pyrograph.policy.limits.files import LONG_LINE

# "/*!" keeps a comment through minification: with a version and a licence in it, a build wrote it above a release.
_BANNER = re.compile(
    rb"\s*/\*!(?:(?!\*/).){0,200}?\bv?[0-9]+\.[0-9]+\.[0-9]+\b(?:(?!\*/).){0,1500}?\blicen[sc]e", re.I | re.S
)


def is_release(text: bytes) -> bool:
    """Whether a text begins with the banner of a released library."""
    return _BANNER.match(text) is not None


def is_minified(text: bytes) -> bool:
    """Whether the longest line is code without blanks, rather than one long text."""
    longest = max(text.split(b"\n"), key=len)
    if len(longest) < LONG_LINE:
        return False
    blanks = longest.count(b" ") + longest.count(b"\t")
    symbols = sum(map(longest.count, (b"(", b")", b"{", b"}", b";", b"=", b",")))
    return symbols * 100 >= len(longest) * 8 and blanks * 100 <= len(longest) * 12
