"""Classifies files and directories by name and first bytes: the language, and the reason to leave one out.

The tables are the whole policy; ``discover`` applies them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pyrograph.parsers import interpreters, language_of, languages, page_suffixes, suffixes
from pyrograph.parsers.language import GENERATED
from pyrograph.policy.limits.files import MARK_REGION
from pyrograph.policy.names.files import JOINING

TEMPLATES: Mapping[str, str] = {  # suffixes of HTML templates -> dialect; "" follows from the API and the text
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
    ".tmpl": "",
    ".gohtml": "",
    ".gotmpl": "",
}

COMPONENTS = "component files, whose scripts are not analysed"
NOTEBOOKS = "notebooks, which are not analysed"
NOT_READ: Mapping[str, str] = {  # suffixes of files that hold code and are not read -> reason
    ".astro": COMPONENTS,
    ".ipynb": NOTEBOOKS,
}

# Reasons beside those that languages give, worded so that "3 <reason>" reads well.
IGNORED_FILES = "files matched by ignore files"
IGNORED_DIRECTORIES = "directories matched by ignore files"
EXCLUDED_FILES = "files excluded by configuration or option"
EXCLUDED_DIRECTORIES = "directories excluded by configuration or option"
NOT_INCLUDED = "files outside --include"
DEPENDENCIES = "directories of dependencies"
BUILD_OUTPUT = "directories of build output"
VIRTUAL_ENVIRONMENTS = "virtual environments"
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


_GENERATED_MARK = re.compile(
    rb"^[ \t]*(?:#|//|/?\*+|\"\"\"|''')[^\n]*"
    rb"(?:@generated\b|(?i:generated\b[^\n]*\bdo not (?:edit|modify))|(?i:do not (?:edit|modify)\b[^\n]*\bgenerated))",
    re.MULTILINE,
)


def language_of_name(name: str) -> str | None:
    """The language that the suffix names: the id of a syntax."""
    return suffixes().get(os.path.splitext(name)[1].lower())


def scripts_of_name(name: str) -> str | None:
    """The language of the scripts that a file of this suffix may hold: the id of a syntax."""
    return page_suffixes().get(os.path.splitext(name)[1].lower())


def reason_in_name(name: str, *, directory: bool) -> str:
    """Why an entry is left out for its name, or ""."""
    if directory:
        return DEFAULT_EXCLUDED.get(name, "")
    language = language_of_name(name)
    return "" if language is None else language_of(language).reason_in_name(name)


def reason_in_suffix(name: str, language: str) -> str:
    """Why a file that only declares what others hold is left out, or "". ``language``: the id of its syntax."""
    suffixes = language_of(language).declaration_suffixes
    return next((reason for suffix, reason in suffixes.items() if name.endswith(suffix)), "")


def language_of_head(head: bytes) -> str | None:
    """The language that a ``#!`` line names: the id of a syntax."""
    if not head.startswith(b"#!"):
        return None
    words = head[2:].split(b"\n", 1)[0].decode("ascii", "replace").split()
    for word in words:
        interpreter = word.rpartition("/")[2].rstrip("0123456789.")
        if interpreter in interpreters():
            return interpreters()[interpreter]
        if interpreter != "env" and not word.startswith("-"):
            return None
    return None


def reason_in_head(head: bytes, language: str) -> str:
    """Why a file's beginning says that nobody wrote it, or "".

    Generated code that joins parts of the program is not left out: without it, no call leads from one to the other.
    """
    if _GENERATED_MARK.search(head, 0, MARK_REGION) and not JOINING.search(head, 0, MARK_REGION):
        return GENERATED
    return language_of(language).reason_in_head(language, head)


def holds_sources(directory: str) -> bool:
    """Whether a directory with the name of build output is a package: Python's ``build``, Go's ``go/build``."""
    try:
        return any(language.is_source_name(name) for name in os.listdir(directory) for language in languages().values())
    except OSError:
        return False


def is_environment(directory: str) -> bool:
    """Whether a directory is a virtual environment of Python. No source file lies at the top of an environment: if one
    does, the directory is a folder of the program in which somebody made, or committed, an environment.
    """
    if not os.path.exists(os.path.join(directory, "pyvenv.cfg")):
        return False
    try:
        return not any(language_of_name(name) for name in os.listdir(directory))
    except OSError:
        return True


def is_package(directory: str) -> bool:
    """Whether a file in a directory says what package it is."""
    return any(
        os.path.exists(os.path.join(directory, name))
        for language in languages().values()
        for name in language.manifests
    )
