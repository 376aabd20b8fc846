"""What only names show: entry points, by their parameters; what a class extends, by an unseen base."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.ir.packed import KIND, KIND_BITS
from pyrograph.rules.entries import ParameterType
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE, parameters_of
from pyrograph.scanner.analysis.resolve.api_members import imported_roots
from pyrograph.scanner.analysis.resolve.entry_points import add_entry_point, names_of_bases
from pyrograph.scanner.analysis.resolve.numbers import METHOD, RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API, Entry
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.stores import inherit


def entry_points_by_names(solver: Solver) -> bool:
    """Make functions entry points by the names of their parameters alone: handlers with an unseen registration.

    A function whose first parameter is known to come from a library is left out, unless that is the type that an entry
    gives it, or a base of it. Returns whether there are some.
    """
    found = False
    strings = solver.program.string_ids
    wanted: dict[tuple[str, int], list[tuple[list[int], str, Entry]]] = {}
    for language, apis in solver.apis.items():
        for names, entries in apis.by_names.items():
            ids = [strings.get(name, NONE) for name in names]
            if NONE not in ids:
                wanted.setdefault((language, ids[0]), []).extend((ids, module, entry) for module, entry in entries)
    for function, rows in solver.functions.parameters_of.items() if wanted else ():
        parameters = [row for row in rows if solver.functions.param_kind[row] != RECEIVER_KIND]
        if not parameters:
            continue
        first = solver.functions.param_value[parameters[0]]
        possible = wanted.get((solver.files.language_of(first), solver.functions.param_name[parameters[0]]))
        if possible is None:
            continue
        known = {
            s >> KIND_BITS
            for s in solver.points.states[solver.points.reps[first]]
            if s & KIND == API and s >> KIND_BITS != EXTERNAL
        }
        for ids, module, entry in possible:
            if known and not known.issubset(types_of(solver, first, entry)):
                continue
            if (
                [solver.functions.param_name[row] for row in parameters[: len(ids)]] == ids
                and (not module or module in imported_roots(solver, int(solver.files.file_of[first])))
                and (not parameters_of(entry).outermost or is_outermost(solver, function))
            ):
                found = True
                add_entry_point(solver, entry, function, NONE)
    return found


def types_of(solver: Solver, parameter: int, entry: Entry) -> Sequence[int]:
    """The type that an entry gives to parameters, and its bases."""
    if not isinstance(entry, ParameterType):
        return ()
    apis = solver.apis[solver.files.language_of(parameter)]
    return apis.expand(apis.node((*entry.type, INSTANCE)))


def is_outermost(solver: Solver, function: int) -> bool:
    """Whether a function stands in its module's own code: no method, and in no other function."""
    parent = solver.functions.parent[function]
    return (
        parent != NONE
        and bool(solver.functions.flags[parent] & FunctionFlag.MODULE)
        and not solver.functions.flags[function] & METHOD
    )


def extend_by_names(solver: Solver) -> None:
    """Let classes extend a library's class by the last name of an unseen base, in files that import the library.

    Frameworks are often used through another library that no pack describes: its ``BaseHandler`` extends theirs.
    """
    if not any(apis.unseen_bases for apis in solver.apis.values()):
        return
    for owner, bases in names_of_bases(solver).items():
        value = solver.classes.owner_value[owner]
        apis = solver.apis.get(solver.files.language_of(value))
        names = [name for name, base in bases if not is_known(solver, base)]
        if apis is None or not apis.unseen_bases or not names:
            continue
        roots = imported_roots(solver, int(solver.files.file_of[value]))
        for pattern, node in apis.unseen_bases:
            if apis.paths[node][0] in roots and any(fnmatchcase(name, pattern) for name in names):
                inherit(solver, owner, node << KIND_BITS | API)


def is_known(solver: Solver, base: int) -> bool:
    """Whether a base class is part of the program, or a pack describes it."""
    return any(s & KIND == CLASS or (s & KIND == API and s != EXTERNAL_API) for s in solver.points.states[base])
