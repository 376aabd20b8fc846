"""Conditions of entries, evaluated on constants, types, literals and earlier calls on the same object."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, cast

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.ir.packed import KIND, KIND_BITS, subjects
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.rules.entries import EntryCondition, Parameters, ParameterType, Port, TestOf
from pyrograph.scanner.analysis.label.beginnings import begins_so
from pyrograph.scanner.analysis.label.definitions import some_made
from pyrograph.scanner.analysis.label.enclosed import enclosed_values
from pyrograph.scanner.analysis.label.facts import Facts, encoded_constant
from pyrograph.scanner.analysis.label.literals import element, text_of
from pyrograph.scanner.analysis.label.membership import may_be_brought
from pyrograph.scanner.analysis.label.object_uses import was_called, was_given, was_given_here
from pyrograph.scanner.analysis.label.patterns import takes_long
from pyrograph.scanner.analysis.label.value_types import is_type
from pyrograph.scanner.analysis.numbers import CALL_OP, CARRY_OP, LOAD_OP, PHI_OP
from pyrograph.scanner.analysis.resolve.resolution import FUNCTION

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Kind

CONVERSION: Final = re.compile(r"%(?:\([^)]*\))?[-#0 +]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[hlL]?([a-zA-Z%])")  # printf's


def holds(
    facts: Facts,
    conditions: Sequence[EntryCondition],
    call: int,
    name: str = "",
    value: int = NONE,
    around: tuple[int, str] = (NONE, ""),
    *,
    fields: bool = False,
) -> bool:
    """Whether an entry's conditions hold at ``call``; ``name`` replaces ``$name``; ``value`` is what ``ret``
    means, if given; ``around`` is the function and the library's root that ``via`` asks for. Of a source that is a
    parameter, ``call`` is the call that registers the function. ``fields``: a field counts as the constants that the
    program stores in it, ``runner.shell``, and a choice as each of its values, ``windows ? "cmd" : "sh"``.
    """
    for condition in conditions:
        result = all(
            passes(facts, test, call, name, value, around, always=condition.unless, fields=fields)
            for test in condition.tests
        )
        if result == condition.unless:
            return False
    return True


def passes(
    facts: Facts,
    test: TestOf,
    call: int,
    name: str,
    value: int,
    around: tuple[int, str] = (NONE, ""),
    *,
    always: bool = False,
    fields: bool = False,
) -> bool:
    if test.operator == "imported":
        return any(is_imported(facts, str(pattern)) for pattern in test.values)
    if test.via:
        calls = registrations(facts, *around)
        plain = replace(test, via=False)
        return bool(calls) and all(passes(facts, plain, each, name, NONE) for each in calls)
    if test.operator == "secret":
        return has_secret(facts, test, call)
    if test.here:
        at = place(facts, call, value)
        return at != NONE and was_given_here(facts, test.here, test.values, at, always=always)
    if value != NONE and (test.port.kind == "ret" or (call == NONE and test.port.position == 0)):
        values = [value]  # what a function returns; what an attribute is set to
    elif call == NONE:
        values = [facts.conditions.subject] if test.port.kind == "this" and facts.conditions.subject != NONE else []
    elif test.port.kind == "ret":
        values = [facts.call_result[call]]
    elif facts.conditions.passed is not None and test.port.kind != "this":
        values = [each.value for each in facts.args.passed(facts.conditions.passed, test.port)]
    else:
        values = [facts.arg_value[a] for a in facts.args.at(call, test.port)]
    if test.port.path:
        path = tuple([name if key == "$name" and name else key for key in test.port.path])
        if call == NONE and any(key[:1] == "$" for key in path):
            return False  # no call that could say which key
        keys = facts.keys(call, path)
        values = [found for v in values if (found := element(facts, v, keys)) != NONE]
    operator = test.operator
    if operator == "invoked":
        return any(facts.rep[v] in facts.calls.invoked() for v in values)
    if operator == "enclosed":
        if facts.conditions.enclosed is None:
            facts.conditions.enclosed = enclosed_values(facts)
        return any(facts.rep[v] in facts.conditions.enclosed for v in values)
    if operator == "decides":
        return any(
            facts.functions.decides(s >> KIND_BITS)
            for v in values
            for s in facts.resolution.states_of(v)
            if s & KIND == FUNCTION
        )
    if operator == "converts":
        return any(converts(facts, v, facts.conditions.argument, str(test.values[0])) for v in values)
    if operator in ("backtracks", "slow"):
        kind, exponential = str(test.values[0]), operator == "backtracks"
        return any(takes_long(facts, v, call, cast("Kind", kind), exponential=exponential) for v in values)
    if operator == "called":
        return any(was_called(facts, v, test.values, place(facts, call, value)) for v in values)
    if operator == "given":
        at = place(facts, call, value)
        return any(was_given(facts, each, test.values, at) for v in values for each in received(facts, v))
    if operator == "present":
        return bool(values)
    if operator == "absent":
        return not values
    if operator == "is":
        return bool(values) and all(is_type(facts, v, test.type) for v in values)
    constants = [facts.constant(v) for v in values] if values else ["null"]
    if operator in ("==", "in"):
        wanted = {encoded_constant(c) for c in test.values}
        if any(c in wanted for c in constants):
            return True
        return fields and not always and (may_be(facts, values, wanted) or are_stored_constants(facts, values, wanted))
    if operator == "!=":
        return all(c != encoded_constant(test.values[0]) for c in constants)
    wanted_texts = [str(c).replace("$name", name) for c in test.values]
    if operator == "lacks":
        return bool(values) and all(
            c is not None and c[:1] == "'" and not any(w in c[1:] for w in wanted_texts) for c in constants
        )
    texts = [text_of(facts, v, c) for v, c in zip(values, constants, strict=False)]
    if operator == "prefix":
        return any(text.startswith(w) for text in texts for w in wanted_texts)
    if operator == "begins":
        return any(begins_so(facts, v, wanted_texts) for v in values)
    if operator == "opens":
        texts += [text_of(facts, v, facts.constant(v)) for value in values for v in split_by(facts, value)]
        return any("\0" in text and re.match(wanted_texts[0], text.split("\0")[0]) for text in texts)
    if operator == "contains":
        return any(w in text for text in texts for w in wanted_texts)
    raise ValueError(f"a test with the operator {operator!r} cannot be evaluated")


def has_secret(facts: Facts, test: TestOf, call: int) -> bool:
    """Whether ``call``, or one of the chain of calls that made its receiver, is a call of the API that ``test`` names
    and gets a key that no client knows: not empty, and nothing that comes from a source.
    """
    for _ in range(MAX_GUARD_SLICE):
        if call == NONE:
            return False
        apis = facts.apis[facts.language(facts.call_result[call])]
        if not set(apis.expand(apis.node(test.here))).isdisjoint(facts.calls.apis_of.get(call, ())):
            keys = [facts.arg_value[row] for row in facts.args.at(call, test.port)]
            empty = ("null", "undefined", "'")
            return bool(keys) and not any(facts.constant(key) in empty or may_be_brought(facts, key) for key in keys)
        made = facts.call_receiver[call]
        at = facts.rep[made] if made != NONE else NONE
        call = facts.data[at] if at != NONE and facts.op[at] == CALL_OP else NONE
    return False


def is_imported(facts: Facts, pattern: str) -> bool:
    """Whether a file of the program imports a module of a name that matches, as the file writes it."""
    known = facts.conditions.imported.get(pattern)
    if known is None:
        modules = {facts.program.strings[each] for each in set(facts.tables["imports"]["module"].tolist())}
        known = facts.conditions.imported[pattern] = any([fnmatchcase(each, pattern) for each in modules])
    return known


def may_be(facts: Facts, values: Sequence[int], wanted: set[str]) -> bool:
    """Whether one of the values is a choice, and one of the constants that it may be is among ``wanted``.

    The answer may decide where data does harm, and must not decide where it does none.
    """
    return any(
        facts.op[facts.rep[value]] in (PHI_OP, CARRY_OP)
        and any(facts.constant(each) in wanted for each in some_made(facts, value)[0])
        for value in values
    )


def are_stored_constants(facts: Facts, values: Sequence[int], wanted: set[str]) -> bool:
    """Whether values are fields in which the program stores constants of ``wanted``, and no other ones.

    Other ways to fill a field, such as parameters and decoders, are ignored. So the answer may decide where data does
    harm, and must not decide where it does none.
    """
    for value in values:
        stored = some_made(facts, value)[0] if facts.op[facts.rep[value]] == LOAD_OP else []
        if not stored or any(facts.constant(each) not in wanted for each in stored):
            return False
    return bool(values)


def received(facts: Facts, value: int) -> list[int]:
    """For a function of the program, its parameters and their members, which it gets when it is called; for another
    value, this value.
    """
    functions = subjects(facts.resolution.states_of(value), FUNCTION)
    columns = facts.tables["parameters"]
    found = [facts.rep[int(columns["value"][row])] for each in functions for row in facts.functions.parameters_of(each)]
    members = [member for each in found for member in facts.flows.loads_from(each)]
    return list(dict.fromkeys([*found, *members])) if functions else [value]


def place(facts: Facts, call: int, value: int) -> int:
    """A value that is made where the entry applies: ``value`` if there is one, else the result of ``call``."""
    return facts.call_result[call] if value == NONE and call != NONE else value


def split_by(facts: Facts, value: int) -> list[int]:
    """The receiver and the first argument of the library call that made ``value``; none if no such call made it."""
    rep = facts.rep[value]
    if facts.op[rep] != CALL_OP:
        return []
    call = facts.data[rep]
    if facts.calls.functions_of(call) or not facts.calls.apis_of.get(call):
        return []  # a function of the program may do anything with its argument
    first = [facts.arg_value[row] for row in facts.args.at(call, Port("position", 0))]
    return first if facts.call_receiver[call] == NONE else [facts.call_receiver[call], *first]


def registrations(facts: Facts, function: int, root: str) -> set[int]:
    """The calls by which ``function``, or the nearest function around it that was, is decorated or registered
    with APIs of the library ``root``.
    """
    if facts.conditions.registered is None:
        facts.conditions.registered = {}
        for use in facts.resolution.entry_points:
            target = use.entry.parameters if isinstance(use.entry, ParameterType) else use.entry.target
            if isinstance(target, Parameters) and target.by in ("decorator", "callback"):
                found = facts.conditions.registered.setdefault((use.function, target.api[0]), set())
                found.add(registration(facts, use.call))
    parents = facts.tables["functions"]["parent"]
    while function != NONE:
        if calls := facts.conditions.registered.get((function, root)):
            return calls
        function = int(parents[function])
    return set()


def registration(facts: Facts, call: int) -> int:
    """The call whose arguments an entry's conditions are about: the decorator's own call, or the registration."""
    if call == NONE:
        return NONE
    callee = facts.call_callee[call]
    flags = int(facts.tables["calls"]["flags"][call])
    if flags & CallFlag.DECORATOR and facts.op[callee] == Op.CALL:
        return facts.data[callee]
    return call


def converts(facts: Facts, text: int, row: int, letters: str) -> bool:
    """Whether the constant ``text`` converts the argument ``row``, which follows it, by one of these letters."""
    if row == NONE or facts.arg_flags[row]:
        return False
    written = text_of(facts, text, facts.constant(text))
    found = [letter for letter in CONVERSION.findall(written) if letter != "%"]
    rows = [a for a in facts.args.of(facts.calls.call_of_argument[row]) if facts.arg_value[a] == text]
    at = facts.arg_position[row] - (facts.arg_position[rows[0]] if rows else 0) - 1
    return 0 <= at < len(found) and found[at] in letters
