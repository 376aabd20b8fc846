"""The key that an argument of a call is: ``context.WithValue(ctx, userKey, user)``.

A constant is its text. In languages whose declared types hold, two keys are equal only if their types are: there the
key of a constant with a named type begins with the type's name, that of a literal is its type and the fields in it that
are not zero, and any other value that a package keeps under a name is that value. Such keys begin with NUL, which no
key of a program does. Constant time for an argument, but for the elements of a literal.

Two pointers to literals with equal fields count as equal, though they differ in Go: nothing says that a value is one.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.unit import constant_text
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.scanner.analysis.numbers import CALL_OP, CLASS_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.solver import Solver

_ZERO: Final = frozenset(map(constant_text, ("", 0, 0.0, False, None)))


def text_of_key(solver: Solver, value: int) -> str | None:
    """The key as text, which is equal for equal keys; None if it is not known."""
    if not solver.files.traits[solver.files.file_of[value]].declared_types_hold:
        return constant(solver, value)
    found = definition(solver, value, MAX_NAMES_BEFORE_CONSTANT)
    if found == NONE:
        name = _member_of_import(solver, value)  # of a library
        return f"\0{name}" if name else None
    text = _typed(solver, found, solver.classes.types.of.get(value, NONE))
    if text is None and found != solver.points.reps[value]:
        place = solver.program.files[solver.files.file_of[found]].path
        text = f"\0{place}\0{found}"  # one value, whatever is in it
    return text


def _typed(solver: Solver, value: int, stated: int) -> str | None:
    """The key of a constant, a literal of constants, or a constant that is converted to a type of the program.
    ``stated`` is the type that the last version of the literal is declared to have, ``NONE`` if there is none.
    """
    text = constant(solver, value)
    name = name_of_type(solver, solver.classes.types.of.get(value, stated))
    if text is not None:
        return f"\0{name}\0{text}" if name else text
    if solver.op[value] == NEW_OP and solver.data[value] and name:
        parts = _fields(solver, value)
        if parts is not None:
            return "\0".join(["", name, *parts])
    if solver.op[value] == CALL_OP:
        row = solver.data[value]
        name = _converted_to(solver, solver.calls.callee[row])
        arguments = [solver.calls.arg_value[each] for each in solver.calls.args.of(row)]
        text = constant(solver, arguments[0]) if name and len(arguments) == 1 else None
        if text is not None:
            return f"\0{name}\0{text}"
    return None


def _fields(solver: Solver, literal: int) -> list[str] | None:
    """The fields of a literal that are not zero, in an order of their own; None if one is not known."""
    found: dict[int, str] = {}
    for row in solver.accesses.stores_of.get(literal, ()):
        key = solver.accesses.store_key[row]
        value = definition(solver, solver.accesses.store_value[row], MAX_NAMES_BEFORE_CONSTANT)
        if key == UNKNOWN_KEY or key in found or value == NONE or solver.op[value] != CONST_OP:
            return None
        found[key] = solver.strings[solver.data[value]]
    return [f"{key}={found[key]}" for key in sorted(found) if found[key] not in _ZERO]


def name_of_type(solver: Solver, value: int) -> str:
    """Folder and name of a type that is declared in the program, or its name in a library; empty for other values."""
    if value == NONE:
        return ""
    op, data = solver.op[value], solver.data[value]
    if op == LOAD_OP:
        return _member_of_import(solver, value)
    if op == CLASS_OP:
        data = int(solver.program.tables["owners"]["name"][data])
    elif op != GLOBAL_OP:
        return ""
    folder = solver.program.files[solver.files.file_of[value]].path.rpartition("/")[0]
    return f"{folder}/{solver.strings[data]}"


def _converted_to(solver: Solver, callee: int) -> str:
    """The name of the type that a call converts to; empty for functions. What a library's name is, is not known."""
    found = definition(solver, callee, MAX_NAMES_BEFORE_CONSTANT) if callee != NONE else NONE
    if found == NONE:
        return _member_of_import(solver, callee) if callee != NONE else ""
    return name_of_type(solver, callee) if solver.op[found] == CLASS_OP else ""


def _member_of_import(solver: Solver, value: int) -> str:
    """``folder/Name`` for ``package.Name``; empty for other values."""
    if solver.op[value] != LOAD_OP:
        return ""
    row = solver.data[value]
    holder, key = definition(solver, solver.accesses.load_object[row], 1), solver.accesses.load_key[row]
    if holder == NONE or key < 0 or solver.op[holder] != IMPORT_OP:
        return ""
    written, level = (solver.names.import_module[solver.data[holder]], solver.names.import_level[solver.data[holder]])
    module = solver.program.modules.resolve(solver.files.file_of[holder], solver.strings[written], level)
    return f"{solver.strings[written] if module is None else module}/{solver.strings[key]}"
