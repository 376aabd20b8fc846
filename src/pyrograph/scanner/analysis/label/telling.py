"""Functions with a condition that says something of a text: more than whether there is one, and how long it is.

``def is_valid(x): return x is not None`` is named after a check and checks nothing. Only functions whose
conditions depend on the text are taken for checks by their names.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from pyrograph.graph import reached
from pyrograph.ir.codes import NONE
from pyrograph.policy.limits.labels import MAX_GUARD_SLICE
from pyrograph.policy.names.functions import ANSWER_NAMES, CHECKING_NAMES
from pyrograph.scanner.analysis.label.constant_questions import (
    asked_by,
    is_constant_containment,
    is_constant_position,
    is_constant_question,
    is_constant_text,
    is_part,
)
from pyrograph.scanner.analysis.label.facts import Facts
from pyrograph.scanner.analysis.label.formal import is_listed
from pyrograph.scanner.analysis.label.guard_checks import transform_guards
from pyrograph.scanner.analysis.label.quantifiers import quantified
from pyrograph.scanner.analysis.label.text_origins import is_end_of_path, made_from, texts_kept
from pyrograph.scanner.analysis.numbers import (
    BOTH_TEST,
    CALL_OP,
    CONST_OP,
    EQUAL_TEST,
    EXPRESSION_OP,
    GLOBAL_OP,
    IMPORT_OP,
    IN_TEST,
    IS_TEST,
    LESS_TEST,
    LOAD_OP,
    PARAMETER_OP,
    PHI_OP,
    RESULT_OP,
    TRUTH_TEST,
)

# A comparison with these asks whether there is a text, or an object.
NOTHING: Final = ("null", "undefined", "'", "false", "'string", "'object")
NUMBERED: Final = frozenset({CONST_OP, GLOBAL_OP, IMPORT_OP, LOAD_OP, PARAMETER_OP})
POSITIONS: Final = ("0", "-1")  # what is less than another number is a length; than these, maybe a position


class Known(NamedTuple):
    """What is known of a program before its conditions are asked one by one."""

    passed_on: set[int]  # values that derived models make
    elements: frozenset[int]  # ``elements_of_constants``
    outcomes: frozenset[int]  # ``outcomes_of_comparisons``
    captured: npt.NDArray[np.bool_]  # ``has_captured``
    computed: frozenset[int]  # values that functions of the program return: loads of properties are among them


def telling_functions(facts: Facts, made: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """(functions,) whether a condition of the function, or of one that it calls, says something of a text, or may: an
    unknown callee is asked. A condition on what is not made of parameters (``made``: ``made_of_parameters``) says
    nothing of them: ``except OSError as error: if error.errno == ENOENT``.

    The second: whether such a condition may choose what the function returns. The truth of a library's result that is
    returned as it is does not: ``return jwt.decode(token, KEY)``, beside another ``return``.

    Time O(conditions + calls).
    """
    conditions = facts.tables["conditions"]
    found = np.zeros(len(facts.tables["functions"]["name"]), bool)
    choosing = found.copy()
    passed_on = {flow.target for flow in facts.labels.flows if flow.derived}
    captured = has_captured(facts)
    computed = frozenset(facts.resolution.rows("returns")[:, 2].tolist())
    before = Known(passed_on, elements_of_constants(facts), outcomes_of_comparisons(facts), captured, computed)
    rows = [conditions[name].tolist() for name in ("function", "test", "left", "right")]
    numbers = {
        (function, member_read(facts, each))
        for function, test, *sides in zip(*rows, strict=True)
        for each in sides
        if test == LESS_TEST and each != NONE
    }
    for function, test, left, right in zip(*rows, strict=True):
        if test == TRUTH_TEST and member_read(facts, left) != NONE and (function, member_read(facts, left)) in numbers:
            continue  # ``if upload.size and upload.size > LIMIT``
        if function < 0 or choosing[function] or not any(each != NONE and made[each] for each in (left, right)):
            continue
        is_own = test == TRUTH_TEST and is_returned_call(facts, function, left)
        if not (found[function] and is_own) and is_telling(facts, test, left, right, before):
            found[function] = True
            choosing[function] = not is_own
    sites, targets = facts.resolution.rows("targets").T
    results = facts.tables["calls"]["result"]
    known = np.zeros(len(results), bool)
    known[sites[sites < len(results)]] = True
    known[list(facts.labels.modelled)] = True
    given = given_parameters(facts, made)
    known |= ~given
    asking = facts.function_of[results[~known]]  # what an unknown callee asks, nobody knows
    found[asking[asking >= 0]] = choosing[asking[asking >= 0]] = True
    is_call = sites < len(results)
    sites, targets = sites[is_call], targets[is_call]
    knows = given[sites] | captured[targets]
    callers = facts.function_of[results[sites[found[targets] & knows]]]
    found[callers[callers >= 0]] = choosing[callers[callers >= 0]] = True
    return found, choosing


def is_returned_call(facts: Facts, function: int, value: int) -> bool:
    """Whether a value is the result of a library's call that packs describe, and the function returns it."""
    rep = facts.rep[value]
    if facts.op[rep] != CALL_OP or facts.data[rep] not in facts.labels.modelled:
        return False
    result = facts.rep[int(facts.tables["functions"]["result"][function])]
    return rep == result or any(facts.rep[each] == rep for each, _ in facts.flows.origins_of(result))


def has_captured(facts: Facts) -> npt.NDArray[np.bool_]:
    """(functions,) whether a function uses variables of the one around it, which it is not given: ``def f(x): g()``
    with ``def g(): return x in NAMES`` inside.
    """
    found = np.zeros(len(facts.tables["functions"]["name"]), bool)
    found[facts.tables["captures"]["function"]] = True
    return found


def member_read(facts: Facts, value: int) -> int:
    """The name of the member that a value is read from; NONE for another value."""
    rep = facts.rep[value] if value != NONE else NONE
    if rep == NONE or facts.op[rep] != LOAD_OP:
        return NONE
    return max(int(facts.tables["loads"]["key"][facts.data[rep]]), NONE)


def is_plain_member(facts: Facts, value: int, computed: frozenset[int]) -> bool:
    """Whether a value is read as a member of a parameter, or of one of its members, that is no answer about a text: a
    condition on it asks whether there is something, ``if (!form.name)``.
    """
    for _ in range(MAX_GUARD_SLICE):
        rep = facts.rep[value]
        if facts.op[rep] == EXPRESSION_OP:  # the function's own copy of an object that is passed by value
            origins = facts.flows.same_as(rep)
            rep = facts.rep[origins[0]] if len(origins) == 1 else rep
        if facts.op[rep] == PARAMETER_OP:
            return True
        key = member_read(facts, value)
        if key == NONE or value in computed or rep in computed or facts.resolution.api_nodes(value):
            return False
        name = facts.program.strings[key]
        if ANSWER_NAMES.search(name) or CHECKING_NAMES.search(name):
            return False
        value = facts.load_object[facts.data[rep]]
    return False


def formal_functions(facts: Facts, made: npt.NDArray[np.bool_]) -> frozenset[int]:
    """Functions that ask of their parameters nothing but whether there is a file of this name, and the like.

    ``def info(path): return os.stat(path)`` is such a function if the packs list ``os.stat`` as a check of the form.
    Whatever else it calls with its parameters is modelled and only makes another text of them, ``os.path.join``, or is
    a function of the program that does no more. A function that asks nothing at all, ``raise NotImplementedError``, is
    one, too: a method of a base class.
    ``made``: ``made_of_parameters``. Needs ``CheckRoles.telling``. O(calls + functions).
    """
    checks, functions = facts.labels.checks, facts.function_of
    asking: set[int] = set()
    other = set(np.flatnonzero(checks.telling).tolist())
    passing: dict[int, list[int]] = {}  # by function: those that hand parameters on to it
    for call in np.flatnonzero(given_parameters(facts, made)).tolist():
        function = int(functions[facts.call_result[call]])
        targets = facts.calls.functions_of(call)
        if checks.formal.get(call) == frozenset():
            asking.add(function)
        elif targets and call in facts.resolution.fully_resolved:
            for each in targets:
                passing.setdefault(each, []).append(function)
        elif not only_makes_text(facts, call):
            other.add(function)
    with_callers(asking, passing)
    with_callers(other, passing)
    results = facts.tables["functions"]["result"].tolist()
    silent = [each for each, result in enumerate(results) if each not in other and has_constant_results(facts, result)]
    return frozenset((asking | set(silent)) - other - {NONE})


def with_callers(found: set[int], passing: dict[int, list[int]]) -> None:
    """Add the functions that hand parameters on to one that was found. Each is added once."""
    work = sorted(found)
    while work:  # a function is queued when it is new in ``found``
        for caller in passing.get(work.pop(), ()):
            if caller not in found:
                found.add(caller)
                work.append(caller)


def has_constant_results(facts: Facts, result: int) -> bool:
    """Whether a function returns nothing, or constants alone."""
    rep = facts.rep[result]
    made = [each for each, _ in facts.flows.origins_of(rep)] if facts.op[rep] == RESULT_OP else [rep]
    return all(facts.constant(each) is not None for each in made)


def only_makes_text(facts: Facts, call: int) -> bool:
    """Whether a call is of APIs of which the packs know nothing but what their results are made of."""
    apis = facts.apis[facts.language(facts.call_result[call])]
    nodes = facts.calls.apis_of.get(call, ())
    roles = [apis.roles.get(node) for node in nodes]
    return (
        bool(roles)
        and not facts.calls.functions_of(call)
        and all(each is not None and each.propagators and not each.sources and not each.sinks for each in roles)
    )


def made_of_parameters(facts: Facts) -> npt.NDArray[np.bool_]:
    """(values,) whether a value is a parameter of the function around it, or made of one, or read from one.

    Time O(flows, loads, stores and arguments of the program).
    """
    t = facts.tables
    flows, loads, stores, arguments = t["flows"], t["loads"], t["stores"], t["arguments"]
    written = stores["value"] >= 0
    kept = arguments["post"] >= 0
    results = t["calls"]["result"][arguments["call"]]
    edges = [
        (flows["origin"], flows["target"]),
        (loads["object"], loads["result"]),
        (stores["object"], stores["result"]),
        (stores["value"][written], stores["result"][written]),
        (arguments["value"], results),
        (arguments["value"][kept], arguments["post"][kept]),
        (t["pis"]["input"], t["pis"]["value"]),
    ]
    origins, targets = (np.concatenate(side) for side in zip(*edges, strict=True))
    made = reached(facts.program.num_values, origins, targets, t["parameters"]["value"])
    made |= t["values"]["op"] == PARAMETER_OP  # variables of a function around this one
    return made


def given_parameters(facts: Facts, made: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """(calls,) whether a call gets a parameter of the function around it, or what is made of one, or is one of such a
    value; another call asks nothing of a text that the function is given: ``new Forbidden("no")``, ``with lock:``.
    """
    arguments, callee = facts.tables["arguments"], facts.tables["calls"]["callee"]
    given: npt.NDArray[np.bool_] = (callee != NONE) & made[callee]
    given[arguments["call"][made[arguments["value"]]]] = True
    return given


def outcomes_of_comparisons(facts: Facts) -> frozenset[int]:
    """Expressions that are made of nothing: truth values, whose comparisons are conditions of their own. O(values)."""
    made = np.zeros(facts.program.num_values, bool)
    made[facts.tables["flows"]["target"]] = True
    return frozenset(np.flatnonzero((facts.tables["values"]["op"] == EXPRESSION_OP) & ~made).tolist())


def formal_operand(facts: Facts, value: int) -> bool:
    """Whether a value, such as the scheme of a URL, says nothing but the form of a text."""
    return value != NONE and is_listed(facts, facts.resolution.api_nodes(value), value)


def is_telling(facts: Facts, test: int, left: int, right: int, before: Known) -> bool:
    """Whether a condition asks more of a text than whether there is one, and how long it is."""
    passed_on = before.passed_on
    if test == BOTH_TEST or left == NONE:
        return False  # its parts are conditions of their own
    if test == TRUTH_TEST:
        rep = facts.rep[left]
        made = facts.rep[facts.load_object[facts.data[rep]]] if facts.op[rep] == LOAD_OP else rep  # one of its results
        if facts.op[made] == CALL_OP and is_known(facts, facts.data[made], before.elements):
            return False
        if facts.op[rep] == LOAD_OP and is_length(facts, left, passed_on):
            return False
        if facts.op[made] == CALL_OP and are_ends(facts, operands_of(facts, facts.data[made])):
            return False
        if facts.op[rep] == CALL_OP and (is_text(facts, rep) or asks_returned(facts, facts.data[rep])):
            return False
        if facts.op[rep] == PHI_OP and all(facts.constant(each) is not None for each in facts.flows.same_as(rep)):
            return False  # the conditions that chose the constant are asked themselves
        if rep in before.outcomes:
            return False  # ``a or b`` with ``a = row is not None``: the comparison is a condition of its own
        if facts.op[made] == CALL_OP and gets_nothing(facts, facts.data[made], before.captured):
            return False
        if facts.op[rep] == LOAD_OP and (is_part(facts, left) or is_plain_member(facts, left, before.computed)):
            return False
        if facts.op[rep] == LOAD_OP and facts.op[made] == CALL_OP and takes_apart(facts, facts.data[made]):
            return False
        return facts.op[rep] != PARAMETER_OP and left not in passed_on and rep not in passed_on
    if are_ends(facts, [each for each in (left, right) if each != NONE]):
        return False
    constant = facts.constant(right) if right != NONE else None
    if test == EQUAL_TEST and is_part_compared(facts, left, right):
        return False
    if test in (EQUAL_TEST, LESS_TEST) and any(is_constant_position(facts, each) for each in (left, right)):
        return False
    if test in (EQUAL_TEST, IS_TEST):
        if any(is_length_of(facts, *sides) for sides in ((left, right), (right, left))):
            return False  # ``len(x) == 0``
        return constant not in NOTHING and not (constant is not None and formal_operand(facts, left))
    if test == IN_TEST and right != NONE and facts.is_constant_collection(right):
        return not (formal_operand(facts, left) or is_part_asked(facts, "in", (left,)))
    if test == IN_TEST and right != NONE:
        return not is_constant_containment(facts, left, right)
    if test == LESS_TEST:
        if all(each == NONE or facts.op[facts.rep[each]] in NUMBERED for each in (left, right)):
            return False  # of a number that someone else computed: texts are seldom put in order
        for number, other in ((facts.constant(left), right), (constant, left)):
            is_number = number is not None and (number not in POSITIONS or facts.op[facts.rep[other]] == LOAD_OP)
            if is_number and is_length(facts, other, passed_on):
                return False
    return True


def is_text(facts: Facts, rep: int) -> bool:
    """Whether a call of APIs makes a text of one that it leaves nothing out of: its truth says whether there is one,
    ``if not name.strip()``.
    """
    return (
        not facts.calls.functions_of(facts.data[rep])
        and asked_by(facts, facts.data[rep])[0] == ""
        and (len(texts_kept(facts, rep)) == 1)
    )


def asks_returned(facts: Facts, call: int) -> bool:
    """Whether a call asks how a text begins or ends, with constants, which is all that the function returns beside
    constants: ``url = url.strip()``, then ``if not url.startswith("https://"): raise``, and ``return url``. What that
    proves of the returned text, guards know.
    """
    kind, operands = asked_by(facts, call)
    if kind not in ("prefix", "suffix") or len(operands) < 2 or not is_constant_text(facts, operands[1]):
        return False
    function = facts.tables["functions"]["result"][facts.function_of[facts.call_result[call]]]
    returned = {facts.rep[each] for each in facts.flows.same_as(int(function)) if facts.constant(each) is None}
    return returned == {facts.rep[operands[0]]}


def is_length_of(facts: Facts, length: int, number: int) -> bool:
    """Whether the length of something is compared with a constant."""
    if NONE in (length, number) or facts.constant(number) is None:
        return False
    rep = facts.rep[length]
    name = member_read(facts, length)
    if facts.op[rep] == CALL_OP:
        callee = facts.rep[facts.call_callee[facts.data[rep]]]
        name = facts.data[callee] if facts.op[callee] == GLOBAL_OP else member_read(facts, callee)
    return name != NONE and facts.program.strings[name] in facts.traits_of(length).texts.lengths


def operands_of(facts: Facts, call: int) -> list[int]:
    """The receiver of a call, if it has one, and its arguments."""
    receiver = facts.call_receiver[call]
    return [*(() if receiver == NONE else (receiver,)), *(facts.arg_value[row] for row in facts.args.of(call))]


def gets_nothing(facts: Facts, call: int, captured: npt.NDArray[np.bool_]) -> bool:
    """Whether a call is of functions of the program, which are given nothing and use no variables around them
    (``captured``: ``has_captured``).
    """
    functions = facts.calls.functions_of(call)
    return bool(functions) and not operands_of(facts, call) and not any([captured[each] for each in functions])


def are_ends(facts: Facts, values: list[int]) -> bool:
    """Whether what is asked about is the name at the end of a path, or its suffix, and no whole parameter: such a
    question says nothing of the folders that the path leads through.
    """
    ends = [each for each in values if is_end_of_path(facts, each)]
    others = [each for each in values if each not in ends]
    return bool(ends) and not any(
        facts.op[made] == PARAMETER_OP for each in others for made in made_from(facts, facts.rep[each])
    )


def is_part_compared(facts: Facts, left: int, right: int) -> bool:
    """Whether a part of a text is compared, as its host, of which guards say what that proves of the text."""
    return right != NONE and is_part_asked(facts, "eq", (left, right))


def takes_apart(facts: Facts, call: int) -> bool:
    """Whether a call returns the parts of a text that guards know: its error says that the text has no such form."""
    language = facts.language(facts.call_result[call])
    tests = facts.guards.tests.get(language, {}).get("eq")
    paths = [facts.apis[language].paths[node] for node in facts.calls.apis_of.get(call, ())]
    if tests is None or not paths:
        return False
    return any(guard.api in paths for steps, guards in tests.transforms.items() if len(steps) > 1 for guard in guards)


def is_part_asked(facts: Facts, kind: str, operands: Sequence[int]) -> bool:
    """Whether one of the operands is a part of a text that guards of this kind of test know."""
    tests = facts.guards.tests.get(facts.language(operands[0]), {}).get(kind)
    return tests is not None and any(guard.steps for each in operands for guard in transform_guards(facts, each, tests))


def is_known(facts: Facts, call: int, elements: frozenset[int]) -> bool:
    """Whether a condition on the result of a call says nothing but what the rules know."""
    if facts.labels.checks.formal.get(call) == frozenset() or is_constant_question(facts, call, elements):
        return True
    kind, operands = asked_by(facts, call)
    if kind not in ("contains", "lookup") or len(operands) < 2 or not facts.is_constant_collection(operands[0]):
        return are_known_answers(facts, call, elements)
    return is_part_asked(facts, "in", operands[1:2]) or formal_operand(facts, operands[1])


def elements_of_constants(facts: Facts) -> frozenset[int]:
    """Representatives of the parameters of functions that are asked about the elements of a constant collection:
    ``HOSTS.some(host => url.includes(host))``. O(calls of APIs).
    """
    asked = [quantified(facts, call) for call in facts.calls.apis_of]  # others are no quantifiers
    return frozenset(
        facts.rep[each.element] for each in asked if each is not None and facts.is_constant_collection(each.collection)
    )


def are_known_answers(facts: Facts, call: int, elements: frozenset[int]) -> bool:
    """Whether a call asks a function about the elements of a constant collection, and all that the function returns are
    constants, or answers to questions that are known.
    """
    asked = quantified(facts, call)
    if asked is None or facts.rep[asked.element] not in elements:
        return False
    answers = facts.flows.same_as(int(facts.tables["functions"]["result"][facts.function_of[asked.element]]))
    return all(
        facts.op[each] == CALL_OP and is_constant_question(facts, facts.data[each], elements)
        for each in map(facts.rep.__getitem__, answers)
        if facts.constant(each) is None
    )


def is_length(facts: Facts, value: int, passed_on: set[int]) -> bool:
    """Whether a value is a number that a modelled call, or a member, computes from a text."""
    rep = facts.rep[value]
    if facts.op[rep] == LOAD_OP:
        return facts.labels.clean.get(value, facts.labels.clean.get(rep, 0)) == facts.wanted.all
    return facts.op[rep] == CALL_OP and facts.data[rep] in facts.labels.modelled and rep not in passed_on


def choosing_calls(facts: Facts) -> frozenset[int]:
    """Calls whose result is called with something that they were given: ``handler = handler_of(url)``, then
    ``handler(url)``. A text that equals the name of a handler would say nothing to the handler: it is chosen by a piece
    of the text, and that there is one proves nothing of the rest. O(calls).
    """
    found: set[int] = set()
    for call, callee in enumerate(facts.call_callee):
        made = facts.rep[callee]
        if facts.op[made] != CALL_OP:
            continue
        chosen = facts.data[made]
        given = {facts.rep[facts.arg_value[row]] for row in facts.args.of(chosen)}
        if any(facts.rep[facts.arg_value[row]] in given for row in facts.args.of(call)):
            found.add(chosen)
    return frozenset(found)
