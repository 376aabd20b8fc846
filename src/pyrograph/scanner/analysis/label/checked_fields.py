"""Fields of forms and serializers that functions of the program check: ``OutsideField()``, ``def clean_url(self)``.

A framework calls such a function before it hands out what the field holds, so that no path goes through it. The table
``Checks.field_checks`` names it for each read of the field from the checked data. Which values it lets through is asked
where a path is rated (``explain/refusals.py``). A function that checks a field is

* given to the declaration of the field: ``URLField(validators=[outside])``;
* a method of the field's own class, where the program writes it and it derives from a class outside the program;
* a method of the form that is named after the field (``FIELD_CHECK_PREFIXES``);
* a method of the form that checks it as a whole and reads the field (``WHOLE_FORM_CHECKS``).
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from typing import NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER, FunctionFlag, Op
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.policy.names.functions import FIELD_CHECK_PREFIXES, WHOLE_FORM_CHECKS
from pyrograph.scanner.analysis.label.class_fields import form_holders, read_keys
from pyrograph.scanner.analysis.label.declared import declaring_calls
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import FieldCheck
from pyrograph.scanner.analysis.resolve.resolution import CLASS, FUNCTION


class Read(NamedTuple):
    """A read of a field from checked data."""

    value: int  # what is read
    holder: int  # representative of the checked data
    key: int


def checked_fields(facts: Facts) -> None:
    """Fill ``Checks.field_checks``. O(reads of checked data)."""
    holders = form_holders(facts)
    reads = list(reads_of_fields(facts, holders)) if holders else []
    forms = {owner for owners in holders.values() for owner in owners}
    inside: dict[tuple[int, int], list[int]] = {}  # (function, key) -> what it reads of this field
    for read in reads:
        inside.setdefault((int(facts.function_of[read.value]), read.key), []).append(facts.rep[read.value])
    known: dict[tuple[int, int], list[FieldCheck]] = {}
    for cell, owners, key in facts.resolution.stored.checked_cells:
        by_form = [list(checks_of_form(facts, owner, key, inside)) for owner in owners]
        if all(by_form):
            facts.labels.checks.field_checks[cell] = tuple(dict.fromkeys(c for each in by_form for c in each))
    for read in reads:
        by_class: list[list[FieldCheck]] = []
        for owner in sorted(holders[read.holder]):
            if (owner, read.key) not in known:
                known[owner, read.key] = list(checks_of(facts, owner, read.key, inside, forms))
            by_class.append([c for c in known[owner, read.key] if c.function != facts.function_of[read.value]])
        if all(by_class):
            facts.labels.checks.field_checks[read.value] = tuple(dict.fromkeys(c for each in by_class for c in each))


def reads_of_fields(facts: Facts, holders: dict[int, set[int]]) -> Iterator[Read]:
    """``data["url"]`` and ``data.get("url")``, where ``data`` is checked data."""
    loads = facts.tables["loads"]
    objects = facts.resolution.representative[loads["object"]]
    for row in np.flatnonzero(among(objects, holders) & (loads["key"] >= 0)).tolist():
        yield Read(int(loads["result"][row]), int(objects[row]), int(loads["key"][row]))
    for holder in sorted(holders):
        for call in facts.calls.methods_on(holder):
            for key in read_keys(facts, call)[:1]:
                yield Read(facts.call_result[call], holder, key)


def checks_of(
    facts: Facts, owner: int, key: int, inside: dict[tuple[int, int], list[int]], forms: Set[int]
) -> Iterator[FieldCheck]:
    """The functions that check a field of a class, or of its bases. ``forms``: classes with checked data."""
    lineage = facts.resolution.lineage(owner)
    members = facts.resolution.class_members
    for declared in next((members[each][key] for each in lineage if members.get(each, {}).get(key)), ()):
        for call in declaring_calls(facts, declared):
            yield from given_checks(facts, call)
            yield from own_checks(facts, call, forms)
    for prefix in FIELD_CHECK_PREFIXES:
        name = facts.program.string_ids.get(prefix + facts.program.strings[key], NONE)
        for method in next((members[each][name] for each in lineage if members.get(each, {}).get(name)), ()):
            for function in functions_of(facts, method):
                check = check_of_argument(facts, function)
                if check is not None:
                    yield check
                elif texts := inside.get((function, key)):
                    yield FieldCheck(function, tuple(sorted(set(texts))))
    yield from checks_of_form(facts, owner, key, inside)


def checks_of_form(
    facts: Facts, owner: int, key: int, inside: dict[tuple[int, int], list[int]]
) -> Iterator[FieldCheck]:
    """The methods of a form that check all of its fields together, and read this one."""
    lineage = facts.resolution.lineage(owner)
    members = facts.resolution.class_members
    for whole in WHOLE_FORM_CHECKS:
        name = facts.program.string_ids.get(whole, NONE)
        for method in next((members[each][name] for each in lineage if members.get(each, {}).get(name)), ()):
            for function in functions_of(facts, method):
                if texts := inside.get((function, key)):
                    others = {
                        rep for (of, other), reps in inside.items() if of == function and other != key for rep in reps
                    }
                    yield FieldCheck(function, tuple(sorted(set(texts))), tuple(sorted(others)))


def given_checks(facts: Facts, call: int) -> Iterator[FieldCheck]:
    """The functions that a call which declares a field is given, also in a list."""
    stores = facts.tables["stores"]
    for row in facts.args.of(call):
        if facts.arg_position[row] == RECEIVER:
            continue
        given = facts.rep[facts.arg_value[row]]
        parts = [given]
        if facts.op[given] == Op.NEW:
            parts = [int(stores["value"][each]) for each in facts.flows.stores_into(given)[:MAX_DEFINITIONS]]
        for part in parts:
            for function in functions_of(facts, part) if part != NONE else ():
                check = check_of_argument(facts, function)
                if check is not None:
                    yield check


def own_checks(facts: Facts, call: int, forms: Set[int]) -> Iterator[FieldCheck]:
    """The methods of the program's own class of a field that are given something.

    Those of a form within a form check the whole of it, or another field.
    """
    flags = facts.tables["functions"]["flags"]
    for owner in subjects(facts.resolution.states_of(facts.call_callee[call]), CLASS):
        lineage = facts.resolution.lineage(owner)
        if not forms.isdisjoint(lineage) or any(checks_own_fields(facts, each) for each in lineage):
            continue
        members = [facts.resolution.class_members.get(each, {}) for each in lineage]
        for value in (value for each in members for name in sorted(each) for value in each[name]):
            for function in functions_of(facts, value):
                check = None if flags[function] & FunctionFlag.CONSTRUCTOR else check_of_argument(facts, function)
                if check is not None:
                    yield check


def checks_own_fields(facts: Facts, owner: int) -> bool:
    """Whether a class has a method that is named after a member of it, as a form has for its fields."""
    names = {facts.program.strings[name] for name in facts.resolution.class_members.get(owner, {})}
    return any(prefix + name in names for name in names for prefix in FIELD_CHECK_PREFIXES)


def functions_of(facts: Facts, value: int) -> list[int]:
    return sorted(subjects(facts.resolution.states_of(value), FUNCTION))


def check_of_argument(facts: Facts, function: int) -> FieldCheck | None:
    """A function as a check of its first argument; None if it has none."""
    table = facts.tables["parameters"]
    rows = [row for row in facts.functions.parameters_of(function) if table["position"][row] != RECEIVER]
    first = min(rows, key=lambda row: int(table["position"][row]), default=None)
    return None if first is None else FieldCheck(function, (facts.rep[int(table["value"][first])],))
