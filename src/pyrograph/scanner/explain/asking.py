"""What functions of the program ask of their parameters: whether what a call returns, or whether it comes back at all,
depends on a text that it was given.

``def is_known(name): return name in registry.names`` asks something of its parameter, ``def save(name, data): ...``
does not. A condition asks only if the function ends in another way on one of its sides. That a text is there, how long
it is, and that there is a file of this name is no answer.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from functools import cached_property
from types import MappingProxyType
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, UNKNOWN_KEY, CallFlag, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH
from pyrograph.policy.names.functions import FORM_FAILURES
from pyrograph.policy.names.questions import ENTITLING_NAMES, EXISTENCE_NAMES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.analysis.label.labels import FieldCheck
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.found_results import FoundResults
from pyrograph.scanner.explain.look_ups import continues, is_failure, may_ask, results_in
from pyrograph.scanner.explain.subjects import MERGES, WHOLE, Subject

NOTHING: Final = frozenset({"null", "undefined", "'", "false", "true", "'string"})  # compared with: is there a text?


class Asking(FoundResults):
    def __init__(self, control_flow: ControlFlow, labels: Labels, args: Arguments) -> None:
        super().__init__(control_flow, labels, args)
        self.decided: dict[tuple[int, Subject], bool] = {}  # ``decides``
        self.raised: dict[tuple[int, Subject], bool] = {}  # ``raises``
        self.refused: dict[FieldCheck, bool] = {}  # ``refuses_field``
        self.splits: dict[int, bool] = {}  # by condition: ``matters``
        self.receivers: dict[int, dict[int, list[int]]] = {}  # by function: ``calls_given``

    # -- Conditions and calls

    def calls_of(self, condition: int) -> list[int]:
        """The calls whose outcome a condition tests."""
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        if test not in (Test.TRUTH, Test.EQUAL, Test.IS, Test.LESS):
            return []
        operands = [int(table[side][condition]) for side in ("left", "right") if table[side][condition] != NONE]
        return [call for each in operands for call in self.tested_calls(each)]

    def is_asked(self, condition: int, subject: Subject, depth: int) -> bool:
        """Whether a condition says something of the subject."""
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if test == Test.BOTH or left == NONE:
            return False  # its parts are conditions of their own
        operands = [each for each in (left, right) if each != NONE]
        if condition in self.labels.checks.understood:  # of a row it is known that it is null, and not what it was for
            compared = test == Test.EQUAL and any(self.constant(each) in NOTHING for each in operands)
            return compared and self.found_side(condition, subject, depth) != NONE
        if self.asks_address(condition, subject):
            return True
        if any(self.asks(call, subject, depth) for each in operands for call in self.tested_calls(each)):
            return True
        if test not in (Test.EQUAL, Test.IN) or any(self.constant(each) in NOTHING for each in operands):
            return False
        about = [self.is_about(each, subject) for each in operands]
        return any(about) and not any(self.is_constant(each) for each in operands)

    def calls_given(self, function: int, subject: Subject) -> list[int]:
        """The calls in ``function`` of functions of the program that are given something of the subject, in order."""
        known = self.receivers.get(function)
        if known is None:
            known = self.receivers[function] = {}
            for call in self.control_flow.calls_in(function):
                if self.control_flow.functions_of(call):
                    for rep in {each for row in self.args.of(call) for each in self.made_of(self.args.value[row])}:
                        known.setdefault(rep, []).append(call)
        reps = set(subject.texts)
        for rep, key in subject.parts:
            reps |= {rep, *self.reads(rep, key)}
        return sorted({call for rep in reps for call in known.get(rep, ())})

    def asks(self, call: int, subject: Subject, depth: int) -> bool:
        """Whether what a call returns depends on what the subject says."""
        functions = self.control_flow.functions_of(call)
        name = self.name_of(call)
        if EXISTENCE_NAMES.search(name) or (functions and ENTITLING_NAMES.search(name)):
            return False
        given = self.given(call, subject)
        kind = self.questions_of(call).tests.get(name)
        if not functions and kind is not None:
            return self.is_open_question(call, kind, given)
        doubted = self.labels.checks.formal.get(call)
        if doubted is not None:
            return self.is_doubted(doubted, subject)
        if not functions:
            if self.looks_up(call, subject):
                return True
            if not may_ask(self, call, name) or call in self.writing:
                return False
            if WHOLE in given.values():
                return True
            # a library that is given an object with the text asks whether all is there and well formed
            parts = [each for row in self.args.of(call) for each in self.held(self.args.value[row])]
            return any(self.is_about(each, subject) for each in parts) or continues(
                self, call, lambda value: self.is_about(value, subject)
            )
        if not given:
            return False
        return depth < MAX_ASKED_DEPTH and any(
            self.decides(each, self.parameters(call, each, given), depth + 1) for each in functions[:MAX_ASKED_DEPTH]
        )

    @cached_property
    def writing(self) -> frozenset[int]:
        """Modelled calls that write one of their arguments into another one, ``page.Execute(out, data)``: whether that
        succeeds says nothing of the text. So do calls that fill an argument with a record: whether there was one.
        """
        call_of = self.program.tables["arguments"]["call"]
        found = {int(call_of[self.data[each]]) for each in self.filled if self.op[each] == Op.POST}
        for flow in self.labels.flows:
            if self.op[flow.target] == Op.POST and self.op[flow.origin] != Op.POST:
                row = self.data[flow.target]
                call = int(call_of[row])
                given = {self.reps[self.args.value[each]] for each in self.args.of(call) if each != row}
                if self.args.position[row] != RECEIVER and self.reps[flow.origin] in given:
                    found.add(call)
        return frozenset(found)

    def is_doubted(self, fields: frozenset[int], subject: Subject) -> bool:
        """Whether the subject is, or may be, one of these fields."""
        if not fields:
            return False
        read = {key for _, key in subject.parts}
        for rep in subject.texts:
            read.add(self.loaded_key(rep))
        return UNKNOWN_KEY in read or not fields.isdisjoint(read)

    def is_open_question(self, call: int, kind: str, given: Container[int]) -> bool:
        """Whether a method of the language compares the subject with what is not constant: what a prefix, or a constant
        text or pattern proves, the guards of the rules know.
        """
        values = [self.args.value[row] for row in self.args.of(call)]
        others = [each for each in values if each not in given]
        if kind not in ("contains", "match", "lookup") or len(values) == len(others) or not others:
            return False
        known = (Op.CONST, Op.NEW) if kind != "match" else (Op.CONST, Op.NEW, Op.CALL, Op.GLOBAL, Op.IMPORT)
        return any(self.op[self.reps[each]] not in known for each in others)

    # -- Functions

    def decides(self, function: int, subject: Subject, depth: int) -> bool:
        """Whether what a function returns depends on what its parameters, the subject, say."""
        name = function, subject
        if name not in self.decided:
            self.decided[name] = False  # a function that calls itself
            self.decided[name] = bool(subject) and function in self.control_flow.blocks and self._decides(*name, depth)
        return self.decided[name]

    def _decides(self, function: int, subject: Subject, depth: int) -> bool:
        result = int(self.program.tables["functions"]["result"][function])
        for value in self.same_as(result):
            if self.answers_address(value, subject):
                return True
            several = [each for _, each in results_in(self, value) if self.op[self.reps[each]] != Op.NEW]
            if any(self.asks(call, subject, depth) for each in (value, *several) for call in self.tested_calls(each)):
                return True
        return self.row_side(function, subject, depth) != NONE or any(
            self.is_asked(each, subject, depth) and self.matters(each)
            for each in self.control_flow.conditions_in(function)
        )

    def is_question(self, condition: int, subject: Subject, depth: int) -> bool:
        return self.is_asked(condition, subject, depth) and self.matters(condition)

    def matters(self, condition: int) -> bool:
        """Whether a function ends in another way on one side of a condition."""
        if condition not in self.splits:
            function = int(self.program.tables["conditions"]["function"][condition])
            ends = self.ends(function)
            self.splits[condition] = any(not ends <= self.without(function, condition, side) for side in (0, 1))
        return self.splits[condition]

    def ends(self, function: int) -> set[int]:
        """The blocks in which a function ends, or makes what it returns."""
        result = int(self.program.tables["functions"]["result"][function])
        found = {self.control_flow.block_of(each) for each in self.same_as(result) if self.op[each] not in MERGES}
        found |= self.control_flow.raising.get(function, set())
        return found | {each for each in self.control_flow.blocks[function][0] if self.control_flow.is_exit(each)}

    def raises(self, function: int, subject: Subject, depth: int) -> bool:
        """Whether a function comes back only where its parameters, the subject, say something certain."""
        name = function, subject
        if name not in self.raised:
            self.raised[name] = False  # a function that calls itself
            self.raised[name] = bool(subject) and function in self.control_flow.blocks and self._raises(*name, depth)
        return self.raised[name]

    def refuses_field(self, check: FieldCheck) -> bool:
        """The same for a function that checks a field of a form: it may also report to the form that one is wrong. That
        two fields are equal is no answer.
        """
        function, flow, results = check.function, self.control_flow, self.program.tables["calls"]["result"]
        if check not in self.refused:
            subject = Subject(frozenset(check.texts), frozenset())
            calls = flow.calls_in(function) if function in flow.blocks else []
            failing = [int(results[call]) for call in calls if self.name_of(call) in FORM_FAILURES]
            self.refused[check] = function in flow.blocks and self._raises(
                function, subject, 0, {flow.block_of(each): each for each in failing}, frozenset(check.others)
            )
        return self.refused[check]

    def _raises(
        self,
        function: int,
        subject: Subject,
        depth: int,
        failing: Mapping[int, int] = MappingProxyType({}),
        others: frozenset[int] = frozenset(),
    ) -> bool:
        """``failing``: further blocks in which the function is left, with the result of the call that says so.
        ``others``: representatives of what the sender chooses as well.
        """
        raising = self.control_flow.raising.get(function, set())
        stops = {**self.control_flow.stops(function), **failing}
        exits = {each for each in self.control_flow.blocks[function][0] if self.control_flow.is_exit(each)} - raising
        exits.difference_update(stops)
        if not exits:
            return False
        conditions = self.control_flow.conditions_in(function)
        if not self.budget.spend(function, 2 * len(conditions)):
            return False
        if self.refuses_address(function, subject, exits):
            return True
        for condition in conditions if raising or stops else ():  # a loop's condition is behind every way out, too
            if others and self.compares(condition, others):
                continue
            if self.is_asked(condition, subject, depth) and any(
                exits.isdisjoint(self.without(function, condition, side, stops))
                for side in self.open_sides(condition, subject, depth)
            ):
                return True
        if any(
            self.looks_up(call, subject) and exits.isdisjoint(self.past(function, call))
            for call in self.demanding(function)
        ):
            return True
        return depth < MAX_ASKED_DEPTH and any(
            self.is_raising(call, subject, depth) and exits.isdisjoint(self.past(function, call))
            for call in self.control_flow.calls_in(function)
        )

    def compares(self, condition: int, others: frozenset[int]) -> bool:
        """Whether a condition compares something with one of ``others``."""
        table = self.program.tables["conditions"]
        if int(table["test"][condition]) not in (Test.EQUAL, Test.IN):
            return False
        operands = [int(table[side][condition]) for side in ("left", "right") if table[side][condition] != NONE]
        return any(self.is_about(each, Subject(others, frozenset())) for each in operands)

    def open_sides(self, condition: int, subject: Subject, depth: int) -> tuple[int, ...]:
        """The sides of a condition on which it says something of the subject."""
        found = self.found_side(condition, subject, depth)
        if found != NONE:
            return (found,)
        sides = self.found_sides(condition, subject, depth)
        if sides is not None:
            return tuple(sorted(sides))
        if self.equal_side(condition, subject) != NONE:
            return (1,)
        return (0,) if is_failure(self, condition) else (0, 1)

    def is_raising(self, call: int, subject: Subject, depth: int) -> bool:
        """Whether a call comes back only where the subject says something certain."""
        functions = self.control_flow.functions_of(call)
        if (
            not functions
            or ENTITLING_NAMES.search(self.name_of(call))
            or int(self.program.tables["calls"]["flags"][call]) & CallFlag.DEFERRED
        ):
            return False
        given = self.given(call, subject)
        return bool(given) and all(
            self.raises(each, self.parameters(call, each, given), depth + 1) for each in functions[:MAX_ASKED_DEPTH]
        )

    def past(self, function: int, call: int) -> set[int]:
        """The blocks that are reached, from their beginning, where ``call`` does not come back; not to be changed."""
        if not self.budget.spend(function, len(self.control_flow.blocks[function][0])):
            return self.all_blocks(function)
        value = int(self.program.tables["calls"]["result"][call])
        return self.before_value(function, value, {})

    def before_value(self, function: int, value: int, stops: dict[int, int]) -> set[int]:
        """The blocks that are reached, from their beginning, where ``value`` is never made; a block in ``stops`` ends
        there.
        """
        block = self.control_flow.block_of(value)

        def leaves(condition: int, side: int) -> bool:
            return False

        return set(self.control_flow.reach(function, {**stops, block: value}, leaves)) - {block}
