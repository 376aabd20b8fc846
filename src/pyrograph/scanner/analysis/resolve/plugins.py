"""Modules that are imported by a name of which too little is known: plugins, which a loader finds in a folder.

``HANDLERS[name] = import_module(found)``, ``handler = require(path.join(folder, file))``: such a module is any of a
folder whose files have in common what is read from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_CANDIDATES, MIN_PLUGINS
from pyrograph.scanner.analysis.numbers import CLASS_OP, FUNCTION_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.modules import module_state
from pyrograph.scanner.analysis.resolve.solver import Solver

HOLE = "\0"  # stands for the unknown parts of a name


def add_plugin(solver: Solver, value: int, file: int, texts: Sequence[str]) -> None:
    """Let ``value`` be a module that ``file`` imports; its name is one of ``texts``, with holes in them, or unknown.

    Where a module may be a function or a class, and not an object that has some, it is all of those as well.
    """
    node = solver.points.reps[value]
    whole = solver.program.string_ids.get(solver.files.traits[file].modules.module_object or "", NONE)
    for text in texts or (HOLE,):
        if HOLE in text:
            pattern = pattern_of(text)
            solver.points.add(node, module_state(solver, pattern, file))
            having = exporting(solver, whole)
            found = plugins(solver, pattern, having, file)
            if found:
                solver.points.register(node)
            for each in found:
                for exported, _ in having[each]:
                    solver.points.context_free_edge(exported, value)


def pattern_of(text: str) -> str:
    """The last parts of a name, each after a hole, from the first on that is constant: all of them match files' paths.

    >>> pattern_of("\\0.plugins.\\0").split("\\0")
    ['', 'plugins', '']
    >>> pattern_of("./\\0/../\\0.js").split("\\0")
    ['', '']
    """
    text = re.sub(r"(?<=\0)\.[a-z]{2,4}$", "", text) if "/" in text else text.replace(".", "/")
    parts = [part.replace(HOLE, "") for part in text.split("/") if part not in ("", ".", "..")]
    while len(parts) > 1 and not parts[0]:
        del parts[0]
    return HOLE + HOLE.join(parts)


def plugin_member(solver: Solver, value: int, pattern: str, name: int, file: int) -> bool:
    """Bind ``value`` to what the plugins that ``pattern`` names export as ``name``; whether there are some."""
    having = exporting(solver, name)
    found = plugins(solver, pattern, having, file)
    if found:
        solver.points.register(solver.points.reps[value])
    for each in found:
        for exported, is_member in having[each]:
            if is_member:
                solver.load_from(value, exported, name)
            else:
                solver.points.context_free_edge(exported, value)
    return bool(found)


def plugins(solver: Solver, pattern: str, having: Iterable[int], file: int) -> list[int]:
    """Of the files ``having`` what is read of a module that ``file`` imports, those that are plugins.

    The modules of a folder are, if ``MIN_PLUGINS`` of them have it, and half of all that lie there; where the pattern
    has no constant part, those that no file imports by name. There are none if these folders lie in more than
    ``MAX_CANDIDATES`` others.
    """
    parts = pattern.split(HOLE)[1:]
    by_name = set() if any(parts) else imported_by_name(solver)
    languages, tests = solver.files.languages, solver.files.tests
    folders: dict[str, list[int]] = {}
    for each in having:
        if each == file or languages[each] != languages[file] or (tests[each] and not tests[file]):
            continue
        if each not in by_name and matches(parts, segments(solver, each)):
            folders.setdefault(folder_of(solver, each), []).append(each)
    siblings = all_siblings(solver)
    families = {
        folder: found
        for folder, found in folders.items()
        if len(found) >= MIN_PLUGINS and 2 * len(found) >= siblings[folder, languages[file]]
    }
    places = {folder.rpartition("/")[0] for folder in families}  # a folder for each kind of plugins is one place
    return [each for found in families.values() for each in found] if len(places) <= MAX_CANDIDATES else []


def imported_by_name(solver: Solver) -> set[int]:
    """The files that other files, but for tests, import by their names. Linear in the imports, once."""
    known = solver.names.folders.named
    if known is None:
        known = solver.names.folders.named = set()
        modules, strings = solver.program.modules, solver.strings
        levels = solver.names.import_level
        for value in solver.names.imports:
            row, file = solver.data[value], int(solver.files.file_of[value])
            if solver.files.tests[file]:
                continue
            language = solver.files.languages[file]
            module = modules.resolve(file, strings[solver.names.import_module[row]], levels[row])
            name = solver.names.import_name[row]
            below = modules.submodule(module, strings[name], language) if module is not None and name >= 0 else None
            for each in (module, below):
                known.update(modules.members(each, language) if each is not None else ())
    return known


def segments(solver: Solver, file: int) -> list[str]:
    """The parts of a module's path, without its suffix and without the name of a package's main file."""
    names = solver.program.files[file].path.rpartition(".")[0].split("/")
    is_main = names[-1] in solver.files.traits[file].modules.main_files and len(names) > 1
    return names[:-1] if is_main else names


def folder_of(solver: Solver, file: int) -> str:
    """The folder that a module lies in; its siblings lie there, too."""
    return "/".join(segments(solver, file)[:-1])


def matches(parts: Sequence[str], names: Sequence[str]) -> bool:
    """Whether a path ends as a pattern does, whose empty parts are anything."""
    return len(names) >= len(parts) and all(
        part in ("", name) for part, name in zip(reversed(parts), reversed(names), strict=False)
    )


def exporting(solver: Solver, name: int) -> dict[int, list[tuple[int, bool]]]:
    """The files that export a function or a class as ``name``: each with its values, and whether these are objects that
    have a member of this name, and all that the module exports. Linear in the exports, once.
    """
    known = solver.names.folders.exporting
    if known is None:
        known = solver.names.folders.exporting = {}
        traits = [each.modules for each in solver.files.traits]
        for (file, exported), values in solver.names.exports.items():
            text = solver.strings[exported]
            for value in values:
                is_default = text == traits[file].default_export  # an object, mostly
                if is_default or solver.op[solver.undecorated(value)] in (FUNCTION_OP, CLASS_OP):
                    known.setdefault(exported, {}).setdefault(file, []).append((value, False))
                elif text == traits[file].module_object:
                    holder = solver.points.reps[value]
                    for row in solver.accesses.stores_of.get(holder, ()) if solver.op[holder] == NEW_OP else ():
                        key = solver.accesses.store_key[row]
                        known.setdefault(key, {}).setdefault(file, []).append((value, True))
    return known.get(name, {}) if name != NONE else {}


def all_siblings(solver: Solver) -> dict[tuple[str, str], int]:
    """The number of files in each folder, by language. Linear in the files, once."""
    known = solver.names.folders.siblings
    if known is None:
        known = solver.names.folders.siblings = {}
        for file, language in enumerate(solver.files.languages):
            key = folder_of(solver, file), language
            known[key] = known.get(key, 0) + 1
    return known
