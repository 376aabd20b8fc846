"""Checks against schemas as guards: what passed one is as clean as the schema says, however it is read afterwards.

``const { error } = schema.validate(req.body); if (error) return;``, and then ``req.body.id``. ``schemas`` knows what
such a call returns; here it is what the call was given. Packs say which calls check, where the schema stands, and
whether the result, or a member of it, says that the value passed (``valid``), the call raises (``raises``), or a
promise is rejected (``rejects``), which counts where the call itself is awaited: before a later ``await p``, what was
not checked may have been used. So does a result that is a promise (``valid awaited``): a promise itself is always true.
A schema may change values before it checks them; of such (``[type] lenient``) nothing is known. Calls that raise
without a schema are sanitizers.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import NamedTuple

from pyrograph.ir.codes import NONE, ArgumentFlag, CallFlag, Op
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.labels import MAX_DEFINITIONS
from pyrograph.rules.entries import Api, Guard, Port
from pyrograph.scanner.analysis.label.comparison_checks import ABSENT
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.definitions import one_maker
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.passed_elements import Fields
from pyrograph.scanner.analysis.label.route_schemas import declared_fields
from pyrograph.scanner.analysis.label.schemas import fields_of_class, mask_of_type
from pyrograph.scanner.analysis.label.text_origins import kept_from, transforming_call
from pyrograph.scanner.analysis.numbers import CALL_OP, EQUAL_TEST, LOAD_OP, TRUTH_TEST
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

RAISING = ("raises", "rejects")


class SchemaCheck(NamedTuple):
    """What a condition on the result of a check says of what was checked."""

    values: tuple[int, ...]  # representatives: what was checked, and the texts that it is all of
    fields: Fields  # for what its fields are clean; itself, too, under no keys
    when_false: bool  # it passed where the test fails
    is_part: bool = False  # the check was given an object of which this is a part


def schema_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[SchemaCheck]:
    """The checks that one condition asks for: ``if (result.success)``, ``if (error !== undefined)``."""
    if "valid" not in guards or test not in (TRUTH_TEST, EQUAL_TEST):
        return []
    constant = "" if test == TRUTH_TEST else facts.constant(right)
    if constant not in ABSENT and constant not in ("", "true", "false"):
        return []
    value = facts.rep[left] if facts.op[left] not in (CALL_OP, LOAD_OP) else left
    found: list[SchemaCheck] = []
    for guard in guards["valid"].plain:
        if test == EQUAL_TEST and guard.when_false != (constant in ABSENT):
            continue  # a result that is there may be false; no error is neither true nor false
        call = checking_call(facts, value, guard)
        if call != NONE and (is_awaited(facts, call) or not guard.awaited):
            fails = guard.when_false != (constant == "false" or constant in ABSENT)
            found += [SchemaCheck(values, clean, fails, part) for values, clean, part in checked_by(facts, call, guard)]
    return found


def checking_call(facts: Facts, value: int, guard: Guard) -> int:
    """The call of the guard's API from whose result ``value`` was loaded by the guard's steps, or ``NONE``."""
    made = transforming_call(facts, value, guard.steps)
    call = facts.data[made] if made != NONE else NONE
    return call if call != NONE and is_call_of(facts, call, guard) else NONE


def is_awaited(facts: Facts, call: int) -> bool:
    return bool(int(facts.tables["calls"]["flags"][call]) & CallFlag.AWAIT)


def is_call_of(facts: Facts, call: int, guard: Guard) -> bool:
    apis = facts.apis[facts.language(facts.call_result[call])]
    paths = [apis.paths[node] for node in facts.calls.apis_of.get(call, ())]
    return guard.api in paths and holds(facts, guard.conditions, call)


def checked_by(facts: Facts, call: int, guard: Guard) -> list[tuple[tuple[int, ...], Fields, bool]]:
    """What a call checks, for what it is clean where it passed, and whether it was a part of what was checked."""
    fields = fields_checked(facts, call, guard)
    if not fields or guard.port is None:
        return []
    given = [facts.arg_value[row] for row in arguments_checked(facts, call, guard)]
    checked = [] if guard.port.kind == "all" else [(facts.rep[value], fields, False) for value in given]
    checked += [(*each, True) for value in given for each in parts_checked(facts, facts.rep[value], fields)]
    checked += [(*each, True) for each in named_parts(facts, call, guard, fields)]
    return [(tuple(kept_from(facts, value)), clean, is_part) for value, clean, is_part in checked]


def arguments_checked(facts: Facts, call: int, guard: Guard) -> list[int]:
    """The rows of the arguments that a check is about: of the call, or of the one that made its receiver."""
    if guard.port_made:
        call = maker_of(facts, call)
    if guard.port is None or call == NONE:
        return []
    rows = facts.args.at(call, guard.port)
    return [row for row in rows if guard.port.kind != "all" or facts.args.flags[row] & ArgumentFlag.SPREAD_KEYWORDS]


def named_parts(facts: Facts, call: int, guard: Guard, fields: Fields) -> list[tuple[int, Fields]]:
    """The arguments that are fields by their names, ``Model(name=name)``, if the guard is about all arguments. None
    where a table that is spread may bring fields, too.
    """
    if guard.port is None or guard.port.kind != "all":
        return []
    rows = facts.args.of(call)
    if any(facts.args.flags[row] & ArgumentFlag.SPREAD_KEYWORDS for row in rows):
        return []
    found: list[tuple[int, Fields]] = []
    for row in rows:
        key = facts.args.keyword[row]
        clean = {path[1:]: mask for path, mask in fields.items() if key != NONE and path[:1] == (key,)}
        if clean:
            found.append((facts.rep[facts.arg_value[row]], clean))
    return found


def parts_checked(facts: Facts, value: int, fields: Fields) -> list[tuple[int, Fields]]:
    """The values that a literal was made of only to be checked, ``schema.validate({ name })``: each is as clean as the
    field that it was stored to once.
    """
    rows = facts.flows.stores_into(value) if facts.op[value] == Op.NEW else ()
    if len(rows) > MAX_DEFINITIONS:
        return []
    stores = facts.tables["stores"]
    by_key: dict[int, list[int]] = {}
    for row in rows:
        by_key.setdefault(int(stores["key"][row]), []).append(int(stores["value"][row]))
    if any(key < 0 for key in by_key):
        return []  # what is stored under an unknown name, or spread, may have replaced the part
    found: list[tuple[int, Fields]] = []
    for key, parts in by_key.items():
        clean = {path[1:]: mask for path, mask in fields.items() if path[:1] == (key,)}
        if clean and len(parts) == 1 and parts[0] != NONE:
            found.append((facts.rep[parts[0]], clean))
    return found


def fields_checked(facts: Facts, call: int, guard: Guard) -> Fields:
    """For what the fields of a value are clean that passed the check that ``call`` is."""
    mask = facts.wanted.cleaned_by(guard.vulnerability)
    if guard.schema == guard.port and not guard.schema_made and guard.port is not None:
        return fields_of_instances(facts, [facts.arg_value[row] for row in arguments_checked(facts, call, guard)], mask)
    rows = arguments_checked(facts, call, guard) if guard.port_made else ()
    if guard.schema_made:
        call = maker_of(facts, call)
    if call == NONE or guard.schema is None:
        return {}
    given = [facts.arg_value[row] for row in facts.args.at(call, guard.schema)]
    if not given and guard.schema == Port("this") and facts.call_receiver[call] != NONE:
        given = [facts.call_receiver[call]]
    elif not given and guard.schema == Port("this"):
        given = [facts.call_callee[call]]  # the class itself is called
    fields: Fields = {}
    if guard.schema.kind == "from":  # several, which all have to hold
        fields = {(): reduce(or_, [mask_of_type(facts, each) for each in given], 0)}
    elif len(given) == 1:
        fields = declared_fields(facts, given[0], is_given=True)
        fields = fields or fields_of_class(facts, given[0], is_given=True, given=rows)
        fields = fields or {(): mask_of_type(facts, given[0])}
    return {path: mask & clean for path, clean in fields.items() if mask & clean}


def fields_of_instances(facts: Facts, values: list[int], mask: int) -> Fields:
    """For what the fields of an object are clean that is checked against what its class says of them by decorators."""
    owners = {owner for value in values for owner in subjects(facts.resolution.states_of(value), INSTANCE_OF)}
    if len(values) != 1 or len(owners) != 1:
        return {}
    (owner,) = owners
    declared = facts.conditions.decorated
    return {(key,): mask & clean for (each, key), clean in declared.items() if each == owner and mask & clean}


def maker_of(facts: Facts, call: int) -> int:
    """The call that made the function that is called, or the receiver: ``ajv.compile(schema)``; or ``NONE``."""
    receiver = facts.call_receiver[call]
    return one_maker(facts, receiver if receiver != NONE else facts.call_callee[call])


def raising_checks(facts: Facts) -> None:
    """Note what calls that raise, or whose promise is rejected, say of their arguments behind the call: in ``clean``,
    and, of fields, in ``facts.guards.passed``. Linear in the calls of libraries.
    """
    guards: dict[tuple[str, Api], list[Guard]] = {}
    for language, tests in facts.guards.tests.items():
        for kind in RAISING:
            for guard in tests[kind].plain if kind in tests else ():
                guards.setdefault((language, guard.api), []).append(guard)
    for call, node in dict.fromkeys(facts.resolution.api_calls) if guards else ():
        language = facts.language(facts.call_result[call])
        for guard in guards.get((language, facts.apis[language].paths[node]), ()):
            if guard.port is None or not holds(facts, guard.conditions, call):
                continue
            if guard.test == "rejects" and not is_awaited(facts, call):
                continue
            fields = fields_checked(facts, call, guard)
            is_own = guard.port.kind != "all" and not guard.port_made
            for values, clean, is_part in checked_by(facts, call, guard):
                if is_part and (mask := clean.get((), 0)):
                    facts.guards.parts += [(value, NONE, 0, call, mask) for value in values]
            for value, clean in named_parts(facts, call, guard, fields):
                for row in facts.args.of(call):
                    if facts.rep[facts.arg_value[row]] == value and facts.arg_post[row] != NONE:
                        facts.mark_clean(facts.arg_post[row], clean.get((), 0))
            for row in facts.args.at(call, guard.port) if fields and is_own else ():
                after = facts.arg_post[row]
                if after == NONE:
                    continue
                facts.guards.passed[row] = facts.guards.passed.get(row, {}) | fields
                if mask := fields.get((), 0):
                    facts.mark_clean(after, mask)
