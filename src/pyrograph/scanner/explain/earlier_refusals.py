"""Whether a function that runs before handlers lets only some values of a part of the request through.

It goes on where it calls what it was given (``next()``), or where it ends without an answer of its own. Each way from
where the part is read to there must go through a side of a condition that proves something of the part, or that
depends on it. Ways on which the part is missing do not count: no data arrives there.
"""

from __future__ import annotations

from collections.abc import Set
from typing import Final

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_ASKED_DEPTH, MAX_ASKED_STEPS, MAX_ASKED_VALUES
from pyrograph.policy.names.questions import ENTITLING_NAMES
from pyrograph.policy.names.requests import ENDS_REQUEST, GOES_ON, GOES_ON_WITH, MAKES_ERROR
from pyrograph.scanner.explain.asking import NOTHING, Asking
from pyrograph.scanner.explain.callers import Callers
from pyrograph.scanner.explain.request_parts import Reading
from pyrograph.scanner.explain.subjects import STATES, Subject

FREE: Final = 0  # any value gets through
DOUBTED: Final = 1  # what gets through is not known
PROVEN: Final = 2  # what gets through does no harm

NOTING: Final = (Op.CALL, Op.POST, Op.STORE)  # what an error is added with

Side = tuple[int, int]  # condition, side


class EarlierRefusals:
    """Judges functions; answers are kept by reading and vulnerability."""

    def __init__(self, asking: Asking, callers: Callers) -> None:
        self.asking = asking
        self.callers = callers
        self.flow = asking.control_flow
        self.conditions = asking.program.tables["conditions"]
        self.known: dict[tuple[tuple[Reading, ...], int], int] = {}
        self.going_on: dict[int, frozenset[int]] = {}  # by function: ``goes_on_in``
        self.ended: dict[int, set[int]] = {}  # by function: ``refusing``

    def degree(self, readings: tuple[Reading, ...], vulnerability: int) -> int:
        """``FREE``, ``DOUBTED`` or ``PROVEN``, of the readings of one part in one function, in order. O(blocks and
        conditions of the function) for each of its conditions.
        """
        name = readings, vulnerability
        if name not in self.known:
            self.known[name] = self._degree(readings, 1 << vulnerability)
        return self.known[name]

    def _degree(self, readings: tuple[Reading, ...], bit: int) -> int:
        reading = readings[0]
        function, asking = reading.function, self.asking
        conditions = self.flow.conditions_in(function)
        if function not in self.flow.blocks or not conditions:
            return FREE
        wanted = self.goes_on_in(function)
        work = 4 * len(conditions) * len(self.flow.blocks[function][0])  # some walks for each condition
        if not wanted or work > MAX_ASKED_STEPS or not asking.budget.spend(function, work):
            return FREE
        subject = Subject(frozenset(asking.reps[each.value] for each in readings))
        start = self.flow.block_of(reading.value)
        absent = {side for each in conditions for side in self.missing(each, subject)}
        about_missing = {condition for condition, _ in absent}  # that a part is there says nothing of what it is
        if self.reached(function, start, absent).isdisjoint(wanted):
            return FREE  # what goes on is not behind the reading
        entry = self.flow.blocks[function][0][0]
        most = PROVEN
        if entry != start and not self.reached(function, entry, absent, start).isdisjoint(wanted):
            most = DOUBTED  # those without an account pass, to whom most handlers say nothing
            known = absent | {side for each in conditions for side in self.of_nobody(each)}
            if not self.reached(function, entry, known, start).isdisjoint(wanted):
                return FREE  # it is read for some requests only
        proven = absent | {side for each in conditions for side in self.proven(each, subject, bit)}
        if self.reached(function, start, proven).isdisjoint(wanted):
            return most
        asked = {
            each: asking.open_sides(each, subject, 0)
            for each in conditions
            if each not in about_missing and self.is_asked(each, subject, bit)
        }
        sides = proven | {(each, side) for each, open_ in asked.items() for side in open_}
        sides |= self.noted(reading, absent, sides - absent)
        decisive = {each for each in sorted(sides - proven) if self.decides(reading, absent, each, wanted)}
        return DOUBTED if self.reached(function, start, proven | decisive).isdisjoint(wanted) else FREE

    # -- Where a function goes on

    def goes_on_in(self, function: int) -> frozenset[int]:
        """The blocks in which a function goes on with the request."""
        known = self.going_on.get(function)
        if known is None:
            known = self.going_on[function] = frozenset(self._goes_on_in(function))
        return known

    def _goes_on_in(self, function: int) -> set[int]:
        flow, results = self.flow, self.asking.program.tables["calls"]["result"]
        going_on = {flow.block_of(int(results[call])) for call in flow.calls_in(function) if self.continues(call)}
        if going_on or function not in flow.blocks:
            return going_on
        refusing = self.refusing(function)
        returned = self.asking.same_as(int(self.asking.program.tables["functions"]["result"][function]))
        ends = {each for each in flow.blocks[function][0] if flow.is_exit(each)} - flow.raising.get(function, set())
        ends &= set(flow.reach(function, dict.fromkeys(refusing, 0), lambda condition, side: False))
        if any(self.is_going_on(each) for each in returned):
            turned = {flow.block_of(each) for each in returned if self.turns_away(each, 0)}
            turned.difference_update([flow.block_of(each) for each in returned if not self.turns_away(each, 0)])
            return ends - turned - refusing
        answers = {flow.block_of(each) for each in returned if self.asking.constant(each) not in NOTHING}
        silent = ends - answers - refusing
        return silent or ends - refusing  # where each end returns something, it is no answer

    def is_going_on(self, value: int) -> bool:
        """Whether a returned value is what a framework gives for going on: ``return h.continue``."""
        return self.asking.op[value] == Op.LOAD and self.callers.member_name(value) in GOES_ON_WITH

    def turns_away(self, value: int, depth: int) -> bool:
        """Whether a value that is returned where others go on ends the request: what a library makes, a constant, or
        what a function of the program returns that makes such alone. Of other values, that is not known.
        """
        asking = self.asking
        if asking.op[value] != Op.CALL:
            return asking.op[value] in (Op.CONST, Op.NEW)
        functions = self.flow.functions_of(asking.data[value])
        results = asking.program.tables["functions"]["result"]
        return (not functions or depth < MAX_ASKED_DEPTH) and all(
            bool(made) and all(self.turns_away(each, depth + 1) for each in made)
            for made in [asking.same_as(int(results[function])) for function in functions]
        )

    def refusing(self, function: int) -> set[int]:
        """The blocks with a call that ends the request, or that does not come back."""
        if function not in self.ended:
            flow, results = self.flow, self.asking.program.tables["calls"]["result"]
            self.ended[function] = {
                flow.block_of(int(results[call]))
                for call in flow.calls_in(function)
                if call in flow.non_returning or ENDS_REQUEST.search(self.asking.name_of(call))
            }
        return self.ended[function]

    def continues(self, call: int) -> bool:
        """Whether a call goes on with the request: it calls what the function, or the one around it, was given, with
        no error: ``next(new Error())``.
        """
        if self.is_given_error(call):
            return False
        callee = self.callers.reps[int(self.asking.program.tables["calls"]["callee"][call])]
        outer = self.callers.captured.get(callee, callee)
        return GOES_ON.search(self.callers.name_of(call)) is not None or self.asking.op[outer] == Op.PARAMETER

    def is_given_error(self, call: int) -> bool:
        """Whether a call whose name says that it goes on is given an error alone: what was caught, or what a function
        or class makes whose name says so.
        """
        asking = self.asking
        if not GOES_ON.search(self.callers.name_of(call)):
            return False
        given = [asking.reps[asking.args.value[row]] for row in asking.args.of(call)]
        if len(given) != 1:
            return False
        op = asking.op[given[0]]
        if op != Op.CALL:
            return op == Op.EXCEPTION
        callee = int(asking.program.tables["calls"]["callee"][asking.data[given[0]]])
        return MAKES_ERROR.search(self.callers.text(callee)) is not None

    # -- What conditions say of the part

    def missing(self, condition: int, subject: Subject) -> list[Side]:
        """The sides of a condition on which there is no such part."""
        test, left, right = (int(self.conditions[name][condition]) for name in ("test", "left", "right"))
        if test == Test.TRUTH and self.is_whole(left, subject):
            return [(condition, 0)]
        operands = (left, right)
        if test in (Test.EQUAL, Test.IS) and NONE not in operands:
            for one, other in (operands, operands[::-1]):
                if self.is_whole(one, subject) and self.asking.constant(other) in NOTHING:
                    return [(condition, 1)]
        return []

    def of_nobody(self, condition: int) -> list[Side]:
        """The side of a condition on which the request has no account: ``!request.auth.isAuthenticated``."""
        test, left = (int(self.conditions[name][condition]) for name in ("test", "left"))
        is_named = test == Test.TRUTH and ENTITLING_NAMES.search(self.callers.text(left)) is not None
        return [(condition, 0)] if is_named else []

    def is_whole(self, value: int, subject: Subject) -> bool:
        for _ in range(MAX_ASKED_VALUES):  # ends: versions are made of earlier ones
            if value == NONE or self.asking.reps[value] in subject.texts:
                return value != NONE
            if self.asking.op[value] != Op.PI:
                return False
            value = int(self.asking.program.tables["pis"]["input"][self.asking.data[value]])
        return False

    def proven(self, condition: int, subject: Subject, bit: int) -> list[Side]:
        """The sides of a condition on which the guards of the rules prove that the part does no harm."""
        proofs = self.asking.labels.checks.proofs
        if proofs is None:
            return []
        return [
            (condition, each.side)
            for each in proofs(condition)
            if each.mask & bit and not subject.texts.isdisjoint(each.values)
        ]

    def is_asked(self, condition: int, subject: Subject, bit: int) -> bool:
        """Whether a condition depends on the part; one that proves something of what was made of it does."""
        proofs = self.asking.labels.checks.proofs
        if proofs is not None and any(
            self.asking.is_about(value, subject)
            for each in proofs(condition)
            if each.mask & bit
            for value in each.values
        ):
            return True
        if self.is_of_length(condition):
            return False
        return self.asking.is_asked(condition, subject, 0) or self.asking.found_side(condition, subject, 0) != NONE

    def is_of_length(self, condition: int) -> bool:
        """Whether a condition compares a member with a number: how long a text is does not say where it leads."""
        test, left, right = (int(self.conditions[name][condition]) for name in ("test", "left", "right"))
        operands = (left, right)
        return test == Test.LESS and any(each != NONE and self.asking.op[each] == Op.LOAD for each in operands)

    def decides(self, reading: Reading, absent: Set[Side], side: Side, wanted: frozenset[int]) -> bool:
        """Whether a function goes on for no value for which a condition has the other side."""
        condition, other = side[0], 1 - side[1]
        return not any(
            self.may_hold(edge.condition, edge.side, condition, other)
            and not self.reached(reading.function, edge.target, absent).isdisjoint(wanted)
            for block in self.reached(reading.function, self.flow.block_of(reading.value), absent)
            for edge in self.flow.edges(block)
            if edge.condition != NONE
            and edge.side != EXCEPTIONAL
            and not self.flow.holds(edge.condition, edge.side, absent)
        )

    def noted(self, reading: Reading, absent: Set[Side], sides: Set[Side]) -> set[Side]:
        """The sides of conditions on what is noted where a check fails: ``errors.push(…)``, later ``errors.length``."""
        function, start = reading.function, self.flow.block_of(reading.value)
        everything = self.reached(function, start, absent)
        noting: set[int] = set()
        for condition, side in sorted(sides):
            noting |= everything - self.reached(function, start, absent | {(condition, 1 - side)})
        found: set[Side] = set()
        for condition in self.flow.conditions_in(function) if noting else ():
            operands = [int(self.conditions[name][condition]) for name in ("left", "right")]
            made = {before for each in operands if each != NONE for before in self.versions_before(each)}
            if any(
                self.asking.op[each] in NOTING
                and self.callers.function[each] == function
                and self.flow.block_of(each) in noting
                for each in made
            ):
                found |= {(condition, 0), (condition, 1)}
        return found

    def versions_before(self, value: int) -> list[int]:
        """``value`` and the versions that it depends on; a call that changed an object, or was given it, is among them.

        ``Origins.made_of`` finds representatives, which do not say which call changed an object.
        """
        asking, tables = self.asking, self.asking.program.tables
        found = [value]
        for at in found:  # grows, to the bound
            op, row = asking.op[at], asking.data[at]
            before: list[int] = tables["flows"]["origin"][self.flow.returned.of(at)[:MAX_ASKED_VALUES]].tolist()
            if op in STATES and row >= 0:
                table, column = STATES[Op(op)]
                before.append(int(tables[table][column][row]))
            elif op == Op.CALL and not self.flow.functions_of(row):
                before += [asking.args.value[each] for each in asking.args.of(row)]
            found += [each for each in dict.fromkeys(before) if each not in found and len(found) < MAX_ASKED_VALUES]
        return found

    # -- Ways

    def may_hold(self, condition: int, side: int, single: int, wanted: int) -> bool:
        """Whether a single condition may have the side ``wanted`` where ``condition``, made of it, has this one."""
        parts = self.flow.conjunctions.get(condition)
        if parts is None:
            return (condition, side) == (single, wanted)
        return any(self.may_hold(part, each if side else 1 - each, single, wanted) for part, each in parts)

    def reached(self, function: int, start: int, sides: Set[Side], stop: int = NONE) -> Set[int]:
        """The blocks that are reached from ``start`` without edges on which one of ``sides`` holds, and not through
        ``stop``.
        """
        stops = dict.fromkeys((*self.refusing(function), stop), NONE)
        return self.flow.reach(
            function, stops, lambda condition, side: self.flow.holds(condition, side, sides), start
        ).keys()
