"""Loads: what lies under a name or a key, in modules, packages, classes, instances, objects and APIs.

A load is looked up once for each state of its object; what is found flows into its result. What classes and their
bases have may become known later: such a load is remembered in ``Solver.missed`` and asked again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_GETTER_SITE, FIRST_VALUE_KEY, KIND, KIND_BITS, PAIR_BITS, SUBJECT_MASK
from pyrograph.parsers import language_of
from pyrograph.policy.limits import MAX_CROSSED, MAX_SHARED_STORES, MAX_STAR_DEPTH, MAX_STARS
from pyrograph.scanner.analysis.apis import CALL, EXTERNAL, INSTANCE, Apis
from pyrograph.scanner.analysis.resolve.numbers import CLASS_OP, CONST_OP, FIELD_OP, FUNCTION_OP, IMPORT_OP, PROPERTY
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    EXTERNAL_API,
    FUNCTION,
    INSTANCE_OF,
    MADE_BY,
    MODULE,
    OBJECT,
    PROTOTYPE,
)
from pyrograph.scanner.analysis.resolve.solver import CALLS, LOADS, Member, Solver, Watcher, chosen_parameters
from pyrograph.scanner.analysis.schema import NO_KEY, WHOLE

MANY_STARS: Final = f"a module exports all names of more than {MAX_STARS} modules; further modules are ignored"

# What ``looked_through`` lists.
EXPORTS: Final = 0  # the exports of a file
LIBRARY: Final = 1  # an API node
SUBMODULE: Final = 2  # the modules below a package


class Star:
    """One place where a name of a module is looked for."""

    def __init__(self, kind: int, module: str, file: int) -> None:
        self.kind = kind
        self.module = module
        self.file = file  # EXPORTS: the file; LIBRARY: the API's node; else NONE


@dataclass(frozen=True, slots=True)
class Prototype(Watcher):
    """Looks the load ``row`` up in the prototypes of its object, too."""

    row: int

    def told(self, solver: Solver, call: int, state: int) -> None:
        if state & KIND in (MADE_BY, OBJECT, PROTOTYPE, INSTANCE_OF):
            load(solver, self.row, state)


def load(solver: Solver, row: int, state: int) -> None:
    before = len(solver.done_loads)
    solver.done_loads.add(row << PAIR_BITS | state)
    if len(solver.done_loads) > before and not look_up(solver, row, state):
        solver.missed.append((row, state))


def look_up(solver: Solver, row: int, state: int) -> bool:
    result, key = solver.load_result[row], solver.load_key[row]
    kind = state & KIND
    node = solver.reps[result]
    if kind == API:
        api = state >> KIND_BITS
        if api == EXTERNAL:
            solver.add(node, state)
            if key >= 0:
                unknown_member(solver, result, solver.strings[key])
            return True
        if key >= 0:
            api_member(solver, result, api, solver.strings[key])
            if is_carried(solver, result, api, key):
                carry(solver, api, key, NONE, result)
        else:
            apis = solver.apis[solver.language_of(result)]
            for each in apis.step(api, "[*]"):
                solver.arise(result, each)
        return True
    if kind == MODULE:
        if key < 0:
            return True
        _language, _, module = solver.strings[state >> KIND_BITS].partition(":")
        return module_member(solver, result, module, key, solver.file_of[result])
    if kind in (CLASS, INSTANCE_OF):
        return key >= 0 and class_member(solver, row, state, key)
    if key == UNKNOWN_KEY or key < 0:
        take_any(solver, state, node)
        return True
    if kind == FUNCTION and solver.strings[key] == "prototype":
        solver.add(node, state & SUBJECT_MASK | PROTOTYPE)
        return True
    solver.edge(solver.cell(state, key), node)
    if kind == MADE_BY:
        shared = state & SUBJECT_MASK | PROTOTYPE
        solver.edge(solver.cell(shared, key), node)
        solver.inherited.setdefault((shared, key), []).append(result)
        for value in solver.shared.get((shared, key), ()):
            solver.resolution.heap.append((value, result))
        prototype = solver.program.intern("prototype")
        solver.watch_node(solver.cell(state & SUBJECT_MASK | FUNCTION, prototype), Prototype(row), row)
    if kind in (FUNCTION,):
        builtin_member(solver, result, key, "Function")
    known = solver.apis.get(solver.language_of(result))
    if (
        known is None or solver.strings[key] not in known.builtin_methods
    ):  # `table.get` is a method, whatever is in there
        solver.loose.append((state, key, node))
    return True


def take_any(solver: Solver, state: int, node: int) -> None:
    """``node`` is anything that lies in an object."""
    readers = solver.any_loads.setdefault(state, [])
    stored = solver.cells_of.get(state, ())
    everything = solver.contents.get(state, NONE)
    if everything == NONE and len(readers) * len(stored) > MAX_CROSSED:
        everything = solver.collect(state)
    readers.append(node)
    if everything != NONE:
        solver.edge(everything, node)
        return
    for key in stored:
        solver.edge(solver.cells[(state, key)], node)


def loosen(solver: Solver) -> None:
    """What was stored under keys that are not known is what a named key holds where nothing else is known of it,
    unless it is so much that it could be anything.
    """
    loose, solver.loose = solver.loose, []
    for state, key, node in loose:
        stored = solver.cells.get((state, UNKNOWN_KEY), NONE)
        if stored == NONE or not solver.states[stored]:
            solver.loose.append((state, key, node))
        elif stored not in solver.full and (state, key) not in solver.stored_by_name:
            solver.edge(stored, node)


def builtin_member(solver: Solver, result: int, key: int, kind: str) -> None:
    """A method of a function value itself: ``f.call``."""
    language = solver.language_of(result)
    apis = solver.apis.get(language)
    root = apis.root(solver.builtins[language]) if apis else None
    if apis is None or root is None:
        return
    for function in apis.member(root, kind):
        for instance in apis.step(function, INSTANCE):
            for node in apis.member(instance, solver.strings[key]):
                solver.arise(result, node)


def unknown_member(solver: Solver, result: int, name: str) -> None:
    """A member of something unknown, known by its name where a library is imported: ``Model.objects``."""
    apis = solver.apis[solver.language_of(result)]
    for node in apis.unknown_members.get(name, ()):
        if apis.paths[node][0] in imported_roots(solver, solver.file_of[result]):
            solver.arise(result, node)


def api_member(solver: Solver, result: int, api: int, name: str) -> None:
    language = solver.language_of(result)
    if (
        name.isdigit()
        and solver.traits_of(result).multiple_results
        and solver.apis[language].paths[api][-1] in (CALL, INSTANCE)
    ):
        if name == "0":
            solver.add(solver.reps[result], api << KIND_BITS | API)
        for member in solver.apis[language].member(api, name):
            solver.arise(result, member)
        return
    arise_member(solver, result, api, name)


def arise_member(solver: Solver, value: int, node: int, name: str) -> None:
    apis = solver.apis[solver.language_of(value)]
    if node == EXTERNAL:
        solver.add(solver.reps[value], EXTERNAL_API)
        return
    called = solver.concerned[solver.reps[value]] & CALLS
    members = apis.method(node, name) if called else apis.member(node, name)
    for member in members:
        solver.arise(value, member)
    # `window.location`: what another name stands for has the member, though the name itself has none
    if not members and apis.is_static(node) and not any(apis.member(n, name) for n in apis.expand(node)):
        solver.add(solver.reps[value], EXTERNAL_API)


def class_member(solver: Solver, row: int, state: int, key: int) -> bool:
    """A method, class attribute or declared field; for instances also what any method stored."""
    member = solver.members.get((state, key))
    if member is None or not is_current(solver, member, state):
        member = solver.members[state, key] = find_member(solver, state, key, NONE if member is None else member.node)
    result = solver.load_result[row]
    solver.edge(member.node, solver.reps[result])
    for value in member.data:
        if (value, result) not in solver.class_heap:
            solver.class_heap.add((value, result))
            solver.resolution.heap.append((value, result))
    for function in member.getters:
        get_property(solver, row, function)
    for api in member.apis:
        solver.arise(result, api)
    return member.found


def is_current(solver: Solver, member: Member, state: int) -> bool:
    """Whether what was found for ``state`` still is what its classes say: they learnt nothing since."""
    if member.changes == solver.changes:
        return True
    for each in solver.lineage(state >> KIND_BITS):
        if solver.changed.get(each, 0) > member.changes:
            return False
    member.changes = solver.changes
    if state & KIND == INSTANCE_OF:
        member.getters = getters(solver, member.values)
    return True


def getters(solver: Solver, values: Sequence[int]) -> list[int]:
    """The properties among members of a class."""
    found: list[int] = []
    for value in values:
        for state in solver.states[solver.reps[value]]:
            if state & KIND == FUNCTION and solver.fn_flags[state >> KIND_BITS] & PROPERTY:
                found.append(state >> KIND_BITS)
    return found


def find_member(solver: Solver, state: int, key: int, node: int) -> Member:
    """What ``key`` is in a class or its instances; ``node``: where its states gathered before, or NONE."""
    if node == NONE:
        node = solver.new_node()
    member = Member(node, solver.changes)
    for each in solver.lineage(state >> KIND_BITS):
        known = solver.class_members.get(each)
        values = known.get(key) if known is not None else None
        if values:
            member.found = True
            member.values = values
            for value in values:
                solver.edge(solver.reps[value], node)
                if solver.op[value] not in (FUNCTION_OP, FIELD_OP, CONST_OP):
                    member.data.append(value)
            if state & KIND == INSTANCE_OF:
                member.getters = getters(solver, values)
            return member
        solver.edge(solver.cell(each << KIND_BITS | (state & KIND), key), node)
    apis = solver.apis.get(solver.language_of(int(solver.program.tables["owners"]["value"][state >> KIND_BITS])))
    if apis is None:
        return member
    for each in solver.lineage(state >> KIND_BITS):
        for base in solver.class_apis.get(each, ()):
            for instance in apis.step(base, INSTANCE) if state & KIND == INSTANCE_OF else (base,):
                member.apis.extend(apis.member(instance, solver.strings[key]))
    member.found = bool(member.apis)
    return member


def get_property(solver: Solver, row: int, function: int) -> None:
    """Reading a property is a call of its getter."""
    site = FIRST_GETTER_SITE - row
    if (site, function) in solver.seen_bindings:
        return
    solver.seen_bindings.add((site, function))
    result = solver.load_result[row]
    receiver = solver.receiver(function)
    if receiver != NONE:
        solver.bindings.append((site, solver.load_object[row], receiver, NO_KEY, WHOLE))
        solver.edge(solver.reps[solver.load_object[row]], solver.reps[receiver])
    solver.resolution.returns.append((site, solver.fn_result[function], result))
    solver.edge(solver.reps[solver.fn_result[function]], solver.reps[result])


def subscripts(solver: Solver) -> None:
    """``instance[key]`` of a class of the program that says what this is: a call of ``__getitem__`` and the like.

    A unit does not tell it from ``instance.key``; a name that the class has no member of, and that nothing stores
    in its instances, is a key.
    """
    for method in dict.fromkeys([method for traits in solver.traits for method in traits.item_methods]):
        name = solver.program.string_ids.get(method, NONE)
        if name != NONE:
            read_by(solver, name)


def read_by(solver: Solver, name: int) -> None:
    """Reads of instances under keys are calls of their classes' methods ``name``."""
    saying = {owner for owner, members in solver.class_members.items() if name in members}
    methods: dict[int, Sequence[int]] = {}  # state -> what is ``name`` of the class
    for row, state in solver.missed if saying else ():
        if row < 0 or state & KIND != INSTANCE_OF:
            continue
        values = methods.get(state)
        if values is None:
            first = next((each for each in solver.lineage(state >> KIND_BITS) if each in saying), None)
            values = methods[state] = () if first is None else solver.class_members[first][name]
        key = solver.load_key[row]
        if not values or any(
            (o << KIND_BITS | INSTANCE_OF, key) in solver.stored_by_name for o in solver.lineage(state >> KIND_BITS)
        ):
            continue
        for held in [held for value in values for held in solver.states[solver.reps[value]]]:
            if held & KIND == FUNCTION and (FIRST_GETTER_SITE - row, held >> KIND_BITS) not in solver.seen_bindings:
                get_property(solver, row, held >> KIND_BITS)
                for formal in chosen_parameters(solver, held >> KIND_BITS, 0) if key < UNKNOWN_KEY else ():
                    parameter = solver.param_value[formal]
                    solver.bindings.append((FIRST_GETTER_SITE - row, FIRST_VALUE_KEY - key, parameter, NO_KEY, WHOLE))
                    solver.edge(solver.reps[FIRST_VALUE_KEY - key], solver.reps[parameter])


def read_from(solver: Solver, result: int, obj: int, key: int) -> None:
    """What lies in ``obj`` under ``key`` is what ``result`` is, too; the data goes another way.

    ``loop.drain`` looks it up: modules that export what others export would nest as deep as they are many.
    """
    row = len(solver.load_result)
    solver.load_result.append(result)
    solver.load_object.append(obj)
    solver.load_key.append(key)
    solver.loads_of.setdefault(solver.reps[obj], []).append(row)
    solver.concerned[solver.reps[obj]] |= LOADS
    for state in solver.states[solver.reps[obj]]:
        solver.unread.append((row, state))


def load_from(solver: Solver, result: int, obj: int, key: int) -> None:
    """A load that the text does not show: of a name from a CommonJS module's object. A module may export itself."""
    row = (result, obj, key)
    if row not in solver.loaded_from:
        solver.loaded_from.add(row)
        solver.resolution.loads.append(row)
        read_from(solver, result, obj, key)


def module_member(solver: Solver, value: int, module: str, name: int, file: int) -> bool:
    """``value`` is ``module.name``; star exports and CommonJS objects are looked through.

    Where a directory is a module, a star import brings names into a file, not into its module: it is not looked
    through.
    """
    program = solver.program
    language, traits = solver.languages[file], solver.traits[file]
    text = solver.strings[name]
    found = False
    if traits.directory_is_module:
        reads_name(solver, value, module, name)
        package = program.modules.package_of(module, language)
        declared = package_members(solver, module, name, package, in_test=False)
        solver.share(declared, value)
        return bool(declared)
    whole = program.string_ids.get(traits.module_object, NONE) if traits.module_object else NONE
    for step in looked_through(solver, module, language):
        if step.kind == EXPORTS:
            exports = exports_of(solver, step.file, name)
            solver.share(exports, value)
            found = found or bool(exports)
            for exported in solver.by_file.get((step.file, whole), ()) if whole != NONE else ():
                if text == traits.default_export:
                    solver.heap(exported, value)
                else:
                    load_from(solver, value, exported, name)
                found = True
        elif step.kind == LIBRARY:
            arise_member(solver, value, step.file, text)
        else:
            submodule = program.modules.submodule(step.module, text, language)
            if submodule is not None:
                solver.add(solver.reps[value], module_state(solver, submodule, file))
                found = True
    return found


def looked_through(solver: Solver, module: str, language: str) -> list[Star]:
    """Where a name of ``module`` is looked for, in order: the module itself, and all whose names it exports by star.

    Each module is listed once, however many ways lead to it. Costs six times the star exports at most, once a module:
    a module is looked through again only where a shorter way leads to it.
    """
    known = solver.stars.get((language, module))
    if known is not None:
        return known
    known = solver.stars[language, module] = []
    modules = solver.program.modules
    depths: dict[str, int] = {}  # module -> the shortest way to it so far
    listed: set[tuple[int, int]] = set()  # (star export, API) of libraries
    stack: list[tuple[int, str, int, int]] = [(EXPORTS, module, NONE, 0)]  # the last is the next
    while stack:  # each step is new in ``depths``, or lowers a depth there, or is pushed by such a step
        kind, here, star, depth = stack.pop()
        if kind == SUBMODULE:
            known.append(Star(kind, here, NONE))
        elif kind == LIBRARY:
            if (star, depth) not in listed:
                listed.add((star, depth))
                known.append(Star(kind, here, depth))
        else:
            before = depths.get(here)
            if before is not None and before <= depth:
                continue
            if before is None and len(depths) >= MAX_STARS:
                first = modules.members(module, language)
                solver.resolution.report(MANY_STARS, solver.program.files[first[0]].path if first else module, 0)
                continue
            depths[here] = depth
            following: list[tuple[int, str, int, int]] = []
            for member in modules.members(here, language):
                if before is None:
                    known.append(Star(EXPORTS, here, member))
                if depth < MAX_STAR_DEPTH:
                    following += stars_of(solver, member, language, depth)
            if before is None and language_of(language).traits.submodules_are_members:
                following.append((SUBMODULE, here, NONE, 0))
            following.reverse()
            stack += following
    return known


def stars_of(solver: Solver, member: int, language: str, depth: int) -> list[tuple[int, str, int, int]]:
    """The star exports of a file, as ``looked_through`` puts them on its stack."""
    found: list[tuple[int, str, int, int]] = []
    imports = solver.program.tables["imports"]
    for star in solver.by_file.get((member, solver.star), ()):
        if solver.op[star] != IMPORT_OP:
            continue
        row = solver.data[star]
        inner = solver.strings[imports["module"][row]]
        target = solver.program.modules.resolve(member, inner, int(imports["level"][row]))
        if target is not None:
            found.append((EXPORTS, target, NONE, depth + 1))
        else:
            for api in library(solver, solver.apis.get(language), language, inner):
                if api != EXTERNAL:
                    found.append((LIBRARY, inner, star, api))
    return found


def exports_of(solver: Solver, file: int, name: int) -> list[int]:
    return solver.by_file.get((file, name), [])


def library(solver: Solver, apis: Apis | None, language: str, module: str) -> Sequence[int]:
    """The API nodes of a library's module; EXTERNAL where no pack knows it."""
    key = (language, module)
    known = solver.libraries.get(key)
    if known is None:
        known = solver.libraries[key] = find_library(apis, language, module)
    return known


def find_library(apis: Apis | None, language: str, module: str) -> Sequence[int]:
    if apis is None or not module:
        return (EXTERNAL,)
    of = language_of(language)
    path = of.library_path(module)
    root = apis.root(path[0])
    if root is None:
        root = apis.fork(path[0], of.forked)
    nodes: Sequence[int] = () if root is None else apis.expand(root)
    for part in path[1:]:
        nodes = [n for node in nodes for n in apis.member(node, part)]
    return nodes or (EXTERNAL,)


def module_state(solver: Solver, module: str, file: int) -> int:
    """MODULE states are numbered by the module's path and language."""
    return solver.program.intern(f"{solver.languages[file]}:{module}") << KIND_BITS | MODULE


def package_members(solver: Solver, directory: str, name: int, package: str, *, in_test: bool) -> list[int]:
    """What the files of a package declare under ``name``; of a variable, all that is assigned to it.

    What test files assign, only test files see (``in_test``). A constant or a function has one value, whatever calls
    leave in it.
    """
    key = directory, name, package, in_test
    known = solver.packages.get(key)
    if known is not None:
        return known
    files = solver.program.files
    constant = solver.program.string_ids.get("const " + solver.strings[name], NONE)
    found: list[int] = []
    fixed: list[int] = []
    declaring = solver.declaring
    for other in sorted({*declaring.get((directory, name), ()), *declaring.get((directory, constant), ())}):
        if (package and files[other].package != package) or (solver.tests[other] and not in_test):
            continue
        fixed += solver.by_file.get((other, constant), ())
        for value in exports_of(solver, other, name):
            if solver.op[value] in (FUNCTION_OP, CLASS_OP):
                fixed.append(value)
            elif solver.op[value] != IMPORT_OP:
                found.append(value)
    known = solver.packages[key] = fixed or found
    return known


def reads_name(solver: Solver, value: int, directory: str, name: int) -> None:
    """``value`` reads a package-level name; other packages may assign it, before or after this is known."""
    readers = solver.readers.setdefault((directory, name), [])
    assigned = solver.assigned.get((directory, name), ())
    readers.append(value)
    if len(readers) * len(assigned) > MAX_CROSSED:
        share_assigned(solver, directory, name)
        solver.heap(readers[0], value)
    else:
        for each in assigned:
            solver.heap(each, value)


def share_assigned(solver: Solver, directory: str, name: int) -> None:
    """Let all readers of a name that other packages assign get it from the first one: see ``Solver.share``."""
    if (directory, name) not in solver.assigned_to_first:
        solver.assigned_to_first.add((directory, name))
        first, *others = solver.readers[directory, name]
        for each in others:
            solver.heap(first, each)


def assign_name(solver: Solver, directory: str, name: int, value: int) -> None:
    """``package.Name = value`` in another package; ``directory`` is the package's."""
    if (directory, name, value) in solver.done_assignments:
        return
    solver.done_assignments.add((directory, name, value))
    assigned = solver.assigned.setdefault((directory, name), [])
    assigned.append(value)
    readers = solver.readers.get((directory, name), [])
    if len(readers) * len(assigned) > MAX_CROSSED:
        share_assigned(solver, directory, name)
        solver.heap(value, readers[0])
    else:
        for each in readers:
            solver.heap(value, each)


def is_carried(solver: Solver, value: int, api: int, key: int) -> bool:
    """Whether what a program stores in a library's object under ``key`` is what it finds there elsewhere.

    Not where types are closed: nothing can be added to them, and what a field of one object holds no other has.
    """
    if not solver.traits_of(value).open_objects:
        return False
    apis = solver.apis[solver.language_of(value)]
    return apis.carries(api) or apis.lacks(api, solver.strings[key])


def carry(solver: Solver, api: int, key: int, value: int, result: int) -> None:
    """``value`` is stored in, or ``result`` loaded from, any object that is this API, under ``key``."""
    values, results = solver.carried.setdefault((api, key), ([], []))
    if value != NONE and value not in values and len(values) < MAX_SHARED_STORES:
        values.append(value)
        for each in results:
            solver.heap(value, each)
    if result != NONE and result not in results and len(results) < MAX_SHARED_STORES:
        results.append(result)
        for each in values:
            solver.heap(each, result)


def imported_roots(solver: Solver, file: int) -> set[str]:
    """The libraries that a file imports."""
    known = solver.roots_of_file.get(file)
    if known is None:
        known = set()
        for value in solver.imports_of.get(file, ()):
            module = solver.strings[solver.import_module[solver.data[value]]]
            known.update(language_of(solver.languages[file]).library_roots(module))
        solver.roots_of_file[file] = known
    return known
