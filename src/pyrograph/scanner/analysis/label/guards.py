"""Barrier guards: pi versions (values under a condition) that the condition makes clean for some vulnerabilities."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Final, NamedTuple

import numpy as np

from pyrograph.ir.codes import NONE, OPEN, RECEIVER, Op, Test
from pyrograph.policy.limits import MAX_GUARD_SLICE
from pyrograph.policy.names import LOOKUP_NAMES, NEGATIVE_VALIDATOR_NAMES, VALIDATOR_NAMES
from pyrograph.rules.entries import Flow as ModelFlow
from pyrograph.rules.entries import Guard, Port
from pyrograph.scanner.analysis.label.chop import with_parts
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.patterns import pattern

# Method names of standard libraries, and the test of the rule language that each of them is.
PREDICATES: Final = {
    "startswith": "prefix",
    "startsWith": "prefix",
    "HasPrefix": "prefix",
    "endswith": "suffix",
    "endsWith": "suffix",
    "HasSuffix": "suffix",
    "includes": "contains",
    "has": "contains",
    "Contains": "contains",
    "__contains__": "contains",
    "is_relative_to": "prefix",
    "fullmatch": "match",
    "match": "match",
    "search": "match",
    "test": "match",
    "MatchString": "match",
}


CHARACTER_CLASS: Final = re.compile(r"\[\^?\]?(?:\\.|[^\]\\])*\]")
DANGEROUS: Final = " \t\n'\"`;&<>/\\%|$(){}"  # characters that injections of any kind need
# Methods that return the position of an element, or -1: a comparison of the result is a test of membership.
INDEX_METHODS: Final = ("indexOf", "lastIndexOf")


class Check(NamedTuple):
    """What a condition proves if it matches a guard: the values, and what they are clean for."""

    values: set[int]  # representatives
    mask: int  # they are clean for these
    when_false: bool  # clean where the test fails, not where it holds
    conjunct: tuple[int, int] | None  # (joint guard, number of this test): clean only behind all its tests


class Tests(NamedTuple):
    """The guards of one kind of test; those about the result of a call, ``urlparse(x).netloc``, by the keys loaded."""

    plain: list[Guard]
    transforms: dict[tuple[str, ...], list[Guard]]  # by ``Guard.steps``


def guarded_versions(facts: Facts) -> None:
    """Fill ``clean``, ``checked_by_call`` and ``unverified_guards`` of ``Labels`` for the pi versions of the chop."""
    tables = facts.tables
    test_of, left_of, right_of = (facts.program.numbers("conditions", name) for name in ("test", "left", "right"))
    pi_value, pi_input, pi_side = (facts.program.numbers("pis", name) for name in ("value", "input", "side"))
    by_condition: dict[int, list[int]] = {}
    chosen = np.flatnonzero(with_parts(facts)[tables["pis"]["input"]])
    for row, condition in zip(chosen.tolist(), tables["pis"]["condition"][chosen].tolist(), strict=True):
        by_condition.setdefault(condition, []).append(row)
    guards: dict[str, dict[str, Tests]] = {}
    called = {node for nodes in facts.calls.apis_of.values() for node in nodes}
    for language, apis in facts.apis.items():
        tests = guards.setdefault(language, {})
        for guard in apis.guards:
            asked = [test.api for test in (guard, *guard.also) if test.api]
            if any(called.isdisjoint(apis.expand(apis.node(api))) for api in asked):
                continue  # the program does not call the transform
            for number, test_ in enumerate((guard, *guard.also)):
                some = tests.setdefault(test_.test, Tests([], {}))
                transforms = test_.api and test_.test != "call" and test_.part is None
                (some.transforms.setdefault(test_.steps, []) if transforms else some.plain).append(test_)
                if guard.also:
                    facts.guards.conjunct_of[id(test_)] = (len(facts.guards.joint), number)
            if guard.also:
                facts.guards.joint.append(guard)
    facts.guards.untrusted = frozenset(facts.rep[source.value] for source in facts.labels.sources)
    facts.guards.sliced = {value: row for row, value in enumerate(tables["slices"]["result"].tolist())}
    passed: dict[int, set[tuple[int, int]]] = {}  # pi -> the tests of joint guards that it is behind
    calls = {facts.data[left_of[each]] for each in by_condition if facts.op[left_of[each]] == Op.CALL}
    bindings: dict[tuple[int, int], list[int]] = {}
    for binding in facts.resolution.bindings:
        if binding.site in calls:
            bindings.setdefault((binding.site, binding.argument), []).append(binding.parameter)
    for condition, rows in sorted(by_condition.items(), key=lambda each: pi_value[each[1][0]]):
        test, left, right = test_of[condition], left_of[condition], right_of[condition]
        language = facts.language(left)
        checks = checks_of(facts, test, left, right, guards.get(language, {}), language)
        call = facts.data[left] if test == Test.TRUTH and facts.op[left] == Op.CALL else NONE
        doubts = unverified_values(facts, test, left, right)
        for row in rows:
            value, tested, side = pi_value[row], pi_input[row], pi_side[row]
            root = facts.rep[tested]
            mask = 0
            behind = set(passed.get(version_before(facts, tested), ())) if passed else set()
            for guarded, bits, when_false, conjunct in checks:
                if root in guarded and side == (0 if when_false else 1):
                    mask |= bits
                    if conjunct is not None:
                        behind.add(conjunct)
            if test == Test.TRUTH and not side and root == facts.rep[left]:
                mask = facts.wanted.all  # a false value contains no text
            if behind:
                passed[value] = behind
                mask |= joint_mask(facts, behind)
            if mask:
                facts.labels.clean[value] = facts.labels.clean.get(value, 0) | mask
            if mask != facts.wanted.all and root in doubts[side]:
                facts.labels.unverified_guards[value] = condition
            if call != NONE and call in facts.resolution.fully_resolved and facts.calls.functions_of(call):
                checked_by_callee(facts, value, tested, side, call, bindings)


def unverified_values(facts: Facts, test: int, left: int, right: int) -> tuple[Collection[int], Collection[int]]:
    """Representatives that a condition checks in a way that no rule describes: (where it fails, where it holds).

    Such checks are equality with a value that is not constant, membership in a collection that is not constant, the
    truth of a call that is named after validation or lookup or that queries something external, and a lookup whose
    result is not null.
    """
    if test == Test.EQUAL:
        if facts.constant(right) == "null" and facts.op[facts.rep[left]] == Op.CALL:
            call = facts.data[facts.rep[left]]
            return (argument_roots(facts, call) if is_lookup(facts, call, called_name(facts, call)) else ()), ()
        found: set[int] = set()
        for operand, other in ((left, right), (right, left)):
            if facts.constant(other) is None and not is_untrusted(facts, other):
                found |= roots_of(facts, operand, "eq")
        return (), found
    if test == Test.IN:
        return (), () if facts.is_constant_collection(right) else roots_of(facts, left, "in")
    if test != Test.TRUTH or facts.op[facts.rep[left]] != Op.CALL:
        return (), ()
    call = measured_call(facts, facts.data[facts.rep[left]])
    name = called_name(facts, call)
    if not VALIDATOR_NAMES.search(name) and not is_lookup(facts, call, name) and not is_external_query(facts, call):
        return (), ()
    return (
        (argument_roots(facts, call), ())
        if NEGATIVE_VALIDATOR_NAMES.search(name)
        else ((), argument_roots(facts, call))
    )


def is_external_query(facts: Facts, call: int) -> bool:
    """Whether the type of an argument or of a parameter shows that the call queries something external: a database."""
    asking = facts.apis[facts.language(facts.call_result[call])].asking
    if not asking or call in facts.calls.apis_of:
        return False
    parameters = facts.tables["parameters"]["value"]
    given = [facts.arg_value[row] for row in facts.args.of(call)]
    given += [
        int(parameters[row]) for each in facts.calls.functions_of(call) for row in facts.functions.parameters_of(each)
    ]
    return any(not asking.isdisjoint(facts.resolution.api_nodes(value)) for value in given)


def is_lookup(facts: Facts, call: int, name: str) -> bool:
    """Whether a call that is not modelled is named after lookup."""
    return call not in facts.calls.apis_of and LOOKUP_NAMES.search(name) is not None


def argument_roots(facts: Facts, call: int) -> set[int]:
    """Representatives of the arguments of a call, of the texts they were made from, and of those calls' arguments."""
    rows = [row for row in facts.args.of(call) if facts.arg_position[row] != RECEIVER]
    found = {value for row in rows for value in made_from(facts, facts.rep[facts.arg_value[row]])}
    for value in tuple(found):
        if facts.op[value] == Op.CALL and facts.calls.functions_of(facts.data[value]):  # a function of the program
            found.update(facts.rep[facts.arg_value[row]] for row in facts.args.of(facts.data[value]))
    return found


def measured_call(facts: Facts, call: int) -> int:
    """The inner call of ``len(matches(x))``, where a library call measures its result; else ``call`` itself."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    roles = [apis.roles.get(node) for node in facts.calls.apis_of.get(call, ())]
    rows = facts.args.of(call)
    inner = facts.rep[facts.arg_value[rows[0]]] if len(rows) == 1 else NONE
    silent = roles and all(each is not None and any(not p.flows for p in each.propagators) for each in roles)
    return facts.data[inner] if inner != NONE and silent and facts.op[inner] == Op.CALL else call


def is_untrusted(facts: Facts, value: int) -> bool:
    """Whether a value is a source, or was loaded or made from one within a few steps."""
    sources = facts.guards.untrusted
    for each in made_from(facts, facts.rep[value]):
        at = each
        for _ in range(MAX_GUARD_SLICE):
            if at in sources:
                return True
            if at in facts.flows.captured:
                at = facts.rep[facts.flows.captured[at]]
            elif facts.op[at] == Op.LOAD:
                at = facts.rep[facts.load_object[facts.data[at]]]
            else:
                break
    return False


def called_name(facts: Facts, call: int) -> str:
    """The last part of the callee's name, or ""."""
    callee = facts.call_callee[call]
    if facts.op[callee] == Op.LOAD:
        name = facts.load_key[facts.data[callee]]
    else:
        functions = facts.calls.functions_of(call)
        name = int(facts.tables["functions"]["name"][functions[0]]) if functions else NONE
    return facts.program.strings[name] if name >= 0 else ""


def version_before(facts: Facts, value: int) -> int:
    """``value``, or the version whose state after calls it is."""
    while facts.op[value] == Op.POST:  # a state after a call has a higher number than the argument it is of
        value = facts.arg_value[facts.data[value]]
    return value


def joint_mask(facts: Facts, behind: set[tuple[int, int]]) -> int:
    """The mask of the joint guards whose tests are all in ``behind``."""
    mask = 0
    for number in {number for number, _ in behind}:
        guard = facts.guards.joint[number]
        if all((number, part) in behind for part in range(len(guard.also) + 1)):
            mask |= bits_of(facts, guard)
    return mask


def bits_of(facts: Facts, guard: Guard) -> int:
    return facts.wanted.all if guard.vulnerability == "any" else facts.wanted.mask_of(guard.vulnerability)


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
        if not same and facts.rep[tested] not in made_from(facts, facts.rep[value])[1:]:
            continue
        formals = bindings.get((call, facts.arg_value[argument]), [])
        column = "true" if side else "false"
        rows = [facts.data[formal] for formal in formals if facts.op[formal] == Op.PARAMETER]
        states = {int(facts.tables["parameters"][column][row]) for row in rows if row != NONE}
        if len(formals) == 1 and states and NONE not in states:
            facts.labels.checked_by_call[pi] = (call, states.pop(), side)


def checks_of(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests], language: str) -> list[Check]:
    """The checks of one condition."""
    found: list[Check] = []
    if test == Test.EQUAL:
        for operand, other in ((left, right), (right, left)):
            constant = facts.constant(other)
            if constant is not None:
                found += comparison_checks(facts, guards, "eq", operand, constant.removeprefix("'"))
            else:
                found += comparison_checks(facts, guards, "eq", operand, None, transformed=True)
    elif test == Test.IN:
        if facts.is_constant_collection(right):
            found += comparison_checks(facts, guards, "in", left, None)
        constant = facts.constant(left)
        if constant is not None:
            found += comparison_checks(facts, guards, "contains", right, constant.removeprefix("'"))
    elif test == Test.IS:
        constant = facts.constant(right)
        name = constant.removeprefix("'") if constant is not None else None
        if name is None:
            nodes = facts.resolution.api_nodes(right)
            name = facts.apis[language].paths[nodes[0]][-1] if nodes and language in facts.apis else None
        found += comparison_checks(facts, guards, "is", left, name)
    elif test == Test.TRUTH and facts.op[left] == Op.LOAD:
        # "if urlparse(x).netloc": on the false side there is no host
        for guard in transform_guards(facts, left, guards["eq"]) if "eq" in guards else ():
            if guarded := guarded_by(facts, left, guard, "eq"):
                found.append(check_of(facts, guarded, guard)._replace(when_false=not guard.when_false))
    elif test == Test.TRUTH and facts.op[left] == Op.CALL:
        call = facts.data[left]
        for node in facts.calls.apis_of.get(call, ()):
            predicate_checks(facts, call, node, guards, found)
    if test in (Test.EQUAL, Test.LESS):
        found += index_checks(facts, test, left, right, guards)
    return found


def comparison_checks(
    facts: Facts, guards: dict[str, Tests], kind: str, operand: int, text: str | None, *, transformed: bool = False
) -> list[Check]:
    """The checks that a comparison of ``operand`` with ``text`` is, by guards of this kind of test.

    ``transformed``: the other operand is not constant; only guards of a part (a host, a folder) apply then.
    """
    if kind not in guards:
        return []
    found: list[Check] = []
    for guard in [*(() if transformed else guards[kind].plain), *transform_guards(facts, operand, guards[kind])]:
        if (guard.text is None or guard.text == text) and (guarded := guarded_by(facts, operand, guard, kind)):
            found.append(check_of(facts, guarded, guard))
    return found


def index_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Check]:
    """Membership by position: ``list.indexOf(x) === -1``, ``< 0``, ``> -1``."""
    call, number = (left, right) if facts.op[left] == Op.CALL else (right, left)
    if facts.op[call] != Op.CALL:
        return []
    apis = facts.apis.get(facts.language(call))
    nodes = facts.calls.apis_of.get(facts.data[call], ())
    if apis is None or not any(apis.paths[node][-1] in INDEX_METHODS for node in nodes):
        return []
    is_there = {(Test.EQUAL, True, "-1"): False, (Test.LESS, True, "0"): False, (Test.LESS, False, "-1"): True}.get(
        (Test(test), call == left or test == Test.EQUAL, str(facts.constant(number)))
    )
    operands = [facts.arg_value[a] for a in facts.args.at(facts.data[call], Port("this"))]
    operands += [facts.arg_value[a] for a in facts.args.at(facts.data[call], Port("position", 0))]
    if is_there is None or len(operands) < 2:
        return []
    found: list[Check] = []
    within, item = operands
    kind = "in" if facts.is_constant_collection(within) else "contains"
    among: list[tuple[Guard, set[int]]] = []
    if kind == "in" and kind in guards:
        among = [(guard, guarded_by(facts, item, guard, kind)) for guard in guards[kind].plain]
    elif kind in guards and (text := facts.constant(item)) is not None:
        asked = [guard for guard in guards[kind].plain if guard.text in (None, text.removeprefix("'"))]
        among = [(guard, guarded_by(facts, within, guard, kind)) for guard in asked]
    for guard, guarded in among:
        if guarded:
            check = check_of(facts, guarded, guard)
            found.append(check._replace(when_false=check.when_false == is_there))
    return found


def check_of(facts: Facts, values: set[int], guard: Guard) -> Check:
    conjunct = facts.guards.conjunct_of.get(id(guard))
    return Check(values, 0 if conjunct is not None else bits_of(facts, guard), guard.when_false, conjunct)


def predicate_checks(
    facts: Facts,
    call: int,
    node: int,
    guards: dict[str, Tests],
    found: list[Check],
) -> None:
    """Checks of a call whose truth is tested: a predicate of a pack, or a method of ``PREDICATES``."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    path = apis.paths[node]
    for guard in guards["call"].plain if "call" in guards else ():
        if guard.api != path or guard.port is None or not holds(facts, guard.conditions, call):
            continue
        values = {
            root for row in facts.args.at(call, guard.port) for root in roots_of(facts, facts.arg_value[row], "call")
        }
        found.append(check_of(facts, values, guard))
    kind = PREDICATES.get(path[-1])
    if kind is None:
        return
    receiver = [facts.arg_value[a] for a in facts.args.at(call, Port("this"))]
    arguments = [facts.arg_value[a] for a in facts.args.at(call, Port("from", 0))]
    operands = receiver + arguments
    if len(operands) < 2:
        return
    subject, other = operands[0], operands[1]
    if kind == "contains" and facts.is_constant_collection(subject):
        found += comparison_checks(facts, guards, "in", other, None)
    elif kind == "match":
        for at, each in enumerate(operands):
            constant = facts.constant(each)
            if constant is None and at < len(receiver):
                constant = pattern(facts, each)
            if constant is not None:
                text, matched = constant.removeprefix("'"), (operands[at + 1 :] or operands[:at])[0]
                if is_safe_pattern(text, whole=path[-1] == "fullmatch"):
                    found += comparison_checks(facts, guards, "dotted", matched, text)
                    if not re.search("[.:]", text.replace("(?:", "")):
                        found += comparison_checks(facts, guards, "match", matched, text)
                break
    else:
        constant = facts.constant(other)
        if constant is not None:
            found += comparison_checks(facts, guards, kind, subject, constant.removeprefix("'"))
        else:
            found += comparison_checks(facts, guards, kind, subject, None)


def transform_guards(facts: Facts, operand: int, tests: Tests) -> list[Guard]:
    """The guards whose transform may have computed ``operand``: usually none of hundreds."""
    found: list[Guard] = []
    before = made_from(facts, facts.rep[operand]) if tests.transforms else []
    if any(facts.op[value] in (Op.CALL, Op.LOAD) for value in before):
        for steps, guards in tests.transforms.items():
            if any(transforming_call(facts, value, steps) != NONE for value in before):
                found += guards
    return found


def guarded_by(facts: Facts, operand: int, guard: Guard, kind: str) -> set[int]:
    """Representatives of the values that a test of ``operand`` makes clean; none if the guard has another transform."""
    if guard.part is not None:
        row = facts.guards.sliced.get(facts.rep[operand], facts.guards.sliced.get(operand, NONE))
        if row == NONE or bounds(facts, row) != guard.part:
            return set()
        return roots_of(facts, int(facts.tables["slices"]["object"][row]), kind)
    if not guard.api:
        return roots_of(facts, operand, kind)
    nodes = facts.guards.nodes_of.get(id(guard))
    if nodes is None:
        apis = facts.apis[facts.language(operand)]
        nodes = facts.guards.nodes_of[id(guard)] = frozenset(apis.expand(apis.node(guard.api)))
    seen: set[int] = set()
    for value in made_from(facts, facts.rep[operand]):
        seen.add(value)
        found = transform_roots(facts, value, guard, nodes)
        if found:
            return seen | found
    return set()


def bounds(facts: Facts, row: int) -> tuple[int | None, int | None]:
    start, end = int(facts.tables["slices"]["start"][row]), int(facts.tables["slices"]["end"][row])
    return None if start == OPEN else start, None if end == OPEN else end


def transform_roots(facts: Facts, value: int, guard: Guard, nodes: frozenset[int]) -> set[int]:
    """The values that a guard is about if ``value`` is the result of its transform; else none."""
    parts: list[int] = []
    value = transforming_call(facts, value, guard.steps, parts)
    if value == NONE or guard.port is None:
        return set()
    call = facts.data[value]
    if nodes.isdisjoint(facts.calls.apis_of.get(call, ())):
        return set()
    roots = {value, *parts}
    for row in facts.args.at(call, guard.port):
        roots |= roots_of(facts, facts.arg_value[row], "eq")
    return roots


def transforming_call(facts: Facts, value: int, steps: tuple[str, ...], parts: list[int] | None = None) -> int:
    """The value of the call from whose result ``value`` was loaded by these steps, or ``NONE``.

    ``parts`` gets the values in between. A check of ``u.Host`` also makes ``u`` clean, where ``parse`` returned
    ``u, err``.
    """
    for step in reversed(steps):
        if facts.op[value] == Op.CALL and step == "()":
            value = facts.rep[facts.call_callee[facts.data[value]]]
            continue
        if facts.op[value] != Op.LOAD:
            return NONE
        row = facts.data[value]
        key = facts.load_key[row]
        if key < 0 or facts.program.strings[key] != step.strip("[]"):
            return NONE
        value = facts.rep[facts.load_object[row]]
        if parts is not None:
            parts.append(value)
    return value if facts.op[value] == Op.CALL else NONE


def texts_before(facts: Facts, value: int) -> list[int]:
    """Representatives of the arguments from which the call ``value`` made its text, by the propagators of packs."""
    if facts.op[value] != Op.CALL:
        return []
    call = facts.data[value]
    apis = facts.apis[facts.language(value)]
    found: dict[int, None] = {}
    for node in facts.calls.apis_of.get(call, ()):
        roles = apis.roles.get(node)
        for propagator in roles.propagators if roles is not None else ():
            for flow in propagator.flows:
                if isinstance(flow, ModelFlow) and flow.target.kind == "ret" and not flow.target.path:
                    for row in facts.args.at(call, flow.origin):
                        found[facts.rep[facts.arg_value[row]]] = None
    return list(found)


def made_from(facts: Facts, value: int) -> list[int]:
    """``value`` and the texts it was made from, nearest first, at most ``MAX_GUARD_SLICE`` calls back."""
    known = facts.guards.made_from.get(value)
    if known is None:
        found = {value: None}
        level = [value]
        for _ in range(MAX_GUARD_SLICE):
            level = [each for one in level for each in texts_before(facts, one) if each not in found]
            if not level:
                break
            found.update(dict.fromkeys(level))
        known = facts.guards.made_from[value] = list(found)
    return known


def roots_of(facts: Facts, operand: int, kind: str) -> set[int]:
    """The tested value; for equality, membership and matches also the texts that it was made from."""
    value = facts.rep[operand]
    return set(made_from(facts, value)) if kind in ("eq", "in", "match", "dotted") else {value}


def is_safe_pattern(pattern: str, *, whole: bool) -> bool:
    """Whether no text that a regular expression accepts as a whole has a character that injections need.

    >>> is_safe_pattern("^[a-z0-9_.-]+$", whole=False), is_safe_pattern("[a-z]+", whole=False)
    (True, False)
    >>> is_safe_pattern("^.*$", whole=False), is_safe_pattern("^[ -~]*$", whole=False)
    (False, False)
    """
    if pattern.startswith("/") and pattern.rfind("/") > 0:  # a literal of JavaScript
        if "m" in pattern[pattern.rfind("/") :]:
            return False  # matches one line of several
        pattern = pattern[1 : pattern.rfind("/")]
    body = re.sub(r"^\(\?[iu]+\)", "", pattern)
    if not whole and not (body.startswith(("^", r"\A")) and body.endswith(("$", r"\z", r"\Z"))):
        return False
    body = body.removeprefix("^").removeprefix(r"\A").removesuffix("$").removesuffix(r"\z").removesuffix(r"\Z")
    classes = CHARACTER_CLASS.findall(body)
    body = CHARACTER_CLASS.sub("", body)
    if "|" in body and not (body.startswith("(") and body.endswith(")")) and not whole:
        return False
    if not all(is_safe_class(each) for each in classes):
        return False
    body = re.sub(r"\\[wdAzZbB.\-]", "", body)  # letters, digits, anchors, dots and hyphens
    return not re.search(r"\\|\.|\[|[\s'\"`;&<>/\\%]", body)


def is_safe_class(text: str) -> bool:
    """Whether all characters of ``[...]`` are harmless; a dot is a literal dot there.

    >>> is_safe_class("[a-z.-]"), is_safe_class("[A-z]"), is_safe_class(r"[\\w:]"), is_safe_class("[^a]")
    (True, False, True, False)
    """
    members = [each for each in re.findall(r"\\.|.", text[1:-1]) if each not in (r"\w", r"\d")]
    if members[:1] == ["^"]:
        return False
    at = 0
    while at < len(members):
        first = last = members[at]
        if first == "[" or (len(first) == 2 and first[1].isalnum()):
            return False  # other classes, and characters by number
        if members[at + 1 : at + 2] == ["-"] and at + 2 < len(members):
            at += 2
            last = members[at]
        if any(first[-1] <= each <= last[-1] for each in DANGEROUS):
            return False
        at += 1
    return True
