"""Code of a function that runs only for certain users, such as administrators.

No path through the basic blocks reaches it without a condition that asks for one, on the side where the user is
one.

A call of a function that comes back only for one of them is such a condition, too. Who they are is a ``Question``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from copy import copy
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import EXCEPTIONAL, NONE, Op, Test
from pyrograph.policy.limits.explanation import MAX_GUARD_DEPTH, MAX_GUARD_TEXT, MAX_GUARD_USES
from pyrograph.policy.names.administrators import ASKS_FOR_ROLES
from pyrograph.policy.names.keys import PREFLIGHT
from pyrograph.scanner.analysis.columns import RowsByKey
from pyrograph.scanner.analysis.link import Program
from pyrograph.scanner.analysis.resolve import Resolution
from pyrograph.scanner.explain.administrators import demands, words
from pyrograph.scanner.explain.control_flow import ControlFlow
from pyrograph.scanner.explain.questions import Question
from pyrograph.scanner.explain.texts import QUOTED, Texts

NOTHING: Final = re.compile(r"\b(?:nil|null|None|undefined)\b")
ABSENT: Final = frozenset({"null", "false", "0", "'", "nil", "undefined"})  # constants that no user is
SAYING: Final = frozenset((Op.CALL, Op.NEW, Op.LOAD, Op.GLOBAL, Op.IMPORT))  # what a refusal is written with
ENABLED: Final = frozenset({"true", "'true", "'True", "'1", "'yes", "'on", "1"})  # constants of a setting that is on
COUNTS: Final = re.compile(r"\blen\(|\.(?:length|size|count|index\w*)\b|\bIndex\w*\(", re.I)
MATCHES: Final = re.compile(  # a call that is true where one of several texts is found
    r"[^(]*\b(?:starts_?with|ends_?with|has_?(?:prefix|suffix)|some|any|includes|contains?|has|match\w*|test)\(", re.I
)
IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*")
FLAGGED: Final = frozenset({"true"})  # the constant by which a call asks for what a parameter is named after
AGREEING: Final = frozenset({"true", "1"})  # constants that a function returns to say yes


class Regions(ControlFlow):
    """The control flow of functions, with one question about the users for whom code runs."""

    def __init__(
        self, program: Program, resolution: Resolution, non_returning: set[int], texts: Texts, question: Question
    ) -> None:
        super().__init__(program, resolution, non_returning)
        self.question = question
        self.texts = texts
        self.written: dict[int, list[str]] = {}  # by value: ``KeyRegions.texts_before``, whatever the question
        self.conditioned: dict[int, str] = {}  # by condition: ``condition_text``, whatever the question
        self.forget()

    def forget(self) -> None:
        """Begin without answers, for another question."""
        self.sides: dict[int, int] = {}  # by condition: the side of those who are asked for, or NONE
        self.flagged: dict[tuple[int, ...], bool] = {}  # by parameters: ``demands_flagged``
        self.agreeing: dict[int, bool] = {}  # by function: ``agrees``
        self.identifying: dict[int, bool] = {}  # by function: whether a condition asks for the user by more than a key
        self.lending: dict[int, bool] = {}  # the same: whether one asks for a key
        self.asking: dict[int, set[int]] = {}  # by function: ``asking_blocks``
        self.reachable: dict[tuple[int, int], dict[int, int] | None] = {}  # by function and depth: ``open_blocks``

    def about(self, question: Question) -> Regions:
        """The same for another question; what both need of the program is shared."""
        other = copy(self)
        other.question = question
        other.forget()
        return other

    @cached_property
    def stored_under(self) -> RowsByKey:
        """Stores by key."""
        return RowsByKey(self.program.tables["stores"]["key"])

    # -- Conditions

    def side_of(self, condition: int) -> int:
        """The side of a single condition on which the user is one that is asked for; NONE where it does not ask."""
        known = self.sides.get(condition)
        if known is None:
            known = self._side_of(condition)
            if known != NONE and not self.is_of_user(condition):
                known = NONE
            self.sides[condition] = known
        return known

    def is_of_user(self, condition: int) -> bool:
        """Whether a condition that asks for a key which may be somebody else's stands beside one that asks for the
        user; true of all others.
        """
        function = int(self.program.tables["conditions"]["function"][condition])
        if self.question.is_lent is None or not self.is_lent(condition, function):
            return True
        known = self.identifying.get(function)
        if known is None:
            others = [each for each in self.conditions_in(function) if not self.is_lent(each, function)]
            known = self.identifying[function] = any(self._side_of(each) != NONE for each in others)
        return known

    def is_lent(self, condition: int, function: int) -> bool:
        """Whether a condition asks for a key which may be somebody else's, or tests a variable in a function that asks
        for one: ``if valid_key(key): known = True``, and later ``if not known: abort(401)``.
        """
        asks = self.question.is_lent
        if asks is None or asks(self.code_of(condition)):
            return asks is not None
        tested = int(self.program.tables["conditions"]["left"][condition])
        if tested == NONE or self.op[self.resolution.reps[tested]] != Op.PHI:
            return False
        if function not in self.lending:
            self.lending[function] = any(asks(self.code_of(each)) for each in self.conditions_in(function))
        return self.lending[function]

    def _side_of(self, condition: int) -> int:
        table = self.program.tables["conditions"]
        test = int(table["test"][condition])
        operands = [int(table[side][condition]) for side in ("left", "right")]
        if test == Test.BOTH:
            return NONE
        if test == Test.TRUTH and self.question.is_setting(self.code_of(condition)):
            return NONE
        if any(self.is_off_by_default(each) for each in operands if each != NONE):
            return NONE
        code = self.condition_text(condition)
        calls = [self.call_text(each) for each in operands if each != NONE]
        if self.question.refuses is not None:
            known = self.side_not_refused(condition)
            if known != NONE:
                return known
        asks = self.question.asks
        if self.question.trusts_words:
            for each in [one for one in operands if one != NONE and self.answers_others(one)]:
                code = code.replace(self.call_text(each), "")  # who the user is, is only a part of what it asks
                calls.remove(self.call_text(each))
        if not asks(code) and not any(map(asks, filter(None, calls))):
            return self.side_of_flag(condition) if any(map(self.is_flagged, operands)) else NONE
        is_demanded = any(demands(call) for call in calls if call)
        if test == Test.TRUTH and (is_demanded or not asks(code)) and NOTHING.search(code):  # compared with nothing
            return int(not is_demanded)
        if test == Test.LESS:  # roles in the order of what they may do
            return 0
        if test == Test.EQUAL and any(each != NONE and self.is_absent(each) for each in operands):
            return int(is_demanded)
        return 1

    def side_of_flag(self, condition: int) -> int:
        """The side of a condition on what a call with a flag returned whose other side refuses; NONE if none does."""
        turned = [
            self.question.turns_away(self.code_of(condition), self.text_behind(condition, side)) for side in (0, 1)
        ]
        return turned.index(False) if any(turned) and not all(turned) else NONE

    def is_flagged(self, value: int) -> bool:
        """Whether a value is what a function of the program returns, or a part of it, that is asked by a flag whether
        the user is one: ``authorize(request, checkAdmin=true)``.
        """
        at = self.resolution.reps[value] if value != NONE else NONE
        if at != NONE and self.op[at] == Op.LOAD:
            at = self.resolution.reps[int(self.program.tables["loads"]["object"][self.data[at]])]
        if at == NONE or self.op[at] != Op.CALL or not self.question.trusts_words:
            return False
        flags = self.flags_of(self.data[at])
        return any(self.is_tested(each) for each in flags)

    def answers_others(self, value: int) -> bool:
        """Whether a function that gets a flag for whether the user is one answers others in the same words:
        ``def check(fields, is_admin)``, where ``if is_admin: return OK`` stands before another ``return OK``.
        """
        at = self.resolution.reps[value]
        if self.op[at] == Op.LOAD:
            at = self.resolution.reps[int(self.program.tables["loads"]["object"][self.data[at]])]
        if self.op[at] != Op.CALL:
            return False
        call = self.data[at]
        functions = self.functions_of(call)
        rows = self.binding_rows
        for _, argument, parameter, *_ in rows[np.flatnonzero(rows[:, 0] == call)].tolist() if functions else ():
            if self.question.asks(self.texts.text(*self.span(argument), MAX_GUARD_TEXT)):
                for condition in self.tested.of(self.resolution.reps[parameter]).tolist():
                    if self.returns_alike(condition):
                        return True
        return False

    def returns_alike(self, condition: int) -> bool:
        """Whether a function returns the same words where a condition is true as elsewhere."""
        function = int(self.program.tables["conditions"]["function"][condition])
        if function not in self.blocks:
            return False
        result = int(self.program.tables["functions"]["result"][function])
        returned = self.program.tables["flows"]["origin"][self.returned.of(result)].tolist()
        own = set(self.only_behind(condition, 1))
        others = self.reach_without(function, frozenset({(condition, 1)}))
        words_of = {each: self.texts.text(*self.span(each), MAX_GUARD_TEXT) for each in returned}
        own_words = {words_of[each] for each in returned if self.block_of(each) in own}
        return not own_words.isdisjoint(words_of[each] for each in returned if self.block_of(each) in others)

    def flags_of(self, call: int) -> list[int]:
        """The parameters of functions of the program that are named after such users, and for which a call gives the
        constant "true".
        """
        parameters, strings = self.program.tables["parameters"], self.program.strings
        found = []
        for parameter in self.set_flags.get(call, ()) if self.functions_of(call) else ():
            name = int(parameters["name"][self.data[parameter]])
            if name >= 0 and self.question.is_named(strings[name]):
                found.append(parameter)
        return found

    @cached_property
    def set_flags(self) -> dict[int, list[int]]:
        """By call: the parameters for which it gives the constant "true"."""
        reps, ops = self.resolution.representative, self.program.tables["values"]["op"]
        rows = self.binding_rows
        found: dict[int, list[int]] = {}
        given = ops[reps[rows[:, 1]]]
        is_flag = (ops[rows[:, 2]] == int(Op.PARAMETER)) & ((given == int(Op.CONST)) | (given == int(Op.GLOBAL)))
        for call, argument, parameter in rows[is_flag, :3].tolist():
            if self.is_text(argument, FLAGGED):
                found.setdefault(call, []).append(parameter)
        return found

    def is_tested(self, parameter: int) -> bool:
        """Whether a function has a condition on one of its parameters, or one has to which it hands that on."""
        work = [parameter]
        for each in work:  # grows by what it is handed on to, to the bound
            if self.tested.of(each).size:
                return True
            further = [one for one in self.bound_to.get(each, ()) if one not in work]
            work += further[: max(0, MAX_GUARD_USES - len(work))]
        return False

    @cached_property
    def binding_rows(self) -> npt.NDArray[np.int32]:
        return self.resolution.rows("bindings")

    @cached_property
    def bound_to(self) -> dict[int, list[int]]:
        """By the representative of an argument that is a parameter: the parameters to which calls hand it on."""
        reps, ops = self.resolution.representative, self.program.tables["values"]["op"]
        given, targets = reps[self.binding_rows[:, 1]], self.binding_rows[:, 2]
        chosen = np.flatnonzero(ops[given] == int(Op.PARAMETER))
        found: dict[int, list[int]] = {}
        for one, other in sorted(set(zip(given[chosen].tolist(), targets[chosen].tolist(), strict=True))):
            found.setdefault(one, []).append(other)
        return found

    @cached_property
    def tested(self) -> RowsByKey:
        """Conditions on the truth of a value, by its representative."""
        table = self.program.tables["conditions"]
        is_truth = (table["test"] == int(Test.TRUTH)) & (table["left"] >= 0)
        return RowsByKey(np.where(is_truth, self.resolution.representative[table["left"]], np.int32(NONE)))

    def is_off_by_default(self, value: int) -> bool:
        """Whether a value is what a function of the program returns that says yes to everybody unless a setting is
        there.
        """
        value = self.resolution.reps[value]
        if self.question.refuses is None or self.op[value] != Op.CALL:
            return False
        return any(self.agrees(each) for each in self.functions_of(self.data[value])[:MAX_GUARD_DEPTH])

    def agrees(self, function: int) -> bool:
        known = self.agreeing.get(function)
        if known is None:
            self.agreeing[function] = False  # one that calls itself
            known = self.agreeing[function] = function in self.blocks and self._agrees(function)
        return known

    def _agrees(self, function: int) -> bool:
        result = int(self.program.tables["functions"]["result"][function])
        values = self.program.tables["flows"]["origin"][self.returned.of(result)]
        agreeing = [each for each in values.tolist() if self.is_text(each, AGREEING)]
        if not agreeing:
            return False

        def leaves(condition: int, side: int) -> bool:
            return bool(side) or not self.question.is_setting(self.code_of(condition))

        default = self.reach(function, {}, leaves)
        returns = {self.block_of(each) for each in agreeing}
        return not returns.isdisjoint(default)

    def code_of(self, condition: int) -> str:
        """The code of a condition, and of the calls whose results it tests."""
        table = self.program.tables["conditions"]
        operands = [int(table[side][condition]) for side in ("left", "right")]
        return " ".join([self.condition_text(condition), *(self.call_text(each) for each in operands if each != NONE)])

    def side_not_refused(self, condition: int) -> int:
        """The side of a condition whose other side refuses; NONE if no side does, or both."""
        refuses = self.question.refuses
        if refuses is None:
            return NONE
        code = self.code_of(condition)
        refused = [refuses(code, self.text_behind(condition, side)) for side in (0, 1)]
        for whole, wanted in self.wholes.get(condition, ()):
            for side in (0, 1):  # where both hold, each has its wanted side; where not, this one may have the other
                at = wanted if side else 1 - wanted
                refused[at] = refused[at] or refuses(code, self.text_behind(whole, side))
        return refused.index(False) if any(refused) and not all(refused) else NONE

    def blocks_behind(self, condition: int, side: int) -> list[int]:
        """The blocks that run first where ``condition`` has ``side``."""
        table = self.program.tables["control"]
        return [int(table["target"][row]) for row in self.deciding.of(condition).tolist() if table["side"][row] == side]

    def only_behind(self, condition: int, side: int) -> Iterator[int]:
        """The blocks that run first where ``condition`` has ``side``, and only there."""
        table = self.program.tables["control"]
        work = self.blocks_behind(condition, side)
        for count, block in enumerate(work):  # grows, to the bound
            ways = [row for row in self.entering.of(block).tolist() if table["side"][row] != EXCEPTIONAL]
            if len(ways) > 1 or count == MAX_GUARD_USES:
                continue
            yield block
            work += [each.target for each in self.edges(block) if each.condition == NONE and each.side != EXCEPTIONAL]

    def text_behind(self, condition: int, side: int) -> str:
        """The code of calls and names that runs first where ``condition`` has ``side``, and only there."""
        found: list[str] = []
        for block in self.only_behind(condition, side):
            found += self.texts_in(block)
            if sum(map(len, found)) > MAX_GUARD_TEXT:
                break
        return " ".join(found)

    def texts_in(self, block: int) -> list[str]:
        function = int(self.program.tables["blocks"]["function"][block])
        blocks, firsts = self.blocks[function]
        at = blocks.index(block)
        last = firsts[at + 1] if at + 1 < len(firsts) else firsts[at] + MAX_GUARD_TEXT
        values = range(firsts[at], min(last, firsts[at] + MAX_GUARD_TEXT, len(self.op)))
        inside = [value for value in values if self.function[value] == function]
        said = [value for value in inside if self.op[value] in SAYING]
        stored = [
            int(self.program.tables["stores"]["value"][self.data[each]]) for each in inside if self.op[each] == Op.STORE
        ]
        said += [value for value in stored if value != NONE]  # ``response.status_code = 401``
        said += [self.resolution.reps[self.raised[value]] for value in inside if self.raised.get(value, value) != value]
        return [self.texts.text(*self.span(value), MAX_GUARD_TEXT) for value in said]

    def condition_text(self, condition: int) -> str:
        known = self.conditioned.get(condition)
        if known is None:
            table = self.program.tables["conditions"]
            function = int(table["function"][condition])
            file = int(self.program.file_of_value[self.program.tables["functions"]["result"][function]])
            start, end = int(table["start"][condition]), int(table["end"][condition])
            known = self.conditioned[condition] = self.texts.text(file, start, end, MAX_GUARD_TEXT)
        return known

    def call_text(self, value: int) -> str:
        """The code of the call that ``value`` is a result of, or one of several results; "" for other values."""
        value = self.resolution.reps[value]
        if self.op[value] == Op.LOAD:
            value = self.resolution.reps[int(self.program.tables["loads"]["object"][self.data[value]])]
        if self.op[value] != Op.CALL:
            return ""
        return self.texts.text(*self.span(value), MAX_GUARD_TEXT)

    def is_absent(self, value: int) -> bool:
        return self.is_text(value, ABSENT)

    def implies(self, condition: int, side: int) -> bool:
        """Whether the user is one that is asked for where ``condition`` has ``side``."""
        work = [(condition, side)]
        while work:  # conjunctions are made of conditions before them
            at, side = work.pop()
            parts = self.conjunctions.get(at)
            if parts is None:
                if self.side_of(at) == side:
                    return True
            elif side:
                work += parts
        return False

    def exempts(self, condition: int, side: int) -> bool:
        """Whether ``side`` lets some past the check, by their path or a setting, and asks nothing more of them."""
        parts = self.conjunctions.get(condition)
        if parts is not None and side:  # all parts hold there: one of them is enough
            if any(self.exempts(part, wanted) for part, wanted in parts):
                return True
            is_possible = any(self.side_of(part) == NONE and self.may_exempt(part, wanted) for part, wanted in parts)
            return is_possible and self.skips(condition, side)
        if parts is not None:
            known = [
                self.implies(part, 1 - wanted) or (part in self.conjunctions and self.exempts(part, 1 - wanted))
                for part, wanted in parts
            ]
            exempt = [self.may_exempt(part, 1 - wanted) for part, wanted in parts]
            return all(map(max, known, exempt)) and (any(known) or self.skips(condition, side))
        is_possible = self.side_of(condition) == NONE and self.may_exempt(condition, side)
        return is_possible and self.skips(condition, side)

    def skips(self, condition: int, side: int) -> bool:
        """Whether what is asked on the other side of a condition is not asked on this one, or whoever is on the other
        side is turned away because of what the request asks for: ``if (!isAllowed) return res.sendStatus(403)``.
        """
        if self.asks_behind(condition, side):
            return False
        return self.asks_behind(condition, 1 - side) or self.confines(condition, side)

    def confines(self, condition: int, side: int) -> bool:
        """Whether a condition lets only requests for some paths go on, which have ``side``."""
        return self.question.confines(self.code_of(condition), self.text_behind(condition, 1 - side))

    def may_exempt(self, condition: int, side: int) -> bool:
        """Whether a condition that asks for nobody may let some past on ``side``."""
        parts = self.conjunctions.get(condition)
        if parts is not None:
            return all(self.may_exempt(part, wanted if side else 1 - wanted) for part, wanted in parts)
        is_truth = self.program.tables["conditions"]["test"][condition] == Test.TRUTH
        code = self.code_of(condition)
        return self.question.exempts(code, bool(side) or not is_truth) or (
            not side and self.question.exempts(code, True) and self.is_on_by_default(condition)
        )

    def asks_behind(self, condition: int, side: int) -> bool:
        """Whether any way on from ``side`` of a condition comes to one that asks."""
        table = self.program.tables["control"]
        asking = self.asking_blocks(int(self.program.tables["conditions"]["function"][condition]))
        return any(
            table["side"][row] == side and int(table["target"][row]) in asking
            for row in self.deciding.of(condition).tolist()
        )

    def asking_blocks(self, function: int) -> set[int]:
        """The blocks of a function from which a way comes to a condition that asks. Linear in its edges, once."""
        known = self.asking.get(function)
        if known is None:
            before: dict[int, list[int]] = {}
            known = self.asking[function] = set()
            for block in self.blocks[function][0]:
                for edge in self.edges(block):
                    if edge.condition != NONE and self.asks_somewhere(edge.condition):
                        known.add(block)
                    if edge.side != EXCEPTIONAL:
                        before.setdefault(edge.target, []).append(block)
            work = list(known)
            for block in work:  # grows, each block once
                further = [each for each in before.get(block, ()) if each not in known]
                known.update(further)
                work += dict.fromkeys(further)
        return known

    def asks_somewhere(self, condition: int) -> bool:
        work = [condition]
        while work:  # conjunctions are made of conditions before them
            at = work.pop()
            if self.side_of(at) != NONE:
                return True
            work += [part for part, _ in self.conjunctions.get(at, ())]
        return False

    # -- Regions

    def is_protected(self, value: int) -> bool:
        """Whether ``value`` is computed only for those who are asked for, by what its own function asks."""
        function = int(self.function[value])
        opened = self.open_blocks(function, 0)
        if opened is None:
            return False
        if self.op[value] == Op.PHI:  # stands before the block at which ways join: what is computed first in that
            last = min(len(self.op), value + MAX_GUARD_TEXT)
            value = next((each for each in range(value, last) if self.op[each] != Op.PHI), value)
            if self.function[value] != function:
                return False
        stop = opened.get(self.block_of(value))
        return stop is None or value > stop

    def open_blocks(self, function: int, depth: int) -> dict[int, int] | None:
        """The blocks that anybody reaches, with the last value of each that anybody reaches; None where nothing in
        ``function`` asks who the user is.
        """
        name = (function, depth)
        if name not in self.reachable:
            self.reachable[name] = None  # a function that calls itself does not ask by that
            self.reachable[name] = self._open_blocks(function, depth)
        return self.reachable[name]

    def _open_blocks(self, function: int, depth: int) -> dict[int, int] | None:
        if function not in self.blocks or self.program.tables["functions"]["parent"][function] == NONE:
            return None  # a module's own code runs for nobody in particular
        asking = any(self.side_of(each) != NONE for each in self.conditions_in(function))
        results = self.program.tables["calls"]["result"]
        stops: dict[int, int] = {}  # block -> the first call in it that does not come back
        for call in self.calls_in(function):
            result = int(results[call])
            ensures = self.is_gate(call, depth)
            if ensures or call in self.non_returning:
                asking = asking or ensures
                block = self.block_of(result)
                stops[block] = min(result, stops.get(block, result))
        return self.reach(function, stops, self.lets_nobody_in) if asking else None

    def lets_nobody_in(self, condition: int, side: int) -> bool:
        """Whether only who is asked for gets to ``side`` of a condition, or a request for which no handler runs."""
        return self.implies(condition, side) or self.is_preflight(condition, side)

    def is_preflight(self, condition: int, side: int) -> bool:
        """Whether on ``side`` of a condition a browser only asks which requests it may send."""
        return bool(side) and any(
            wanted and PREFLIGHT.fullmatch(self.condition_text(each)) is not None
            for each, wanted in self.conjuncts(condition)
        )

    def is_gate(self, call: int, depth: int) -> bool:
        """Whether a call comes back only for who is asked for."""
        functions = self.functions_of(call)[:MAX_GUARD_DEPTH] if depth < MAX_GUARD_DEPTH else ()
        if not functions:
            return False
        flags = self.flags_of(call) if self.question.trusts_words else []
        for each in functions:
            if self.ensures(each, depth + 1) or self.demands_given(call, each) or self.demands_flagged(flags, each):
                return True
        return False

    def demands_flagged(self, flags: Sequence[int], function: int) -> bool:
        """Whether a function comes back only for who is asked for where these of its parameters are true:
        ``def enter(request, admin_only): if admin_only and not request.user.is_admin: raise``.
        """
        own = tuple(each for each in flags if self.function[each] == function)
        if not own or function not in self.blocks:
            return False
        known = self.flagged.get(own)
        if known is None:
            self.flagged[own] = False  # a function that calls itself
            known = self.flagged[own] = self._demands_flagged(own, function)
        return known

    def _demands_flagged(self, own: Sequence[int], function: int) -> bool:
        conditions = self.conditions_in(function)
        sides = {(each, self.side_of(each)) for each in conditions if self.side_of(each) != NONE}
        sides.update((each, 0) for flag in own for each in self.tested.of(flag).tolist())
        exits = {each for each in self.blocks[function][0] if self.is_exit(each)} - self.raising.get(function, set())
        return bool(exits) and exits.isdisjoint(self.reach_without(function, frozenset(sides)))

    def demands_given(self, call: int, function: int) -> bool:
        """Whether a function comes back only where a condition on a role that this call passes to it has one side:
        ``ensure_role(user, Role.ADMIN)``, where it asserts ``user.has_role(role)``.
        """
        if not self.question.trusts_words or function not in self.blocks:
            return False
        names = self.given_roles(call, function)
        if not names:
            return False
        exits = {each for each in self.blocks[function][0] if self.is_exit(each)} - self.raising.get(function, set())
        asking = [
            each
            for each in self.conditions_in(function)
            if not names.isdisjoint(IDENTIFIER.findall(self.condition_text(each)))
        ]
        sides = [frozenset({(each, side)}) for each in asking for side in (0, 1)]
        return any(exits.isdisjoint(self.reach_without(function, each)) for each in sides)

    def reach_without(self, function: int, sides: frozenset[tuple[int, int]]) -> dict[int, int]:
        """The blocks that are reached without edges on which one of ``sides`` holds, and not behind calls that do not
        come back.
        """
        return self.reach(function, self.stops(function), lambda condition, side: self.holds(condition, side, sides))

    def given_roles(self, call: int, function: int) -> set[str]:
        """The names of the parameters to which a call passes the role of administrators, if its name asks for roles."""
        calls = self.program.tables["calls"]
        callee = self.texts.text(*self.span(int(calls["callee"][call])), MAX_GUARD_TEXT)
        if ASKS_FOR_ROLES.isdisjoint(words(callee.rpartition(".")[2])):
            return set()
        asks = self.question.asks
        if not asks(self.call_text(int(calls["result"][call]))):
            return set()
        rows = self.resolution.rows("bindings")
        found: set[str] = set()
        for _, argument, parameter, *_ in rows[np.flatnonzero(rows[:, 0] == call)].tolist():
            if int(self.function[parameter]) == function and self.op[parameter] == Op.PARAMETER:
                code = self.texts.text(*self.span(argument), MAX_GUARD_TEXT)
                name = int(self.program.tables["parameters"]["name"][self.data[parameter]])
                if name >= 0 and (asks(code) or asks(f"role == {code}")):
                    found.add(self.program.strings[name])
        return found

    def ensures(self, function: int, depth: int) -> bool:
        """Whether a function comes back only for who is asked for: all others end in an exception, or the like."""
        opened = self.open_blocks(function, depth)
        if opened is None:
            return False
        raising = self.raising.get(function, ())
        for block, stop in opened.items():
            if stop == len(self.op) and block not in raising and self.is_exit(block):
                return False
        return True

    def refusals(self, function: int) -> Sequence[int]:
        """The calls of a function that run only for users whom a condition excludes."""
        asking = [each for each in self.conditions_in(function) if self.side_of(each) != NONE]
        if not asking or function not in self.blocks:
            return ()

        def refuses(condition: int, side: int) -> bool:
            return self.implies_not(condition, side)

        others = self.reach(function, {}, refuses)
        results = self.program.tables["calls"]["result"]
        return [call for call in self.calls_in(function) if self.block_of(int(results[call])) not in others]

    def implies_not(self, condition: int, side: int) -> bool:
        """Whether the user may be none that is asked for where ``condition`` has ``side``, which asks for one."""
        parts = self.conjunctions.get(condition)
        if parts is None:
            known = self.side_of(condition)
            return known != NONE and known != side
        return not side and any(self.side_of(part) == wanted for part, wanted in parts)

    def lets_pass(self, function: int) -> dict[int, int]:
        """The blocks of a check that others reach than those who are asked for, those who are exempted, and those who
        are turned away there.
        """

        def leaves(condition: int, side: int) -> bool:
            if self.implies(condition, side) or self.exempts(condition, side) or self.turns_away(condition, side):
                return True
            return self.asks_for_key(condition)

        return self.reach(function, {}, leaves)

    def turns_away(self, condition: int, side: int) -> bool:
        """Whether code that runs first where ``condition`` has ``side`` refuses."""
        if not self.asks_somewhere(condition):
            return False
        return self.question.turns_away(self.code_of(condition), self.text_behind(condition, side))

    # -- Exemptions

    def asks_for_key(self, condition: int) -> bool:
        """Whether a condition asks for a key that the program knows, and one of its sides turns others away."""
        if self.question.keys is None or condition in self.conjunctions:
            return False
        code = self.code_of(condition)
        if not self.question.keys.search(code):
            return False
        turned = [self.question.turns_away(code, self.text_behind(condition, side)) for side in (0, 1)]
        return turned[0] != turned[1]

    def is_on_by_default(self, condition: int) -> bool:
        """Whether a condition asks for a setting by its name to which the program itself gives the value "true"."""
        if self.program.tables["conditions"]["test"][condition] != Test.TRUTH:
            return False
        stores = self.program.tables["stores"]
        named = [self.program.string_ids.get(text[1:-1], NONE) for text in QUOTED.findall(self.code_of(condition))]
        rows = [row for key in named if key != NONE for row in self.stored_under.of(key).tolist()]
        return any(self.is_text(int(stores["value"][row]), ENABLED) for row in rows if stores["value"][row] != NONE)

    def runs_by_default(self, value: int) -> bool:
        """Whether the conditions before the code that computes a value ask for a setting whose default is "true", and
        besides only whether there is something.
        """
        conditions = self.program.tables["conditions"]
        block, found = self.block_of(value), False
        for _ in range(MAX_GUARD_DEPTH):
            rows = self.entering.of(block).tolist()
            table = self.program.tables["control"]
            rows = [row for row in rows if table["side"][row] != EXCEPTIONAL]
            if len(rows) != 1:
                return found
            condition = int(table["condition"][rows[0]])
            block = int(table["origin"][rows[0]])
            if condition == NONE:
                continue
            if not table["side"][rows[0]]:
                return False
            for part, side in self.conjuncts(condition):
                left = int(conditions["left"][part])
                is_truth = conditions["test"][part] == Test.TRUTH and left != NONE
                if is_truth and side and self.is_true_by_default(left):
                    found = True
                elif not (is_truth and side) or self.question.is_setting(self.code_of(part)):
                    return False
        return False

    def is_true_by_default(self, value: int) -> bool:
        """Whether a variable holds the constant "true" unless other code stores something else in it."""
        work = [value]
        for each in work:  # grows by what ways join, to the bound
            rep = self.resolution.reps[each]
            if self.is_text(each, ENABLED):
                return len(work) > 1
            if self.op[rep] == Op.PHI and len(work) <= MAX_GUARD_USES:
                work += [one for one in self.program.tables["flows"]["origin"][self.returned.of(rep)].tolist()]
        return False

    def exempting(self, function: int) -> list[tuple[int, bool]]:
        """The conditions of a check by which it lets some requests past; and whether each names, instead of those, the
        paths that the check is for.
        """
        table = self.program.tables["control"]
        found = []
        for condition in self.conditions_in(function):
            if condition in self.conjunctions or self.side_of(condition) != NONE:
                continue
            wholes = [whole for whole, _ in self.wholes.get(condition, ())]
            sides = {
                (each, int(side)) for each in (condition, *wholes) for side in table["side"][self.deciding.of(each)]
            }
            sides = {each for each in sides if each[1] != EXCEPTIONAL}
            exempted = [self.side_within(whole, side, condition) for whole, side in sides if self.exempts(whole, side)]
            if self.asks_for_key(condition):
                found.append((condition, False))
            elif exempted:
                matching = self.matching_side(condition)
                found.append((condition, matching != NONE and all(side not in (NONE, matching) for side in exempted)))
        return found

    def side_within(self, whole: int, side: int, part: int) -> int:
        """The side of a part of a condition which lets the whole have ``side``; NONE where either does."""
        if whole == part:
            return side
        for each, wanted in self.conjunctions.get(whole, ()):
            within = self.side_within(each, wanted if side else 1 - wanted, part)
            if within != NONE:
                return within
        return NONE

    def matching_side(self, condition: int) -> int:
        """The side of a condition on which a request is one of those that its code names; NONE if that is not known."""
        test = int(self.program.tables["conditions"]["test"][condition])
        code = self.condition_text(condition)
        if COUNTS.search(code):
            return NONE
        if test == Test.TRUTH:
            return 1 if MATCHES.match(code) else NONE
        return 1 if test in (Test.EQUAL, Test.IN, Test.PREFIX) else NONE
