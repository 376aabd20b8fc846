"""Objects of the program that a library keeps under a name, by that name.

``app.store = Store()``, ``container.register("store", Store)``, ``Application(routes, store=Store())``,
``{ provide: STORE, useClass: Store }``, ``bind(STORE).to(Store)`` and ``store = Singleton(Store)`` in the body of a
class put an object under a name. A name is the key of a store, a member, a keyword, a constant text, or the one value
that a name of a module stands for: a symbol, a class, a key of the library's. ``kept_reads`` finds what is read under
them, and asks for these names alone.

Linear in the stores and arguments of the program, on arrays; what is asked for costs a step for each place.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS, SUBJECT_MASK
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.scanner.analysis.numbers import CALL_OP, CLASS_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, NEW_OP
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import Solver

MADE: Final = frozenset((CALL_OP, CLASS_OP, NEW_OP))  # what is one thing, wherever it is named
NAMED: Final = MADE | {GLOBAL_OP, IMPORT_OP, LOAD_OP}


class Kept(NamedTuple):
    """An object that lies under a name, and a file that puts it there."""

    state: int
    file: int


Names = dict[tuple[str, int], dict[Kept, None]]  # (language, name) -> what lies under it


class KeptObjects:
    """What lies under the names that are asked for, by the way that it comes there."""

    def __init__(self, names: frozenset[int]) -> None:
        self.names = names
        self.called_on: dict[int, list[int]] = {}  # node -> calls of methods on it
        self.stored: Names = {}  # as a member of some object
        self.given: Names = {}  # a library is given it with the name


def kept_objects(solver: Solver, names: Iterable[int]) -> KeptObjects:
    """What lies under these names in the program; tests do not count."""
    kept = KeptObjects(frozenset(names))
    if not kept.names:
        return kept
    stored(solver, kept)
    declared(solver, kept)
    for argument in arguments_with_keyword(solver, kept.names):
        give(solver, kept, argument, solver.calls.arg_keyword[argument])
    for row, receiver in enumerate(solver.calls.receiver):
        if receiver != NONE:
            kept.called_on.setdefault(solver.points.reps[receiver], []).append(row)
    for argument, name in arguments_that_name(solver, kept.names):
        for following in named_by(solver, kept, argument):
            give(solver, kept, following, name)
    return kept


def stored(solver: Solver, kept: KeptObjects) -> None:
    """What is stored under the names, and what lies in a literal beside one of them as a constant or a symbol:
    ``{ provide: "a", useClass: A }``.
    """
    stores, rep = solver.program.tables["stores"], solver.points.rep
    known = stores["value"] >= 0
    wanted = known & (among(stores["key"], kept.names) | (stores["key"] < UNKNOWN_KEY))
    accesses = solver.accesses
    for row in np.flatnonzero(wanted).tolist():
        value = accesses.store_value[row]
        name = name_of_key(solver, accesses.store_key[row])
        if name in kept.names and counts(solver, value):
            is_literal = solver.op[solver.points.reps[accesses.store_object[row]]] == NEW_OP
            keep(solver, kept.stored, name, value, objects(solver, value, made=is_literal))
    rows = np.flatnonzero(known)
    rows = rows[solver.program.tables["values"]["op"][rep[stores["object"][rows]]] == Op.NEW]
    held: dict[int, list[tuple[int, list[int]]]] = {}  # literal -> the values in it that may have methods
    for place, name in naming(solver, stores["value"][rows], kept.names):
        row = int(rows[place])
        literal = solver.points.reps[accesses.store_object[row]]
        if literal not in held:
            values = [accesses.store_value[other] for other in accesses.stores_of.get(literal, ())]
            made = [(value, objects(solver, value, made=True)) for value in values if counts(solver, value)]
            held[literal] = [(value, states) for value, states in made if states]
        for value, states in held[literal]:
            if value != accesses.store_value[row]:
                keep(solver, kept.given, name, value, states)


def declared(solver: Solver, kept: KeptObjects) -> None:
    """What a library makes that the body of a class declares under the names: ``store = Singleton(Store)``."""
    members = solver.program.tables["members"]
    for row in np.flatnonzero(among(members["name"], kept.names)).tolist():
        value = solver.classes.member_value[row]
        if solver.op[solver.points.reps[value]] == CALL_OP and counts(solver, value):
            keep(solver, kept.given, solver.classes.member_name[row], value, objects(solver, value, made=True))


def arguments_with_keyword(solver: Solver, names: frozenset[int]) -> list[int]:
    """The arguments that have one of the names as their keyword."""
    return np.flatnonzero(among(solver.program.tables["arguments"]["keyword"], names)).tolist()


def arguments_that_name(solver: Solver, names: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The arguments that are one of the names, and the name."""
    return naming(solver, solver.program.tables["arguments"]["value"], names)


def naming(solver: Solver, values: np.ndarray, names: frozenset[int]) -> Iterator[tuple[int, int]]:
    """The places of values that are one of the names, and the name."""
    strings, ids = solver.strings, solver.program.string_ids
    texts = [ids[text] for name in names if (text := f"'{strings[name]}") in ids]
    tables = solver.program.tables["values"]
    nodes = solver.points.rep[values]
    op = tables["op"][nodes]
    chosen = (op == Op.CONST) & among(tables["data"][nodes], texts)
    if any([strings[name][:1] == "\0" for name in names]):
        chosen |= among(op, NAMED)
    for place in np.flatnonzero(chosen).tolist():
        name = name_of(solver, int(nodes[place]))
        if name in names:
            yield place, name


def named_by(solver: Solver, kept: KeptObjects, argument: int) -> list[int]:
    """The arguments that a library is given for the name that ``argument`` is: the next one of the call, or the only
    one of a method that is called on the result, ``bind(name).to(Store)``.
    """
    calls = solver.calls
    row = int(solver.program.tables["arguments"]["call"][argument])
    own = own_arguments(solver, row)
    place = own.index(argument) if argument in own else NONE
    if place == NONE or calls.arg_keyword[argument] != NONE:
        return []
    if place + 1 < len(own):
        return [own[place + 1]] if calls.arg_keyword[own[place + 1]] == NONE else []
    if len(own) > 1 or row in calls.bound:
        return []
    made = solver.points.reps[calls.result[row]]  # ``bind`` may also be the method of functions: a phi
    found: list[int] = []
    for node in dict.fromkeys([made, *solver.points.successors[made]]):
        for other in kept.called_on.get(node, ()):
            following = own_arguments(solver, other)
            found += following if len(following) == 1 else []
    return found


def give(solver: Solver, kept: KeptObjects, argument: int, name: int) -> None:
    """Note what a call of a library is given for a name."""
    value, row = solver.calls.arg_value[argument], int(solver.program.tables["arguments"]["call"][argument])
    if row not in solver.calls.bound and counts(solver, value):
        keep(solver, kept.given, name, value, objects(solver, value, made=True))


def own_arguments(solver: Solver, row: int) -> Sequence[int]:
    """The arguments of a call without its receiver."""
    receiver = solver.calls.receiver[row]
    return [each for each in solver.calls.args.of(row) if solver.calls.arg_value[each] != receiver]


def only_argument(solver: Solver, made: int) -> int:
    """The only argument of the library's call that ``made`` is the result of, or NONE."""
    if solver.op[made] != CALL_OP or solver.data[made] in solver.calls.bound:
        return NONE
    own = own_arguments(solver, solver.data[made])
    return solver.calls.arg_value[own[0]] if len(own) == 1 else NONE


def counts(solver: Solver, value: int) -> bool:
    """Whether the code around a value is no test, in a language in which a library may keep any object."""
    file = solver.files.file_of[value]
    return solver.files.traits[file].open_objects and not solver.files.testing[file]


def keep(solver: Solver, names: Names, name: int, value: int, states: Iterable[int]) -> None:
    file = int(solver.files.file_of[value])
    for state in states:
        names.setdefault((solver.files.languages[file], name), {})[Kept(state, file)] = None


def name_of_key(solver: Solver, key: int) -> int:
    """The name that the key of a load or a store is, or NONE."""
    if key >= 0:
        return key
    return name_of(solver, FIRST_VALUE_KEY - key) if key < UNKNOWN_KEY else NONE


def name_of(solver: Solver, value: int) -> int:
    """The name that a value is: a constant text, or the one value that a name of a module stands for; else NONE."""
    node = solver.points.reps[value]
    op = solver.op[node]
    if op == CONST_OP:
        text = solver.strings[solver.data[node]]
        return solver.program.intern(text[1:]) if text[:1] == "'" else NONE
    if op not in NAMED:
        return NONE
    known = solver.guesses.tokens.get(node)
    if known is None:
        found_text = constant(solver, node)
        found = definition(solver, node, MAX_NAMES_BEFORE_CONSTANT) if found_text is None else NONE
        if found != NONE and solver.op[found] in MADE:
            found_text = f"\0{found}"
        known = solver.guesses.tokens[node] = NONE if found_text is None else solver.program.intern(found_text)
    return known


def objects(solver: Solver, value: int, *, made: bool) -> list[int]:
    """What of a value may have methods. ``made``: or else what a library makes of it: instances of a class, what a
    function returns, also within a call: ``asClass(Store)``.
    """
    states = solver.points.states_of(value)
    found = [state for state in states if state & KIND in (INSTANCE_OF, OBJECT)]
    if not made:
        return found
    node = solver.points.reps[value]
    if solver.op[node] == NEW_OP:  # ``register("store", { useClass: Store })``
        rows = solver.accesses.stores_of.get(node, ())
        held = [solver.accesses.store_value[row] for row in rows]
        return found + [state for each in held for state in made_of(solver, each)]
    if found:
        return found
    if solver.op[node] == CALL_OP and solver.data[node] not in solver.calls.bound:
        arguments = solver.calls.args.of(solver.data[node])
        values = [solver.calls.arg_value[each] for each in arguments]
        return [state for each in values for state in made_of(solver, each)]
    return list(made_of(solver, value)) if states else []


def made_of(solver: Solver, value: int) -> Iterator[int]:
    """Instances of the classes that a value may be, and the objects that its functions return."""
    for state in solver.points.states_of(value):
        if state & KIND == CLASS:
            yield state & SUBJECT_MASK | INSTANCE_OF
        elif state & KIND == FUNCTION:
            result = solver.functions.result[state >> KIND_BITS]
            yield from (each for each in solver.points.states_of(result) if each & KIND in (INSTANCE_OF, OBJECT))
