"""Calls whose truth a condition tests: predicates of packs, and the questions that a language states."""

from __future__ import annotations

from pyrograph.ir.codes import NONE, CallFlag
from pyrograph.rules.entries import Guard, Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.comparison_checks import Check, check_of, comparison_checks
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.endings import PARENT
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guarded_values import guarded_by, transform_guards
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.member_checks import member_checks
from pyrograph.scanner.analysis.label.membership import is_given, may_be_brought, unknown_collections
from pyrograph.scanner.analysis.label.own_keys import asks_for_own_key
from pyrograph.scanner.analysis.label.pattern_checks import pattern_checks
from pyrograph.scanner.analysis.label.prefix_checks import prefix_checks
from pyrograph.scanner.analysis.label.text_origins import roots_of
from pyrograph.scanner.analysis.numbers import CALL_OP


def call_checks(facts: Facts, call: int, guards: dict[str, Tests]) -> list[Check]:
    """The checks of a call whose result is true, or anything but nothing; of none where it is ``NONE``."""
    found: list[Check] = []
    nodes = facts.calls.apis_of.get(call, ()) if call != NONE else ()
    for node in nodes:
        predicate_checks(facts, call, node, guards, found)
    is_unknown = call != NONE and not nodes and not facts.calls.functions_of(call)
    if is_unknown and facts.call_receiver[call] != NONE:  # a method of an object of unknown type
        name = facts.program.strings[int(facts.tables["calls"]["name"][call])]
        tests = facts.traits_of(facts.call_result[call]).questions.tests
        for row in facts.args.at(call, Port("position", 0)) if tests.get(name) == "contains" else ():
            found += member_checks(facts, guards, facts.call_receiver[call], facts.arg_value[row])
    return found


def predicate_checks(
    facts: Facts,
    call: int,
    node: int,
    guards: dict[str, Tests],
    found: list[Check],
) -> None:
    """Checks of a call whose truth is tested: a predicate of a pack, or one of ``QuestionTraits.tests``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    path = apis.paths[node]
    questions = facts.traits_of(facts.call_result[call]).questions
    kind = questions.tests.get(path[-1])
    for guard in guards["call"].plain if "call" in guards else ():
        if guard.api != path or guard.port is None:
            continue
        if not holds(facts, guard.conditions, call):
            for collection in unknown_collections(facts, call, guard):
                for row in facts.args.at(call, guard.port):
                    found += member_checks(facts, guards, collection, facts.arg_value[row])
            continue
        values = {
            root for row in facts.args.at(call, guard.port) for root in roots_of(facts, facts.arg_value[row], "call")
        }
        if asks_for_own_key(facts, call, values):
            continue
        check = check_of(facts, values, guard)
        within = facts.call_receiver[call] if kind == "contains" else NONE
        if within != NONE and not guard.when_false and not facts.is_constant_collection(within):
            if is_given(facts, within):
                continue
            if may_be_brought(facts, within):
                check = check._replace(mask=0, is_doubt=True)
        found.append(check)
        found += seen_from_checks(facts, call, guard, guards)
    if kind is None:
        return
    receiver = [facts.arg_value[a] for a in facts.args.at(call, Port("this"))]
    arguments = [facts.arg_value[a] for a in facts.args.at(call, Port("from", 0))]
    operands = arguments if kind == "equal" else receiver + arguments
    if len(operands) < 2:
        return
    subject, other = operands[0], operands[1]
    if kind in ("contains", "lookup"):
        found += member_checks(facts, guards, subject, other)
    if kind == "lookup" or (kind == "contains" and facts.is_constant_collection(subject)):
        return
    if kind == "equal":
        for operand in (subject, other):
            found += comparison_checks(facts, guards, "eq", operand, None, transformed=True)
    elif kind == "match":
        found += pattern_checks(facts, guards, call, path[-1], operands if INSTANCE in path else arguments)
    else:
        found += prefix_checks(facts, guards, kind, subject, other, parts=path[-1] in questions.whole_parts)


def seen_from_checks(facts: Facts, call: int, guard: Guard, guards: dict[str, Tests]) -> list[Check]:
    """What a predicate proves of the path that it is given as seen from a folder: ``filepath.IsLocal(rel)``, where
    ``rel`` is ``filepath.Rel(root, path)``. What does no harm at all does not climb, so it proves at least what a test
    of the beginning ``..`` would prove. A predicate of one aspect does not: what is not absolute may climb.
    """
    if "prefix" not in guards or guard.port is None or guard.vulnerability not in facts.wanted.bits:
        return []
    found: list[Check] = []
    for row in facts.args.at(call, guard.port):
        value = facts.arg_value[row]
        for test in transform_guards(facts, value, guards["prefix"]):
            if test.when_false and test.text == PARENT and test.vulnerability == guard.vulnerability:
                values = guarded_by(facts, value, test, "prefix")
                found.append(check_of(facts, values, test)._replace(when_false=guard.when_false))
    return found


def first_result_of(facts: Facts, value: int) -> int:
    """The call whose first result ``value`` is, ``ok, err := regexp.MatchString(p, x)``; or ``NONE``."""
    row = facts.data[value]
    made = facts.rep[facts.load_object[row]]
    key = facts.load_key[row]
    if facts.op[made] != CALL_OP or key < 0 or facts.program.strings[key] != "0":
        return NONE
    return facts.data[made] if int(facts.tables["calls"]["flags"][facts.data[made]]) & CallFlag.MULTI else NONE
