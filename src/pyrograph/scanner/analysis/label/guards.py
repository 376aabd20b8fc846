"""Barrier guards: pi versions (values under a condition) that the condition makes clean for some vulnerabilities."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, CallFlag, FunctionFlag
from pyrograph.kernels.arrays import among
from pyrograph.rules.entries import CALL_TESTS
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.emptiness import emptiness_checks, length_checks
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.guard_checks import ABSENT, Check
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.labels import Proof
from pyrograph.scanner.analysis.label.quantifiers import answer_of_all, checks_of
from pyrograph.scanner.analysis.label.schema_checks import SchemaCheck, schema_checks
from pyrograph.scanner.analysis.label.subset_checks import Subset, subset_checks
from pyrograph.scanner.analysis.label.text_origins import kept_from
from pyrograph.scanner.analysis.label.unmodelled_checks import unverified_values
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.numbers import (
    BOTH_TEST,
    CALL_OP,
    EQUAL_TEST,
    LOAD_OP,
    PARAMETER_OP,
    POST_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.resolve import Resolution

# The columns of values with which something is done, other than to test them.
TAKEN: Final = (
    ("arguments", "value"),
    ("calls", "receiver"),
    ("captures", "outer"),
    ("conditions", "right"),
    ("flows", "origin"),
    ("loads", "object"),
    ("slices", "object"),
    ("stores", "object"),
    ("stores", "value"),
)


def used_guards(facts: Facts) -> None:
    """Sort the guards whose transforms the program calls by test and transform."""
    guards = facts.guards.tests
    called = {node for nodes in facts.calls.apis_of.values() for node in nodes}
    for language, apis in facts.apis.items():
        tests = guards.setdefault(language, {})
        for guard, needed in apis.guards:
            if any([called.isdisjoint(apis.expand(node)) for node in needed]):
                continue  # the program does not call the transform
            for number, test_ in enumerate((guard, *guard.also)):
                some = tests.setdefault(test_.test, Tests([], {}))
                transforms = test_.api and test_.test not in CALL_TESTS and test_.part is None
                (some.transforms.setdefault(test_.steps, []) if transforms else some.plain).append(test_)
                if guard.also:
                    facts.guards.conjunct_of[id(test_)] = (len(facts.guards.joint), number)
            if guard.also:
                facts.guards.joint.append(guard)


class Condition(NamedTuple):
    """A condition of the program, with what its sides prove."""

    row: int
    test: int
    left: int
    checks: list[Check]
    # representatives that it checks in ways that no rule describes: (where it fails, where it holds)
    doubts: tuple[Collection[int], Collection[int]]
    call: int  # of functions of the program alone, whose answer it tests; or NONE
    is_null_test: bool  # the answer is compared with null; what is not null may be false


def guarded_versions(facts: Facts) -> None:
    """Fill ``clean``, ``checked_by_call`` and ``unverified_guards`` of ``Labels`` for the pi versions of the chop."""
    tables = facts.tables
    pi_value, pi_input, pi_side = (facts.program.numbers("pis", name) for name in ("value", "input", "side"))
    by_condition: dict[int, list[int]] = {}
    chosen = np.flatnonzero(with_parts(facts)[tables["pis"]["input"]])
    for row, condition in zip(chosen.tolist(), tables["pis"]["condition"][chosen].tolist(), strict=True):
        by_condition.setdefault(condition, []).append(row)
    facts.guards.untrusted = frozenset(facts.rep[source.value] for source in facts.labels.sources)
    facts.guards.sliced = {value: row for row, value in enumerate(tables["slices"]["result"].tolist())}
    facts.labels.checks.pending = pending_calls(facts.program, facts.resolution)
    multiple = last_results(facts)
    bindings = bindings_of_tested_calls(facts, by_condition, multiple)
    passed: dict[int, set[tuple[int, int]]] = {}  # pi -> the tests of joint guards that it is behind
    for number, rows in sorted(by_condition.items(), key=lambda each: pi_value[each[1][0]]):
        condition = evaluated(facts, number, multiple, bindings)
        for row in rows:
            value, tested, side = pi_value[row], pi_input[row], pi_side[row]
            mark_version(facts, condition, value, tested, side, passed)
            if condition.call != NONE and not condition.is_null_test:
                checked_by_callee(facts, value, tested, side, condition.call, bindings)
            elif condition.call != NONE and side:
                checked_by_callee(facts, value, tested, 0, condition.call, bindings)


def bindings_of_tested_calls(
    facts: Facts, conditions: Iterable[int], multiple: dict[int, int]
) -> dict[tuple[int, int], list[int]]:
    """(call, argument) -> the parameters that it is bound to, of the calls whose results conditions test.

    ``multiple``: see ``last_results``.
    """
    left_of = facts.program.numbers("conditions", "left")
    operands = {facts.rep[left_of[each]] for each in conditions}
    calls = {facts.data[value] for value in operands if facts.op[value] == CALL_OP} | set(multiple.values())
    return bindings_of(facts, calls)


def evaluated(
    facts: Facts, row: int, multiple: dict[int, int], bindings: dict[tuple[int, int], list[int]]
) -> Condition:
    """What a condition proves; notes what it says of values that have no version behind it."""
    test, left, right = (facts.program.numbers("conditions", name)[row] for name in ("test", "left", "right"))
    language = facts.language(left)
    guards = facts.guards.tests.get(language, {})
    checks = checks_of(facts, test, left, right, guards, language)
    checks += emptiness_checks(facts, test, left, right, guards)
    checks += length_checks(facts, test, left, right)
    if is_understood(facts, test, left, right, checks):
        facts.labels.checks.understood.add(row)
    call, is_null_test = asked_call(facts, test, left, right, multiple)
    doubts = unverified_values(facts, test, left, right)
    if call in facts.labels.checks.pending:
        call, doubts = NONE, ((), ())  # a promise, or a coroutine, that always counts as true
    subsets = subset_checks(facts, test, left, right, guards)
    keep_subsets(facts, row, subsets)
    doubted = [{facts.rep[each.collection] for each in subsets if each.is_doubt and each.side == s} for s in (0, 1)]
    doubts = (doubted[0].union(doubts[0]), doubted[1].union(doubts[1])) if any(doubted) else doubts
    keep_proofs(facts, row, test, left, checks, doubts)
    keep_fields(facts, row, schema_checks(facts, test, left, right, guards))
    if call != NONE and not (call in facts.resolution.fully_resolved and facts.calls.functions_of(call)):
        call = NONE
    if call != NONE:
        for side in (1,) if is_null_test else (0, 1):
            kept = answered(facts, call, 0 if is_null_test else side, bindings)
            facts.guards.answers.setdefault((row, side), []).extend(kept)
    of_all = answer_of_all(facts, test, left, right)
    if of_all is not None:
        of_side, collection, version = of_all
        facts.guards.answers.setdefault((row, of_side), []).append((collection, (UNKNOWN_KEY,), version))
    return Condition(row, test, left, checks, doubts, call, is_null_test)


def mark_version(
    facts: Facts, condition: Condition, value: int, tested: int, side: int, passed: dict[int, set[tuple[int, int]]]
) -> None:
    """Mark ``value``, the version of ``tested`` on one side of a condition, as clean or as checked in an unknown way.

    ``passed``: the tests of joint guards that each version is behind; ``value`` is added.
    """
    root = facts.rep[tested]
    mask = 0
    behind = set(passed.get(argument_before_calls(facts, tested), ())) if passed else set()
    is_doubted = False
    for guarded, bits, when_false, conjunct, is_open, is_fixed, is_doubt in condition.checks:
        if root in guarded and side == (0 if when_false else 1):
            mask |= bits
            is_doubted |= is_doubt
            if is_open:
                facts.labels.checks.open_prefixes[value] = condition.row
            if is_fixed:
                facts.labels.checks.fixed_prefixes.add(value)
            if conjunct is not None and not is_doubt:
                behind.add(conjunct)
    if condition.test == TRUTH_TEST and not side and root == facts.rep[condition.left]:
        mask = facts.wanted.all  # a false value contains no text
    if behind:
        passed[value] = behind
        mask |= joint_mask(facts, behind)
    if mask:
        facts.mark_clean(value, mask)
    if mask != facts.wanted.all and root in condition.doubts[side]:
        facts.labels.checks.unverified_guards[value] = condition.row
    elif mask != facts.wanted.all and is_doubted:
        facts.labels.checks.unverified_guards[value] = condition.row
        facts.labels.checks.likely.add(value)


def bindings_of(facts: Facts, calls: Collection[int]) -> dict[tuple[int, int], list[int]]:
    """(call, argument) -> the parameters that the argument is, for some calls. Linear in the bindings."""
    found: dict[tuple[int, int], list[int]] = {}
    rows = facts.resolution.rows("bindings")
    rows = rows[among(rows[:, 0], calls)]
    for site, argument, parameter in rows[:, :3].tolist():
        found.setdefault((site, argument), []).append(parameter)
    return found


def asked_call(facts: Facts, test: int, left: int, right: int, multiple: dict[int, int]) -> tuple[int, bool]:
    """The call whose outcome a condition asks for, or NONE, and whether the condition is that the result is null.
    ``multiple``: ``last_results``.
    """
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == CALL_OP and facts.constant(right) in ABSENT:
        return facts.data[facts.rep[left]], True
    if test == TRUTH_TEST and facts.op[left] == CALL_OP:
        return facts.data[left], False
    return multiple.get(left, NONE) if test == TRUTH_TEST and facts.op[left] == LOAD_OP else NONE, False


def answers_of(facts: Facts, functions: Collection[int]) -> list[tuple[int, int, int, int]]:
    """(condition, side, argument, version of the parameter where the function's answer is that) of the conditions in
    some functions that ask a function of the program.
    """
    table = facts.tables["conditions"]
    multiple = last_results(facts)
    asked: list[tuple[int, int, bool]] = []
    for condition in np.flatnonzero(among(table["function"], functions)).tolist():
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        call, is_null_test = asked_call(facts, test, left, right, multiple) if left >= 0 else (NONE, False)
        if call in facts.resolution.fully_resolved and call not in facts.labels.checks.pending:
            asked.append((condition, call, is_null_test))
    bindings = bindings_of(facts, {call for _, call, _ in asked})
    return [
        (condition, side, argument, version)
        for condition, call, is_null_test in asked
        if facts.calls.functions_of(call)
        for side in ((1,) if is_null_test else (0, 1))
        for argument, _, version in answered(facts, call, 0 if is_null_test else side, bindings)
    ]


def pending_calls(program: Program, resolution: Resolution) -> frozenset[int]:
    """The calls of asynchronous functions alone whose results are tested at most: nothing waits for them.

    What is stored, returned, captured or passed on may be waited for elsewhere. O(rows of the tables).
    """
    tables = program.tables
    is_async = (tables["functions"]["flags"] & int(FunctionFlag.ASYNC)) != 0
    sites, functions = resolution.rows("targets")[:, :2].T
    own = sites < len(tables["calls"]["result"])
    sites, functions = sites[own], functions[own]
    chosen = among(np.arange(len(tables["calls"]["result"])), sites[is_async[functions]])
    chosen[sites[~is_async[functions]]] = False
    chosen &= (tables["calls"]["flags"] & int(CallFlag.AWAIT | CallFlag.WAITED)) == 0
    taken = np.zeros(len(tables["values"]["op"]), np.bool_)
    for table, column in TAKEN:
        values = tables[table][column]
        taken[values[values >= 0]] = True
    chosen &= ~taken[tables["calls"]["result"]]
    return frozenset(np.flatnonzero(chosen).tolist())


def proofs_of(facts: Facts, condition: int) -> list[Proof]:
    """What one condition proves by itself, wherever it stands; needs the result of ``guarded_versions``."""
    test, left, right = (facts.program.numbers("conditions", name)[condition] for name in ("test", "left", "right"))
    return [] if left == NONE or test == BOTH_TEST else proofs_of_test(facts, test, left, right)


def proofs_of_answer(facts: Facts, value: int) -> list[Proof]:
    """What the truth of a value would prove, if a condition tested it; needs the result of ``guarded_versions``."""
    return proofs_of_test(facts, TRUTH_TEST, value, NONE)


def proofs_of_test(facts: Facts, test: int, left: int, right: int) -> list[Proof]:
    language, codes = facts.language(left), facts.wanted.codes
    guards = facts.guards.tests.get(language, {})
    checks = checks_of(facts, test, left, right, guards, language) + emptiness_checks(facts, test, left, right, guards)
    return [
        Proof(frozenset(each.values), each.mask & ~codes, 0 if each.when_false else 1)
        for each in checks
        if each.conjunct is None
    ]


def is_understood(facts: Facts, test: int, left: int, right: int, checks: list[Check]) -> bool:
    """Whether the rules know all that a condition proves. Of two texts neither of which is constant they may know that
    one holds no slash; that the other one is equal to it says more.
    """
    checks = [each for each in checks if not each.is_doubt]
    if test != EQUAL_TEST or facts.constant(left) is not None or facts.constant(right) is not None:
        return bool(checks)
    sides = {facts.rep[left], facts.rep[right]}
    return any(check.mask == facts.wanted.all or not check.values <= sides for check in checks)


def last_results(facts: Facts) -> dict[int, int]:
    """The last one of a call's several results, by which Go says whether the call succeeded -> the call."""
    loads, calls = facts.tables["loads"], facts.tables["calls"]
    of_calls = facts.tables["values"]["op"][loads["object"]] == CALL_OP
    found: dict[int, tuple[int, int]] = {}  # call -> (position, value)
    for row in np.flatnonzero(of_calls & (loads["key"] >= 0)).tolist():
        call = facts.data[int(loads["object"][row])]
        position = facts.program.strings[int(loads["key"][row])]
        if int(calls["flags"][call]) & CallFlag.MULTI and position.isdigit():
            found[call] = max(found.get(call, (0, NONE)), (int(position), int(loads["result"][row])))
    return {value: call for call, (_, value) in found.items()}


def argument_before_calls(facts: Facts, value: int) -> int:
    """``value``, or the version whose state after calls it is.

    Keeps versions of conditions, which ``rounds.version_before`` goes through: a joint guard holds for one side.
    """
    while facts.op[value] == POST_OP:  # a state after a call has a higher number than the argument it is of
        value = facts.arg_value[facts.data[value]]
    return value


def joint_mask(facts: Facts, behind: set[tuple[int, int]]) -> int:
    """The mask of the joint guards whose tests are all in ``behind``."""
    mask = 0
    for number in {number for number, _ in behind}:
        guard = facts.guards.joint[number]
        if all((number, part) in behind for part in range(len(guard.also) + 1)):
            mask |= facts.wanted.cleaned_by(guard.vulnerability)
    return mask


def keep_proofs(
    facts: Facts,
    condition: int,
    test: int,
    left: int,
    checks: list[Check],
    doubts: tuple[Collection[int], Collection[int]],
) -> None:
    """Note what a condition says of values, for those that have no version behind it: elements of a loop."""
    proofs: list[tuple[Collection[int], int, int]] = []
    for check in checks:
        if check.mask and check.conjunct is None:
            proofs.append((check.values, 0 if check.when_false else 1, check.mask))
    if test == TRUTH_TEST:
        proofs.append(({facts.rep[left]}, 0, facts.wanted.all))  # a false value contains no text
    if proofs:
        facts.guards.proofs[condition] = proofs
    doubted = [(values, side) for side, values in enumerate(doubts) if values]
    if doubted:
        facts.guards.doubts[condition] = doubted


def keep_subsets(facts: Facts, condition: int, subsets: list[Subset]) -> None:
    """Note what a condition says of all elements of collections."""
    for each in subsets:
        side = condition, each.side
        if each.version != NONE:
            facts.guards.answers.setdefault(side, []).append((each.collection, each.keys, each.version))
        elif each.mask:
            facts.guards.fields.setdefault(side, []).append((each.collection, each.keys, each.mask))


def keep_fields(facts: Facts, condition: int, checks: list[SchemaCheck]) -> None:
    """Note what a condition says of the fields of what was checked against a schema, and of its parts."""
    for check in checks:
        if (mask := check.fields.get((), 0)) and check.is_part:
            parts = facts.guards.parts
            parts += [(value, condition, 0 if check.when_false else 1, NONE, mask) for value in check.values]
        kept = facts.guards.fields.setdefault((condition, 0 if check.when_false else 1), [])
        kept += [(value, path, mask) for value in check.values for path, mask in check.fields.items() if path]


def answered(
    facts: Facts, call: int, side: int, bindings: dict[tuple[int, int], list[int]]
) -> list[tuple[int, tuple[int, ...], int]]:
    """(argument, no keys, version of the parameter where the function's answer is true or false); the same for what a
    call made the argument of that leaves no text out: ``if ok(String(query.by)) { query.page = 1; use(query.by) }``.
    """
    found: list[tuple[int, tuple[int, ...], int]] = []
    for argument in facts.args.of(call):
        value = facts.arg_value[argument]
        version = exit_version(facts, bindings.get((call, value), []), side)
        if version != NONE:
            before = kept_from(facts, facts.rep[value])[1:]
            kept = [each for each in before if facts.function_of[each] == facts.function_of[value]]
            found += [(each, (), version) for each in (value, *kept)]
    return found


def exit_version(facts: Facts, formals: list[int], side: int) -> int:
    """The version of a parameter at the exits where its function returns true (false), if there is one; or NONE."""
    column = "true" if side else "false"
    rows = [facts.data[formal] for formal in formals if facts.op[formal] == PARAMETER_OP]
    states = {int(facts.tables["parameters"][column][row]) for row in rows if row != NONE}
    return states.pop() if len(formals) == 1 and len(states) == 1 else NONE


def checked_by_callee(
    facts: Facts,
    pi: int,
    tested: int,
    side: int,
    call: int,
    bindings: dict[tuple[int, int], list[int]],
) -> None:
    """``if ok(x)``: the version of x here is the version of the callee's parameter at exits that return true."""
    for argument in facts.args.of(call):
        value = facts.arg_value[argument]
        # a check of stripped, quoted or joined text also checks the text that it was made from
        same = tested in (facts.arg_post[argument], value)
        if not same and facts.rep[tested] not in kept_from(facts, facts.rep[value])[1:]:
            continue
        version = exit_version(facts, bindings.get((call, value), []), side)
        if version != NONE:
            facts.labels.checks.checked_by_call[pi] = (call, version, side)
