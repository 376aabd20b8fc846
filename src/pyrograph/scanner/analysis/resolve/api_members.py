"""Members of APIs, and fields that all objects of one API share."""

from __future__ import annotations

from dataclasses import replace

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import KIND_BITS
from pyrograph.parsers import language_of
from pyrograph.policy.limits.resolution import MAX_SHARED_STORES, MIN_ALIKE
from pyrograph.rules.entries import ParameterType, Recall
from pyrograph.scanner.analysis.api_roles import parameters_of
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.resolve.concerns import CALLS
from pyrograph.scanner.analysis.resolve.folders import made_of_files
from pyrograph.scanner.analysis.resolve.resolution import API, EXTERNAL_API, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver


def unknown_member(solver: Solver, result: int, name: str) -> None:
    """A member of something unknown, known by its name where a library is imported: ``Model.objects``."""
    apis = solver.apis[solver.files.language_of(result)]
    for node in apis.unknown_members.get(name, ()):
        if apis.paths[node][0] in imported_roots(solver, solver.files.file_of[result]):
            solver.arise(result, node)


def api_member(solver: Solver, result: int, api: int, name: str) -> None:
    language = solver.files.language_of(result)
    if (
        name.isdigit()
        and solver.files.traits_of(result).multiple_results
        and solver.apis[language].paths[api][-1] in (CALL, INSTANCE)
    ):
        if name == "0":
            solver.points.add(solver.points.reps[result], api << KIND_BITS | API)
        for member in solver.apis[language].member(api, name):
            solver.arise(result, member)
        return
    if api in solver.apis[language].folders:
        made_of_files(solver, result, api, name)
    arise_member(solver, result, api, name)


def arise_member(solver: Solver, value: int, node: int, name: str) -> None:
    apis = solver.apis[solver.files.language_of(value)]
    if node == EXTERNAL:
        solver.points.add(solver.points.reps[value], EXTERNAL_API)
        return
    called = solver.points.concerned[solver.points.reps[value]] & CALLS
    members = apis.method(node, name) if called else apis.member(node, name)
    for member in members:
        solver.arise(value, member)
        if member in apis.conventions.tables_named and (node, name) not in apis.children:
            name_tables(solver, value, apis.conventions.tables_named[member], name)
    if name == solver.files.traits_of(value).modules.default_export != "" and len(apis.paths[node]) == 1:
        solver.arise(value, node)  # `require("fs").default`: what `import fs from "fs"` binds
    # `window.location`: what another name stands for has the member, though the name itself has none
    if not members and apis.is_static(node) and not any(apis.member(n, name) for n in apis.expand(node)):
        solver.points.add(solver.points.reps[value], EXTERNAL_API)


def name_tables(solver: Solver, value: int, flows: list[Recall], name: str) -> None:
    """A member that packs name no other way is the table with its name: its records lie in it under a key, as in what
    ``collection("notes")`` gives.
    """
    for flow in flows:
        cell = solver.models.table_cell((flow.table, name))
        if cell == NONE:
            return
        node, holder = solver.points.reps[value], value << KIND_BITS | OBJECT
        for key in flow.target.path:
            solver.points.add(node, holder)
            node = solver.cell(holder, solver.program.intern("\0" + key))  # as ``key_at`` names hidden parts
        solver.points.add(node, cell << KIND_BITS | OBJECT)


def registrations_of(solver: Solver, value: int, node: int) -> list[int]:
    """What a method of ``node`` does with functions if it is chosen at run time: ``router[method](path, handler)``.

    Packs say the same of most methods that register handlers: the first of these stands for each of them. None if no
    two methods are alike. The first call takes time linear in the methods that register functions.
    """
    language = solver.files.language_of(value)
    families = solver.models.families.get(language)
    if families is None:
        families = solver.models.families[language] = {}
        apis = solver.apis[language]
        for name in sorted(apis.registrations):
            for method in apis.registrations[name]:
                alike = families.setdefault(apis.node(apis.paths[method][:-1]), {})
                said = frozenset(
                    (replace(parameters_of(entry), api=()), entry.type if isinstance(entry, ParameterType) else ())
                    for entry in apis.roles[method].functions
                )
                alike.setdefault(said, []).append(method)
    largest = max(families.get(node, {}).values(), key=len, default=[])
    return largest[:1] if len(largest) > 1 else []


def alike_sinks(solver: Solver, value: int, node: int) -> list[int]:
    """A member of ``node`` that does the same harm as most others, for one that is chosen at run time:
    ``axios[method](url)``.

    Packs say the same of the functions of a client: the first one that they name stands for each of them. None if these
    are fewer than ``MIN_ALIKE``, or than two in five of what packs name there: a builder of queries has other methods.
    The first call takes time linear in the trie.
    """
    language = solver.files.language_of(value)
    chosen = solver.models.alike.get(language)
    if chosen is None:
        chosen = solver.models.alike[language] = {}
        apis = solver.apis[language]
        members: dict[int, int] = {}  # by node: how many packs name
        families: dict[int, dict[tuple[object, ...], list[int]]] = {}
        for (parent, step), child in apis.children.items():
            if parent == EXTERNAL or apis.is_builtin(parent) or step in (CALL, INSTANCE) or step[0] == "[":
                continue
            members[parent] = members.get(parent, 0) + 1
            roles = apis.roles.get(child)
            for sink in roles.sinks if roles is not None else ():
                if sink.ports and not sink.assignment and not sink.low and not sink.conditions:
                    said = (sink.vulnerability, sink.ports)
                    families.setdefault(parent, {}).setdefault(said, []).append(child)
        for parent, alike in families.items():
            largest = max(alike.values(), key=len)
            if len(largest) >= MIN_ALIKE and 5 * len(largest) >= 2 * members[parent]:
                chosen[parent] = min(largest)
    return [chosen[node]] if node in chosen else []


def builtin_members(solver: Solver, value: int, key: int, kind: str) -> list[int]:
    """The nodes of the member ``key`` of all objects of the built-in type ``kind``, in the language of ``value``."""
    language = solver.files.language_of(value)
    apis = solver.apis.get(language)
    root = apis.root(solver.files.builtins[language]) if apis else None
    if apis is None or root is None:
        return []
    instances = (instance for each in apis.member(root, kind) for instance in apis.step(each, INSTANCE))
    return [node for instance in instances for node in apis.member(instance, solver.strings[key])]


def is_shared_field(solver: Solver, value: int, api: int, key: int) -> bool:
    """Whether all objects of this API share the field ``key`` that the program adds to one.

    Not in languages with closed types: nothing can be added to an object, but to the tables of a session.
    """
    apis = solver.apis[solver.files.language_of(value)]
    if not solver.files.traits_of(value).open_objects:
        return apis.is_of_session(api)
    name = solver.strings[key]
    return (apis.shares_fields(api) and not apis.reads_source(api, name)) or apis.lacks(api, name)


def share_field(solver: Solver, api: int, key: int, value: int, result: int) -> None:
    """``value`` is stored in, or ``result`` loaded from, any object that is this API, under ``key``."""
    values, results = solver.models.shared_fields.setdefault((api, key), ([], []))
    if value != NONE and value not in values and len(values) < MAX_SHARED_STORES:
        values.append(value)
        for each in results:
            solver.points.context_free_edge(value, each)
    if result != NONE and result not in results and len(results) < MAX_SHARED_STORES:
        results.append(result)
        for each in values:
            solver.points.context_free_edge(each, result)


def imported_roots(solver: Solver, file: int) -> set[str]:
    """The libraries that a file imports."""
    known = solver.names.roots_of_file.get(file)
    if known is None:
        known = set()
        for value in solver.names.imports_of.get(file, ()):
            module = solver.strings[solver.names.import_module[solver.data[value]]]
            known.update(language_of(solver.files.languages[file]).library_roots(module))
        solver.names.roots_of_file[file] = known
    return known
