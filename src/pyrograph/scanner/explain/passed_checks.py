"""The checks that a reader sees under a path: conditions on its data that hold wherever the path goes on.

Each function that the path goes through is asked, by control flow: a condition counts if it was computed from the data
and the path's last value in this function is not reached where the condition has its other side. So is each condition
of a function that is given the data before and raises otherwise. That a text is there is no check. A condition whose
text is not plainly what is tested is not listed. Nothing here decides what is reported: ``refusals`` does.

Costs O(blocks) for each condition on the data, and each call that gets it, of reported paths' functions: once.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.model.check import Check, Outcome
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.parsers import language_of
from pyrograph.policy.limits.explanation import MAX_EXAMINED_CHECKS, MAX_SHOWN_CHECKS
from pyrograph.policy.names.questions import ERROR_NAMES
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.asking import NOTHING
from pyrograph.scanner.explain.refusals import Activation, RefusalCheck
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.subjects import Subject
from pyrograph.scanner.explain.written import is_case, is_plain, is_written

# What a test looks at, if it proves nothing else.
LOOKS_AT: Final[Mapping[str, str]] = {
    "prefix": "looks at the beginning only",
    "suffix": "looks at the end only",
    "contains": "looks for one text only",
}

NO_CHECK: Final = NOTHING - {"'string"}  # compared with: is there a value?

ABSENCES: Final = ("null", "undefined")


class Passed(NamedTuple):
    """One condition, or one call, that a function passes before it goes on."""

    condition: int  # or NONE
    side: int
    call: int = NONE  # that comes back


class PassedChecks:
    """Finds the checks of paths."""

    def __init__(self, steps: Steps, refusals: RefusalCheck, vulnerabilities: Mapping[str, Vulnerability]) -> None:
        self.steps = steps
        self.refusals = refusals
        self.asking = refusals.asking
        self.flow = refusals.control_flow
        self.conditions, self.loads = steps.program.tables["conditions"], steps.program.tables["loads"]
        self.known: dict[tuple[int, frozenset[int], Subject, int, int], list[Passed]] = {}  # ``before``
        self.asked: dict[tuple[int, Subject], list[int]] = {}  # ``conditions_on``
        self.walked: dict[tuple[int, Passed], bytes] = {}  # ``misses``
        self.allows = allowed(steps.labels.vulnerabilities, vulnerabilities)

    def of(self, hit: Hit) -> tuple[Check, ...]:
        """The checks of a hit's path, in the order in which it goes through functions, then by place."""
        labels = self.steps.labels
        source, sink = labels.sources[hit.source_role], labels.sinks[hit.sink_role]
        found: list[Check] = []
        for run, _ in self.refusals.activations(self.steps.edges(hit), source.value, sink):
            for passed in self.of_run(run):
                check = self.check(passed, sink.vulnerability, self.names(run))
                if check is not None and all((check.place, check.text) != (each.place, each.text) for each in found):
                    found.append(check)
        return tuple(found[:MAX_SHOWN_CHECKS])

    def names(self, run: Activation) -> Subject:
        reps = self.asking.reps
        return Subject(frozenset(reps[each] for each in run.texts), frozenset(run.parts))

    def of_run(self, run: Activation) -> list[Passed]:
        """The conditions of one function that the path passes, by place."""
        last = self.refusals.last_of(run)
        if last == NONE:
            return []
        ends = frozenset({self.refusals.control_flow.block_behind(last)})
        return sorted(set(self.before(int(self.flow.function[last]), ends, self.names(run), last)), key=self.span)

    def before(self, function: int, ends: frozenset[int], subject: Subject, last: int, depth: int = 0) -> list[Passed]:
        """The conditions on the subject without one side of which ``function`` reaches none of its blocks ``ends``."""
        name = function, ends, subject, last, depth
        if name in self.known:
            return self.known[name]
        self.known[name] = []  # a function that calls itself
        stops, _ = self.refusals.outcomes(function)
        found: list[Passed] = []
        for condition in self.conditions_on(function, subject):
            for each in (Passed(condition, 0), Passed(condition, 1)):
                walk = partial(self.asking.without, function, condition, each.side, stops)
                if self.misses(function, ends, each, walk) and not self.has_failed(each):
                    found.append(each)
        calls = self.asking.calls_given(function, subject) if not depth else ()
        for call in islice((each for each in calls if int(self.refusals.results[each]) < last), MAX_EXAMINED_CHECKS):
            inside = self.inside(call, subject)
            passed = Passed(NONE, 0, call)
            if inside and self.misses(function, ends, passed, partial(self.asking.past, function, call)):
                found += [passed, *inside]
        self.known[name] = found
        return found

    def conditions_on(self, function: int, subject: Subject) -> list[int]:
        name = function, subject
        if name not in self.asked:
            if not self.refusals.may_look_into(function):
                return self.asked.setdefault(name, [])
            found = (each for each in self.flow.conditions_in(function) if self.is_about(each, subject))
            self.asked[name] = list(islice(found, MAX_EXAMINED_CHECKS))
        return self.asked[name]

    def misses(self, function: int, ends: frozenset[int], passed: Passed, walk: Callable[[], set[int]]) -> bool:
        """Whether ``walk``, which is made once, reaches none of ``ends``: a byte for each block is kept."""
        name = function, passed
        blocks = self.flow.blocks[function][0]
        if name not in self.walked:
            if not self.asking.budget.spend(function, 0):
                return False
            reached = walk()
            self.walked[name] = bytes(each in reached for each in blocks)
        return not any(self.walked[name][bisect_left(blocks, each)] for each in ends)

    def inside(self, call: int, subject: Subject) -> list[Passed]:
        """The conditions on what a call is given without which the function that it calls does not come back."""
        functions = self.flow.functions_of(call)
        given = self.asking.given(call, subject) if len(functions) == 1 else {}
        if not given or functions[0] not in self.flow.blocks:
            return []
        function = functions[0]
        raising = self.flow.raising.get(function, set())
        ends = frozenset(each for each in self.flow.blocks[function][0] if self.flow.is_exit(each)) - raising
        if not raising or not ends:
            return []
        return self.before(function, ends, self.asking.parameters(call, function, given), NONE, depth=1)

    def is_about(self, condition: int, subject: Subject) -> bool:
        """Whether a condition says more of the subject than whether it is there."""
        asking, table = self.asking, self.conditions
        test, left, right = (int(table[name][condition]) for name in ("test", "left", "right"))
        if test == Test.BOTH or left == NONE:
            return False
        operands = [each for each in (left, right) if each != NONE]
        if any(self.calls_about(each, subject) for each in operands):
            return True
        if test == Test.TRUTH or any(asking.constant(each) in NO_CHECK for each in operands):
            return asking.asks_address(condition, subject)
        return any(asking.is_about(each, subject) or self.is_size(each, subject) for each in operands)

    def has_failed(self, passed: Passed) -> bool:
        """Whether a condition holds on this side because a call failed: ``if err != nil { log(err, name) }``. Who goes
        on there has passed no check.
        """
        asking, table = self.asking, self.conditions
        test, left, right = (int(table[name][passed.condition]) for name in ("test", "left", "right"))
        is_absent = test in (Test.EQUAL, Test.IS) and right != NONE and asking.constant(right) in ABSENCES
        if passed.side == int(is_absent) or not (is_absent or test == Test.TRUTH):
            return False
        key = asking.loaded_key(asking.reps[left])
        if key >= 0 and not self.steps.program.strings[key].isdigit():
            return ERROR_NAMES.search(self.steps.program.strings[key]) is not None
        file, start, end = self.span(passed)
        return ERROR_NAMES.search(self.steps.texts.text(file, start, end)) is not None

    def calls_about(self, value: int, subject: Subject) -> list[int]:
        """The calls whose outcome a value is, and that are given the subject, but for those that it came from."""
        asking = self.asking
        is_call = self.steps.op[value] == Op.CALL  # its representative may be what its function returns
        calls = [self.steps.data[value]] if is_call else asking.tested_calls(value)
        if not calls:
            return []
        before = subject.texts.union(*(asking.made_of(rep) for rep, _ in subject.parts))
        return [
            each
            for each in calls
            if asking.reps[self.refusals.results[each]] not in before and asking.given(each, subject)
        ]

    def is_size(self, value: int, subject: Subject) -> bool:
        """Whether a value is a member of the subject that holds no text: ``name.length``."""
        if self.steps.op[value] != Op.LOAD:
            return False
        return self.asking.is_about(int(self.loads["object"][self.steps.data[value]]), subject)

    # -- For readers

    def span(self, passed: Passed) -> tuple[int, int, int]:
        if passed.condition == NONE:
            return self.flow.span(self.refusals.results[passed.call])
        function = int(self.conditions["function"][passed.condition])
        file = int(self.steps.program.file_of_value[self.steps.program.tables["functions"]["result"][function]])
        return file, int(self.conditions["start"][passed.condition]), int(self.conditions["end"][passed.condition])

    def check(self, passed: Passed, bit: int, subject: Subject) -> Check | None:
        file, start, end = self.span(passed)
        place = self.steps.texts.place(file, start, end, one_line=True)
        text = self.steps.texts.text(file, start, end)
        if not text:
            return None
        if passed.condition == NONE:
            return Check(place, text, "returns")
        piece = self.steps.texts.piece(file, start, end)
        test = int(self.conditions["test"][passed.condition])
        if is_case(test, piece):
            text = f"case {text}"
        elif not is_plain(test, piece):
            return None
        outcome: Outcome = "true" if is_written(test, passed.side, piece) else "false"
        return Check(place, text, outcome, self.remark(passed, bit, subject))

    def remark(self, passed: Passed, bit: int, subject: Subject) -> str:
        """Why the finding is reported although this condition is passed; "" where it is not known what it proves."""
        left, right = (int(self.conditions[name][passed.condition]) for name in ("left", "right"))
        test = int(self.conditions["test"][passed.condition])
        operands = [each for each in (left, right) if each != NONE]
        calls = [call for each in operands for call in self.calls_about(each, subject)]
        if test == Test.LESS and self.is_length(left, right):
            return "limits a size only"
        if any(self.flow.functions_of(call) for call in calls):
            return "what this function accepts is not known"
        given = [self.asking.args.value[row] for call in calls for row in self.asking.args.of(call)]
        is_whole = any(self.asking.reps[each] in subject.texts for each in (*operands, *given))
        constants = [each for each in map(self.asking.constant, operands) if each is not None]
        if test == Test.EQUAL and not passed.side and constants and is_whole:
            is_text = constants[0].startswith("'") and constants[0] not in NO_CHECK
            return "excludes one text only" if is_text else ""
        is_positive = passed.side and (test in (Test.TRUTH, Test.IN, Test.IS) or (test == Test.EQUAL and not calls))
        if is_positive and is_whole and passed.condition in self.steps.labels.checks.understood and self.allows[bit]:
            return f"allows {self.allows[bit]}"
        if test == Test.IS:
            return "tests the type only"
        if test == Test.TRUTH:
            kinds = [
                self.asking.questions_of(call).tests.get(self.asking.name_of(call), "")
                for call in calls
                if self.is_looked_at(call, subject)
            ]
            return next((LOOKS_AT[each] for each in kinds if each in LOOKS_AT), "")
        if test in (Test.EQUAL, Test.IN) and not any(self.asking.is_constant(each) for each in operands):
            return "compares with what is not constant"
        return ""

    def is_length(self, left: int, right: int) -> bool:
        """Whether a comparison is one of a length with a constant."""
        if self.asking.constant(left) is not None:
            left, right = right, left
        if self.asking.constant(right) is None:
            return False
        op, row, program = self.steps.op[left], self.steps.data[left], self.steps.program
        lengths = language_of(program.files[int(program.file_of_value[left])].language).traits.texts.lengths
        if op == Op.CALL:
            return self.asking.name_of(row) in lengths
        key = int(self.loads["key"][row]) if op == Op.LOAD else NONE
        return key >= 0 and program.strings[key] in lengths

    def is_looked_at(self, call: int, subject: Subject) -> bool:
        """Whether a test looks into the subject: ``s.includes("a")``, ``strings.Contains(s, "a")``; not in a list."""
        args = self.asking.args
        at = {args.position[row]: args.value[row] for row in args.of(call)}
        if self.is_whole(at.get(RECEIVER, NONE), subject):
            return True
        text = self.asking.constant(at[1]) if 1 in at else ""
        return self.is_whole(at.get(0, NONE), subject) and (text is None or text.startswith("'"))

    def is_whole(self, value: int, subject: Subject) -> bool:
        return value != NONE and self.asking.reps[value] in subject.texts


def allowed(bits: Sequence[str], vulnerabilities: Mapping[str, Vulnerability]) -> list[str]:
    """By bit: what a check lets through that leaves the aspect; a vulnerability's bits are its aspects in order."""
    counts: dict[str, int] = {}
    found: list[str] = []
    for name in bits:
        at = counts[name] = counts.get(name, -1) + 1
        aspects = vulnerabilities[name].aspects if name in vulnerabilities else ()
        found.append(aspects[at].allows if at < len(aspects) else "")
    return found
