"""Entry points: functions that frameworks call.

They are known by a decorator, by registration, by the file that exports them, or by the method of a base class that
they override.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.parsers import language_of
from pyrograph.rules.entries import ParameterType, Source
from pyrograph.scanner.analysis.api_roles import Entry, parameters_of
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.numbers import (
    FUNCTION_OP,
    RECEIVER_KIND,
)
from pyrograph.scanner.analysis.resolve.class_members import call_methods, constructors
from pyrograph.scanner.analysis.resolve.constants import constant
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, FUNCTION, INSTANCE_OF, OBJECT, EntryPoint
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver


@dataclass(frozen=True, slots=True)
class EntryPointListener(Listener):
    """Makes a function an entry point, as ``entry`` says."""

    entry: Entry
    makes: bool = False  # the call returns what it makes of a class

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND == FUNCTION:
            add_entry_point(solver, self.entry, state >> KIND_BITS, call)
        elif state & KIND == CLASS and isinstance(self.entry, Source) and parameters_of(self.entry).by == "callback":
            called = constructors(solver, state >> KIND_BITS)  # a class is called, too
            for function in called:
                add_entry_point(solver, self.entry, function, call)
            if self.makes and not called:  # records and models: the library fills the fields that they declare
                made = (self.entry, solver.calls.result[call], call)
                if made not in solver.resolution.decorated:
                    solver.resolution.decorated.append(made)
        elif state & KIND == INSTANCE_OF and parameters_of(self.entry).by == "callback":
            for function in call_methods(solver, state >> KIND_BITS):
                add_entry_point(solver, self.entry, function, call)


def add_entry_point(solver: Solver, entry: Entry, function: int, call: int) -> None:
    known = solver.models.entry_points.setdefault((function, call), [])
    if entry in known:
        return
    if isinstance(entry, ParameterType) and is_named_elsewhere(solver, entry, function):
        return
    known.append(entry)
    register_wrapped(solver, function)
    solver.resolution.entry_points.append(EntryPoint(entry, function, call))
    if isinstance(entry, ParameterType):
        apis = solver.apis[solver.files.language_of(solver.functions.result[function])]
        first = int(entry.parameters.by == "override" and solver.is_bound_late(function))
        nodes = apis.expand(apis.node((*entry.type, INSTANCE)))
        gathered = gathered_element(solver, function, entry.parameters.which, first)
        if gathered != NONE:
            for node in nodes:
                solver.points.add(gathered, node << KIND_BITS | API)
            return
        for row in solver.functions.chosen_parameters(function, entry.parameters.which, first):
            value = solver.functions.param_value[row]
            for node in nodes:
                solver.arise(value, node)


def gathered_element(solver: Solver, function: int, which: int | str, first: int) -> int:
    """The node of an argument that a parameter gathers with others: of the first one in ``(...args) => f(...args)``.
    NONE if ``which`` is no position, or a parameter of its own has it.
    """
    signature = solver.functions.signature(function)
    if not isinstance(which, int) or signature.vararg == NONE or which + first < signature.end:
        return NONE
    node = solver.points.reps[solver.functions.param_value[signature.vararg]]
    state = node << KIND_BITS | OBJECT
    solver.points.add(node, state)
    return solver.cell(state, solver.number(which + first - signature.end))


def register_wrapped(solver: Solver, wrapper: int) -> None:
    """Let a wrapper that is registered for many functions run all of them, also through wrappers beside it."""
    parents = solver.functions.parent
    wrappers = [wrapper]
    for each in wrappers:  # grows by functions that are not in it
        for node in solver.points.captured_callees.get(each, ()):
            solver.points.register(node)
            beside = subjects(solver.points.states[node], FUNCTION)
            wrappers += [f for f in beside if parents[f] == parents[each] != NONE and f not in wrappers]


def is_named_elsewhere(solver: Solver, entry: ParameterType, function: int) -> bool:
    """Whether the names of a registered function's parameters say that another one is what ``entry`` says: of those
    that an error comes before.
    """
    if entry.parameters.by != "callback" or not isinstance(entry.parameters.which, int):
        return False
    rows = [
        row
        for row in solver.functions.parameters_of.get(function, ())
        if solver.functions.param_kind[row] != RECEIVER_KIND
    ]
    names = tuple(
        solver.strings[solver.functions.param_name[row]] for row in rows if solver.functions.param_name[row] != NONE
    )
    by_names = solver.apis[solver.files.language_of(solver.functions.result[function])].conventions.by_names
    others = [other for count in range(2, len(names) + 1) for _, other in by_names.get(names[:count], ())]
    typed = [other for other in others if isinstance(other, ParameterType) and other.type == entry.type]
    return any(other.parameters.which != entry.parameters.which for other in typed)


def listen_to_exports(solver: Solver) -> None:
    """Add the entry points that frameworks find by the names of files and of their exports."""
    names = {name for _, name in solver.names.exports}
    for language, apis in solver.apis.items():
        traits = language_of(language).traits
        own = [(number, file.path) for number, file in enumerate(solver.program.files) if file.language == language]
        found: dict[str, list[int]] = {}  # by pattern: the files whose path it matches; many entries share one
        whole = (
            solver.program.string_ids.get(traits.modules.module_object, NONE) if traits.modules.module_object else NONE
        )
        for entry in apis.conventions.exports:
            parameters = parameters_of(entry)
            path = parameters.port.path if parameters.port else ()
            name = solver.program.string_ids.get(parameters.method, NONE)
            if name not in names and whole not in names:  # NONE is no name
                continue
            files = found.get(parameters.files)
            if files is None:
                pattern = file_pattern(parameters.files)
                files = found[parameters.files] = [number for number, path in own if pattern.fullmatch(path)]
            for number in files:
                if any(
                    (number, solver.program.string_ids.get(each, NONE)) in solver.names.exports
                    for each in parameters.others
                ):
                    continue
                if parameters.returning is not None and returns(solver, number, *parameters.returning):
                    continue
                listen_to_exported(
                    solver, solver.names.exports.get((number, name), ()), path, EntryPointListener(entry)
                )
                inside = path if parameters.method == traits.modules.default_export else (parameters.method, *path)
                wholes = solver.names.exports.get((number, whole), ())
                if parameters.others:
                    wholes = [each for each in wholes if not has_key(solver, each, parameters.others)]
                listen_to_exported(solver, wholes, inside, EntryPointListener(entry))


def listen_to_exported(solver: Solver, values: Sequence[int], path: Sequence[str], listener: Listener) -> None:
    for value in values:
        keys = tuple(solver.program.intern(key) if key else UNKNOWN_KEY for key in path)
        solver.listen(value, KeyPath(keys, listener, named=True) if keys else listener)


def returns(solver: Solver, file: int, function: str, key: str, wanted: str) -> bool:
    """Whether the function that a file exports under a name returns an object that holds a constant under a key."""
    name, member = (solver.program.string_ids.get(each, NONE) for each in (function, key))
    for value in solver.names.exports.get((file, name), ()) if member != NONE else ():
        rep = int(solver.points.reps[value])
        if solver.op[rep] != FUNCTION_OP:
            continue
        returned = int(solver.points.reps[int(solver.functions.result[solver.data[rep]])])
        rows = solver.accesses.stores_of.get(returned, ())
        held = [row for row in rows if int(solver.accesses.store_key[row]) == member]
        if held and all(constant(solver, int(solver.accesses.store_value[row])) == wanted for row in held):
            return True
    return False


def has_key(solver: Solver, value: int, names: Sequence[str]) -> bool:
    """Whether the code stores something in ``value`` under one of these constant keys."""
    keys = {solver.program.string_ids.get(each, NONE) for each in names} - {NONE}
    rows = solver.accesses.stores_of.get(int(solver.points.reps[value]), ())
    return any(int(solver.accesses.store_key[row]) in keys for row in rows)


def override(solver: Solver, members: dict[int, list[int]], method: str, entry: Entry, *, unseen: bool = False) -> None:
    """Make the class's own methods of this name, or with this prefix ("resolve_*"), entry points.

    A base whose code is not part of the program (``unseen``) has no method with parameters of the program's classes.
    Where the case of a name says who sees it, no library calls those with a small letter.
    """
    if method.endswith("*"):
        names = [name for name in members if solver.strings[name].startswith(method[:-1])]
        names = [
            name
            for name in names
            if solver.strings[name][:1].isupper()
            or not any(solver.files.traits_of(member).modules.exported_by_case for member in members[name])
        ]
    else:
        names = [solver.program.string_ids.get(method, NONE)]
    for name in names:
        for member in members.get(name, ()):
            for state in solver.points.states[solver.points.reps[member]]:
                if state & KIND == FUNCTION and not (unseen and takes_own(solver, state >> KIND_BITS)):
                    add_entry_point(solver, entry, state >> KIND_BITS, NONE)
            original = solver.undecorated(member)
            if original != member and not (unseen and takes_own(solver, solver.data[original])):
                add_entry_point(solver, entry, solver.data[original], NONE)


def takes_own(solver: Solver, function: int) -> bool:
    """Whether a parameter is declared with a class of the program."""
    types = solver.program.tables["types"]
    for row in solver.functions.parameters_of.get(function, ()):
        if solver.functions.param_kind[row] == RECEIVER_KIND:
            continue
        for each in types["type"][types["value"] == solver.functions.param_value[row]].tolist():
            if any(state & KIND == CLASS for state in solver.points.states[solver.points.reps[each]]):
                return True
    return False


def is_seen(solver: Solver, base: int) -> bool:
    """Whether the code of a base class is part of the program."""
    return any(state & KIND == CLASS for state in solver.points.states[base])


@cache
def file_pattern(glob: str) -> re.Pattern[str]:
    """``*`` is anything within a name, ``**/`` any folders; the pattern may begin below any folder.

    >>> bool(file_pattern("api/**/route.ts").fullmatch("src/api/a/b/route.ts"))
    True
    """
    pieces = re.split(r"(\*\*/|\*\*|\*)", glob)
    words = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*"}
    return re.compile("(?:.*/)?" + "".join(words.get(piece, re.escape(piece)) for piece in pieces))
