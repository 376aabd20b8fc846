"""Constants that a name of the program stands for: of its module, of another one, of an object that holds constants.

A key of a topic or of a context is mostly such a name: ``bus.on(Events.SAVED, save)``, ``ctx.Value(userKey)``. They are
looked up where they are declared, by definitions alone: what states a value has is not asked.
"""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.scanner.analysis.numbers import (
    CLASS_OP,
    CONST_OP,
    GLOBAL_OP,
    IMPORT_OP,
    LOAD_OP,
    NEW_OP,
    POST_OP,
    STORE_OP,
)
from pyrograph.scanner.analysis.resolve.modules import EXPORTS, places_of
from pyrograph.scanner.analysis.resolve.packages import package_members, package_names
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.stores import is_read_and_put_back


def constant(solver: Solver, value: int) -> str | None:
    """The text of a constant, as a key; None if the value is none, or one of several."""
    found = definition(solver, int(value), MAX_NAMES_BEFORE_CONSTANT)
    if found == NONE or solver.op[found] != CONST_OP:
        return None
    text: str = solver.strings[solver.data[found]]
    return text[1:] if text[:1] == "'" else text


def definition(solver: Solver, value: int, names: int) -> int:
    """The one value that a name or a member stands for, through at most ``names`` others; NONE if it is not known."""
    value = solver.points.reps[value]  # an object and its versions are one
    op = solver.op[value]
    if op not in (GLOBAL_OP, IMPORT_OP, LOAD_OP):
        return value
    found: Sequence[int] = ()
    place = int(solver.files.file_of[value]), int(solver.data[value])  # of a global name
    if op == GLOBAL_OP:
        known = solver.names.only_values.get(place, NONE)
        if known != NONE:
            return definition(solver, known, names - 1) if names else NONE
        file = place[0]
        if solver.files.traits[file].modules.directory_is_module:
            found = package_names(solver, file, solver.data[value])
        else:
            found = solver.names.exports_of(file, solver.data[value])
    elif op == IMPORT_OP:
        name = solver.names.import_name[solver.data[value]]
        if name == NONE:
            return value
        found = exported(solver, value, name)
    else:
        row = solver.data[value]
        if not names:
            return NONE
        holder = definition(solver, solver.accesses.load_object[row], names - 1)
        if holder != NONE:
            found = members(solver, holder, solver.accesses.load_key[row])
    only = _only(solver, found)
    if only == NONE:
        return NONE
    if op == GLOBAL_OP:
        solver.names.only_values[place] = only
    return definition(solver, only, names - 1) if names else NONE


def _only(solver: Solver, found: Sequence[int]) -> int:
    """The one value in ``found``, or NONE; what calls and stores leave in a name is the same object."""
    only = NONE
    for each in found:
        rep = int(solver.points.reps[each])
        if rep == only or (solver.op[each] in (POST_OP, STORE_OP) and solver.op[rep] == GLOBAL_OP):
            continue
        if only != NONE:
            return NONE
        only = rep
    return only


def exported(solver: Solver, value: int, name: int) -> Sequence[int]:
    """What the module of an import exports under a name."""
    row, file = solver.data[value], solver.files.file_of[value]
    module: str | None = solver.program.modules.resolve(
        file, solver.strings[solver.names.import_module[row]], solver.names.import_level[row]
    )
    if module is None:
        return []
    language = solver.files.languages[file]
    if solver.files.traits[file].modules.directory_is_module:
        package = solver.program.modules.package_of(module, language)
        return package_members(solver, module, name, package, in_test=False)
    files = [place.file for place in places_of(solver, module, language) if place.kind == EXPORTS]
    found = [each for other in files for each in solver.names.exports_of(other, name)]
    whole = solver.program.string_ids.get(solver.files.traits[file].modules.module_object, NONE)
    if found or whole == NONE:
        return found
    objects = {solver.points.reps[each] for other in files for each in solver.names.exports_of(other, whole)}
    literals = [each for each in sorted(objects) if solver.op[each] == NEW_OP]  # not those of yet another module
    return [each for holder in literals for each in members(solver, holder, name)]


def members(solver: Solver, holder: int, name: int) -> Sequence[int]:
    """What is stored under a name in a module, in the literal of an object, or in the body of a class."""
    if solver.op[holder] == IMPORT_OP:
        return exported(solver, holder, name)
    if solver.op[holder] == CLASS_OP:
        return in_classes(solver).get((holder, name), ())
    if solver.op[holder] != NEW_OP:
        return []
    accesses, reps = solver.accesses, solver.points.reps
    return [
        accesses.store_value[row]
        for row in accesses.stores_of.get(holder, ())
        if accesses.store_key[row] == name and not is_read_and_put_back(solver, row, reps[accesses.store_value[row]])
    ]


def in_classes(solver: Solver) -> dict[tuple[int, int], list[int]]:
    """What the bodies of classes declare, by the class and the name. Linear in the members, once."""
    known = solver.names.in_classes
    if known is None:
        known = solver.names.in_classes = {}
        columns = (solver.program.numbers("members", column) for column in ("owner", "name", "value"))
        for owner, name, value in zip(*columns, strict=True):
            known.setdefault((solver.points.reps[owner], name), []).append(value)
    return known
