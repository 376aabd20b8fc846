"""Checks that end nothing themselves: they record that the value is bad, and the path needs that nothing was recorded.

``if sort not in COLUMNS: errors.append("sort")``, then ``if errors: return errors``. No value is bad on a way to where
the path goes on, unless it gets there without the record: a check under another condition proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Set
from typing import Final, NamedTuple

from pyrograph.ir.codes import NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH
from pyrograph.scanner.explain.asking import NOTHING, Asking
from pyrograph.scanner.explain.records import ANSWERS, WHOLE_OBJECT, Records, State
from pyrograph.scanner.explain.subjects import Subject

PLACELESS: Final = (Op.PHI, Op.CARRY, Op.OUT, Op.RESULT)  # of no certain block

MADE: Final = (Op.CONST, Op.NEW, Op.CALL)  # records where another way brings something else

NULLS: Final = frozenset({"null", "undefined"})

Side = tuple[int, int]  # condition, side


class Question(NamedTuple):
    """Which value must be good, for which vulnerability, and where that is known of truth values of a function."""

    subject: Subject
    bit: int
    truths: frozenset[int] = frozenset()  # representatives of what is true only where the value is good


class Recorded(NamedTuple):
    """What a call records of a bad value: under a key of a parameter's object, or of what it returns (NONE)."""

    parameter: int
    key: int
    truth: int = NONE  # of the truth value that is recorded


class RecordedRefusals:
    def __init__(self, asking: Asking) -> None:
        self.asking = asking
        self.flow = asking.control_flow
        self.records = Records(asking)
        self.tables = asking.program.tables
        self.known: dict[tuple[int, Question], frozenset[Recorded]] = {}  # by function: ``recorded_by``
        self.absent: set[Side] = set()  # of those that were asked for: there is no text, which is no check of one

    def is_refused(
        self, function: int, block: int, question: Question, earlier: Mapping[int, frozenset[Recorded]]
    ) -> bool:
        """Whether a function gets to ``block`` only where nothing bad was recorded of the subject. ``earlier``: by call
        of the function, what the path's own way through it recorded.
        """
        conditions_here = self.flow.conditions_in(function)
        if not conditions_here:  # then nothing asks for what was recorded
            return False
        passing = self.passing(function, question)
        calls = {**self.recording_calls(function, question, 0), **earlier}
        if passing <= self.absent and not calls:
            return False
        stops = self.flow.stops(function)
        conditions = self.tables["conditions"]
        for condition in conditions_here:
            operands = [int(conditions[name][condition]) for name in ("left", "right")]
            wanted = [(each, WHOLE_OBJECT) for each in operands if each != NONE]
            if conditions["test"][condition] == Test.BOTH or not wanted:
                continue
            needed = next(
                (side for side in (0, 1) if block not in self.asking.without(function, condition, side, stops)), NONE
            )
            if needed == NONE:
                continue
            recording = self.recording_blocks(function, {block}, wanted, question, passing, calls)
            recorded = self.records.recorded_side(condition, self.truths(recording, calls))
            if (
                recording
                and recorded == 1 - needed
                and not any(self.gets_round(function, each, block, (condition, needed)) for each in recording)
            ):
                return True
        return False

    def truths(self, recording: Mapping[int, State], calls: Mapping[int, frozenset[Recorded]]) -> set[int]:
        """The truth values that these blocks record; where one records null, also those of objects."""
        found: set[int] = set()
        constants = [self.asking.constant(self.stored(value)) for value, _ in recording.values()]
        if not NULLS.isdisjoint(constants):
            found = {int(each not in NULLS) for each in constants if each not in ANSWERS}
        for (value, key), constant in zip(recording.values(), constants, strict=True):
            if constant in ANSWERS:
                found.add(int(constant == "true"))
            if self.asking.op[value] == Op.CALL:
                records = [each for each in calls.get(self.asking.data[value], ()) if each.truth != NONE]
                found |= {each.truth for each in records if self.records.is_same_key(key, each.key)}
        return found

    def stored(self, value: int) -> int:
        """What a store puts into its object; any other value itself."""
        if self.asking.op[value] != Op.STORE:
            return value
        stored = int(self.tables["stores"]["value"][self.asking.data[value]])
        return stored if stored != NONE else value

    def gets_round(self, function: int, start: int, block: int, side: Side) -> bool:
        """Whether a way from ``start`` to ``block`` does without a side of a condition: that of a loop is asked before
        what its body records.
        """
        return block in self.reached(function, {side}, self.flow.stops(function), start)

    def recorded_by(self, function: int, question: Question, depth: int) -> frozenset[Recorded]:
        """What a function records, each time that it comes back, where the subject is bad."""
        name = function, question
        if name not in self.known:
            self.known[name] = frozenset()  # a function that calls itself
            self.known[name] = frozenset(self._recorded_by(function, question, depth))
        return self.known[name]

    def _recorded_by(self, function: int, question: Question, depth: int) -> Iterator[Recorded]:
        if function not in self.flow.blocks or depth > MAX_ASKED_DEPTH:
            return
        passing = self.passing(function, question)
        calls = self.recording_calls(function, question, depth)
        if passing <= self.absent and not calls:
            return
        exits = {each for each in self.flow.blocks[function][0] if self.flow.is_exit(each)}
        exits -= self.flow.raising.get(function, set())
        exits.difference_update(self.flow.stops(function))
        parameters = self.tables["parameters"]
        for row in self.records.parameters.get(function, ()):
            value, out = int(parameters["value"][row]), int(parameters["out"][row])
            for key in sorted(self.records.changes(value)) if out != NONE else ():
                if self.recording_blocks(function, exits, [(out, key)], question, passing, calls):
                    yield Recorded(value, key)
        result = int(self.tables["functions"]["result"][function])
        for key in sorted(self.returned_keys(result)):
            recording = self.recording_blocks(function, exits, [(result, key)], question, passing, calls)
            truths = self.truths(recording, calls)
            if recording and len(truths) < 2:
                yield Recorded(NONE, key, truths.pop() if truths else NONE)

    def returned_keys(self, result: int) -> Set[int]:
        """The keys of what a function returns: one for each of several results."""
        stores = self.tables["stores"]
        found = {WHOLE_OBJECT}
        for value in self.asking.same_as(result):
            for at in self.records.chain(value):
                if self.asking.op[at] == Op.STORE:
                    found.add(int(stores["key"][self.asking.data[at]]))
        return {each for each in found if each >= WHOLE_OBJECT}

    # -- One function

    def recording_blocks(
        self,
        function: int,
        ends: Set[int],
        wanted: Iterable[State],
        question: Question,
        passing: Set[Side],
        calls: Mapping[int, frozenset[Recorded]],
    ) -> dict[int, State]:
        """The blocks that record a bad subject in a state that ``wanted`` depend on, if it gets to ``ends`` by these
        alone, each with what is recorded, and under which key.
        """
        failing = {(each, 1 - side) for each, side in passing if (each, side) not in self.absent}
        stops = self.flow.stops(function)
        usual: Set[int] = self.reached(function, failing, stops).keys() if failing else set()
        if usual.isdisjoint(ends):  # it gets there for bad values alone, so that nothing is held against them
            failing = set()
        found: dict[int, State] = {}
        states = self.records.states(wanted, question.subject.texts)
        merged = self.records.merged(states)
        for value, key in states:
            if self.flow.function[value] != function or self.asking.op[value] in PLACELESS:
                continue
            block = self.flow.block_of(value)
            is_failing = bool(failing) and block not in usual
            if self.is_of_call(value, key, calls) or (
                is_failing
                and (value in merged or self.asking.op[value] not in MADE)
                and self.records.is_record(value, key, question.subject)
            ):
                found.setdefault(block, (value, key))
        stops = {**stops, **{block: value for block, (value, _) in found.items()}}
        if not found or not ends.isdisjoint(self.reached(function, passing, stops).keys() - found.keys()):
            return {}
        return found

    def is_of_call(self, value: int, key: int, calls: Mapping[int, frozenset[Recorded]]) -> bool:
        """Whether a state is that of an argument, or the result, of a call that records a bad subject there."""
        op, row = self.asking.op[value], self.asking.data[value]
        if op == Op.CALL:
            return any(
                each.parameter == NONE and self.records.is_same_key(key, each.key) for each in calls.get(row, ())
            )
        if op != Op.POST:
            return False
        call, argument = int(self.tables["arguments"]["call"][row]), self.asking.args.value[row]
        found = calls.get(call, frozenset())
        return any(
            given == argument and each.parameter == parameter and self.records.is_same_key(key, each.key)
            for given, parameter in self.records.given(call)
            for each in found
        )

    def reached(self, function: int, sides: Set[Side], stops: Mapping[int, int], start: int = NONE) -> dict[int, int]:
        """The blocks that are reached from ``start`` without edges on which one of ``sides`` holds."""
        if not self.asking.budget.spend(function, len(self.flow.blocks[function][0])):
            return dict.fromkeys(self.flow.blocks[function][0], NONE)
        return self.flow.reach(function, stops, lambda condition, side: self.flow.holds(condition, side, sides), start)

    # -- Conditions on the subject

    def passing(self, function: int, question: Question) -> frozenset[Side]:
        """The sides of conditions that a bad subject does not have."""
        conditions = self.flow.conditions_in(function)
        if not self.asking.budget.spend(function, len(conditions)):
            return frozenset()
        return frozenset(side for each in conditions for side in self.passing_sides(each, question))

    def passing_sides(self, condition: int, question: Question) -> list[Side]:
        table, subject = self.tables["conditions"], question.subject
        test, left = int(table["test"][condition]), int(table["left"][condition])
        if test == Test.BOTH or left == NONE:
            return []
        if test == Test.TRUTH:
            if self.is_true_of(left, question.truths):
                return [(condition, 1)]
            if self.asking.is_whole(left, subject):
                self.absent.add((condition, 0))
                return [(condition, 0)]
        operands = (left, int(table["right"][condition]))
        if test in (Test.EQUAL, Test.IS) and NONE not in operands:
            for one, other in (operands, operands[::-1]):
                if self.asking.is_whole(one, subject) and self.asking.constant(other) in NOTHING:
                    self.absent.add((condition, 1))
                    return [(condition, 1)]
        proofs = self.asking.labels.checks.proofs
        found = [
            (condition, each.side)
            for each in (proofs(condition) if proofs is not None else ())
            if each.mask & question.bit and not subject.texts.isdisjoint(each.values)
        ]
        if found:
            return found
        if test == Test.TRUTH:
            is_question = self.asking.op[self.asking.reps[left]] == Op.CALL
        else:
            is_compared = test == Test.EQUAL and NONE not in operands
            is_question = test == Test.IN or (is_compared and NOTHING.isdisjoint(map(self.asking.constant, operands)))
        if is_question and self.asking.is_asked(condition, subject, 0):  # no error, and no row, of a call
            found_on = self.asking.found_side(condition, subject, 0)
            # what else is asked for is taken to be so that the text is known
            return [(condition, found_on if found_on != NONE else 1)]
        return []

    def is_true_of(self, value: int, truths: Set[int]) -> bool:
        return bool(truths) and any(self.asking.reps[each] in truths for each in self.records.chain(value))

    def recording_calls(self, function: int, question: Question, depth: int) -> dict[int, frozenset[Recorded]]:
        """The calls of a function that record a bad subject: they are given it, or the truth of a check of it."""
        found: dict[int, frozenset[Recorded]] = {}
        calls = self.flow.calls_in(function)
        if depth >= MAX_ASKED_DEPTH or not self.asking.budget.spend(function, len(calls)):
            return found
        subject, asking = question.subject, self.asking
        checked = {
            argument: call
            for call in calls
            if self.flow.functions_of(call)
            for argument in (asking.args.value[row] for row in asking.args.of(call))
            if self.is_check(argument, question)
        }
        for call in sorted({*asking.calls_given(function, subject), *checked.values()}):
            given = asking.given(call, subject)
            for callee in self.flow.functions_of(call)[:MAX_ASKED_DEPTH]:
                truths = frozenset(
                    asking.reps[parameter] for argument, parameter in self.records.given(call) if argument in checked
                )
                inner = Question(asking.parameters(call, callee, given), question.bit, truths)
                recorded = self.recorded_by(callee, inner, depth + 1)
                if not recorded:
                    found.pop(call, None)
                    break
                found[call] = recorded | found.get(call, frozenset())
        return found

    def is_check(self, value: int, question: Question, depth: int = 0) -> bool:
        """Whether a truth value is true only where the subject is good, as far as a condition in its text, or the
        function that returns it, says.
        """
        op, asking = self.asking.op[value], self.asking
        if op == Op.CALL:
            functions = self.flow.functions_of(asking.data[value])
            if functions and depth < MAX_ASKED_DEPTH:
                given = asking.given(asking.data[value], question.subject)
                inner = [asking.parameters(asking.data[value], each, given) for each in functions[:MAX_ASKED_DEPTH]]
                if all(
                    self.is_true_for_good(function, Question(subject, question.bit), depth + 1)
                    for function, subject in zip(functions, inner, strict=False)
                ):
                    return True
            answers = asking.labels.checks.answers
            return asking.asks(asking.data[value], question.subject, 0) or any(
                each.side and each.mask & question.bit and not question.subject.texts.isdisjoint(each.values)
                for each in (answers(value) if answers is not None else ())
            )
        if op != Op.EXPRESSION:
            return False
        sides = {side for each in self.flow.conditions_within(value) for side in self.passing_sides(each, question)}
        return any(side for _, side in sides)

    def is_true_for_good(self, function: int, question: Question, depth: int) -> bool:
        """Whether a function returns true only where the subject, of its parameters, is good."""
        if not question.subject or function not in self.flow.blocks:
            return False
        returned = self.asking.same_as(int(self.tables["functions"]["result"][function]))
        open_ = [each for each in returned if self.asking.constant(each) != "false"]
        unproven = [each for each in open_ if not self.is_check(each, question, depth)]
        reached = self.reached(function, self.passing(function, question), self.flow.stops(function))
        return bool(open_) and all(
            self.asking.op[each] == Op.CONST and self.flow.block_of(each) not in reached for each in unproven
        )
