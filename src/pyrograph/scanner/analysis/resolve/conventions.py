"""What only names and types show: entry points, by their signatures; what a class extends, by an unseen base."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from functools import partial

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.ir.packed import KIND, KIND_BITS, pack_state
from pyrograph.parsers import language_of
from pyrograph.rules.entries import Api, ParameterType
from pyrograph.scanner.analysis.api_roles import Entry, parameters_of
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE, Apis
from pyrograph.scanner.analysis.numbers import METHOD, RECEIVER_KIND
from pyrograph.scanner.analysis.resolve.api_members import imported_roots
from pyrograph.scanner.analysis.resolve.entry_points import add_entry_point
from pyrograph.scanner.analysis.resolve.library_objects import called_functions
from pyrograph.scanner.analysis.resolve.programs import imported_from
from pyrograph.scanner.analysis.resolve.resolution import API, CLASS, EXTERNAL_API
from pyrograph.scanner.analysis.resolve.solver import Solver
from pyrograph.scanner.analysis.resolve.stores import extend


def entry_points_by_names(solver: Solver) -> bool:
    """Make functions entry points by the names of their parameters alone: handlers with an unseen registration.

    A function whose first parameter is known to come from a library is left out, unless that is the type that an entry
    gives it, or a base of it. Returns whether there are some.
    """
    found = False
    strings = solver.program.string_ids
    wanted: dict[tuple[str, int], list[tuple[list[int], str, Entry]]] = {}
    for language, apis in solver.apis.items():
        for names, entries in apis.conventions.by_names.items():
            ids = [strings.get(name, NONE) for name in names]
            if ids[0] != NONE:
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
        file = int(solver.files.file_of[first])
        direct = imported_roots(solver, file)
        is_direct = any(module in direct for _, module, _ in possible)
        for ids, module, entry in possible:
            if known and not known.issubset(types_of(solver, first, entry)):
                continue
            if (
                fits([solver.functions.param_name[row] for row in parameters[: len(ids)]], ids)
                and (not module or module in direct or (not is_direct and is_imported(solver, file, module)))
                and (not parameters_of(entry).outermost or is_outermost(solver, function))
                and (not parameters_of(entry).beside or is_used_like(solver, parameters_of(entry).beside))
            ):
                found = True
                add_entry_point(solver, entry, function, NONE)
    return found


def fits(named: Sequence[int], wanted: Sequence[int]) -> bool:
    """Whether parameters have the names that are wanted.

    One that is taken apart where it is declared has no name, and fits where two others have theirs.
    """
    if len(named) != len(wanted):
        return False
    pairs = [(name, want) for name, want in zip(named, wanted, strict=True) if name != NONE]
    return all(name == want for name, want in pairs) and len(pairs) >= min(2, len(wanted))


def types_of(solver: Solver, parameter: int, entry: Entry) -> Sequence[int]:
    """The type that an entry gives to parameters, and its bases."""
    if not isinstance(entry, ParameterType):
        return ()
    apis = solver.apis[solver.files.language_of(parameter)]
    return apis.expand(apis.node((*entry.type, INSTANCE)))


def entry_points_by_types(solver: Solver) -> bool:
    """Make functions entry points by the declared types of their first parameters, or of their result.

    These are handlers that generated code calls, or methods that a library calls, which is not scanned. So functions
    that the program itself calls are left out, and so are functions by their parameters' types that are no public
    methods. Returns whether there are some.
    """
    found = False
    called: set[int] | None = None
    for language, apis in solver.apis.items():
        own = own_parameters(solver, language) if apis.conventions.by_types else []
        for entry in apis.conventions.by_types:
            parameters = parameters_of(entry)
            answers = parameters.by == "answer"
            types = [types_named(apis, each) for each in (parameters.api, *parameters.further)]
            if any(is_used(solver, each) for each in parameters.absent):
                continue
            # of most functions, no pack knows the type of the first parameter
            asked: Iterable[tuple[int, list[int]]]
            asked = own if answers or isinstance(types[0], str) else first_instances(solver, own, types[0])
            for function, given in asked:
                values = given
                if answers:
                    values = [solver.functions.result[function]]
                elif parameters.method:
                    if len(values) != len(types) or not is_method(solver, function, parameters.method):
                        continue
                else:
                    is_last = isinstance(types[-1], str)
                    if len(values) + is_last <= len(types) or not is_public_method(solver, function, language):
                        continue
                if not all(map(partial(is_declared, solver, function), values, types)):
                    continue
                if called is None:
                    called = called_functions(solver)
                if function not in called:
                    found = True
                    add_entry_point(solver, entry, function, NONE)
    return found


def own_parameters(solver: Solver, language: str) -> list[tuple[int, list[int]]]:
    """The functions of a language that have parameters, with these but for receivers."""
    value, kind = solver.functions.param_value, solver.functions.param_kind
    return [
        (function, [value[row] for row in rows if kind[row] != RECEIVER_KIND])
        for function, rows in solver.functions.parameters_of.items()
        if solver.files.language_of(solver.functions.result[function]) == language
    ]


def first_instances(
    solver: Solver, own: list[tuple[int, list[int]]], nodes: Collection[int]
) -> Iterator[tuple[int, list[int]]]:
    """Those of ``own_parameters`` whose first parameter is known to be an instance of one of the types ``nodes``."""
    packed = {pack_state(API, node) for node in nodes}
    reps, states = solver.points.reps, solver.points.states
    for each in own:
        if each[1] and not packed.isdisjoint(states[reps[each[1][0]]]):
            yield each


def types_named(apis: Apis, declared: Api) -> set[int] | str:
    """The API nodes of a type and its bases; a pattern for the last name of an unseen type as it is."""
    return declared[0] if "*" in declared[0] else set(apis.expand(apis.node((*declared, INSTANCE))))


def is_declared(solver: Solver, function: int, value: int, wanted: Collection[int] | str) -> bool:
    """Whether a parameter of ``function`` is known to be an instance of one of the types, or is declared with a type
    that neither the program nor a pack describes, of the name that the pattern gives for this function's name.
    """
    if not isinstance(wanted, str):
        return is_instance(solver, value, wanted)
    declared = solver.classes.types.of.get(value, NONE)
    if declared == NONE or solver.functions.name[function] == NONE:
        return False
    declared = solver.points.reps[declared]
    name = solver.program.last_name(declared)
    return (
        name >= 0
        and solver.strings[name] == wanted.replace("*", solver.strings[solver.functions.name[function]])
        and not is_known(solver, declared)
    )


def is_instance(solver: Solver, value: int, nodes: Collection[int]) -> bool:
    """Whether a value is known to be an instance of one of the types."""
    return any(s & KIND == API and s >> KIND_BITS in nodes for s in solver.points.states[solver.points.reps[value]])


def is_public_method(solver: Solver, function: int, language: str) -> bool:
    """Whether a function is a method, of a name that other modules see."""
    name = solver.functions.name[function]
    is_method = bool(solver.functions.flags[function] & METHOD) and name != NONE
    return is_method and language_of(language).is_public(solver.strings[name])


def is_method(solver: Solver, function: int, wanted: str) -> bool:
    """Whether a function is a method of this name."""
    name = solver.functions.name[function]
    return bool(solver.functions.flags[function] & METHOD) and name != NONE and solver.strings[name] == wanted


def is_used(solver: Solver, api: Api) -> bool:
    """Whether any file of the program imports a module, and reads this member of it if ``api`` names one."""
    module, *names = api
    using = {file for file in range(len(solver.files.languages)) if module in imported_roots(solver, file)}
    if not names or not using:
        return bool(using)
    accesses, name = solver.accesses, solver.program.string_ids.get(names[-1], NONE)
    return name != NONE and any(
        key == name and int(solver.files.file_of[accesses.load_result[row]]) in using
        for row, key in enumerate(accesses.load_key)
    )


def is_used_like(solver: Solver, pattern: str) -> bool:
    """Whether any file of the program imports a module that matches the pattern, be it a library's or a file's."""
    known = solver.names.used_like.get(pattern)
    if known is None:
        modules = {solver.strings[solver.names.import_module[solver.data[value]]] for value in solver.names.imports}
        known = solver.names.used_like[pattern] = any([fnmatchcase(each, pattern) for each in modules])
    return known


def is_outermost(solver: Solver, function: int) -> bool:
    """Whether a function stands in its module's own code: no method, and in no other function."""
    parent = solver.functions.parent[function]
    return (
        parent != NONE
        and bool(solver.functions.flags[parent] & FunctionFlag.MODULE)
        and not solver.functions.flags[function] & METHOD
    )


def extend_by_names(solver: Solver) -> None:
    """Let classes extend a library's class by the last name of an unseen base, in files that import the library
    themselves or through other files of the program.

    Frameworks are often used through another library that no pack describes: its ``BaseHandler`` extends theirs.
    """
    if not any(apis.conventions.unseen_bases for apis in solver.apis.values()):
        return
    for owner, bases in solver.program.names_of_bases(solver.points.reps).items():
        value = solver.classes.owner_value[owner]
        apis = solver.apis.get(solver.files.language_of(value))
        names = [solver.strings[name] for name, base in bases if not is_known(solver, base)]
        if apis is None or not apis.conventions.unseen_bases or not names:
            continue
        file = int(solver.files.file_of[value])
        for pattern, node in apis.conventions.unseen_bases:
            if any(fnmatchcase(name, pattern) for name in names) and is_imported(solver, file, apis.paths[node][0]):
                extend(solver, owner, node << KIND_BITS | API, NONE)


def is_imported(solver: Solver, file: int, root: str) -> bool:
    """Whether a file imports a library, directly or through other files of the program."""
    return any(root in imported_roots(solver, each) for each in imported_from(solver, file))


def is_known(solver: Solver, base: int) -> bool:
    """Whether a base class is part of the program, or a pack describes it."""
    return any(s & KIND == CLASS or (s & KIND == API and s != EXTERNAL_API) for s in solver.points.states[base])
