"""Package-level names, in languages in which the files of a directory are one module."""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_JOIN_EDGES
from pyrograph.scanner.analysis.numbers import CLASS_OP, FUNCTION_OP, IMPORT_OP
from pyrograph.scanner.analysis.resolve.solver import Solver


def package_members(solver: Solver, directory: str, name: int, package: str, *, in_test: bool) -> list[int]:
    """The values that the files of a package declare under ``name``; of a variable, all that are assigned to it.

    Only test files see the assignments of test files (``in_test``). A constant or a function has one value, even if
    calls modify it.
    """
    key = directory, name, package, in_test
    known = solver.names.packages.get(key)
    if known is not None:
        return known
    files = solver.program.files
    constant = solver.program.string_ids.get("const " + solver.strings[name], NONE)
    found: list[int] = []
    fixed: list[int] = []
    declaring = solver.names.declaring
    for other in sorted({*declaring.get((directory, name), ()), *declaring.get((directory, constant), ())}):
        if (package and files[other].package != package) or (solver.files.tests[other] and not in_test):
            continue
        fixed += solver.names.exports.get((other, constant), ())
        for value in solver.names.exports_of(other, name):
            if solver.op[value] in (FUNCTION_OP, CLASS_OP):
                fixed.append(value)
            elif solver.op[value] != IMPORT_OP:
                found.append(value)
    known = solver.names.packages[key] = fixed or found
    return known


def reads_name(solver: Solver, value: int, directory: str, name: int) -> None:
    """``value`` reads a package-level name; other packages may assign it, before or after this is known."""
    readers = solver.names.readers.setdefault((directory, name), [])
    assigned = solver.names.assigned.get((directory, name), ())
    readers.append(value)
    if len(readers) * len(assigned) > MAX_JOIN_EDGES:
        share_assigned(solver, directory, name)
        solver.points.context_free_edge(readers[0], value)
    else:
        for each in assigned:
            solver.points.context_free_edge(each, value)


def share_assigned(solver: Solver, directory: str, name: int) -> None:
    """Link all readers of a name that other packages assign to the first reader: see ``PointsTo.share``."""
    if (directory, name) not in solver.names.joined:
        solver.names.joined.add((directory, name))
        first, *others = solver.names.readers[directory, name]
        for each in others:
            solver.points.context_free_edge(first, each)


def assign_name(solver: Solver, directory: str, name: int, value: int) -> None:
    """``package.Name = value`` in another package; ``directory`` is the package's."""
    if (directory, name, value) in solver.names.done_assignments:
        return
    solver.names.done_assignments.add((directory, name, value))
    assigned = solver.names.assigned.setdefault((directory, name), [])
    assigned.append(value)
    readers = solver.names.readers.get((directory, name), [])
    if len(readers) * len(assigned) > MAX_JOIN_EDGES:
        share_assigned(solver, directory, name)
        solver.points.context_free_edge(value, readers[0])
    else:
        for each in readers:
            solver.points.context_free_edge(value, each)


def package_names(solver: Solver, file: int, name: int) -> list[int]:
    """The values of a package-level name in ``file``: its own import, or the declarations of the package."""
    own = [value for value in solver.names.exports_of(file, name) if solver.op[value] == IMPORT_OP]
    if own:
        return own
    package = solver.program.files[file]
    directory = package.path.rpartition("/")[0]
    return package_members(solver, directory, name, package.package, in_test=solver.files.tests[file])


def imported_by_clause(solver: Solver, file: int, name: int) -> str | None:
    """The package of the program that ``file`` imports without a name, and whose own name is ``name``."""
    known = solver.names.clauses.get(file)
    if known is None:
        known = solver.names.clauses[file] = {}
        modules = solver.program.modules
        for value in solver.names.imports_of.get(file, ()):
            row = solver.data[value]
            if solver.names.import_name[row] == NONE:
                module: str | None = modules.resolve(file, solver.strings[solver.names.import_module[row]], 0)
                if module is not None:
                    known.setdefault(modules.package_of(module, solver.files.languages[file]), module)
    return known.get(solver.strings[name])
