"""Conditions compared with the guards of the rules: which values a condition proves clean, and for what."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from pyrograph.ir.codes import NONE, OPEN, CallFlag
from pyrograph.ir.packed import FIRST_VALUE_KEY, KIND, KIND_BITS
from pyrograph.rules.entries import Guard, Port
from pyrograph.scanner.analysis.apis import INSTANCE
from pyrograph.scanner.analysis.label.admitted import (
    matched_mask,
    pattern_at,
    refused_beginnings,
    replaced_mask,
    replacing_flow,
    unmatched_mask,
)
from pyrograph.scanner.analysis.label.chosen import is_chosen
from pyrograph.scanner.analysis.label.clean_types import clean_classes
from pyrograph.scanner.analysis.label.conditions import holds
from pyrograph.scanner.analysis.label.definitions import choices, elements, listed
from pyrograph.scanner.analysis.label.endings import ends_so, separated
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.indexes import Tests
from pyrograph.scanner.analysis.label.literals import least_harmless, text_of
from pyrograph.scanner.analysis.label.membership import (
    answers_itself,
    index_call,
    is_filled_by_request,
    is_given,
    may_be_brought,
    shows_presence,
    unknown_collections,
)
from pyrograph.scanner.analysis.label.text_origins import (
    NO_TEXT,
    constants_in,
    is_untrusted,
    joined_in,
    made_from,
    roots_of,
    transforming_call,
)
from pyrograph.scanner.analysis.numbers import (
    CALL_OP,
    EQUAL_TEST,
    IN_TEST,
    IS_TEST,
    LESS_TEST,
    LOAD_OP,
    TRUTH_TEST,
)
from pyrograph.scanner.analysis.resolve.resolution import CLASS

if TYPE_CHECKING:
    from pyrograph.scanner.analysis.patterns import Kind

ABSENT: Final = ("null", "undefined")


class Check(NamedTuple):
    """What a condition proves if it matches a guard: the values, and what they are clean for."""

    values: set[int]  # representatives
    mask: int  # they are clean for these
    when_false: bool  # clean where the test fails, not where it holds
    conjunct: tuple[int, int] | None  # (joint guard, number of this test): clean only behind all its tests
    is_open: bool = False  # a test of a prefix that leaves what it would clear if the prefix ended in a separator
    is_doubt: bool = False  # a check of which it is not known what it lets through: it proves nothing


def single_checks(
    facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests], language: str
) -> list[Check]:
    """The checks of one condition, without those of functions that it asks about elements."""
    found: list[Check] = []
    if test == EQUAL_TEST:
        for operand, other in ((left, right), (right, left)):
            constant = facts.constant(other)
            if constant in ABSENT:  # nothing is known of what it was made from: "re.match(p, x) is None"
                for check in comparison_checks(facts, guards, "eq", operand, constant):
                    values = check.values & {facts.rep[operand]}
                    found.append(check._replace(values=values))
            elif constant is not None:
                found += comparison_checks(facts, guards, "eq", operand, constant.removeprefix("'"))
                found += beginning_checks(facts, guards, operand, other)
            elif is_constant_element(facts, other):
                found += comparison_checks(facts, guards, "in", operand, None)
            else:
                own = facts.rep[other] in made_from(facts, facts.rep[operand])[1:] and is_untrusted(facts, other)
                if not own:
                    found += comparison_checks(facts, guards, "eq", operand, None, transformed=True)
                    found += common_prefix_checks(facts, guards, operand, other)
                # what equals a clean text is clean: basename(x) == x; but normpath(x) == x proves nothing
                if mask := facts.labels.clean.get(other, 0) | left_of(facts, other, facts.rep[operand]):
                    found.append(Check({facts.rep[operand]}, mask, False, None))
    elif test == IN_TEST:
        found += member_checks(facts, guards, right, left)
        constant = facts.constant(left)
        if constant is not None:
            found += comparison_checks(facts, guards, "contains", right, constant.removeprefix("'"))
        else:
            found += comparison_checks(facts, guards, "contains", right, None, transformed=True)
    elif test == IS_TEST:
        constant = facts.constant(right)
        name = constant.removeprefix("'") if constant is not None else None
        if name is None:
            nodes = facts.resolution.api_nodes(right)
            name = facts.apis[language].paths[nodes[0]][-1] if nodes and language in facts.apis else None
        found += comparison_checks(facts, guards, "is", left, name)
    elif test == TRUTH_TEST and facts.op[left] == LOAD_OP:
        found += lookup_checks(facts, left, guards)
        # "if urlparse(x).netloc": on the false side there is no host
        for check in comparison_checks(facts, guards, "eq", left, "", transformed=True):
            found.append(check._replace(when_false=not check.when_false))
        found += call_checks(facts, first_result_of(facts, left), guards)
    elif test == TRUTH_TEST and facts.op[left] == CALL_OP:
        found += call_checks(facts, facts.data[left], guards)
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == CALL_OP and facts.constant(right) in ABSENT:
        for check in call_checks(facts, facts.data[facts.rep[left]], guards):  # "re.match(...) is None"
            found.append(check._replace(when_false=not check.when_false))
    if test == EQUAL_TEST and facts.op[facts.rep[left]] == LOAD_OP and facts.constant(right) in ABSENT:
        for check in lookup_checks(facts, facts.rep[left], guards):  # "TABLE[x] === undefined"
            found.append(check._replace(when_false=not check.when_false))
    if test in (EQUAL_TEST, LESS_TEST):
        found += index_checks(facts, test, left, right, guards)
    return found


def beginning_checks(facts: Facts, guards: dict[str, Tests], operand: int, other: int) -> list[Check]:
    """The checks of a comparison with a constant as long as the slice of a text's beginning that it is compared with,
    ``x[:2] == "//"``, which is a test of a prefix.
    """
    row = facts.guards.sliced.get(facts.rep[operand], facts.guards.sliced.get(operand, NONE))
    constant = facts.constant(other)
    if row == NONE or constant is None or constant[:1] != "'":
        return []
    start, end = bounds(facts, row)
    if start not in (None, 0) or end != len(constant) - 1 or not end:
        return []
    return prefix_checks(facts, guards, "prefix", int(facts.tables["slices"]["object"][row]), other)


def left_of(facts: Facts, value: int, rep: int) -> int:
    """For what ``value`` is clean that a replacement leaves of the text ``rep``: ``re.sub("[^a-z]", "", x) == x``."""
    if facts.op[facts.rep[value]] != CALL_OP:
        return 0
    call = facts.data[facts.rep[value]]
    flow = replacing_flow(facts, call)
    if flow is None or rep not in [facts.rep[facts.arg_value[row]] for row in facts.args.at(call, flow.origin)]:
        return 0
    return replaced_mask(facts, call, flow)


def lookup_checks(facts: Facts, value: int, guards: dict[str, Tests]) -> list[Check]:
    """The checks of an element that is there, ``if TABLE[x]``: the key is one of those of a constant table, or the name
    of a member of an enumeration.
    """
    row = facts.data[value]
    key = facts.load_key[row]
    if key > FIRST_VALUE_KEY:
        return []
    table = facts.load_object[row]
    if clean_classes(facts).isdisjoint(
        state >> KIND_BITS for state in facts.resolution.states_of(table) if state & KIND == CLASS
    ):
        return member_checks(facts, guards, table, FIRST_VALUE_KEY - key)
    return comparison_checks(facts, guards, "in", FIRST_VALUE_KEY - key, None)


def is_constant_element(facts: Facts, value: int) -> bool:
    """Whether a value is any element of a constant collection: of a loop over it, or under a number."""
    rep = facts.rep[value]
    if facts.op[rep] != LOAD_OP or facts.load_key[facts.data[rep]] >= 0:
        return False
    return facts.is_constant_collection(facts.load_object[facts.data[rep]])


def first_result_of(facts: Facts, value: int) -> int:
    """The call whose first result ``value`` is, ``ok, err := regexp.MatchString(p, x)``; or ``NONE``."""
    row = facts.data[value]
    made = facts.rep[facts.load_object[row]]
    key = facts.load_key[row]
    if facts.op[made] != CALL_OP or key < 0 or facts.program.strings[key] != "0":
        return NONE
    return facts.data[made] if int(facts.tables["calls"]["flags"][facts.data[made]]) & CallFlag.MULTI else NONE


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
        if guard.text is not None and guard.text != text:
            continue
        of_elements = guard.port is not None and guard.port.path and "prefix" in guards
        guarded = (
            beginning_in_common(facts, operand, guard, guards)
            if of_elements
            else guarded_by(facts, operand, guard, kind)
        )
        if guarded:
            found += hidden_left(facts, check_of(facts, guarded, guard), guard, text)
    return found


def hidden_left(facts: Facts, check: Check, guard: Guard, text: str | None) -> list[Check]:
    """``check``, a comparison with ``text``, without what it does not prove of a part that is found empty, and of texts
    that were joined with others before they were taken apart: ``urlparse(urljoin(site, x)).netloc == site.netloc``.

    A guard for nothing but what is hidden says that its own call finds that: ``new URL(x, site).host``.
    """
    hidden = check.mask & facts.wanted.hidden
    if not hidden or not guard.steps:
        return [check]
    finds = hidden == check.mask
    rest = check._replace(mask=check.mask & ~hidden)
    if text is not None and (not text or text in ABSENT) and not finds:
        return [rest]
    own = facts.guards.nodes_of.get(id(guard), frozenset()) if finds else frozenset()
    joining = [each for each in check.values if own.isdisjoint(facts.calls.apis_of.get(_call_of(facts, each), ()))]
    joined = {each for value in joining for each in joined_in(facts, value)} & check.values
    return [check._replace(values=check.values - joined), rest._replace(values=joined)] if joined else [check]


def _call_of(facts: Facts, value: int) -> int:
    return facts.data[value] if facts.op[value] == CALL_OP else NONE


def member_checks(facts: Facts, guards: dict[str, Tests], collection: int, member: int) -> list[Check]:
    """The checks that membership in a collection is. Of one that no request gets to, it proves of a part, as of a host,
    what equality with something of the program proves: ``new URL(x).host in settings.hosts``. Where a request may get
    to what the collection is made of, it is a doubt; where one fills it, no check.
    """
    is_constant = facts.is_constant_collection(collection)
    empty = "" if not set(NO_TEXT).isdisjoint(constants_in(facts, collection)) else None
    found = comparison_checks(facts, guards, "in", member, empty, transformed=not is_constant)
    if not found or is_constant:
        return found
    if facts.constant(collection) is not None:
        return []  # a text, any part of which is in it
    if is_filled_by_request(facts, collection):
        return []
    is_unknown = answers_itself(facts, collection) or may_be_brought(facts, collection)
    return [each._replace(mask=0, is_doubt=True) for each in found] if is_unknown else found


def common_prefix_checks(facts: Facts, guards: dict[str, Tests], operand: int, prefix: int) -> list[Check]:
    """The checks of the characters that several texts have in common, which is a test of a prefix:
    ``commonprefix([root, resolve(x)]) == root``.
    """
    found = []
    for guard in transform_guards(facts, operand, guards["prefix"]) if "prefix" in guards else ():
        if guard.port is not None and guard.port.path:
            guarded = beginning_in_common(facts, operand, guard, guards)
            if guarded:
                found.append(open_check(facts, check_of(facts, guarded, guard), prefix))
    return found


def beginning_in_common(facts: Facts, operand: int, guard: Guard, guards: dict[str, Tests]) -> set[int]:
    """The values of which a comparison of what several have in common proves what a test of their beginning would
    prove: ``commonpath([root, resolve(x)]) == root``.
    """
    found: set[int] = set()
    for made in made_from(facts, facts.rep[operand]):
        call = facts.data[made] if facts.op[made] == CALL_OP else NONE
        paths = [facts.apis[facts.language(made)].paths[node] for node in facts.calls.apis_of.get(call, ())]
        if guard.port is None or guard.api not in paths:
            continue
        for row in facts.args.at(call, Port(guard.port.kind, guard.port.position)):
            for each in elements(facts, facts.arg_value[row], NONE):
                for test in transform_guards(facts, each, guards["prefix"]):
                    if test.vulnerability == guard.vulnerability:
                        found |= guarded_by(facts, each, test, "prefix")
    return found


def index_checks(facts: Facts, test: int, left: int, right: int, guards: dict[str, Tests]) -> list[Check]:
    """Membership by position: ``list.indexOf(x) === -1``, ``< 0``, ``> -1``."""
    call, number = (left, right) if facts.op[left] == CALL_OP else (right, left)
    methods, operands = index_call(facts, call)
    if not methods:
        return []
    is_there = shows_presence(facts, test, left, right)
    questions = facts.traits_of(call).questions
    is_first = not questions.first_positions.isdisjoint(methods)
    if test == EQUAL_TEST and facts.constant(number) == "0" and is_first and len(operands) == 2:
        return prefix_checks(facts, guards, "prefix", *operands)
    if is_there is None or len(operands) < 2:
        return []
    found: list[Check] = []
    searching = next((method for method in methods if method in questions.pattern_positions), None)
    if searching is not None:
        for check in pattern_checks(facts, guards, facts.data[call], searching, operands):
            found.append(check._replace(when_false=check.when_false == is_there))
        return found
    within, item = operands
    found = member_checks(facts, guards, within, item)
    if not facts.is_constant_collection(within) and (text := facts.constant(item)) is not None:
        found = comparison_checks(facts, guards, "contains", within, text.removeprefix("'"))
    return [check._replace(when_false=check.when_false == is_there) for check in found]


def check_of(facts: Facts, values: set[int], guard: Guard) -> Check:
    conjunct = facts.guards.conjunct_of.get(id(guard))
    return Check(
        values, 0 if conjunct is not None else facts.wanted.cleaned_by(guard.vulnerability), guard.when_false, conjunct
    )


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
        check = check_of(facts, values, guard)
        within = facts.call_receiver[call] if kind == "contains" else NONE
        if within != NONE and not guard.when_false and not facts.is_constant_collection(within):
            if is_given(facts, within):
                continue
            if may_be_brought(facts, within):
                check = check._replace(mask=0, is_doubt=True)
        found.append(check)
    if kind is None:
        return
    receiver = [facts.arg_value[a] for a in facts.args.at(call, Port("this"))]
    arguments = [facts.arg_value[a] for a in facts.args.at(call, Port("from", 0))]
    operands = receiver + arguments
    if len(operands) < 2:
        return
    subject, other = operands[0], operands[1]
    if kind in ("contains", "lookup"):
        found += member_checks(facts, guards, subject, other)
    if kind == "lookup" or (kind == "contains" and facts.is_constant_collection(subject)):
        return
    if kind == "match":
        found += pattern_checks(facts, guards, call, path[-1], operands if INSTANCE in path else arguments)
    else:
        found += prefix_checks(facts, guards, kind, subject, other, parts=path[-1] in questions.whole_parts)


def prefix_checks(
    facts: Facts, guards: dict[str, Tests], kind: str, subject: int, other: int, *, parts: bool = False
) -> list[Check]:
    """The checks of ``subject.startsWith(other)`` and its like; ``parts``: whole parts of paths are compared."""
    constant = facts.constant(other)
    text = constant.removeprefix("'") if constant is not None else None
    found = comparison_checks(facts, guards, kind, subject, text)
    if kind == "prefix" and not parts:
        found = [open_check(facts, check, other) for check in found]
    if kind == "suffix":
        found = [closed_check(facts, check, other) for check in found]
    if constant is None:
        whole = separated(facts, other)
        texts = [text for text in map(facts.constant, listed(facts, other)) if text is not None and text[:1] == "'"]
        for choice in [*(text[1:] for text in texts), *([] if whole is None else [whole])]:  # none: where it fails
            each = comparison_checks(facts, guards, kind, subject, choice)
            found += [check for check in each if check.when_false and check not in found]
    if kind == "prefix":
        # behind the test the value begins so: what a text before a value proves holds for it
        begins = text_of(facts, other, constant)
        if begins == "\0":
            least = least_harmless(facts, other)
            begins = least[1:] if least is not None else begins
        mask = facts.harmless_after(begins) if begins not in ("", "\0") else 0
        if begins == "\0" and facts.wanted.safe_chosen and is_chosen(facts, other):
            mask |= facts.harmless_after_chosen("")
        if mask:
            found.append(Check({facts.rep[subject]}, mask, False, None))
    return found


def open_check(facts: Facts, check: Check, prefix: int) -> Check:
    """``check``, a test of a prefix, without what it proves only if the prefix ends in a separator."""
    if check.when_false or not check.mask:
        return check
    each_of = listed(facts, prefix)
    for pattern, mask in facts.wanted.prefixes.items():
        closed = all([ends_so(facts, each, pattern) for each in each_of or [prefix]])
        if check.mask & mask and not closed:
            check = check._replace(mask=check.mask & ~mask, is_open=True)
    return check


def closed_check(facts: Facts, check: Check, suffix: int) -> Check:
    """``check``, a test of how a part of a value ends, without what it proves only if the suffix begins with what
    separates parts: ``host.endswith(".example.org")``. It is a doubt where the program chose the suffix elsewhere:
    ``host.endswith(settings.DOMAIN)``.
    """
    each_of = listed(facts, suffix) or choices(facts, facts.rep[suffix]) or [suffix]
    begins = [text_of(facts, each, facts.constant(each)).partition("\0")[0] for each in each_of]
    is_known = all(begins) or all(facts.constant(each) is not None for each in each_of)
    for pattern, mask in facts.wanted.suffixes.items():
        if not check.mask & mask:
            continue
        if not is_known and not may_be_brought(facts, suffix):
            return check._replace(mask=0, is_doubt=True)
        if not is_known or any(re.search(pattern, text) is None for text in begins):
            check = check._replace(mask=check.mask & ~mask)
        elif any(facts.constant(each) is None and may_be_brought(facts, each) for each in each_of):
            check = check._replace(mask=0, is_doubt=True)
    return check


def pattern_checks(facts: Facts, guards: dict[str, Tests], call: int, method: str, operands: list[int]) -> list[Check]:
    """The checks of a match with a constant pattern: what the pattern admits where it matches; and what is left where a
    search for it fails, ``if re.search("[^a-z]", x): return``, among it that the text does not begin so.
    """
    if "match" not in guards or len(operands) < 2:
        return []
    questions = facts.traits_of(facts.call_result[call]).questions
    at = 1 if method in questions.given_patterns else 0
    pattern = pattern_at(facts, operands[at], call)
    if pattern is None:
        return []
    anchored = questions.anchored.get(method)
    kind: Kind = "fullmatch" if anchored == "fullmatch" else "match" if anchored == "match" else "search"
    masks = {False: matched_mask(facts, pattern, kind)}
    if kind == "search":
        masks[True] = unmatched_mask(facts, pattern)
    found: list[Check] = []
    for check in comparison_checks(facts, guards, "match", operands[1 - at], pattern.text):
        for fails, mask in masks.items():
            if check.mask & mask:
                found.append(check._replace(mask=check.mask & mask, when_false=check.when_false != fails))
    for text in refused_beginnings(pattern, kind):
        refused = comparison_checks(facts, guards, "prefix", operands[1 - at], text)
        found += [check for check in refused if check.when_false]
    return found


def transform_guards(facts: Facts, operand: int, tests: Tests) -> list[Guard]:
    """The guards whose transform may have computed ``operand``: usually none of hundreds."""
    found: list[Guard] = []
    before = made_from(facts, facts.rep[operand]) if tests.transforms else []
    if any(facts.op[value] in (CALL_OP, LOAD_OP) for value in before):
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
