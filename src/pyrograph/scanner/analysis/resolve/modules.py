"""Members of modules: exports of files, of the modules whose names they export by star, and of libraries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import EXPORTED, NONE
from pyrograph.ir.packed import KIND_BITS
from pyrograph.parsers import language_of
from pyrograph.policy.limits.resolution import MAX_STAR_DEPTH, MAX_STARS
from pyrograph.scanner.analysis.apis import EXTERNAL, Apis
from pyrograph.scanner.analysis.numbers import IMPORT_OP
from pyrograph.scanner.analysis.resolve.api_members import arise_member
from pyrograph.scanner.analysis.resolve.names import Place
from pyrograph.scanner.analysis.resolve.packages import package_members, reads_name
from pyrograph.scanner.analysis.resolve.resolution import MODULE
from pyrograph.scanner.analysis.resolve.solver import Solver

MANY_STARS: Final = f"a module exports all names of more than {MAX_STARS} modules; further modules are ignored"
FAR_STARS: Final = (
    f"names that are exported through more than {MAX_STAR_DEPTH} star exports, one behind the other, are not resolved"
)
# What ``places_of`` lists.
EXPORTS: Final = 0  # the exports of a file
LIBRARY: Final = 1  # an API node
SUBMODULE: Final = 2  # the modules below a package


def module_member(solver: Solver, value: int, module: str, name: int, file: int) -> bool:
    """Bind ``value`` to ``module.name``, through star exports and CommonJS objects; whether it was found.

    Where a directory is a module, star imports are ignored: they bring names into a file, not into its module.
    """
    program = solver.program
    language, traits = solver.files.languages[file], solver.files.traits[file]
    text = solver.strings[name]
    found = False
    if traits.modules.directory_is_module:
        reads_name(solver, value, module, name)
        package = program.modules.package_of(module, language)
        declared = package_members(solver, module, name, package, in_test=False)
        solver.points.share(declared, value)
        return bool(declared)
    whole = program.string_ids.get(traits.modules.module_object, NONE) if traits.modules.module_object else NONE
    for step in places_of(solver, module, language):
        if step.kind == EXPORTS:
            exports = solver.names.exports_of(step.file, name)
            solver.points.share(exports, value)
            found = found or bool(exports)
            for exported in solver.names.exports.get((step.file, whole), ()) if whole != NONE else ():
                if text == traits.modules.default_export:
                    solver.points.context_free_edge(exported, value)
                else:
                    solver.load_from(value, exported, name)
                found = True
        elif step.kind == LIBRARY:
            arise_member(solver, value, step.file, text)
        else:
            submodule = program.modules.submodule(step.module, text, language)
            if submodule is not None:
                solver.points.add(solver.points.reps[value], module_state(solver, submodule, file))
                found = True
    return found


def places_of(solver: Solver, module: str, language: str) -> list[Place]:
    """The places where a name of ``module`` is looked up, in order: the module, then those that it exports by star.

    Each module is listed once, however many ways lead to it. Costs six times the star exports at most, once a module:
    a module is looked through again only where a shorter way leads to it.
    """
    known = solver.names.places.get((language, module))
    if known is not None:
        return known
    known = solver.names.places[language, module] = []
    modules = solver.program.modules
    depths: dict[str, int] = {}  # module -> the shortest way to it so far
    listed: set[tuple[int, int]] = set()  # (star export, API) of libraries
    stack: list[tuple[int, str, int, int]] = [(EXPORTS, module, NONE, 0)]  # the last is the next
    while stack:  # each step is new in ``depths``, or lowers a depth there, or is pushed by such a step
        kind, here, star, depth = stack.pop()
        if kind == SUBMODULE:
            known.append(Place(kind, here, NONE))
        elif kind == LIBRARY:
            if (star, depth) not in listed:
                listed.add((star, depth))
                known.append(Place(kind, here, depth))
        else:
            before = depths.get(here)
            if before is not None and before <= depth:
                continue
            if before is None and len(depths) >= MAX_STARS:
                first = modules.members(module, language)
                solver.resolution.report(MANY_STARS, solver.program.files[first[0]].path if first else module, 0)
                continue
            depths[here] = depth
            following: list[tuple[int, str, int, int]] = []
            for member in modules.members(here, language):
                if before is None:
                    known.append(Place(EXPORTS, here, member))
                stars = stars_of(solver, member, language, depth)
                if depth < MAX_STAR_DEPTH:
                    following += stars
                elif any(each[0] != EXPORTS or each[1] not in depths for each in stars):
                    solver.resolution.report(FAR_STARS, solver.program.files[member].path, 0)
            if before is None and language_of(language).traits.modules.submodules_are_members:
                following.append((SUBMODULE, here, NONE, 0))
            following.reverse()
            stack += following
    return known


def members_of(solver: Solver, module: int) -> dict[int, list[int]]:
    """What the module of a MODULE state has under each name: what it defines, and what it imports of the program.

    What it imports of libraries is left out, and where a file says what it exports, all else. A module that is an
    object or a function (``module.exports = ...``) has none: see ``wholes_of``. Linear in the exports of the program,
    once for each module.
    """
    known = solver.names.members.get(module)
    if known is not None:
        return known
    known = solver.names.members[module] = {}
    files, whole = files_of(solver, module), whole_name(solver, module)
    exports = [(file, key) for file, key in solver.names.exports if file in files]
    saying = {file for file, key in exports if solver.strings[key].startswith(EXPORTED)}
    saying.update([file for file, key in exports if key == whole])
    for file, key in exports:
        text = solver.strings[key]
        if text.startswith(EXPORTED) or file not in saying:
            for value in solver.names.exports[file, key]:
                if key != solver.names.star and (solver.op[value] != IMPORT_OP or is_of_program(solver, file, value)):
                    known.setdefault(solver.program.intern(text.removeprefix(EXPORTED)), []).append(value)
    return known


def wholes_of(solver: Solver, module: int) -> list[int]:
    """The values that the module of a MODULE state is, as a whole: ``module.exports = { get, post }``."""
    whole = whole_name(solver, module)
    return [value for file in files_of(solver, module) for value in solver.names.exports_of(file, whole)]


def whole_name(solver: Solver, module: int) -> int:
    """The name under which files of the language of a MODULE state export what the module is; NONE if there is none."""
    text = language_of(solver.strings[module].partition(":")[0]).traits.modules.module_object
    return solver.program.string_ids.get(text, NONE) if text else NONE


def files_of(solver: Solver, module: int) -> dict[int, None]:
    """The files whose names are members of the module of a MODULE state, in order."""
    language, _, path = solver.strings[module].partition(":")
    return {place.file: None for place in places_of(solver, path, language) if place.kind == EXPORTS}


def is_of_program(solver: Solver, file: int, value: int) -> bool:
    """Whether ``value`` is imported from a module of the program."""
    imports, row = solver.program.tables["imports"], solver.data[value]
    inner, level = solver.strings[imports["module"][row]], int(imports["level"][row])
    return solver.program.modules.resolve(file, inner, level) is not None


def stars_of(solver: Solver, member: int, language: str, depth: int) -> list[tuple[int, str, int, int]]:
    """The star exports of a file, as ``places_of`` puts them on its stack."""
    found: list[tuple[int, str, int, int]] = []
    imports = solver.program.tables["imports"]
    for star in solver.names.exports.get((member, solver.names.star), ()):
        if solver.op[star] != IMPORT_OP:
            continue
        row = solver.data[star]
        inner, level = solver.strings[imports["module"][row]], int(imports["level"][row])
        target = solver.program.modules.resolve(member, inner, level)
        if target is not None:
            found.append((EXPORTS, target, NONE, depth + 1))
        if target is None or is_hidden_by_library(solver, target, language, inner, level):
            for api in library(solver, solver.apis.get(language), language, inner):
                if api != EXTERNAL:
                    found.append((LIBRARY, inner, star, api))
    return found


def library(solver: Solver, apis: Apis | None, language: str, module: str) -> Sequence[int]:
    """The API nodes of a library's module; EXTERNAL where no pack knows it."""
    key = (language, module)
    known = solver.names.libraries.get(key)
    if known is None:
        known = solver.names.libraries[key] = find_library(apis, language, module)
    return known


def is_hidden_by_library(solver: Solver, found: str, language: str, module: str, level: int) -> bool:
    """Whether the import of ``module``, which the directory ``found`` of the program would answer, means a library.
    ``level`` is 0 for an absolute import.

    A directory without a file of its own is a module only where nothing else has that name: Python looks for packages
    on the whole search path before it makes a namespace package of a directory.
    """
    if level or solver.program.modules.members(found, language):
        return False
    return any(api != EXTERNAL for api in library(solver, solver.apis.get(language), language, module))


def find_library(apis: Apis | None, language: str, module: str) -> Sequence[int]:
    if apis is None or not module:
        return (EXTERNAL,)
    of = language_of(language)
    path = of.library_path(module)
    root = apis.root(path[0])
    if root is None:
        root = apis.fork(path[0], of.forked)
    nodes: Sequence[int] = () if root is None else apis.expand(root)
    for part in path[1:]:
        nodes = [n for node in nodes for n in apis.member(node, part)]
    return nodes or (EXTERNAL,)


def module_state(solver: Solver, module: str, file: int) -> int:
    """MODULE states are numbered by the module's path and language."""
    return solver.program.intern(f"{solver.files.languages[file]}:{module}") << KIND_BITS | MODULE
