"""Seeding: functions and classes get their states, imports and global names are bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, Flow, Op
from pyrograph.ir.packed import KIND_BITS
from pyrograph.kernels.arrays import among, distinct
from pyrograph.parsers import language_of
from pyrograph.scanner.analysis.apis import EXTERNAL, Apis
from pyrograph.scanner.analysis.numbers import POST_OP, STORE_OP
from pyrograph.scanner.analysis.resolve.api_members import arise_member
from pyrograph.scanner.analysis.resolve.handler_lists import containers_of_handlers
from pyrograph.scanner.analysis.resolve.modules import is_hidden_by_library, library, module_member, module_state
from pyrograph.scanner.analysis.resolve.packages import imported_by_clause, package_names, reads_name
from pyrograph.scanner.analysis.resolve.resolution import CLASS, EXTERNAL_API, FUNCTION, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.vendored import made_by_copy, vendored

# What may be, or hold, a function, a class or an instance.
MAY_HOLD: Final = (Op.FUNCTION, Op.CLASS, Op.PARAMETER, Op.NEW, Op.CALL, Op.GLOBAL, Op.LOAD, Op.IMPORT)
FUNCTIONS: Final = (Op.FUNCTION, Op.CLASS, Op.PARAMETER, Op.NEW, Op.GLOBAL, Op.IMPORT)


def seed(solver: Solver) -> None:
    tables = solver.program.tables
    exports = tables["exports"]
    files = solver.program.file_of_value[exports["value"]].tolist()
    by_file = solver.names.exports
    folders = {
        number: file.path.rpartition("/")[0]
        for number, file in enumerate(solver.program.files)
        if solver.files.traits[number].modules.directory_is_module
    }
    known: set[tuple[int, int, int]] = set()  # a list of many exports under one name takes long to look through
    for name, value, file in zip(exports["name"].tolist(), exports["value"].tolist(), files, strict=True):
        values = by_file.setdefault((file, name), [])
        if not values and file in folders:
            solver.names.declaring.setdefault((folders[file], name), []).append(file)
        if (file, name, value) not in known:
            known.add((file, name, value))
            values.append(value)
    op = tables["values"]["op"]
    for value in np.flatnonzero(op == Op.FUNCTION).tolist():
        solver.points.add(solver.points.reps[value], solver.data[value] << KIND_BITS | FUNCTION)
    for value in np.flatnonzero(op == Op.CLASS).tolist():
        solver.points.add(solver.points.reps[value], solver.data[value] << KIND_BITS | CLASS)
    stores, members = tables["stores"], tables["members"]
    kept = distinct(np.concatenate([instances(solver), imported(solver)]))
    held, named = stored_elsewhere(solver, filled_by_calls(solver, kept, FUNCTIONS))
    filled, filled_names = filled_by_functions(solver)
    named = distinct(np.concatenate([named, filled_names]))
    capacity = solver.points.capacity
    tables_of_handlers, joined = containers_of_handlers(
        solver.program, solver.points.rep, capacity.handlers, capacity.registered
    )
    solver.models.tables_of_handlers.update(tables_of_handlers[op[tables_of_handlers] == Op.CALL].tolist())
    for part, whole in zip(joined[0].tolist(), joined[1].tolist(), strict=True):
        solver.points.edge(part, whole)
    holding = [
        solver.points.rep[stores["object"]],
        held,
        solver.points.rep[exports["value"][among(exports["name"], named)]],
        solver.points.rep[stores["value"][among(stores["key"], named) & (stores["value"] >= 0)]],
        solver.points.rep[members["value"][among(members["name"], named)]],
        np.array(solver.calls.copies.keeping, np.int32),
        tables_of_handlers,
        filled,
        filled_by_calls(solver, kept),
    ]
    objects = distinct(np.concatenate(holding))
    for node in objects[op[objects] == Op.NEW].tolist():
        solver.points.add(node, node << KIND_BITS | OBJECT)
    solver.names.imports = np.flatnonzero(op == Op.IMPORT).tolist()
    for value in solver.names.imports:
        solver.names.imports_of.setdefault(int(solver.files.file_of[value]), []).append(value)
    for value in solver.names.imports:
        bind_import(solver, value)
    for value in np.flatnonzero(op == Op.GLOBAL).tolist():
        bind_global(solver, value)


def stored_elsewhere(
    solver: Solver, filled: npt.NDArray[np.int32]
) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Nodes of objects that inner functions store in, and the names of objects that functions store in or that clones
    load from: `routes` of `routes[path] = handler`, `handlers` of `this.handlers[name] = f` and of
    `this.handlers.push(f)`. ``filled``: nodes of objects that calls store in.
    """
    tables = solver.program.tables
    stores, loads, captures = tables["stores"], tables["loads"], tables["captures"]
    op, data = tables["values"]["op"], tables["values"]["data"]
    known = stores["value"] >= 0
    may_be = among(op[solver.points.rep[np.maximum(stores["value"], 0)]], MAY_HOLD)
    objects = distinct(np.concatenate([solver.points.rep[stores["object"][known & may_be]], filled]))
    kinds = op[objects]
    names = [
        loads["key"][among(loads["result"], objects[kinds == Op.LOAD])],
        data[objects[kinds == Op.GLOBAL]],
        np.array(sorted(solver.calls.copies.tables), np.int32),
    ]
    captured = objects[(kinds == Op.PARAMETER) & (data[objects] == NONE)]
    named = distinct(np.concatenate(names))
    outer = solver.points.rep[captures["outer"][among(captures["inner"], captured)]]
    return np.concatenate([outer, versions(solver, outer)]), named[named >= 0]


def versions(solver: Solver, nodes: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    """What joins among ``nodes`` are made of: a captured variable is what its function and its closures left in it."""
    flows, op = solver.program.tables["flows"], solver.program.tables["values"]["op"]
    rep = solver.points.rep
    joined = (flows["kind"] == Flow.SAME) & among(rep[flows["target"]], distinct(nodes[op[nodes] == Op.PHI]))
    found: npt.NDArray[np.int32] = rep[flows["origin"][joined]]
    return found


def filled_by_functions(solver: Solver) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Nodes of objects, and names of variables of modules, that are passed to a function, where functions store what
    is, or holds, a function in parameters at such places, if the object, or the call's result, is used otherwise, too:
    ``require("./flags")(Posts)``, ``factory(exports)``, ``module.exports = factory({})``. Linear in the tables.
    """
    tables, rep = solver.program.tables, solver.points.rep
    stores, loads, calls = tables["stores"], tables["loads"], tables["calls"]
    arguments, parameters = tables["arguments"], tables["parameters"]
    op, data = tables["values"]["op"], tables["values"]["data"]
    values = rep[np.maximum(arguments["value"], 0)]
    known = stores["value"] >= 0
    holding = among(op[rep[np.maximum(stores["value"], 0)]], (Op.FUNCTION, Op.CLASS, Op.NEW))
    filled = among(rep[parameters["value"]], distinct(rep[stores["object"][known & holding]]))
    given = among(arguments["position"], distinct(parameters["position"][filled & (parameters["position"] >= 0)]))
    given &= arguments["value"] >= 0
    made = given & (op[values] == Op.NEW)
    uses = (loads["object"], tables["exports"]["value"], tables["captures"]["outer"], stores["value"][known])
    used = distinct(np.concatenate([rep[each] for each in uses]))
    results = rep[calls["result"][arguments["call"][made]]]
    nodes: npt.NDArray[np.int32] = values[made][among(values[made], used) | among(results, used)]
    names: npt.NDArray[np.int32] = data[values[given & (op[values] == Op.GLOBAL)]]
    return distinct(nodes), distinct(names[names >= 0])


def filled_by_calls(solver: Solver, values: npt.NDArray[np.int32], ops: tuple[Op, ...] = ()) -> npt.NDArray[np.int32]:
    """Nodes of objects to which methods of built-in types add one of ``values``, or what one of ``ops`` makes:
    `this.handlers.push(handler)`.

    Lists in tables (`table.get(name).push(handler)`) are found from the calls of what is taken out (`handler_lists`):
    among all that such methods add, most hold nothing that is called.
    """
    calls, arguments = solver.program.tables["calls"], solver.program.tables["arguments"]
    op = solver.program.tables["values"]["op"]
    ids = solver.program.string_ids
    names = [ids[name] for apis in solver.apis.values() for name in keeping_methods(apis) if name in ids]
    filling = among(calls["name"], names) & (calls["receiver"] >= 0)
    rows = np.flatnonzero(filling[arguments["call"]] & (arguments["value"] >= 0))
    given = solver.points.rep[arguments["value"][rows]]
    kept = rows[among(op[given], ops) | among(given, solver.points.rep[values])]
    return solver.points.rep[calls["receiver"][distinct(arguments["call"][kept])]]


def instances(solver: Solver) -> npt.NDArray[np.int32]:
    """Results of calls that make an instance of a class of the program with something to keep, by the class's name:
    `new Route(path, handler)`.
    """
    tables = solver.program.tables
    calls, op = tables["calls"], tables["values"]["op"]
    names = distinct(tables["owners"]["name"])
    callee = solver.points.rep[np.maximum(calls["callee"], 0)]
    made = (op[callee] == Op.CLASS) | among(called_names(solver), names[names >= 0])
    made[calls["callee"] < 0] = False
    filled = np.zeros(len(made), bool)
    filled[tables["arguments"]["call"]] = True
    found: npt.NDArray[np.int32] = calls["result"][made & filled]
    return found


def imported(solver: Solver) -> npt.NDArray[np.int32]:
    """Modules that calls import, by the names of these calls, with what is read from such modules and what that makes:
    `require(found)`, `module.default`, `new module.Plugin()`. Linear in the tables.
    """
    rep = solver.points.rep
    calls, loads = solver.program.tables["calls"], solver.program.tables["loads"]
    ids = solver.program.string_ids
    paths = [apis.paths[node] for apis in solver.apis.values() for node in apis.index.modules]
    names = distinct(np.array([ids[path[-1]] for path in paths if path[-1] in ids], np.int32))
    modules = calls["result"][among(called_names(solver), names)]
    members = loads["result"][among(rep[loads["object"]], distinct(rep[modules]))]
    called = among(rep[np.maximum(calls["callee"], 0)], distinct(rep[np.concatenate([modules, members])]))
    made = calls["result"][called & (calls["callee"] >= 0)]
    found: npt.NDArray[np.int32] = np.concatenate([modules, members, made])
    return found


def called_names(solver: Solver) -> npt.NDArray[np.int32]:
    """By what name each call calls something, or NONE."""
    tables = solver.program.tables
    calls, op, data = tables["calls"], tables["values"]["op"], tables["values"]["data"]
    callee = solver.points.rep[np.maximum(calls["callee"], 0)]
    name: npt.NDArray[np.int32] = np.where(op[callee] == Op.GLOBAL, data[callee], calls["name"])
    is_imported = op[callee] == Op.IMPORT
    name[is_imported] = tables["imports"]["name"][data[callee[is_imported]]]
    return name


def keeping_methods(apis: Apis) -> list[str]:
    """The names of methods of built-in types that keep an argument in their receiver: ``push``, ``set``."""
    return [name for name, nodes in apis.builtin_methods.items() if not apis.index.filling.isdisjoint(nodes)]


def bind_import(solver: Solver, value: int) -> None:
    row = solver.data[value]
    file = solver.files.file_of[value]
    module = solver.strings[solver.names.import_module[row]]
    name_id = solver.names.import_name[row]
    node = solver.points.reps[value]
    level = solver.names.import_level[row]
    found: str | None = solver.program.modules.resolve(file, module, level)
    language = solver.files.languages[file]
    if found is None and not level and not is_described(solver, language, module):
        found = solver.program.modules.elsewhere(file, module)
    if found is not None:
        if name_id == NONE or name_id == solver.names.star:
            solver.points.add(node, module_state(solver, found, file))
            whole_module(solver, value, found, file)
            is_bound = False
        else:
            is_bound = module_member(solver, value, found, name_id, file)
        is_own = is_bound or not is_hidden_by_library(solver, found, language, module, level)
    else:
        is_own = False
    apis = solver.apis.get(language)
    if found is None:
        made = made_by_copy(solver, module, level, file)
    else:
        made = vendored(solver, found, file) if is_own else ()
    for api in made if made or is_own else library(solver, apis, language, module):
        if name_id == NONE or name_id == solver.names.star:
            solver.arise(value, api)
        elif solver.strings[name_id] == solver.files.traits[file].modules.default_export:
            solver.arise(value, api)
            arise_member(solver, value, api, solver.strings[name_id])
        else:
            arise_member(solver, value, api, solver.strings[name_id])


def is_described(solver: Solver, language: str, module: str) -> bool:
    """Whether packs or the language itself know the library of an absolute import."""
    path = language_of(language).library_path(module)
    apis = solver.apis.get(language)
    return (
        not path or language_of(language).is_standard(path[0]) or (apis is not None and apis.root(path[0]) is not None)
    )


def whole_module(solver: Solver, value: int, module: str, file: int) -> None:
    """``require`` of a module that assigns ``module.exports``: the exported object itself."""
    text = solver.files.traits[file].modules.module_object
    name = solver.program.string_ids.get(text) if text else None
    if name is None:
        return
    for member in solver.program.modules.members(module, solver.files.languages[file]):
        solver.points.share(solver.names.exports.get((member, name), ()), value)


def bind_global(solver: Solver, value: int) -> None:
    """Bind a global name: of the module, of the package, or of the language."""
    file = solver.files.file_of[value]
    name = solver.data[value]
    language, traits = solver.files.languages[file], solver.files.traits[file]
    if traits.modules.directory_is_module:
        exported = package_names(solver, file, name)
        package = solver.program.files[file]
        reads_name(solver, value, package.path.rpartition("/")[0], name)
        declared = declares(solver, file, name, exported)
        if not declared and (module := imported_by_clause(solver, file, name)) is not None:
            solver.points.add(solver.points.reps[value], module_state(solver, module, file))
            return
        starred = bool(solver.names.exports.get((file, solver.names.star)))
        if not declared and not starred and solver.points.reps[value] in solver.accesses.loads_of:
            solver.points.add(
                solver.points.reps[value], EXTERNAL_API
            )  # a library whose name is not the end of its path
    else:
        exported = solver.names.exports_of(file, name)
    solver.points.share(exported, value)
    if declares(solver, file, name, exported):
        return  # what only changes, as `window` with `window.location = x`, is declared elsewhere
    if traits.modules.star_imports_bind_names:
        for star in solver.names.exports.get((file, solver.names.star), ()):
            imports = solver.program.tables["imports"]
            row = solver.data[star]
            inner, level = solver.strings[imports["module"][row]], int(imports["level"][row])
            target = solver.program.modules.resolve(file, inner, level)
            if target is not None and module_member(solver, value, target, name, file):
                return
            if target is None or is_hidden_by_library(solver, target, language, inner, level):
                for api in library(solver, solver.apis.get(language), language, inner):
                    if api != EXTERNAL and solver.apis[language].member(api, solver.strings[name]):
                        arise_member(solver, value, api, solver.strings[name])
                        return
    apis = solver.apis.get(language)
    root = apis.root(solver.files.builtins[language]) if apis is not None else None
    known = apis.member(root, solver.strings[name]) if apis is not None and root is not None else []
    for node in known:
        solver.arise(value, node)
    if root is not None and solver.strings[name] in traits.modules.global_objects:
        solver.arise(value, root)
    elif not known and not exported and traits.modules.tools_add_imports:
        solver.points.share(shared_name(solver, file, name), value)


def shared_name(solver: Solver, file: int, name: int) -> list[int]:
    """The function or the class of a name that ``file`` does not declare, where one file alone declares it.

    Only modules get imports from tools: files that import something, or have a default export.
    """
    default = solver.program.string_ids.get(solver.files.traits[file].modules.default_export, NONE)
    if file not in solver.names.imports_of and not solver.names.exports_of(file, default):
        return []
    if solver.names.shared is None:
        solver.names.shared = {}
        for (other, each), values in solver.names.exports.items():
            kinds = [solver.op[value] for value in values] if not solver.files.testing[other] else []
            if kinds and all(kind in (Op.FUNCTION, Op.CLASS) for kind in kinds):
                solver.names.shared.setdefault(each, []).append(other)
    declaring = solver.names.shared.get(name, [])
    if len(declaring) != 1 or solver.files.languages[declaring[0]] != solver.files.languages[file]:
        return []
    return solver.names.exports_of(declaring[0], name)


def declares(solver: Solver, file: int, name: int, exported: Sequence[int]) -> bool:
    """Whether ``file`` declares ``name``, and does not only modify an object that is declared elsewhere.

    Each value is looked at once: one name may have as many states as the file has lines, and as many readers.
    """
    looked_at, found = solver.names.declared.get((file, name), (0, False))
    if not found:
        found = any(solver.op[exported[at]] not in (POST_OP, STORE_OP) for at in range(looked_at, len(exported)))
        solver.names.declared[file, name] = len(exported), found
    return found
