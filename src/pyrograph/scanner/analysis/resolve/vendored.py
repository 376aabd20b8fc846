"""Vendored libraries: copies of a library in the tree of a program, where packs describe the library.

`import cherrypy` finds the copy in the folder `cherrypy`, and `from .bottle import request` one in `app/bottle.py`. The
copy is analysed as part of the program; what packs say of the library holds for it, too. A module is a copy if its name
is that of the library and it defines most of the names that packs know there: a module of the program that is called
`web` defines others.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.parsers import language_of
from pyrograph.policy.limits.resolution import MIN_NAMES_OF_COPY
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.resolve.modules import EXPORTS, LIBRARY, library, places_of
from pyrograph.scanner.analysis.resolve.solver import Solver


def vendored(solver: Solver, module: str, file: int) -> Sequence[int]:
    """The API nodes of the library of which ``module`` is a copy or lies in one, if ``file`` lies outside of it."""
    language = solver.files.languages[file]
    apis = vendoring_apis(solver, language)
    if apis is None:
        return ()
    here = solver.program.files[file].path
    parts = module.split("/")
    for end in range(len(parts), 0, -1):
        root = apis.root(parts[end - 1])
        if root is None:
            continue
        folder = "/".join(parts[:end])
        if here.startswith((folder + "/", folder + ".")):
            return ()
        if is_copy(solver, folder, root, language):
            nodes = library(solver, apis, language, ".".join(parts[end - 1 :]))
            return [node for node in nodes if node]
    return ()


def made_by_copy(solver: Solver, module: str, level: int, file: int) -> Sequence[int]:
    """The API nodes of a module that a copy of its library makes while it runs: ``extern.six.moves``.

    No file of the program is that module. One is the library above it, and packs know this name there.
    """
    language = solver.files.languages[file]
    apis = vendoring_apis(solver, language)
    if apis is None:
        return ()
    names = module.split(".")
    for end in range(len(names) - 1, 0, -1):
        root = apis.root(names[end - 1])
        if root is None or language_of(language).is_standard(names[end - 1]):
            continue
        if (root, names[end]) not in apis.children:
            continue
        if solver.program.modules.resolve(file, ".".join(names[:end]), level) is not None:
            return [node for node in library(solver, apis, language, ".".join(names[end - 1 :])) if node]
    return ()


def vendoring_apis(solver: Solver, language: str) -> Apis | None:
    """What packs know of libraries; None for a language whose programs do not keep copies of them in their tree."""
    return solver.apis.get(language) if language_of(language).traits.modules.libraries_are_vendored else None


def is_copy(solver: Solver, module: str, root: int, language: str) -> bool:
    """Whether ``module`` defines most of the names that packs know in the library ``root``."""
    known = solver.names.vendored.get((language, module))
    if known is not None:
        return known
    apis = solver.apis[language]
    if language_of(language).is_standard(apis.paths[root][0]):
        found = False
    else:
        names = [step for (node, step) in apis.children if node == root and step.isidentifier()]
        defined = sum([defines(solver, module, name, language) for name in names])
        found = defined >= MIN_NAMES_OF_COPY and 2 * defined > len(names)
    solver.names.vendored[language, module] = found
    return found


def defines(solver: Solver, module: str, name: str, language: str) -> bool:
    """Whether ``name`` is exported by ``module``, or a module below it."""
    key = solver.program.string_ids.get(name)
    for step in places_of(solver, module, language):
        if step.kind == EXPORTS:
            if key is not None and solver.names.exports_of(step.file, key):
                return True
        elif step.kind != LIBRARY and solver.program.modules.submodule(step.module, name, language) is not None:
            return True
    return False
