"""The roots of the libraries that a program imports, which decide the rules that are loaded.

A program also names libraries in texts: `import_module("requests")`, `INSTALLED_APPS = ["allauth"]`. Which texts those
are is known after resolution, which needs the rules: each text that could be a module's name counts.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from pyrograph.parsers import language_of

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.link import Program


NAME: Final = re.compile(r"'@?[A-Za-z_][\w./-]{0,99}")  # a constant text, after its mark, that may name a module


def library_roots(program: Program) -> set[str]:
    """The roots of the libraries that the program imports or names. Time linear in its constant texts."""
    from pyrograph.rules.load import FORK

    languages = [language_of(name) for name in sorted({file.language for file in program.files})]
    roots: set[str] = set()
    for index in set(program.tables["imports"]["module"].tolist()):
        module = program.strings[index]
        for language in languages:
            roots.update(language.library_roots(module))
            if name := language.forked(language.library_path(module)[0]):
                roots.add(FORK + name)
    for text in program.strings:
        if text[:1] == "'" and NAME.fullmatch(text):
            for language in languages:
                roots.update(language.library_roots(text[1:]))
    return roots
