"""The roots of the libraries that a program imports, which decide the rules that are loaded."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pyrograph.parsers import language_of

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.link import Program


def library_roots(program: Program) -> set[str]:
    """The roots of the libraries that the program imports."""
    from pyrograph.rules.load import FORK

    languages = [language_of(name) for name in sorted({file.language for file in program.files})]
    roots: set[str] = set()
    for index in set(program.tables["imports"]["module"].tolist()):
        module = program.strings[index]
        for language in languages:
            roots.update(language.library_roots(module))
            if name := language.forked(language.library_path(module)[0]):
                roots.add(FORK + name)
    return roots
