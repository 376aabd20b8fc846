"""What a file or directory is, judged by its name and its first bytes: its language, and why it would be left out.

The tables are the whole policy; ``discover`` applies them.
"""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Mapping
from typing import Literal

Language = Literal["python", "javascript", "typescript", "tsx", "go"]

SUFFIXES: Mapping[str, Language] = {
    ".py": "python",
    ".pyw": "python",
    ".js": "javascript",
    ".jsx": "javascript",
    ".mjs": "javascript",
    ".cjs": "javascript",
    ".ts": "typescript",
    ".mts": "typescript",
    ".cts": "typescript",
    ".tsx": "tsx",
    ".go": "go",
}

TEMPLATES: Mapping[str, str] = {  # suffixes of HTML templates -> dialect; "" is told by the API and the text
    ".ejs": "ejs",
    ".eta": "ejs",
    ".njk": "nunjucks",
    ".nunjucks": "nunjucks",
    ".nunj": "nunjucks",
    ".jinja": "jinja",
    ".jinja2": "jinja",
    ".j2": "jinja",
    ".twig": "twig",
    ".swig": "twig",
    ".liquid": "liquid",
    ".hbs": "handlebars",
    ".handlebars": "handlebars",
    ".mustache": "mustache",
    ".pug": "pug",
    ".jade": "pug",
    ".html": "",
    ".htm": "",
    ".xhtml": "",
    ".tpl": "",
}

INTERPRETERS: Mapping[str, Language] = {  # of "#!" lines, for executable files without a suffix
    "python": "python",
    "node": "javascript",
    "nodejs": "javascript",
    "deno": "typescript",
    "bun": "typescript",
}

# Reasons, worded so that "3 <reason>" reads well.
IGNORED_FILES = "files matched by ignore files"
IGNORED_DIRECTORIES = "directories matched by ignore files"
EXCLUDED_FILES = "files excluded by configuration or option"
EXCLUDED_DIRECTORIES = "directories excluded by configuration or option"
NOT_INCLUDED = "files outside --include"
DEPENDENCIES = "directories of dependencies"
BUILD_OUTPUT = "directories of build output"
VIRTUAL_ENVIRONMENTS = "virtual environments"
MINIFIED = "minified files"
GENERATED = "generated files"
COPIES = "copies of released libraries"
DECLARATIONS = "TypeScript declaration files"
OTHER_KIND = "files that are not what their suffix says"
TOO_LARGE = "files above the size limit"
OUTSIDE = "links that lead out of the scanned root"

DEFAULT_EXCLUDED: Mapping[str, str] = {  # directory name -> reason
    "node_modules": DEPENDENCIES,
    "bower_components": DEPENDENCIES,
    "jspm_packages": DEPENDENCIES,
    "vendor": DEPENDENCIES,
    "_vendor": DEPENDENCIES,
    "site-packages": DEPENDENCIES,
    "__pypackages__": DEPENDENCIES,
    ".yarn": DEPENDENCIES,
    ".pnpm-store": DEPENDENCIES,
    ".eggs": DEPENDENCIES,
    ".tox": VIRTUAL_ENVIRONMENTS,
    ".nox": VIRTUAL_ENVIRONMENTS,
    "build": BUILD_OUTPUT,
    "dist": BUILD_OUTPUT,
    ".next": BUILD_OUTPUT,
    ".nuxt": BUILD_OUTPUT,
    ".output": BUILD_OUTPUT,
    ".svelte-kit": BUILD_OUTPUT,
    ".angular": BUILD_OUTPUT,
}

# Never holds code that anyone wrote; not worth a line in the report.
UNCOUNTED = frozenset(
    {".git", ".hg", ".svn", "__pycache__", ".mypy_cache", ".pytest_cache", ".ruff_cache", ".hypothesis", ".cache"}
)

HEAD_SIZE = 8192  # bytes read of every file to tell what it is

_GENERATED_NAME = re.compile(r".*(?:_pb2(?:_grpc)?\.pyw?|\.pb(?:\.gw)?\.go|_pb\.(?:js|ts)|\.g\.ts)")
_GENERATED_MARK = re.compile(
    rb"^[ \t]*(?:#|//|/?\*+|\"\"\"|''')[^\n]*"
    rb"(?:@generated\b|(?i:generated\b[^\n]*\bdo not (?:edit|modify))|(?i:do not (?:edit|modify)\b[^\n]*\bgenerated))",
    re.MULTILINE,
)
# "/*!" keeps a comment through minification: with a version and a licence in it, a build wrote it above a release.
_BANNER = re.compile(
    rb"\s*/\*!(?:(?!\*/).){0,200}?\bv?[0-9]+\.[0-9]+\.[0-9]+\b(?:(?!\*/).){0,1500}?\blicen[sc]e", re.I | re.S
)
_MARK_REGION = 2048  # bytes: a mark stands in the first comment
_LONG_LINE = 1000  # bytes: no one writes longer lines of code by hand


def language_of_name(name: str) -> Language | None:
    """The language that the suffix names."""
    return SUFFIXES.get(os.path.splitext(name)[1].lower())


def reason_in_name(name: str, *, directory: bool) -> str:
    """Why an entry is left out for its name, or ""."""
    if directory:
        return DEFAULT_EXCLUDED.get(name, "")
    if name.endswith((".min.js", ".min.mjs", ".min.cjs")):
        return MINIFIED
    return GENERATED if _GENERATED_NAME.fullmatch(name) else ""


def language_of_head(head: bytes) -> Language | None:
    """The language that a ``#!`` line names."""
    if not head.startswith(b"#!"):
        return None
    words = head[2:].split(b"\n", 1)[0].decode("ascii", "replace").split()
    for word in words:
        interpreter = word.rpartition("/")[2].rstrip("0123456789.")
        if interpreter in INTERPRETERS:
            return INTERPRETERS[interpreter]
        if interpreter != "env" and not word.startswith("-"):
            return None
    return None


def reason_in_head(head: bytes, language: Language) -> str:
    """Why a file's beginning says that nobody wrote it, or ""."""
    if _GENERATED_MARK.search(head, 0, _MARK_REGION):
        return GENERATED
    if language in ("python", "go"):
        return ""
    if language == "typescript" and head.lstrip(codecs.BOM_UTF8).startswith(b"<"):
        return OTHER_KIND  # Qt's translations are XML, and end in .ts
    if _is_minified(head):
        return MINIFIED
    return COPIES if language == "javascript" and _BANNER.match(head.removeprefix(codecs.BOM_UTF8)) else ""


def _is_minified(head: bytes) -> bool:
    """Whether the longest line is code without blanks, rather than one long text."""
    longest = max(head.split(b"\n"), key=len)
    if len(longest) < _LONG_LINE:
        return False
    blanks = longest.count(b" ") + longest.count(b"\t")
    symbols = sum(map(longest.count, (b"(", b")", b"{", b"}", b";", b"=", b",")))
    return symbols * 100 >= len(longest) * 8 and blanks * 100 <= len(longest) * 12


def holds_sources(directory: str) -> bool:
    """Whether a directory with the name of build output is a package: Python's ``build``, Go's ``go/build``."""
    try:
        return any(name == "__init__.py" or name.endswith(".go") for name in os.listdir(directory))
    except OSError:
        return False
