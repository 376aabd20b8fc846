"""Fields that a function of the program validates: ``@field_validator("url") def check(cls, url)``.

Packs name the decorators, and the calls which are given such a function where a field is declared (``[type]
validates``). What the function proves by questions with constants is known (``field_functions``). If it asks anything
else, or the field gets another value than the one that was sent, a read of the field is doubtful: whether the check is
sufficient is not known. A function that only asks whether there is a text, how long it is and how it begins, and
returns it, leaves no doubt.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.packed import subjects
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.scanner.analysis.label.checked_fields import check_of_argument
from pyrograph.scanner.analysis.label.declared import declaring_calls
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.labels import FieldCheck
from pyrograph.scanner.analysis.label.text_origins import kept_from
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION, INSTANCE_OF

Field = tuple[int, int]  # (class, name)


def validated_fields(facts: Facts) -> None:
    """Fill ``Checks.validated_fields`` with the doubtful reads. Needs ``CheckRoles.telling``.

    Time linear in the calls that packs name, what their functions return, and the reads of the fields.
    """
    validating = {node for apis in facts.apis.values() for each in apis.checks.validating for node in apis.expand(each)}
    if not validating:
        return
    named = {call for call, nodes in facts.calls.apis_of.items() if validating & set(nodes)}
    by_method, by_type = validated_by_methods(facts, named), validated_by_types(facts, named)
    kept: dict[Field, list[int | None]] = {}
    for checks in (by_method, by_type):
        for field, functions in checks.items():
            kept.setdefault(field, []).extend(kept_by(facts, each) for each in functions)
    keys = {key for _, key in kept}
    loads, roles = facts.tables["loads"], facts.labels.checks
    for row in np.flatnonzero(among(loads["key"], keys)).tolist():
        key, value = int(loads["key"][row]), int(loads["result"][row])
        owners = subjects(facts.resolution.states_of(int(loads["object"][row])), INSTANCE_OF)
        fields = [(each, key) for owner in owners for each in facts.resolution.lineage(owner)]
        masks = [mask for field in fields for mask in kept.get(field, ())]
        if None in masks:
            roles.validated_fields.add(value)
        elif len(owners) == 1:
            for mask in masks:
                facts.mark_clean(value, mask or 0)
        given = [check_of_argument(facts, each) for field in fields for each in by_type.get(field, ())]
        asked: list[FieldCheck] = [each for each in given if each is not None]
        if asked and len(owners) == 1:
            roles.field_checks[value] = tuple(dict.fromkeys([*roles.field_checks.get(value, ()), *asked]))


def kept_by(facts: Facts, function: int) -> int | None:
    """For what the result of a function is clean that asks nothing of its argument but what guards of the rules know,
    and returns all of it: ``return url.strip()``. None for a function that asks more, or returns anything else.
    """
    check = check_of_argument(facts, function)
    result = int(facts.tables["functions"]["result"][function])
    returned = facts.flows.same_as(result)[: MAX_DEFINITIONS + 1]
    if check is None or facts.labels.checks.telling[function] or not 0 < len(returned) <= MAX_DEFINITIONS:
        return None
    texts = [each for each in returned if facts.constant(each) is None]
    mask = facts.wanted.all if texts else 0
    for value in texts:
        made = kept_from(facts, facts.rep[value])
        if not set(made) & set(check.texts):
            return None
        mask &= facts.labels.clean.get(made[0], 0)
    return mask


def validated_by_methods(facts: Facts, named: Iterable[int]) -> dict[Field, list[int]]:
    """The methods that check a field whose decorator, a call of ``named``, names it."""
    results = {facts.call_result[call]: call for call in named}
    owners = facts.tables["functions"]["owner"]
    checks: dict[Field, list[int]] = {}
    for row in np.flatnonzero(among(facts.tables["calls"]["callee"], results)).tolist():
        written = [facts.constant(facts.arg_value[a]) for a in facts.args.of(results[facts.call_callee[row]])]
        names = [text[1:] for text in written if text is not None and text[:1] == "'"]
        keys = [facts.program.string_ids.get(name, NONE) for name in names]
        for function in refusing(facts, row):
            for key in (each for each in keys if each != NONE):
                checks.setdefault((int(owners[function]), key), []).append(function)
    return checks


def validated_by_types(facts: Facts, named: Iterable[int]) -> dict[Field, list[int]]:
    """The functions that check a field whose declared type has a call of ``named``, which is given them."""
    given = {call: functions for call in sorted(named) if (functions := refusing(facts, call))}
    checks: dict[Field, list[int]] = {}
    for owner, members in facts.resolution.class_members.items() if given else ():
        for name, values in members.items():
            found = [each for value in values for call in declaring_calls(facts, value) for each in given.get(call, ())]
            if found:
                checks[owner, name] = list(dict.fromkeys(found))
    return checks


def refusing(facts: Facts, call: int) -> list[int]:
    """The functions that a call is given and that raise an exception for some values."""
    raised = facts.tables["functions"]["raised"]
    given = [facts.arg_value[row] for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    functions = dict.fromkeys(f for each in given for f in sorted(subjects(facts.resolution.states_of(each), FUNCTION)))
    return [f for f in functions if int(raised[f]) != NONE and facts.flows.origins_of(int(raised[f]))]
