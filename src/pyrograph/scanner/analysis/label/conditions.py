"""Conditions of entries, evaluated on constants, types, literals and earlier calls on the same object."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Final, cast

from pyrograph.ir.codes import NONE, CallFlag, Op
from pyrograph.ir.packed import subjects
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.rules.entries import EntryCondition, Parameters, ParameterType, Port, TestOf
from pyrograph.scanner.analysis.label.beginnings import begins_so
from pyrograph.scanner.analysis.label.definitions import some_made
from pyrograph.scanner.analysis.label.enclosed import enclosed_values
from pyrograph.scanner.analysis.label.facts import Facts, encoded_constant
from pyrograph.scanner.analysis.label.literals import element, spread_rows, text_of
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


@dataclass(frozen=True, slots=True)
class Asked:
    """A test of a condition, with the values at its port."""

    facts: Facts
    test: TestOf
    values: list[int]
    call: int
    value: int  # what ``ret`` means, or NONE
    name: str  # replaces ``$name``
    always: bool  # the test decides where data does no harm: what may hold does not count
    fields: bool  # a field counts as the constants that the program stores in it

    def constants(self) -> list[str | None]:
        """The constants at the port, as ``Facts.constant`` has them; an argument that is not given counts as null."""
        return [self.facts.constant(v) for v in self.values] if self.values else ["null"]

    def texts(self) -> list[str]:
        """The texts at the port, with NUL for each part that is not constant."""
        return [text_of(self.facts, v, c) for v, c in zip(self.values, self.constants(), strict=False)]

    def wanted_texts(self) -> list[str]:
        """The constants of the test, as texts."""
        return [str(constant).replace("$name", self.name) for constant in self.test.values]


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
    """Whether one test of a condition holds; the arguments are those of ``holds``. ``always``: of ``unless``."""
    if test.operator == "imported":
        return any(is_imported(facts, str(pattern)) for pattern in test.values)
    if test.operator == "version":
        at = facts.call_result[call] if call != NONE else value
        return is_demanded_below(facts, str(test.values[0]), str(test.values[1]), at)
    if test.via:
        calls = registrations(facts, *around)
        plain = replace(test, via=False)
        return bool(calls) and all(passes(facts, plain, each, name, NONE) for each in calls)
    if test.operator == "secret":
        return has_secret(facts, test, call)
    if test.here:
        at = place(facts, call, value)
        return at != NONE and was_given_here(facts, test.here, test.values, at, always=always)
    values = values_at(facts, test.port, call, value)
    if test.port.path:
        path = tuple([name if key == "$name" and name else key for key in test.port.path])
        if call == NONE and any(key[:1] == "$" for key in path):
            return False  # no call that could say which key
        keys = facts.keys(call, path)
        values = [found for v in values if (found := element(facts, v, keys)) != NONE]
    return EVALUATED[test.operator](Asked(facts, test, values, call, value, name, always, fields))


def values_at(facts: Facts, port: Port, call: int, value: int) -> list[int]:
    """The values at a port, whatever its path."""
    if value != NONE and (port.kind == "ret" or (call == NONE and port.position == 0)):
        return [value]  # what a function returns; what an attribute is set to
    if call == NONE:
        return [facts.conditions.subject] if port.kind == "this" and facts.conditions.subject != NONE else []
    if port.kind == "ret":
        return [facts.call_result[call]]
    if facts.conditions.passed is not None and port.kind != "this":
        return [each.value for each in facts.args.passed(facts.conditions.passed, port)]
    given = [facts.arg_value[a] for a in facts.args.at(call, port)]
    if port.kind == "this" and port.path and not given:  # what the called object was made with: render = Renderer(a)
        callee = facts.call_callee[call]
        return [callee] if callee != NONE and facts.op[facts.rep[callee]] != LOAD_OP else []
    if given or not port.names:
        return given
    return [
        found
        for row, key in spread_rows(facts, call, port)
        if (found := element(facts, facts.arg_value[row], (key,))) != NONE
    ]


def _equals(asked: Asked) -> bool:
    wanted = {encoded_constant(constant) for constant in asked.test.values}
    if any(constant in wanted for constant in asked.constants()):
        return True
    if not asked.fields or asked.always:
        return False
    return may_be(asked.facts, asked.values, wanted) or are_stored_constants(asked.facts, asked.values, wanted)


def _differs(asked: Asked) -> bool:
    unwanted = encoded_constant(asked.test.values[0])
    return all(constant != unwanted for constant in asked.constants())


def _is_present(asked: Asked) -> bool:
    return bool(asked.values)


def _is_absent(asked: Asked) -> bool:
    return not asked.values


def _has_prefix(asked: Asked) -> bool:
    wanted = asked.wanted_texts()
    return any(text.startswith(each) for text in asked.texts() for each in wanted)


def _begins(asked: Asked) -> bool:
    wanted = asked.wanted_texts()
    return any(begins_so(asked.facts, v, wanted) for v in asked.values)


def _opens(asked: Asked) -> bool:
    facts, pattern = asked.facts, asked.wanted_texts()[0]
    texts = asked.texts()
    texts += [text_of(facts, v, facts.constant(v)) for value in asked.values for v in split_by(facts, value)]
    return any("\0" in text and re.match(pattern, text.split("\0")[0]) for text in texts)


def _contains(asked: Asked) -> bool:
    wanted = asked.wanted_texts()
    return any(each in text for text in asked.texts() for each in wanted)


def _lacks(asked: Asked) -> bool:
    wanted = asked.wanted_texts()
    return bool(asked.values) and all(
        constant is not None and constant[:1] == "'" and not any(each in constant[1:] for each in wanted)
        for constant in asked.constants()
    )


def _has_type(asked: Asked) -> bool:
    return bool(asked.values) and all(is_type(asked.facts, v, asked.test.type) for v in asked.values)


def _was_called(asked: Asked) -> bool:
    at = place(asked.facts, asked.call, asked.value)
    return any(was_called(asked.facts, v, asked.test.values, at) for v in asked.values)


def _was_given(asked: Asked) -> bool:
    facts, at = asked.facts, place(asked.facts, asked.call, asked.value)
    return any(was_given(facts, each, asked.test.values, at) for v in asked.values for each in received(facts, v))


def _is_invoked(asked: Asked) -> bool:
    return any(asked.facts.rep[v] in asked.facts.calls.invoked() for v in asked.values)


def _is_enclosed(asked: Asked) -> bool:
    facts = asked.facts
    enclosed = facts.conditions.enclosed
    if enclosed is None:
        enclosed = facts.conditions.enclosed = enclosed_values(facts)
    return any(facts.rep[v] in enclosed for v in asked.values)


def _converts(asked: Asked) -> bool:
    letters = str(asked.test.values[0])
    return any(converts(asked.facts, v, asked.facts.conditions.argument, letters) for v in asked.values)


def _decides(asked: Asked) -> bool:
    facts = asked.facts
    functions = [f for v in asked.values for f in subjects(facts.resolution.states_of(v), FUNCTION)]
    return any(facts.functions.decides(function) for function in functions)


def _takes_long(asked: Asked) -> bool:
    kind, exponential = cast("Kind", str(asked.test.values[0])), asked.test.operator == "backtracks"
    return any(takes_long(asked.facts, v, asked.call, kind, exponential=exponential) for v in asked.values)


EVALUATED: Final[dict[str, Callable[[Asked], bool]]] = {  # the operators that are about values at a port
    "==": _equals,
    "!=": _differs,
    "in": _equals,
    "present": _is_present,
    "absent": _is_absent,
    "prefix": _has_prefix,
    "begins": _begins,
    "opens": _opens,
    "contains": _contains,
    "lacks": _lacks,
    "is": _has_type,
    "called": _was_called,
    "given": _was_given,
    "invoked": _is_invoked,
    "enclosed": _is_enclosed,
    "converts": _converts,
    "decides": _decides,
    "backtracks": _takes_long,
    "slow": _takes_long,
}


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


def is_demanded_below(facts: Facts, library: str, version: str, value: int) -> bool:
    """Whether the manifests of the program demand a library, in the language of ``value``, below a version alone."""
    return value != NONE and facts.program.modules.is_below(library, version, facts.language(value))


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
