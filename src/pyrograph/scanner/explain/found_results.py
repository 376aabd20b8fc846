"""On which results a function of the program found something that equals its argument.

``existing, _ := repo.ByEmail(email); if existing != nil { return conflict }``: the code behind runs where nothing was
found, which says nothing of the value. ``if existing == nil { return missing }`` leaves what is known to the program.
``row_questions`` knows this of rows that a function returns as they are; here a function has several results, or
returns an element that it compared with its argument in a loop.

A result proves something if the function returns it only behind a side on which something was found. Of a function that
asks anything else of its argument, nothing is known.

What a library compares counts as an operator does: ``EqualFold(row.key, key)``, ``names.includes(key)``, and two texts
that were converted alike, ``row.name.lower() == name.lower()``.
"""

from __future__ import annotations

from collections.abc import Iterator

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_VALUES
from pyrograph.policy.names.questions import EQUALITY_NAMES
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.row_questions import ABSENT, EQUALITIES, RowQuestions
from pyrograph.scanner.explain.subjects import MERGES, Subject

WHOLE_RESULT = NONE  # as a position: what a function returns, if it has one result


class FoundResults(RowQuestions):
    """Truths of results, 1 and 0, that a function returns only where it found something."""

    def __init__(self, control_flow: ControlFlow, labels: Labels, args: Arguments) -> None:
        super().__init__(control_flow, labels, args)
        self.truths: dict[tuple[int, Subject, int], frozenset[int] | None] = {}  # ``truths_of``

    def is_question(self, condition: int, subject: Subject, depth: int) -> bool:
        """Whether a condition asks something of the subject on which it depends how its function ends."""
        raise NotImplementedError

    def found_sides(self, condition: int, subject: Subject, depth: int) -> frozenset[int] | None:
        """The sides of a condition on which a function of the program that it asks found something that equals the
        subject; None: not known.
        """
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if left == NONE or test not in (Test.TRUTH, *EQUALITIES):
            return None
        turned = 0
        if test != Test.TRUTH:
            if right == NONE or self.constant(right) not in ABSENT:
                return None
            turned = 1
        truths = self.found_truths(left, subject, depth)
        return None if truths is None else frozenset(each ^ turned for each in truths)

    def equal_side(self, condition: int, subject: Subject) -> int:
        """The side of a condition on which the subject equals something, or is an element of it, that is not constant
        and was not made of it; or NONE.
        """
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if test == Test.TRUTH and left != NONE:
            return 1 if self.is_equality(left, subject) else NONE
        if NONE in (left, right) or test not in (Test.EQUAL, Test.IN):
            return NONE
        for value, other in ((left, right), (right, left))[: 1 if test == Test.IN else 2]:
            is_whole = self.is_whole(value, subject) or self.is_converted_alike(value, other, subject)
            if is_whole and not self.is_constant(other) and not self.is_about(other, subject):
                return 1
        return NONE

    def is_equality(self, value: int, subject: Subject) -> bool:
        """Whether a value is what a call of a library returned that is true where the subject equals something, or is
        an element of it, that is not constant and was not made of it: ``EqualFold(row.key, key)``, ``names.has(key)``.
        """
        call, position = self.result_of(value)
        if call == NONE or position != WHOLE_RESULT or self.control_flow.functions_of(call):
            return False
        name = self.name_of(call)
        rows = self.args.of(call)
        given = [self.args.value[row] for row in rows if self.args.position[row] != RECEIVER]
        if len(given) == 1:  # of what the method belongs to
            given = [*(self.args.value[row] for row in rows if self.args.position[row] == RECEIVER), *given]
        if len(given) != 2:
            return False
        if self.questions_of(call).tests.get(name) == "contains":
            pairs = [(given[1], given[0])]
        elif EQUALITY_NAMES.search(name):
            pairs = [(given[1], given[0]), (given[0], given[1])]
        else:
            return False
        return any(
            self.is_whole(each, subject) and not self.is_constant(other) and not self.is_about(other, subject)
            for each, other in pairs
        )

    def is_converted_alike(self, value: int, other: int, subject: Subject) -> bool:
        """Whether a library made a value of the subject as a whole, and another one in the same way:
        ``name.lower() == row.name.lower()``.
        """
        calls = [self.result_of(each) for each in (value, other)]
        if any(call == NONE or at != WHOLE_RESULT or self.control_flow.functions_of(call) for call, at in calls):
            return False
        (call, _), (another, _) = calls
        if not self.name_of(call) or self.name_of(call) != self.name_of(another) or self.is_end_of_path(value):
            return False
        return any(self.is_whole(self.args.value[row], subject) for row in self.args.of(call))

    def found_truths(self, value: int, subject: Subject, depth: int) -> frozenset[int] | None:
        """The truths of what a call of functions of the program returned, or of one of its results, that these return
        only where they found something; None: not known.
        """
        call, position = self.result_of(value)
        return self.truths_of_call(call, position, subject, depth)

    def truths_of_call(self, call: int, position: int, subject: Subject, depth: int) -> frozenset[int] | None:
        """``found_truths`` of one result of a call, or of NONE."""
        functions = self.control_flow.functions_of(call) if call != NONE else []
        given = self.given(call, subject) if functions and depth < MAX_ASKED_DEPTH else {}
        if not given or len(functions) > MAX_ASKED_DEPTH:
            return None
        found: set[int] = set()
        for each in functions:
            truths = self.truths_of(each, self.parameters(call, each, given), position, depth + 1)
            if truths is None:
                return None
            found |= truths
        return frozenset(found)

    def result_of(self, value: int) -> tuple[int, int]:
        """The call that a value comes from, and which of its results it is; (NONE, NONE) where it comes from none."""
        for _ in range(MAX_ASKED_VALUES):
            if self.op[value] != Op.PI:
                break
            value = int(self.program.tables["pis"]["input"][self.data[value]])
        rep, position = self.reps[value], WHOLE_RESULT
        key = self.loaded_key(rep)
        if key >= 0 and self.program.strings[key].isdigit():
            position = int(self.program.strings[key])
            rep = self.reps[int(self.program.tables["loads"]["object"][self.data[rep]])]
        return (self.data[rep], position) if self.op[rep] == Op.CALL else (NONE, NONE)

    def truths_of(self, function: int, subject: Subject, position: int, depth: int) -> frozenset[int] | None:
        """``found_truths`` of one function and one of its results."""
        name = function, subject, position
        if name not in self.truths:
            self.truths[name] = None  # a function that calls itself
            if subject and function in self.control_flow.blocks:
                self.truths[name] = self._truths_of(*name, depth)
        return self.truths[name]

    def _truths_of(self, function: int, subject: Subject, position: int, depth: int) -> frozenset[int] | None:
        flow = self.control_flow
        conditions = flow.conditions_in(function)
        if not self.budget.spend(function, len(conditions) + len(flow.blocks[function][0])):
            return None
        found: set[tuple[int, int]] = set()  # conditions, and the sides on which something was found
        for condition in conditions:
            sides = self.sides_within(condition, subject, depth)
            if sides is None:
                if self.is_question(condition, subject, depth):
                    return None
                sides = frozenset()
            found.update((condition, side) for side in sides)
        reached = flow.reach(function, flow.stops(function), lambda at, side: flow.holds(at, side, found))
        proved, open_, is_certain = set[int](), set[int](), True
        for place, value in self.results(function, position):
            outcomes = self.outcomes_of(value, position, subject, depth, is_whole=place == value)
            if outcomes is None:
                return None
            is_certain &= place != value  # a value may be made long before the place where it is returned
            is_behind = flow.block_behind(place) not in reached
            for truth, is_found in outcomes.items():
                (proved if (is_behind if is_found is None else is_found) else open_).add(truth)
        if not proved or (proved <= open_ and not is_certain):
            return None
        return frozenset(proved - open_)

    def sides_within(self, condition: int, subject: Subject, depth: int) -> frozenset[int] | None:
        """The sides of a condition of a called function on which something was found; None: not known."""
        if self.asks_address(condition, subject):
            return None
        side = self.found_side(condition, subject, depth)
        if side == NONE:
            side = self.equal_side(condition, subject)
        return frozenset((side,)) if side != NONE else self.found_sides(condition, subject, depth)

    def results(self, function: int, position: int) -> Iterator[tuple[int, int]]:
        """(value made where the function returns, result at ``position``) for each result, merged ones one by one."""
        work = self.same_as(int(self.program.tables["functions"]["result"][function]))
        for value in work:  # grows, to the bound
            if self.op[value] in MERGES and len(work) <= MAX_ASKED_VALUES:
                work += [each for each in self.same_as(value) if each not in work]
            elif position == WHOLE_RESULT or self.op[self.reps[value]] == Op.CALL:
                yield value, value
            else:
                yield value, self.stored_at(value, position)

    def stored_at(self, several: int, position: int) -> int:
        """What stands at ``position`` of several results that are returned; or the first version that is known."""
        stores = self.program.tables["stores"]
        for _ in range(MAX_ASKED_VALUES):
            if self.op[several] != Op.STORE:
                break
            row = self.data[several]
            key, value = int(stores["key"][row]), int(stores["value"][row])
            if key >= 0 and self.program.strings[key] == str(position) and value != NONE:
                return value
            several = int(stores["object"][row])
        return several

    def outcomes_of(
        self, value: int, position: int, subject: Subject, depth: int, *, is_whole: bool
    ) -> dict[int, bool | None] | None:
        """The truths that a result may have, and whether each says that something was found: None where that depends on
        the place of the return. None: not known. ``is_whole``: ``value`` is all that is returned there.
        """
        constant = self.constant(value)
        if constant is not None:
            return {int(constant not in ABSENT): None}
        side = self.truth_side(value, subject, depth)
        if side != NONE:
            if position > 0 and self.result_of(value)[1] == WHOLE_RESULT:
                side = 0  # a look-up that returns nothing but an error, whatever its name
            return {side: True, 1 - side: False}
        call, at = self.result_of(value)
        truths = self.truths_of_call(call, position if is_whole and at == WHOLE_RESULT else at, subject, depth)
        if truths is not None:
            return {truth: truth in truths for truth in (0, 1)}
        if self.is_equality(value, subject):
            return {1: True, 0: False}
        if any(self.given(call, subject) for call in self.tested_calls(value)):
            return None  # another function may ask something
        if self.op[value] != Op.EXPRESSION:
            return {1: None}  # an object, an error
        asked = [each for each in self.control_flow.conditions_within(value) if self.is_any(each, subject)]
        return {1: None} if not asked else None

    def is_any(self, condition: int, subject: Subject) -> bool:
        """Whether a condition has the subject, or something made of it, as an operand."""
        table = self.program.tables["conditions"]
        operands = [int(table[side][condition]) for side in ("left", "right")]
        return any(each != NONE and self.is_about(each, subject) for each in operands)
