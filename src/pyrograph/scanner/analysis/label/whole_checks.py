"""Functions that a library calls to check an object as a whole: ``@model_validator(mode="after") def check(self)``.

They are decorated as packs say (``[type] validates``) or have a name that the language or a library calls by itself
(``WHOLE_OBJECT_CHECKS``). What they read of a field says which values of it they let through, as in
``checked_fields``. That holds where the program reads the field later: from an instance of the class, or from what
a call made of a schema that is one.

Time linear in the decorators that packs name, the methods of these names, and the reads of the fields that they read.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.names.functions import WHOLE_OBJECT_CHECKS
from pyrograph.rules.entries import Port
from pyrograph.scanner.analysis.label.checked_fields import check_of_argument
from pyrograph.scanner.analysis.label.class_fields import read_keys
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import FieldCheck
from pyrograph.scanner.analysis.label.schemas import checking_calls
from pyrograph.scanner.analysis.numbers import LOAD_OP
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF

Field = tuple[int, int]  # (class, name)


def whole_checks(facts: Facts) -> None:
    """Name in ``Checks.field_checks`` the functions that check fields which the program reads."""
    checks: dict[Field, list[FieldCheck]] = {}
    for function, named in sorted(set(checking_functions(facts))):
        owner = int(facts.tables["functions"]["owner"][function])
        argument = check_of_argument(facts, function)
        found = checks_in(facts, function) if named == NONE else {}
        if named != NONE and argument is not None:
            found[named] = argument
        for key, check in found.items():
            if is_declared(facts, owner, key):
                checks.setdefault((owner, key), []).append(check)
    if not checks:
        return
    wanted = {key for _, key in checks}
    loads = facts.tables["loads"]
    for row in np.flatnonzero(among(loads["key"], wanted)).tolist():
        owners = subjects(facts.resolution.states_of(int(loads["object"][row])), INSTANCE_OF)
        note(
            facts,
            int(loads["result"][row]),
            [checks_for(facts, each, int(loads["key"][row]), checks) for each in owners],
        )
    for result, owners in made_by_schemas(facts):
        for value in facts.flows.loads_from(facts.rep[result]):
            if facts.op[value] == LOAD_OP and (key := facts.load_key[facts.data[value]]) in wanted:
                note(facts, value, [checks_for(facts, each, key, checks) for each in owners])
        for call in facts.calls.methods_on(facts.rep[result]):
            for key in read_keys(facts, call)[:1]:
                note(facts, facts.call_result[call], [checks_for(facts, each, key, checks) for each in owners])


def note(facts: Facts, value: int, by_class: list[list[FieldCheck]]) -> None:
    """Name the checks of what was read, if each of the classes that it may be read from has some."""
    given = [[check for check in each if check.function != facts.function_of[value]] for each in by_class]
    if given and all(given):
        known = facts.labels.checks.field_checks.get(value, ())
        facts.labels.checks.field_checks[value] = tuple(dict.fromkeys([*known, *(c for each in given for c in each)]))


def checks_for(facts: Facts, owner: int, key: int, checks: dict[Field, list[FieldCheck]]) -> list[FieldCheck]:
    """The checks of a field in a class and its bases."""
    return [check for each in facts.resolution.lineage(owner) for check in checks.get((each, key), ())]


def checking_functions(facts: Facts) -> Iterator[tuple[int, int]]:
    """The methods that check the object that they belong to, and those that check the field which their decorator
    names: (function, the field's name or ``NONE``).
    """
    owners, names = (facts.tables["functions"][name] for name in ("owner", "name"))
    validating = {node for apis in facts.apis.values() for each in apis.checks.validating for node in apis.expand(each)}
    calls = [call for call, nodes in facts.calls.apis_of.items() if not validating.isdisjoint(nodes)]
    made = {facts.call_result[call]: call for call in calls}
    applied = np.flatnonzero(among(facts.tables["calls"]["callee"], made)).tolist() if made else []
    for call in sorted({*calls, *applied}):
        decorator = made.get(facts.call_callee[call], NONE)
        written = (
            [facts.constant(facts.arg_value[row]) for row in facts.args.of(decorator)] if decorator != NONE else []
        )
        fields = [
            facts.program.string_ids.get(text[1:], NONE) for text in written if text is not None and text[:1] == "'"
        ]
        for row in facts.args.of(call):
            for function in subjects(facts.resolution.states_of(facts.arg_value[row]), FUNCTION):
                owner = int(owners[function])
                meant = [key for key in fields if key != NONE and owner != NONE and is_declared(facts, owner, key)]
                yield from ((function, key) for key in (meant or (NONE,)) if owner != NONE)
    wanted = {facts.program.string_ids.get(name, NONE) for name in WHOLE_OBJECT_CHECKS} - {NONE}
    for function in np.flatnonzero(among(names, wanted)).tolist() if wanted else ():
        if int(owners[function]) != NONE:
            yield function, NONE


def checks_in(facts: Facts, function: int) -> dict[int, FieldCheck]:
    """The fields that a function reads from one of its parameters, each with this function as its check."""
    parameters = facts.tables["parameters"]
    read: dict[int, set[int]] = {}
    for row in facts.functions.parameters_of(function):
        rep = facts.rep[int(parameters["value"][row])]
        for value in facts.flows.loads_from(rep):
            if facts.op[value] == LOAD_OP and (key := facts.load_key[facts.data[value]]) >= 0:
                read.setdefault(key, set()).add(value)
        for call in facts.calls.methods_on(rep) if parameters["position"][row] != RECEIVER else ():
            for key in read_keys(facts, call)[:1]:
                read.setdefault(key, set()).add(facts.rep[facts.call_result[call]])
    found: dict[int, FieldCheck] = {}
    for key, reps in read.items():
        others = {rep for other, each in read.items() if other != key for rep in each}
        found[key] = FieldCheck(function, tuple(sorted(reps)), tuple(sorted(others)))
    return found


def is_declared(facts: Facts, owner: int, key: int) -> bool:
    """Whether a class, or a base of it, declares such a member, which is no method."""
    members = facts.resolution.class_members
    values = [value for each in facts.resolution.lineage(owner) for value in members.get(each, {}).get(key, ())]
    return any(not subjects(facts.resolution.states_of(value), FUNCTION) for value in values)


def made_by_schemas(facts: Facts) -> Iterator[tuple[int, list[int]]]:
    """What calls return that check an argument against an instance of a class: ``JobSchema().load(data)``."""
    for call, flow in checking_calls(facts):
        if flow.schema != Port("this") or flow.target.kind != "ret" or flow.target.path:
            continue
        receiver = facts.call_receiver[call]
        owners = sorted(subjects(facts.resolution.states_of(receiver), INSTANCE_OF)) if receiver != NONE else []
        if owners:
            yield facts.call_result[call], owners
