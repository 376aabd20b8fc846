"""Calls that nothing resolved: looked up again, or by the name of the method and what is known of the receiver.

What is tried here may be wrong, so it is tried only when everything that is certain has been told.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.packed import FIRST_CONSTRUCTION, KIND, KIND_BITS, PAIR_BITS, PAIR_LOW, subjects
from pyrograph.parsers import language_of
from pyrograph.policy.limits import MAX_CANDIDATES, MAX_IMPLEMENTATIONS
from pyrograph.scanner.analysis.apis import EXTERNAL, INSTANCE
from pyrograph.scanner.analysis.resolve.calls import bind, construct
from pyrograph.scanner.analysis.resolve.members import class_member, imported_roots, is_current, look_up
from pyrograph.scanner.analysis.resolve.models import call_api, decorate
from pyrograph.scanner.analysis.resolve.numbers import CALL_OP, DECORATOR, LOAD_OP, METHOD, NORMAL_KIND, VARARG_KIND
from pyrograph.scanner.analysis.resolve.resolution import (
    API,
    CLASS,
    EXTERNAL_API,
    FUNCTION,
    INSTANCE_OF,
    MODULE,
    OBJECT,
)
from pyrograph.scanner.analysis.resolve.solver import Solver, Unresolved

ANY_NUMBER: Final = 1 << 30  # of arguments: a function with ``*args`` takes them all


def retry_missed(solver: Solver) -> None:
    """Class members that were asked for before a base class was known."""
    if solver.changes == solver.retried:
        return  # no class has learnt anything since
    solver.retried = solver.changes
    if solver.outside:
        outside, key = solver.outside, solver.load_key
        asked = [
            each
            for each in solver.done_loads
            if key[each >> PAIR_BITS] in outside and each & KIND in (CLASS, INSTANCE_OF)
        ]
        for each in sorted(asked):
            class_member(solver, each >> PAIR_BITS, each & PAIR_LOW, key[each >> PAIR_BITS])
    solver.outside.clear()
    refused, solver.refused = solver.refused, set()
    for node, state in sorted(refused):  # bases may have become known
        solver.add(node, state)
    missed, solver.missed = solver.missed, []
    for row, state in missed:
        if row <= FIRST_CONSTRUCTION:
            construct(solver, FIRST_CONSTRUCTION - row, state >> KIND_BITS)
        elif is_unknown(solver, row, state) or not look_up(solver, row, state):
            solver.missed.append((row, state))


def is_unknown(solver: Solver, row: int, state: int) -> bool:
    """Whether a load from a class or its instances finds as little as when it was asked for last."""
    if state & KIND not in (CLASS, INSTANCE_OF):
        return False
    member = solver.members.get((state, solver.load_key[row]))
    return member is not None and not member.found and is_current(solver, member, state)


def fall_back(solver: Solver, round_: int) -> None:
    """Calls that nothing resolved: decorators pass on, methods of built-in types and then of classes match by
    name.
    """
    # by name alone in the first round, or in the second where interfaces come first
    naming = {name for name in solver.apis if int(language_of(name).traits.interfaces_before_names) == round_}
    by_name = methods_by_name(solver) if naming else {}
    foreign = [name for name in sorted(naming) if language_of(name).traits.library_types_are_foreign]
    if foreign:
        spread_library_objects(solver, foreign)
    external = solver.resolution.external
    if solver.unresolved is None:
        solver.unresolved = unresolved_calls(solver)
    known = solver.known_calls
    solver.unresolved = [each for each in solver.unresolved if each.row not in known or each.row in external]
    for each in solver.unresolved:
        row, name, language = each.row, each.name, each.language
        if name == NONE:
            decorate(solver, row)
            continue
        if each.registered:
            imported = imported_roots(solver, solver.file_of[solver.call_result[row]])
            for node in each.registered:
                if solver.apis[language].paths[node][0] in imported:
                    call_api(solver, row, node, guessed=True)
        for node in each.made:
            solver.arise(solver.call_result[row], node)
        if row in external:
            receiver = solver.call_receiver[row]
            states = solver.states[solver.reps[receiver]] if receiver != NONE else ()
            if any(s & KIND == MODULE or s == EXTERNAL_API for s in states):
                continue
        if each.nodes:
            for node in each.nodes:
                call_api(solver, row, node, made=False, guessed=True)
        elif row not in external:
            named = by_name.get((language, name), ()) if language in naming else ()
            if (named or solver.has_interfaces) and not solver.strings[name].startswith("__"):
                for function in methods_meant(solver, row, name, named):
                    bind(solver, row, function, solver.call_receiver[row])
    for language in foreign:
        tell_own_objects(solver, language)


def tell_own_objects(solver: Solver, language: str) -> None:
    """Methods that no call is known to mean, of an interface with too many implementations or in a place that many
    share, learn from the calls by their name which of their parameters are objects of a kind that holds nothing
    untrusted: the request that a program sends is of the type of the one that it receives.

    Tests do not count: they make what a server receives. Linear in the calls of methods and their arguments.
    """
    apis = solver.apis[language]
    wanted = {apis.node((*each, INSTANCE)) << KIND_BITS | API for each in apis.own_objects}
    holding = {node for node, states in enumerate(solver.states) if not wanted.isdisjoint(states)} if wanted else set()
    if not holding:
        return
    tests, file_of, result = solver.tests, solver.file_of, solver.call_result
    called = {function for row, function in solver.seen_bindings if row < 0 or not tests[int(file_of[result[row]])]}
    methods: dict[int, list[int]] = {}
    for function, name in enumerate(solver.fn_name):
        if function not in called and solver.fn_flags[function] & METHOD and name != NONE:
            methods.setdefault(name, []).append(function)
    for row, name in enumerate(solver.call_name):
        if name not in methods or tests[int(file_of[result[row]])]:
            continue
        given = [a for a in solver.args.of(row) if solver.reps[solver.arg_value[a]] in holding]
        for function in methods[name] if given else ():
            formals = {solver.param_position[p]: solver.param_value[p] for p in solver.params_of.get(function, ())}
            for argument in given:
                formal = formals.get(solver.arg_position[argument], NONE)
                if formal == NONE or solver.language_of(formal) != language:
                    continue
                for state in wanted.intersection(solver.states[solver.reps[solver.arg_value[argument]]]):
                    solver.add(solver.reps[formal], state)


def unresolved_calls(solver: Solver) -> list[Unresolved]:
    """The calls of which nothing certain is known, and something may be guessed."""
    found = []
    for row in range(len(solver.call_name)):
        if row in solver.known_calls and row not in solver.resolution.external:
            continue
        name = solver.call_name[row]
        language = solver.language_of(solver.call_result[row])
        if solver.call_flags[row] & DECORATOR:
            found.append(Unresolved(row, NONE, language))
        elif name != NONE:
            text = solver.strings[name]
            apis = solver.apis.get(language)
            nodes = apis.builtin_methods.get(text, ()) if apis is not None else ()
            registered = apis.registrations.get(text, ()) if apis is not None and row in solver.registering else ()
            made = apis.unknown_results.get(text, ()) if apis is not None else ()
            if nodes or registered or not text.startswith("__"):  # names with underscores every class may have
                found.append(Unresolved(row, name, language, nodes, registered, made))
    return found


def methods_meant(solver: Solver, row: int, name: int, candidates: Sequence[int]) -> list[int]:
    """The methods that the call ``row`` may mean, going by what is known of its receiver.

    Of an interface, those of the types that have all its methods. Of a class of the program, those of its
    relatives (its own were found before). Of a library's object, none. Of anything else, all of that name, if they
    are few.
    """
    receiver = solver.call_receiver[row]
    states = solver.states[solver.reps[receiver]] if receiver != NONE else ()
    classes = subjects(states, INSTANCE_OF)
    interfaces = [owner for owner in classes if is_interface(solver, owner)]
    found: list[int]
    if interfaces:
        found = [f for owner in interfaces for f in implementations(solver, owner, name)]
        found = callable_methods(solver, row, name, list(dict.fromkeys(found)))
        if len(found) > MAX_IMPLEMENTATIONS:
            solver.undecided.add(row)
            return []
        return found
    if not 0 < len(candidates) <= 2 * MAX_CANDIDATES:
        return []
    if classes:
        found = []
        for owner in classes:
            relatives = relatives_of(solver, owner)
            found += [f for f in candidates if solver.fn_owner[f] in relatives]
        candidates = [f for f in candidates if f in found]
    elif any(s & KIND == API for s in states) or (receiver != NONE and from_library(solver, receiver)):
        return []
    found = callable_methods(solver, row, name, candidates)
    return found if len(found) <= MAX_CANDIDATES else []


def callable_methods(solver: Solver, row: int, name: int, methods: Sequence[int]) -> list[int]:
    """Those that take as many arguments as the call gives and that its file sees."""
    if not methods:
        return []
    arity = sum([1 for a in solver.args.of(row) if solver.arg_position[a] >= 0])
    file = solver.file_of[solver.call_result[row]]
    return [f for f in methods if accepts(solver, f, arity) and sees(solver, file, f, name)]


def is_interface(solver: Solver, owner: int) -> bool:
    """An interface, or a type that is declared to be what an interface is: ``type Named Interface`` in Go."""
    for each in solver.lineage(owner):
        members = solver.class_members.get(each, ())
        if members:
            return solver.interface_mark in members
    return False


def implementations(solver: Solver, owner: int, name: int) -> list[int]:
    """The methods ``name`` of the types that have all methods of an interface."""
    known = solver.implementing.get((owner, name))
    if known is not None:
        return known
    if not solver.method_sets:
        collect_methods(solver)
    wanted = {member for base in solver.lineage(owner) for member in solver.class_members.get(base, ())}
    wanted.discard(solver.interface_mark)
    having = solver.method_sets.get(name, {})
    types = set(having)
    for member in wanted:
        types &= solver.method_sets.get(member, {}).keys()
    value = solver.program.tables["owners"]["value"]
    language = solver.language_of(int(value[owner]))
    types = {each for each in types if solver.language_of(int(value[each])) == language}
    known = list(dict.fromkeys(function for each in sorted(types) for function in having[each]))
    solver.implementing[owner, name] = known
    return known


def collect_methods(solver: Solver) -> None:
    """By name, the types that have a method, with its functions; embedded ones are promoted."""
    for each in solver.class_members.keys() | solver.class_bases.keys():
        if is_interface(solver, each):
            continue
        methods: dict[int, list[int]] = {}
        for base in reversed(solver.lineage(each)):
            for member, values in solver.class_members.get(base, {}).items():
                states = [state for value in values for state in solver.states[solver.reps[value]]]
                functions = subjects(states, FUNCTION)
                if functions:
                    methods[member] = functions
        for member, functions in methods.items():
            solver.method_sets.setdefault(member, {})[each] = functions


def relatives_of(solver: Solver, owner: int) -> set[int]:
    """The classes that some class has together with ``owner`` among itself and its bases."""
    if not solver.related:
        for each in solver.class_members.keys() | solver.class_bases.keys():
            lineage = solver.lineage(each)
            for one in lineage:
                solver.related.setdefault(one, set()).update(lineage)
    return solver.related.get(owner, set())


def sees(solver: Solver, file: int, function: int, name: int) -> bool:
    """Whether code of ``file`` may call the method: not what only tests have, nor what another module does not export;
    where calls follow imports, one of the two files imports the other, directly or not.
    """
    traits = solver.traits[file]
    other = int(solver.file_of[solver.fn_result[function]])
    if traits.calls_follow_imports:
        return other in imported_from(solver, file) or file in imported_from(solver, other)
    if solver.tests[other] and not solver.tests[file]:
        return False
    if not traits.exported_by_case or solver.strings[name][:1].isupper():
        return True
    files = solver.program.files
    return files[file].path.rpartition("/")[0] == files[other].path.rpartition("/")[0]


def imported_from(solver: Solver, file: int) -> set[int]:
    """The files that ``file`` imports, directly or not, and itself. Linear in these, once a file."""
    known = solver.closures.get(file)
    if known is not None:
        return known
    if solver.files_imported is None:
        solver.files_imported = {}
        imports = solver.program.tables["imports"]
        for value in solver.pending_imports:
            row = solver.data[value]
            here = int(solver.file_of[value])
            module = solver.program.modules.resolve(here, solver.strings[imports["module"][row]], imports["level"][row])
            if module is not None:
                members = solver.program.modules.members(module, solver.languages[here])
                solver.files_imported.setdefault(here, set()).update(members)
    known = {file}
    work = [file]
    while work:  # what is pushed is new in ``known``
        for other in solver.files_imported.get(work.pop(), ()):
            if other not in known:
                known.add(other)
                work.append(other)
    solver.closures[file] = known
    return known


def from_library(solver: Solver, value: int, depth: int = 0) -> bool:
    """Whether a value is declared to be a library's object, or comes from a call or member of one."""
    rep = solver.reps[value]
    if rep in solver.of_library:
        return True
    states = solver.states[rep]
    if depth > 6 or any(s & KIND in (INSTANCE_OF, CLASS, OBJECT, FUNCTION) for s in states):
        return False
    if any(s & KIND == API for s in states):
        return True
    if solver.op[rep] == LOAD_OP:
        return from_library(solver, solver.load_object[solver.data[rep]], depth + 1)
    if solver.op[rep] == CALL_OP:
        row = solver.data[rep]
        if row in solver.resolution.external:
            return True
        receiver = solver.call_receiver[row]
        return receiver != NONE and from_library(solver, receiver, depth + 1)
    return False


def spread_library_objects(solver: Solver, languages: Sequence[str]) -> None:
    """What may be a library's object, wherever it goes, in languages with ``Traits.library_types_are_foreign``. What is
    taken out of ``any`` says its type.

    Linear in the calls of these languages, and in the edges that such objects travel along.
    """
    called = {row for row, _ in solver.seen_bindings}
    work = list(solver.of_library)
    for (state, _key), member in solver.members.items():
        if not member.found and any(owner in solver.outside_bases for owner in solver.lineage(state >> KIND_BITS)):
            work.append(member.node)  # an embedded type of a library has it
    of_receiver: dict[int, list[int]] = {}  # receiver -> results of what is called on it
    for row, result in enumerate(solver.call_result):
        if row in called or solver.language_of(result) not in languages:
            continue
        if of_foreign_function(solver, row):
            work.append(solver.reps[result])
        elif solver.call_receiver[row] != NONE:
            of_receiver.setdefault(solver.reps[solver.call_receiver[row]], []).append(solver.reps[result])
    reached = solver.of_library
    reached.clear()
    while work:
        node = work.pop()
        if node in reached or any(state & KIND == INSTANCE_OF for state in solver.states[node]):
            continue
        reached.add(node)
        work += solver.next[node]
        work += of_receiver.get(node, ())
        work += [solver.reps[solver.load_result[row]] for row in solver.loads_of.get(node, ())]


def of_foreign_function(solver: Solver, row: int) -> bool:
    """Whether the call is one of a library's function, or of a method that a type of the program has from a library."""
    callee = solver.reps[solver.call_callee[row]]
    language = solver.language_of(solver.call_result[row])
    apis = solver.apis[language]
    nodes = subjects(solver.states[callee], API)
    if nodes:
        builtins = solver.builtins[language]
        return any(node == EXTERNAL or apis.paths[node][0] != builtins for node in nodes)
    receiver, name = solver.call_receiver[row], solver.call_name[row]
    states = solver.states[solver.reps[receiver]] if receiver != NONE else ()
    owners = subjects(states, INSTANCE_OF)
    lineage = [each for owner in owners for each in solver.lineage(owner)]
    if any(name in solver.class_members.get(each, ()) for each in lineage):
        return False
    return any(each in solver.outside_bases or solver.class_apis.get(each) for each in lineage)


def methods_by_name(solver: Solver) -> dict[tuple[str, int], list[int]]:
    """The methods of the program by language and name: no call goes from one language to another."""
    methods: dict[tuple[str, int], dict[int, None]] = {}
    for members in solver.class_members.values():
        for name, values in members.items():
            for value in values:
                for state in solver.states[solver.reps[value]]:
                    if state & KIND == FUNCTION and solver.fn_flags[state >> KIND_BITS] & METHOD:
                        language = solver.language_of(solver.fn_result[state >> KIND_BITS])
                        methods.setdefault((language, name), {})[state >> KIND_BITS] = None
    return {name: list(found) for name, found in methods.items()}


def accepts(solver: Solver, function: int, arity: int) -> bool:
    most = solver.most_arguments.get(function)
    if most is None:
        kinds = [solver.param_kind[p] for p in solver.params_of.get(function, ())]
        most = ANY_NUMBER if VARARG_KIND in kinds else kinds.count(NORMAL_KIND)
        solver.most_arguments[function] = most
    # one argument may be several: f(g())
    if arity != 1 and solver.traits_of(solver.fn_result[function]).exact_arity:
        return arity == most or most == ANY_NUMBER
    return arity <= most
