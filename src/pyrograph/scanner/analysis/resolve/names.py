"""Names: what imports and the names of modules, packages and languages are bound to before anything moves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.packed import KIND_BITS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.scanner.analysis.apis import EXTERNAL
from pyrograph.scanner.analysis.resolve.members import (
    arise_member,
    exports_of,
    library,
    module_member,
    module_state,
    package_members,
    reads_name,
)
from pyrograph.scanner.analysis.resolve.numbers import IMPORT_OP, POST_OP, STORE_OP
from pyrograph.scanner.analysis.resolve.resolution import CLASS, EXTERNAL_API, FUNCTION, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver

# What may be, or hold, a function, a class or an instance.
MAY_HOLD: Final = (Op.FUNCTION, Op.CLASS, Op.PARAMETER, Op.NEW, Op.CALL, Op.GLOBAL, Op.LOAD, Op.IMPORT)


def seed(solver: Solver) -> None:
    tables = solver.program.tables
    exports = tables["exports"]
    files = solver.program.file_of_value[exports["value"]].tolist()
    by_file = solver.by_file
    folders = {
        number: file.path.rpartition("/")[0]
        for number, file in enumerate(solver.program.files)
        if solver.traits[number].directory_is_module
    }
    for name, value, file in zip(exports["name"].tolist(), exports["value"].tolist(), files, strict=True):
        values = by_file.setdefault((file, name), [])
        if not values and file in folders:
            solver.declaring.setdefault((folders[file], name), []).append(file)
        if value not in values:
            values.append(value)
    op = tables["values"]["op"]
    for value in np.flatnonzero(op == Op.FUNCTION).tolist():
        solver.add(solver.reps[value], solver.data[value] << KIND_BITS | FUNCTION)
    for value in np.flatnonzero(op == Op.CLASS).tolist():
        solver.add(solver.reps[value], solver.data[value] << KIND_BITS | CLASS)
    stores = tables["stores"]
    held, named = stored_elsewhere(solver)
    holding = [
        solver.rep[stores["object"]],
        held,
        solver.rep[exports["value"][among(exports["name"], named)]],
        solver.rep[stores["value"][among(stores["key"], named) & (stores["value"] >= 0)]],
        np.array(solver.copies.keeping, np.int32),
    ]
    objects = distinct(np.concatenate(holding))
    for node in objects[op[objects] == Op.NEW].tolist():
        solver.add(node, node << KIND_BITS | OBJECT)
    solver.pending_imports = np.flatnonzero(op == Op.IMPORT).tolist()
    for value in solver.pending_imports:
        solver.imports_of.setdefault(int(solver.file_of[value]), []).append(value)
    for value in solver.pending_imports:
        bind_import(solver, value)
    for value in np.flatnonzero(op == Op.GLOBAL).tolist():
        bind_global(solver, value)


def stored_elsewhere(solver: Solver) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Objects that functions inside of the one that makes them store in, and the names of objects that functions
    store in or that copies look up in: `routes` of `routes[path] = handler`, `handlers` of `this.handlers[name] = f`.
    """
    tables = solver.program.tables
    stores, loads, captures = tables["stores"], tables["loads"], tables["captures"]
    op, data = tables["values"]["op"], tables["values"]["data"]
    known = stores["value"] >= 0
    may_be = among(op[solver.rep[np.maximum(stores["value"], 0)]], MAY_HOLD)
    objects = distinct(solver.rep[stores["object"][known & may_be]])
    kinds = op[objects]
    names = [
        loads["key"][among(loads["result"], objects[kinds == Op.LOAD])],
        data[objects[kinds == Op.GLOBAL]],
        np.array(sorted(solver.copies.tables), np.int32),
    ]
    captured = objects[(kinds == Op.PARAMETER) & (data[objects] == NONE)]
    named = distinct(np.concatenate(names))
    return solver.rep[captures["outer"][among(captures["inner"], captured)]], named[named >= 0]


def bind_import(solver: Solver, value: int) -> None:
    row = solver.data[value]
    file = solver.file_of[value]
    module = solver.strings[solver.import_module[row]]
    name_id = solver.import_name[row]
    node = solver.reps[value]
    found: str | None = solver.program.modules.resolve(file, module, solver.import_level[row])
    if found is not None:
        if name_id == NONE or name_id == solver.star:
            solver.add(node, module_state(solver, found, file))
            whole_module(solver, value, found, file)
        else:
            module_member(solver, value, found, name_id, file)
        return
    language = solver.languages[file]
    apis = solver.apis.get(language)
    for api in library(solver, apis, language, module):
        if name_id == NONE or name_id == solver.star:
            solver.arise(value, api)
        elif solver.strings[name_id] == solver.traits[file].default_export:
            solver.arise(value, api)
            arise_member(solver, value, api, solver.strings[name_id])
        else:
            arise_member(solver, value, api, solver.strings[name_id])


def whole_module(solver: Solver, value: int, module: str, file: int) -> None:
    """``require`` of a module that assigns ``module.exports``: the exported object itself."""
    text = solver.traits[file].module_object
    name = solver.program.string_ids.get(text) if text else None
    if name is None:
        return
    for member in solver.program.modules.members(module, solver.languages[file]):
        solver.share(solver.by_file.get((member, name), ()), value)


def bind_global(solver: Solver, value: int) -> None:
    """A name of the module, of the package, or of the language."""
    file = solver.file_of[value]
    name = solver.data[value]
    language, traits = solver.languages[file], solver.traits[file]
    if traits.directory_is_module:
        exported = package_names(solver, file, name)
        package = solver.program.files[file]
        reads_name(solver, value, package.path.rpartition("/")[0], name)
        declared = declares(solver, file, name, exported)
        if not declared and (module := imported_by_clause(solver, file, name)) is not None:
            solver.add(solver.reps[value], module_state(solver, module, file))
            return
        if not declared and solver.reps[value] in solver.loads_of:
            solver.add(solver.reps[value], EXTERNAL_API)  # a library whose name is not the end of its path
    else:
        exported = exports_of(solver, file, name)
    solver.share(exported, value)
    if declares(solver, file, name, exported):
        return  # what only changes, as `window` with `window.location = x`, is declared elsewhere
    if traits.star_imports_bind_names:
        for star in solver.by_file.get((file, solver.star), ()):
            imports = solver.program.tables["imports"]
            row = solver.data[star]
            inner = solver.strings[imports["module"][row]]
            target = solver.program.modules.resolve(file, inner, int(imports["level"][row]))
            if target is not None:
                if module_member(solver, value, target, name, file):
                    return
            else:
                for api in library(solver, solver.apis.get(language), language, inner):
                    if api != EXTERNAL and solver.apis[language].member(api, solver.strings[name]):
                        arise_member(solver, value, api, solver.strings[name])
                        return
    apis = solver.apis.get(language)
    if apis is None:
        return
    root = apis.root(solver.builtins[language])
    if root is not None:
        for node in apis.member(root, solver.strings[name]):
            solver.arise(value, node)
        if solver.strings[name] in traits.global_objects:
            solver.arise(value, root)


def declares(solver: Solver, file: int, name: int, exported: Sequence[int]) -> bool:
    """Whether one of the values that ``name`` has in ``file`` is more than a change of what something else declares.

    Each value is looked at once: one name may have as many states as the file has lines, and as many readers.
    """
    looked_at, found = solver.declared.get((file, name), (0, False))
    if not found:
        found = any(solver.op[exported[at]] not in (POST_OP, STORE_OP) for at in range(looked_at, len(exported)))
        solver.declared[file, name] = len(exported), found
    return found


def package_names(solver: Solver, file: int, name: int) -> list[int]:
    """What a package-level name means in ``file``: its own import, or what the files of the package say."""
    own = [value for value in exports_of(solver, file, name) if solver.op[value] == IMPORT_OP]
    if own:
        return own
    package = solver.program.files[file]
    directory = package.path.rpartition("/")[0]
    return package_members(solver, directory, name, package.package, in_test=solver.tests[file])


def imported_by_clause(solver: Solver, file: int, name: int) -> str | None:
    """The package of the program that ``file`` imports without a name, and whose own name is ``name``."""
    known = solver.packages_imported.get(file)
    if known is None:
        known = solver.packages_imported[file] = {}
        modules = solver.program.modules
        for value in solver.imports_of.get(file, ()):
            row = solver.data[value]
            if solver.import_name[row] == NONE:
                module: str | None = modules.resolve(file, solver.strings[solver.import_module[row]], 0)
                if module is not None:
                    known.setdefault(modules.package_of(module, solver.languages[file]), module)
    return known.get(solver.strings[name])
