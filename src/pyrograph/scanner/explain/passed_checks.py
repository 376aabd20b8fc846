"""The checks that a reader sees under a path: conditions on its data that hold wherever the path goes on.

Each function that the path goes through is asked, by control flow: a condition counts if it was computed from the data
and the path's last value in this function is not reached where the condition has its other side. So is each condition
of a function that is given the data before and raises otherwise, and each condition that made the version which the
path goes on with. That a text is there is no check. Nothing here decides what is reported: ``refusals`` does.

Costs O(blocks) for each condition on the data, for reported paths only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.model.check import Check, Outcome
from pyrograph.model.vulnerability import Vulnerability
from pyrograph.policy.limits.explanation import MAX_EXAMINED_CHECKS, MAX_SHOWN_CHECKS
from pyrograph.scanner.analysis.label.guard_checks import PREDICATES
from pyrograph.scanner.analysis.search import Hit
from pyrograph.scanner.explain.asking import NOTHING
from pyrograph.scanner.explain.paths import Edge
from pyrograph.scanner.explain.refusals import Activation, RefusalCheck
from pyrograph.scanner.explain.steps import Steps
from pyrograph.scanner.explain.subjects import Subject

# Comparisons that front ends lower to the negation of another one, as they are written in any of the languages.
NEGATED: Final = re.compile(rb"!==?|<>|[<>]=|\bnot\s+in\b|\bis\s+not\b")
INVERTED_TRUTH: Final = re.compile(rb"==")  # a comparison with nothing is lowered to the truth of what is compared
NO_OPERATOR: Final = re.compile(rb"[\w.\"'`-]+")  # the text of a comparison that does not hold both operands: a case
QUOTED: Final = re.compile(rb"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|`[^`]*`")
BRACKETED: Final = re.compile(rb"\([^()\[\]]*\)|\[[^()\[\]]*\]")

# What a test looks at, if it proves nothing else.
LOOKS_AT: Final[Mapping[str, str]] = {
    "prefix": "looks at the beginning only",
    "suffix": "looks at the end only",
    "contains": "looks for one text only",
}

NO_CHECK: Final = NOTHING - {"'string"}  # compared with: is there a value?


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
        self.known: dict[tuple[int, frozenset[int], Subject], list[Passed]] = {}  # ``before``
        self.allows = allowed(steps.labels.vulnerabilities, vulnerabilities)

    def of(self, hit: Hit) -> tuple[Check, ...]:
        """The checks of a hit's path, in the order in which it goes through functions, then by place."""
        labels = self.steps.labels
        source, sink = labels.sources[hit.source_role], labels.sinks[hit.sink_role]
        edges = self.steps.edges(hit)
        found: list[Check] = []
        versions = self.versions(edges)
        for run, _ in self.refusals.activations(edges, source.value, sink):
            for passed in self.of_run(run, versions):
                check = self.check(passed, sink.vulnerability, self.names(run))
                if check is not None and all((check.place, check.text) != (each.place, each.text) for each in found):
                    found.append(check)
        return tuple(found[:MAX_SHOWN_CHECKS])

    def names(self, run: Activation) -> Subject:
        reps = self.asking.reps
        return Subject(frozenset(reps[each] for each in run.texts), frozenset(run.parts))

    def versions(self, edges: Sequence[Edge]) -> list[tuple[int, Passed]]:
        """By function: the conditions that made a version which the path goes through."""
        pis, op, data, value = self.steps.program.tables["pis"], self.steps.op, self.steps.data, self.steps.flow.value
        found: list[tuple[int, Passed]] = []
        for edge in edges:
            at = value[edge.target]
            if op[at] == Op.PI and not self.steps.flow.access_path[edge.target]:
                row = data[at]
                whole = Passed(int(pis["condition"][row]), int(pis["side"][row]))
                found += [(int(self.flow.function[at]), each) for each in self.parts(whole)]
        return found

    def parts(self, passed: Passed) -> list[Passed]:
        """A conjunction that holds as its parts; of one that does not hold, nothing is known of its parts."""
        if not passed.side:
            return [passed] if self.conditions["test"][passed.condition] != Test.BOTH else []
        return [
            Passed(each, side)
            for each, side in self.flow.conjuncts(passed.condition)
            if self.conditions["test"][each] != Test.BOTH
        ]

    def of_run(self, run: Activation, versions: Iterable[tuple[int, Passed]]) -> list[Passed]:
        """The conditions of one function that the path passes, by place."""
        last = self.refusals.last_of(run)
        if last == NONE:
            return []
        function = int(self.flow.function[last])
        subject = self.names(run)
        found = self.before(function, frozenset({self.refusals.block_of(last)}), subject, last)
        own = [each for at, each in versions if at == function and self.is_about(each.condition, subject)]
        return sorted({*found, *own}, key=self.span)

    def before(self, function: int, ends: frozenset[int], subject: Subject, last: int, depth: int = 0) -> list[Passed]:
        """The conditions on the subject without one side of which ``function`` reaches none of its blocks ``ends``."""
        name = function, ends, subject
        if name in self.known:
            return self.known[name]
        self.known[name] = []  # a function that calls itself
        stops, _ = self.refusals.outcomes(function)
        found: list[Passed] = []
        conditions = (each for each in self.flow.conditions_in(function) if self.is_about(each, subject))
        for condition in islice(conditions, MAX_EXAMINED_CHECKS):
            for side in (0, 1):
                if ends.isdisjoint(self.asking.without(function, condition, side, stops)):
                    found.append(Passed(condition, side))
        for call in self.asking.calls_given(function, subject) if not depth else ():
            inside = self.inside(call, subject)
            if inside and int(self.refusals.results[call]) < last and ends.isdisjoint(self.asking.past(function, call)):
                found.append(Passed(NONE, 0, call))
                found += inside
        self.known[name] = found
        return found

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
        file = int(self.steps.program.file_of_value[self.steps.program.tables["functions"]["value"][function]])
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
        if test == Test.EQUAL and NO_OPERATOR.fullmatch(piece):
            text = f"case {text}"
        outcome: Outcome = "true" if is_written(test, passed.side, piece) else "false"
        return Check(place, text, outcome, self.remark(passed, bit, subject))

    def remark(self, passed: Passed, bit: int, subject: Subject) -> str:
        """Why the finding is reported although this condition is passed; "" where it is not known what it proves."""
        left, right = (int(self.conditions[name][passed.condition]) for name in ("left", "right"))
        test = int(self.conditions["test"][passed.condition])
        operands = [each for each in (left, right) if each != NONE]
        calls = [call for each in operands for call in self.calls_about(each, subject)]
        if test == Test.LESS:
            return "limits a size only"
        if any(self.flow.functions_of(call) for call in calls):
            return "what this function accepts is not known"
        given = [self.asking.args.value[row] for call in calls for row in self.asking.args.of(call)]
        is_whole = any(self.asking.reps[each] in subject.texts for each in (*operands, *given))
        if is_whole and passed.condition in self.steps.labels.checks.understood and self.allows[bit]:
            return f"allows {self.allows[bit]}"
        if test == Test.IS:
            return "tests the type only"
        if test == Test.TRUTH:
            kinds = [PREDICATES.get(self.asking.name_of(call), "") for call in calls]
            return next((LOOKS_AT[each] for each in kinds if each in LOOKS_AT), "") if is_whole else ""
        constants = [each for each in map(self.asking.constant, operands) if each is not None]
        if constants:
            is_text = constants[0].startswith("'") and constants[0] not in NO_CHECK
            return "excludes one text only" if is_text and test == Test.EQUAL and is_whole and not passed.side else ""
        return "compares with what is not constant" if test in (Test.EQUAL, Test.IN) else ""


def allowed(bits: Sequence[str], vulnerabilities: Mapping[str, Vulnerability]) -> list[str]:
    """By bit: what a check lets through that leaves the aspect; a vulnerability's bits are its aspects in order."""
    counts: dict[str, int] = {}
    found: list[str] = []
    for name in bits:
        at = counts[name] = counts.get(name, -1) + 1
        aspects = vulnerabilities[name].aspects if name in vulnerabilities else ()
        found.append(aspects[at].allows if at < len(aspects) else "")
    return found


def is_written(test: int, side: int, text: bytes) -> bool:
    """Whether a condition is true, as it is written, where it has this side.

    >>> is_written(Test.EQUAL, 0, b'name != "a"'), is_written(Test.EQUAL, 0, b'name == "!="')
    (True, False)
    >>> is_written(Test.LESS, 1, b"len(a) >= 3"), is_written(Test.TRUTH, 0, b"f(x) == nil")
    (False, True)
    """
    pattern = INVERTED_TRUTH if test == Test.TRUTH else NEGATED
    return bool(side) != (pattern.search(outside(text)) is not None)


def outside(text: bytes) -> bytes:
    """``text`` without what it quotes and what stands in brackets."""
    text = QUOTED.sub(b"", text)
    count = 1
    while count:  # ``text`` gets shorter
        text, count = BRACKETED.subn(b"", text)
    return text
