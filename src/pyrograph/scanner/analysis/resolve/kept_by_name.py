"""Objects of the program that a library keeps under a name, by that name.

``app.store = Store()``, ``container.register("store", Store)``, ``Application(routes, store=Store())``,
``{ provide: STORE, useClass: Store }`` and ``bind(STORE).to(Store)`` put an object under a name. A name is the key of a
store, a keyword, a constant text, or the one value that a name of a module stands for: a symbol, a class, a key of the
library's. ``kept_reads`` finds what is read under them.

Linear in the stores and arguments of the program.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, SUBJECT_MASK, KIND_BITS
from pyrograph.policy.limits.resolution import MAX_NAMES_BEFORE_CONSTANT
from pyrograph.scanner.analysis.numbers import CALL_OP, CLASS_OP, CONST_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, NEW_OP, PHI_OP
from pyrograph.scanner.analysis.resolve.constants import constant, definition
from pyrograph.scanner.analysis.resolve.library_objects import inputs_of_join
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
    """What lies under each name, by the way that it comes there."""

    def __init__(self) -> None:
        self.stored: Names = {}  # as a member of some object
        self.given: Names = {}  # a library is given it with the name
        self.tokens: dict[int, int] = {}  # node -> the name that it is, or NONE: a cache of ``name_of``


def kept_objects(solver: Solver) -> KeptObjects:
    """What lies under names in the program; tests do not count."""
    kept = KeptObjects()
    accesses, calls = solver.accesses, solver.calls
    literals: dict[int, list[int]] = {}  # object -> rows of stores
    for row, key in enumerate(accesses.store_key):
        value = accesses.store_value[row]
        if value == NONE or not counts(solver, value):
            continue
        holder = solver.points.reps[accesses.store_object[row]]
        if solver.op[holder] == NEW_OP:
            literals.setdefault(holder, []).append(row)
        states = objects(solver, value, made=solver.op[holder] == NEW_OP)
        if states:
            keep(solver, kept.stored, name_of_key(solver, kept, key), value, states)
    for rows in literals.values():
        pairs = [(accesses.store_value[row], accesses.store_value[row]) for row in rows]
        register(solver, kept, pairs)
    for row, receiver in enumerate(calls.receiver):
        if row not in calls.bound and counts(solver, calls.result[row]):
            give(solver, kept, row, receiver)
    return kept


def give(solver: Solver, kept: KeptObjects, row: int, receiver: int) -> None:
    """What the call ``row`` of a library is given for names: by keyword, behind the name, behind ``bind(name)``."""
    calls = solver.calls
    own = [each for each in calls.args.of(row) if calls.arg_value[each] != receiver]
    for place, argument in enumerate(own):
        value, keyword = calls.arg_value[argument], calls.arg_keyword[argument]
        before = calls.arg_value[own[place - 1]] if place and keyword == NONE else NONE
        if not place and keyword == NONE and len(own) == 1 and receiver != NONE:
            before = bound_to(solver, receiver)
        if keyword == NONE and before == NONE:
            continue
        states = objects(solver, value, made=True)
        if states:
            name = keyword if keyword != NONE else name_of(solver, kept, before)
            keep(solver, kept.given, name, value, states)


def register(solver: Solver, kept: KeptObjects, pairs: Iterable[tuple[int, int]]) -> None:
    """A literal that holds a name and an object says that the object lies under it: ``{ provide: "a", useClass: A }``."""
    values = [value for _key, value in pairs]
    found = [(value, objects(solver, value, made=True)) for value in values]
    if not any(states for _value, states in found):
        return
    for name in [name_of(solver, kept, value) for value in values]:
        for value, states in found:
            if name != NONE and states:
                keep(solver, kept.given, name, value, states)


def bound_to(solver: Solver, receiver: int) -> int:
    """The only argument of the library's call that made a receiver, ``bind(STORE)``, or NONE; ``bind`` may also be the
    method of functions, which makes the receiver one of two values.
    """
    node = solver.points.reps[receiver]
    if solver.op[node] != PHI_OP:
        return only_argument(solver, node)
    found = [only_argument(solver, solver.points.reps[each]) for each in inputs_of_join(solver, node)]
    return next((each for each in found if each != NONE), NONE)


def only_argument(solver: Solver, made: int) -> int:
    """The only argument of the library's call that ``made`` is the result of, or NONE."""
    if solver.op[made] != CALL_OP or solver.data[made] in solver.calls.bound:
        return NONE
    row = solver.data[made]
    receiver = solver.calls.receiver[row]
    own = [value for each in solver.calls.args.of(row) if (value := solver.calls.arg_value[each]) != receiver]
    return own[0] if len(own) == 1 else NONE


def counts(solver: Solver, value: int) -> bool:
    """Whether the code around a value is no test, in a language in which a library may keep any object."""
    return solver.files.traits_of(value).open_objects and not solver.files.tests[solver.files.file_of[value]]


def keep(solver: Solver, names: Names, name: int, value: int, states: Iterable[int]) -> None:
    if name != NONE:
        file = int(solver.files.file_of[value])
        kept = names.setdefault((solver.files.language_of(value), name), {})
        kept.update(dict.fromkeys(Kept(state, file) for state in states))


def name_of_key(solver: Solver, kept: KeptObjects, key: int) -> int:
    """The name that the key of a load or a store is, or NONE."""
    if key >= 0:
        return key
    return name_of(solver, kept, FIRST_VALUE_KEY - key) if key < UNKNOWN_KEY else NONE


def name_of(solver: Solver, kept: KeptObjects, value: int) -> int:
    """The name that a value is: a constant text, or the one value that a name of a module stands for; else NONE."""
    node = solver.points.reps[value]
    op = solver.op[node]
    if op == CONST_OP:
        text = solver.strings[solver.data[node]]
        return solver.program.intern(text[1:]) if text[:1] == "'" else NONE
    if op not in NAMED:
        return NONE
    known = kept.tokens.get(node)
    if known is None:
        text = constant(solver, node)
        found = definition(solver, node, MAX_NAMES_BEFORE_CONSTANT) if text is None else NONE
        if found != NONE and solver.op[found] in MADE:
            text = f"\0{found}"
        known = kept.tokens[node] = NONE if text is None else solver.program.intern(text)
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
