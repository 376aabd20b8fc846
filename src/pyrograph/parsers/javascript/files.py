"""Reasons in a file's first bytes to leave it out: a build wrote it, or it is no script."""

from __future__ import annotations

import codecs
import re

from pyrograph.model.languages import JAVASCRIPT, SCRIPTS_OF_COMPONENTS, SCRIPTS_OF_PAGES, TYPESCRIPT
from pyrograph.parsers.language import COPIES, GENERATED, MINIFIED, OTHER_KIND
from pyrograph.parsers.pages.copies import is_minified, is_release
from pyrograph.policy.limits.files import FOREIGN_NAMES

# What programs that write whole pages leave in their heads: documentation, reports of coverage.
_WRITTEN_PAGE = re.compile(
    rb"""<meta\b[^>]{0,100}\bname\s*=\s*["']?generator\b|<!--\s*(?:this file (?:is|was) )?generated (?:by|with)\b"""
    rb"""|<title>[^<]{0,200}\bcoverage report|code coverage report for\b""",
    re.IGNORECASE,
)


def reason_in_head(syntax: str, head: bytes) -> str:
    """Why nobody wrote the file, or ""."""
    if syntax == TYPESCRIPT.id and head.lstrip(codecs.BOM_UTF8).startswith(b"<"):
        return OTHER_KIND  # Qt's translations are XML, and end in .ts
    if syntax == SCRIPTS_OF_PAGES.id:
        return GENERATED if _WRITTEN_PAGE.search(head) else ""
    if syntax == SCRIPTS_OF_COMPONENTS.id:
        return ""
    if is_minified(head):
        return MINIFIED
    return COPIES if syntax == JAVASCRIPT.id and is_release(head.removeprefix(codecs.BOM_UTF8)) else ""


# A compiler that takes types away leaves all other names as they are. What it adds: helpers (``__awaiter``, ``_a``),
# what modules are written with, and numbers behind the names of modules (``notes_1``).
_PART = re.compile(rb"__\w+|([A-Za-z$][A-Za-z0-9$]{2,})")  # of a name; helpers are ""
_NAME = re.compile(rb"[\w$]+")
_FUNCTION = re.compile(rb"\bfunction\b[\s*]{1,9}([A-Za-z_$][\w$]*)")
_ADDED = frozenset(
    [
        b"",
        *b"use strict exports module default Object defineProperty enumerable get require".split(),
        *b"void value var this true".split(),
    ]
)


def is_compiled(text: bytes, source: bytes) -> bool:
    """Whether a script has no names but those of a source with types, and all functions that this declares."""
    parts = set(_PART.findall(text)) - _ADDED
    if len(parts.difference(_PART.findall(source))) > len(parts) * FOREIGN_NAMES:
        return False
    return set(_FUNCTION.findall(source)) <= set(_NAME.findall(text))
