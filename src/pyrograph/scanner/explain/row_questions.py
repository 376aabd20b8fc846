"""Look-ups of rows by equality: ``s.exec(select(File).where(File.path == path)).first()``, ``find({ path })``.

What is asked stands in a chain of calls of libraries: the calls that made the receiver, and those that made an
argument, a query. One of them is given a comparison with the value, the value by keyword, in an object, or bound to a
text. On which side of a condition a row was found follows from the test (not null, more than none) and from what is
tested: rows, or the error of the look-up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE, RECEIVER, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_VALUES
from pyrograph.policy.names.questions import (
    ABSENCE_NAMES,
    BIND_NAMES,
    BINDS,
    CHANGING_NAMES,
    COLLECTION_NAMES,
    DEMANDING_NAMES,
    FAILING_NAMES,
    NO_ROW_NAMES,
    OPERATOR_NAMES,
    SELECTING_NAMES,
    WHERE_NAMES,
)
from pyrograph.policy.names.statements import CHANGES_ROWS, LOOKS_UP
from pyrograph.scanner.analysis.arguments import Arguments
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.explain.address_questions import AddressQuestions
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.look_ups import has_text
from pyrograph.scanner.explain.missing import Missing
from pyrograph.scanner.explain.subjects import MERGES, STATES, Subject

ABSENT: Final = frozenset({"null", "undefined", "false", "0"})  # what a look-up without a row gives
EQUALITIES: Final = (Test.EQUAL, Test.IS)


class RowQuestions(AddressQuestions):
    """Which calls look rows up, and on which side of a condition a row was found."""

    def __init__(self, control_flow: ControlFlow, labels: Labels, args: Arguments) -> None:
        super().__init__(control_flow, labels, args)
        self.chains: dict[int, tuple[int, ...]] = {}  # ``chain``
        self.selected: dict[int, tuple[int, ...]] = {}  # by call: ``selected_by``
        self.row_sides: dict[tuple[int, Subject], int] = {}  # by function: ``row_side``
        self.found: dict[tuple[int, Subject], int] = {}  # by condition: ``found_side``
        self.demands_in: dict[int, list[int]] = {}  # by function: ``demanding``
        self.missing = Missing(control_flow)
        # states of arguments that calls fill with a record: it says nothing of which one is asked for
        self.filled = {each.target for each in control_flow.resolution.flows.moves}
        self.everywhere: dict[int, set[int]] = {}  # by function: ``all_blocks``

    # -- Calls of libraries

    def chain(self, call: int) -> tuple[int, ...]:
        """A call of a library, and those that made its receiver and its arguments; () if one of them changes rows."""
        known = self.chains.get(call)
        if known is None:
            found = [call]
            for at in found:  # grows, to the bound
                if CHANGING_NAMES.search(self.name_of(at)) or has_text(self, at, CHANGES_ROWS):
                    found = []
                    break
                for made_by in self.made_by(at):
                    if (
                        made_by not in found
                        and len(found) < MAX_ASKED_VALUES
                        and not self.control_flow.functions_of(made_by)
                    ):
                        found.append(made_by)
            known = self.chains[call] = tuple(found)
        return known

    def made_by(self, call: int) -> list[int]:
        """The calls that made the arguments of a call; of its receiver, also one that it was just given a query by."""
        found: list[int] = []
        for row in self.args.of(call):
            value = self.args.value[row]
            if self.op[value] == Op.POST and self.data[value] >= 0 and self.args.position[row] == RECEIVER:
                before = int(self.program.tables["arguments"]["call"][self.data[value]])
                if has_text(self, before, LOOKS_UP):
                    found.append(before)  # cursor.execute(text, (path,)); cursor.fetchone()
            if self.op[self.reps[value]] == Op.CALL:
                found.append(self.data[self.reps[value]])
        return found

    def looks_up(self, call: int, subject: Subject) -> bool:
        """Whether a call of a library asks for a row that holds the subject."""
        if self.control_flow.functions_of(call):
            return False
        if call not in self.selected:
            values = [value for each in self.chain(call) for value in self.selected_by(each)]
            self.selected[call] = tuple(dict.fromkeys(values))
        return any(self.is_about(value, subject) for value in self.selected[call])

    def selected_by(self, call: int) -> list[int]:
        """What a call of a library is given that the rows must hold."""
        name = self.name_of(call)
        rows = [
            row
            for row in self.args.of(call)
            if self.args.position[row] != RECEIVER and self.args.post[row] not in self.filled
        ]
        given = [self.args.value[row] for row in rows]
        if has_text(self, call, LOOKS_UP):
            return [part for each in given for part in (each, *self.parts_of(each))]
        found = [value for each in given for value in self.compared_in(each)]
        selecting = any(each.search(name) for each in (SELECTING_NAMES, WHERE_NAMES, BIND_NAMES))
        if not selecting and not self.is_of_all(call, name):
            return found
        found += [self.args.value[row] for row in rows if self.args.keyword[row] >= 0]
        found += [part for each in given for part in self.parts_of(each)]
        if WHERE_NAMES.search(name) or BIND_NAMES.search(name) or has_text(self, call, BINDS):
            found += given
        return found

    def is_of_all(self, call: int, name: str) -> bool:
        """Whether a call gets one of all rows of a class: ``File.objects.get(path=path)``."""
        receiver = int(self.program.tables["calls"]["receiver"][call])
        if name != "get" or receiver == NONE or self.op[self.reps[receiver]] != Op.LOAD:
            return False
        key = self.loaded_key(self.reps[receiver])
        return key >= 0 and COLLECTION_NAMES.search(self.program.strings[key]) is not None

    def parts_of(self, value: int) -> list[int]:
        """What an object literal holds, and the literals in it, and what operators in it are given."""
        found, work = list[int](), [value]
        for _ in range(MAX_ASKED_DEPTH):
            work = [part for each in work for part in (*self.held(each), *self.operands_in(each))]
            found += work
        return found

    def operands_in(self, value: int) -> list[int]:
        """What a call that makes a condition on a column is given."""
        rep = self.reps[value]
        if self.op[rep] != Op.CALL or not OPERATOR_NAMES.search(self.name_of(self.data[rep])):
            return []
        return [self.args.value[row] for row in self.args.of(self.data[rep]) if self.args.position[row] != RECEIVER]

    def compared_in(self, value: int) -> list[int]:
        """The values that an expression compares members with: ``(File.path == path) & (File.id == 1)``."""
        found: list[int] = []
        for rep in self.made_of(value):
            if self.op[rep] != Op.EXPRESSION:
                continue
            table = self.program.tables["conditions"]
            for condition in self.control_flow.conditions_within(rep):
                operands = [int(table[side][condition]) for side in ("left", "right")]
                if table["test"][condition] != Test.EQUAL or NONE in operands:
                    continue
                members = [self.op[self.reps[each]] == Op.LOAD for each in operands]
                found += [other for other, member in zip(operands, reversed(members), strict=True) if member]
        return found

    def demanding(self, function: int) -> list[int]:
        """The calls of libraries in ``function`` that come back only where there is a row, in order."""
        known = self.demands_in.get(function)
        if known is None:
            calls = [(each, self.name_of(each)) for each in self.control_flow.calls_in(function)]
            known = self.demands_in[function] = [
                call
                for call, name in calls
                if (DEMANDING_NAMES.search(name) or BIND_NAMES.search(name))
                and (name != "get" or self.is_of_all(call, name))
                and not self.control_flow.functions_of(call)
            ]
        return known

    # -- Outcomes

    def found_side(self, condition: int, subject: Subject, depth: int) -> int:
        """The side of a condition on which a row with the subject was found; NONE: it does not ask for one."""
        known = self.found.get((condition, subject))
        if known is None:
            known = self.found[condition, subject] = self._found_side(condition, subject, depth)
        return known

    def _found_side(self, condition: int, subject: Subject, depth: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        left, right = int(table["left"][condition]), int(table["right"][condition])
        if left == NONE or test not in (Test.TRUTH, Test.LESS, *EQUALITIES):
            return NONE
        if test == Test.TRUTH or right == NONE:
            return self.truth_side(left, subject, depth)
        if test in EQUALITIES and self.is_missing_row((left, right), subject):
            return 0
        for value, other in ((left, right), (right, left)):
            side = self.truth_side(value, subject, depth)
            if side == NONE:
                continue
            if test == Test.LESS:
                return side if value == right else 1 - side
            return 1 - side if self.constant(other) in ABSENT else side
        return NONE

    def truth_side(self, value: int, subject: Subject, depth: int) -> int:
        """Whether a value is true (1) or false (0) where a row with the subject was found; NONE: it does not depend."""
        if self.is_written(value, subject):
            return 1
        turned = 0
        work = [self.reps[value]]
        for at in work:  # grows, to the bound
            op, data = self.op[at], self.data[at]
            fresh: list[int] = []
            if len(work) > MAX_ASKED_VALUES:
                break
            if op == Op.CALL:
                side = self.outcome(data, subject, depth)
                if side != NONE:
                    return side ^ turned
            elif op in MERGES:
                fresh = self.same_as(at)
            elif op in STATES and data >= 0:
                table, column = STATES[Op(op)]
                fresh = [int(self.program.tables[table][column][data])]
                if op == Op.LOAD and self.is_error(at):
                    turned = 1
            work += [rep for rep in dict.fromkeys(self.reps[each] for each in fresh) if rep not in work]
        return NONE

    def is_missing_row(self, values: Sequence[int], subject: Subject) -> bool:
        """Whether one of these values is the error by which a library says that there is no row, ``sql.ErrNoRows``, and
        another one comes from a call that is given the subject: that call looks it up, whatever its name.
        """
        named = {each for each in values if self.is_named(each, NO_ROW_NAMES)}
        calls = [call for each in values if named and each not in named for call in self.tested_calls(each)]
        return any(
            self.args.position[row] != RECEIVER and self.is_whole(self.args.value[row], subject)
            for call in calls
            for row in self.args.of(call)
        )

    def is_named(self, value: int, names: re.Pattern[str]) -> bool:
        """Whether a value was read as a member that is called so."""
        key = self.loaded_key(self.reps[value])
        return key >= 0 and names.search(self.program.strings[key]) is not None

    def is_written(self, value: int, subject: Subject) -> bool:
        """Whether a look-up wrote its rows, or their number, into its argument: ``Count(&n)``."""
        for _ in range(MAX_ASKED_VALUES):
            if self.op[value] != Op.PI:
                break
            value = int(self.program.tables["pis"]["input"][self.data[value]])
        if self.op[value] != Op.POST or self.data[value] < 0:
            return False
        row = self.data[value]
        is_receiver = self.args.position[row] == RECEIVER
        return not is_receiver and self.looks_up(int(self.program.tables["arguments"]["call"][row]), subject)

    def is_error(self, rep: int) -> bool:
        """Whether what was loaded is the error of a look-up: a member so named, or the last of several results."""
        key = self.loaded_key(rep)
        name = self.program.strings[key] if key >= 0 else ""
        return FAILING_NAMES.search(name) is not None or (name.isdigit() and name != "0")

    def outcome(self, call: int, subject: Subject, depth: int) -> int:
        """``truth_side`` of what a call returns."""
        functions = self.control_flow.functions_of(call)
        name = self.name_of(call)
        if not functions:
            if depth < MAX_ASKED_DEPTH and ABSENCE_NAMES.search(name):
                values = [self.args.value[row] for row in self.args.of(call) if self.args.position[row] != RECEIVER]
                if any(self.truth_side(each, subject, depth + 1) != NONE for each in values):
                    return 0
                return 0 if self.is_missing_row(values, subject) else NONE
            if self.looks_up(call, subject):
                return 0 if FAILING_NAMES.search(name) else 1
            return NONE
        given = self.given(call, subject)
        if not given or depth >= MAX_ASKED_DEPTH:
            return NONE
        sides = [
            self.row_side(each, self.parameters(call, each, given), depth + 1) for each in functions[:MAX_ASKED_DEPTH]
        ]
        return sides[0] if len(set(sides)) == 1 else NONE

    # -- Functions of the program

    def row_side(self, function: int, subject: Subject, depth: int) -> int:
        """``truth_side`` of what a function of the program returns."""
        known = self.row_sides.get((function, subject))
        if known is None:
            self.row_sides[function, subject] = NONE  # a function that calls itself
            known = (
                self._row_side(function, subject, depth) if subject and function in self.control_flow.blocks else NONE
            )
            self.row_sides[function, subject] = known
        return known

    def _row_side(self, function: int, subject: Subject, depth: int) -> int:
        returned = self.same_as(int(self.program.tables["functions"]["result"][function]))
        for value in returned:
            side = self.truth_side(value, subject, depth)
            if side != NONE:
                return side
            if self.op[value] == Op.EXPRESSION:
                for condition in self.control_flow.conditions_within(value):
                    side = self.found_side(condition, subject, depth)
                    if side != NONE:
                        return self.truth_behind(function, subject, condition, side)
        return self.constant_side(function, subject, returned, depth)

    def constant_side(self, function: int, subject: Subject, returned: list[int], depth: int) -> int:
        """``truth_side`` of constants, one of which a function returns only where a row was found, or was not."""
        blocks = [
            (self.control_flow.block_of(each), self.constant(each) not in ABSENT)
            for each in returned
            if self.constant(each) is not None
        ]
        conditions = self.control_flow.conditions_in(function) if blocks else []
        if not self.budget.spend(function, len(conditions)):
            return NONE
        for condition in conditions:
            side = self.found_side(condition, subject, depth)
            for needed in (side, 1 - side) if side != NONE else ():
                reached = self.without(function, condition, needed)
                for block, truth in blocks:
                    if block not in reached:
                        return int(truth == (needed == side))
        return NONE

    def truth_behind(self, function: int, subject: Subject, condition: int, side: int) -> int:
        """Whether a function whose result is made of a condition returns true or false where it has this side."""
        table, pis = self.program.tables["parameters"], self.program.tables["pis"]
        for row in range(len(table["value"])):
            if table["function"][row] != function or self.reps[int(table["value"][row])] not in subject.texts:
                continue
            value = int(table["true"][row])
            while value != NONE and self.op[value] == Op.PI:
                at = self.data[value]
                if pis["condition"][at] == condition:
                    return 1 if pis["side"][at] == side else 0
                value = int(pis["input"][at])
        return 1  # the language's texts have no versions: most are so written

    def without(self, function: int, condition: int, side: int, stops: dict[int, int] | None = None) -> set[int]:
        """The blocks that are reached where ``condition`` never has ``side``; not to be changed."""
        flow = self.control_flow
        if not self.budget.spend(function, len(flow.blocks[function][0])):
            return self.all_blocks(function)
        conjunctions = flow.conjunctions

        def leaves(at: int, wanted: int) -> bool:
            if at not in conjunctions:
                return at == condition and wanted == side
            return self.excludes(at, wanted, condition, side)

        return set(flow.reach(function, stops or {}, leaves))

    def all_blocks(self, function: int) -> set[int]:
        """What counts as reached where nobody looks any more: one set for each function."""
        known = self.everywhere.get(function)
        if known is None:
            known = self.everywhere[function] = set(self.control_flow.blocks[function][0])
        return known

    def excludes(self, at: int, wanted: int, condition: int, side: int) -> bool:
        """Whether ``at`` cannot have the side ``wanted`` where ``condition`` cannot have ``side``."""
        leaves = self.control_flow.conjuncts(at)
        if wanted:
            return any(each == condition and needed == side for each, needed in leaves)
        return all(each == condition and needed == 1 - side for each, needed in leaves)
