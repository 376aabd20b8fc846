"""Conditions: what the environment looks like where they hold, and where they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pyrograph.ir.codes import NONE, UNKNOWN_KEY
from pyrograph.ir.schema import (
    CONDITION_END,
    CONDITION_START,
    CONDITION_WIDTH,
    LOAD_KEY,
    LOAD_OBJECT,
    LOAD_WIDTH,
    PI_INPUT,
    PI_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.choices import Choices
from pyrograph.parsers.builder.data import Name, Outcome, Passing, Range, Span, Writes
from pyrograph.parsers.builder.ops import (
    BOTH,
    CALL,
    CARRY,
    EQUAL,
    EXPRESSION,
    GLOBAL,
    LOAD,
    PI,
    POST,
    TRUTH,
    is_fixed,
    is_place,
)
from pyrograph.policy.limits.lowering import (
    FEW_NAMES,
    MAX_CONDITION_SLICE,
    MAX_CONVERTED_ARMS,
    MAX_REFINED_VERSIONS,
    STEPS_PER_TESTED_NAME,
)


class Conditions(Choices):
    """Tests, and their conjunctions; each gives an ``Outcome`` with a pi version of every variable that it reads."""

    def test(self, test: int, left: int, right: int, at: Span, mark: int) -> Outcome:
        """A condition ``left test right``; the variables read since ``mark`` get a version on each side.

        A comparison of a call's result with false is the negated test of its truth: ``ok(x) is False``. One with true
        is not, because where it fails the result may be a text.
        """
        if test == EQUAL and self.ops[left] == CALL and self.constants.get(right, self) is False:
            return self.test(TRUTH, left, NONE, at, mark).inverted()
        frame = self.frame
        refinements = frame.refinements
        env, names_of, loaded = frame.env, frame.names_of, frame.objects.loaded
        conditions, pis = self._conditions, self._pis
        start, end = at.start_byte, at.end_byte
        condition = len(conditions) // CONDITION_WIDTH
        conditions.extend((frame.index, test, left, right, start, end))
        true: Passing = {}
        false: Passing = {}
        made: dict[tuple[int, int], Any] = {}  # (version, side) -> pi
        held: list[tuple[Any, int]] = []  # (object and key that hold what is tested, pi where it is true)
        reads = self.reads[mark:]
        if len(reads) > FEW_NAMES:
            self.spend(STEPS_PER_TESTED_NAME * len(reads))
        plain = test == TRUTH and len(reads) == 1 and is_place(self.ops[left]) and left not in refinements.gathered
        if plain and left in loaded:
            # a part of what a call returned, "ok, err := check(x)": a test of what the call was given; an element under
            # a computed key, "row = TABLE[x]": a test of the key
            plain = self.ops[loaded[left][0]] != CALL and loaded[left][1] >= UNKNOWN_KEY
        for value in self._tested_versions(reads, 1 if plain else MAX_CONDITION_SLICE):
            bound = names_of.get(value)
            if bound is None:
                continue
            names = [n for n in bound if env.get(n, NONE) == value]
            if not names:
                continue
            if len(names) > FEW_NAMES:  # each of them is written on both sides and merged behind them
                self.spend(STEPS_PER_TESTED_NAME * len(names))
            if value < frame.loop_start and (variable := next((n for n in names if type(n) is str), None)) is not None:
                value = self._header_phi(variable, value)  # as the loops around see it
                names = [n for n in names if env.get(n, NONE) == value]
            row = len(pis) // PI_WIDTH
            pi = len(self.ops)
            self.ops.extend((PI, PI))
            self._values.extend(
                (PI, frame.index, start, end, row, PI, frame.index, start, end, row + 1),
            )
            pis.extend((pi, value, condition, 1, pi + 1, value, condition, 0))
            if value in loaded:
                loaded[pi] = loaded[pi + 1] = loaded[value]
            if value in refinements.computed_from:
                refinements.computed_from[pi] = refinements.computed_from[pi + 1] = refinements.computed_from[value]
            refinements.pis[value] = pi
            here: Any = pi
            other: Any = pi + 1
            for name in names:
                true[name] = here
                false[name] = other
                if type(name) is tuple:
                    held.append((name, pi))
            made[value, 1] = here
            made[value, 0] = other
        if len(made) > 2:
            self._test_parts(made, true, false)
            self._test_held(made, held, true, false)
        if refinements.choices:
            self.choose_edges(test, left, right, true, false)
        return Outcome(true, false, condition)

    def _test_parts(self, made: dict[tuple[int, int], int], true: Writes, false: Writes) -> None:
        """Let later reads of an object's part see the version that a condition on the part made."""
        frame = self.frame
        objects = frame.objects
        for (value, side), pi in made.items():
            obj, key = objects.loaded.get(value, (NONE, NONE))
            if key < 0:
                continue
            now = self.latest(obj)
            holder = made.get((now, side), NONE)
            if holder != NONE and (now == obj or frame.env.get((now, key), NONE) == value):
                objects.loaded[pi] = (holder, key)
                (true if side else false)[holder, key] = pi
                objects.tested_parts.setdefault(holder, []).append((key, pi))

    def _test_held(
        self, made: dict[tuple[int, int], int], held: list[tuple[Any, int]], true: Writes, false: Writes
    ) -> None:
        """The same for what was put into an object that is tested, too: ``x = {"a": b}``, then a test of ``x["a"]``."""
        parts = self.frame.objects.tested_parts
        for (obj, key), pi in held:
            for version, side, state in ((pi, 1, true), (pi + 1, 0, false)):
                holder = made.get((obj, side), NONE)
                if holder != NONE and (holder, key) not in state:
                    state[holder, key] = version
                    parts.setdefault(holder, []).append((key, version))

    def gather(self, value: int, origins: Sequence[int]) -> None:
        """``value`` holds elements of ``origins``: whether it is empty says something of these as well."""
        self.frame.refinements.computed_from[value] = tuple(origins)
        self.frame.refinements.gathered.add(value)

    def _tested_versions(self, reads: Iterable[int], depth: int) -> list[int]:
        """The versions that a condition tests: what it reads, in its current state, and what that was computed from."""
        frame, ops = self.frame, self.ops
        refinements, loaded = frame.refinements, frame.objects.loaded
        found: dict[int, None] = {}
        level = list(reads)
        for last in range(depth - 1, -1, -1):
            following: list[int] = []
            for value in level:
                if last:
                    before = self._before_calls(value)
                    if (parts := refinements.computed_from.get(before)) is not None:
                        following.extend(parts)
                    elif before in refinements.merged or ops[before] == CARRY:
                        following.extend(self._origin_of_merge(before))
                    if (place := loaded.get(before)) is not None:
                        following.append(place[0])
                value = self._version_now(value)
                op = ops[value]
                if not is_fixed(op) and op != GLOBAL:
                    found[value] = None
                    # The entry's name of a parameter stands for the state before a loop, the variable for the loop's.
                    carried = refinements.merged_into.get(value, NONE)
                    if carried != NONE and ops[carried] == CARRY:
                        found[self._version_now(carried)] = None
            level = following
        return list(found)

    def _origin_of_merge(self, value: int) -> list[int]:
        """The one value that all versions behind arms are states of, or were computed from alone:
        ``text = x.decode() if isinstance(x, bytes) else x``. Nothing where there are several. Of what a loop carries,
        that of what it begins with: labelling knows whether the loop changes it.
        """
        refinements = self.frame.refinements
        for _ in range(MAX_CONVERTED_ARMS):
            if self.ops[value] != CARRY or self._initial[value] == NONE:
                break
            value = self._initial[value]
        origins: set[int] = set()
        merged = refinements.merged.get(value, ())
        for version in merged if len(merged) <= MAX_CONVERTED_ARMS else ():
            before = self._before_calls(version)
            parts = refinements.computed_from.get(before, (before,))
            origins.update([self._before_calls(part, to_first=True) for part in parts])
            if len(origins) > 1:
                return []
        return list(origins)

    def _before_calls(self, value: int, *, to_first: bool = False) -> int:
        """The version before calls that were given the value, and before conditions, of which it is known what it was
        made from; ``to_first``: the first one, whatever is known.
        """
        computed, loaded = self.frame.refinements.computed_from, self.frame.objects.loaded
        for _ in range(MAX_REFINED_VERSIONS):
            op = self.ops[value]
            if (op != POST and op != PI) or (not to_first and (value in computed or value in loaded)):
                break
            value = self._version_before(value)
        return value

    def name_of(self, value: int) -> str | None:
        """A variable that stands for this very version now."""
        env = self.frame.env
        names = self.frame.names_of.get(value, ())
        return next((name for name in names if type(name) is str and env.get(name, NONE) == value), None)

    def write(self, name: str, value: int) -> None:
        """``name`` is ``value`` from here on. What a call answers is a condition where ``name`` was a truth before:
        ``ok = valid(x)``, then ``if not ok: ok = other(x)``.
        """
        frame = self.frame
        is_answer = self.ops[value] == CALL and value not in self.truths and frame.scope.own is None
        before = frame.env.get(frame.scope.renamed.get(name, name), NONE) if is_answer else NONE
        super().write(name, value)
        if before != NONE and self._is_truth(before):
            mark = len(self.reads)
            self.reads.append(value)
            base = VALUE_WIDTH * value
            at = Range(self._values[base + VALUE_START], self._values[base + VALUE_END])
            self._remember(value, self.test(TRUTH, value, NONE, at, mark))
            del self.reads[mark:]

    def _is_truth(self, version: int) -> bool:
        """Whether a version is true or false, or what a condition asked for the truth of."""
        constant = self.constants.get(version, self)
        return constant is True or constant is False or version in self.truths or self.truth_behind(version) != NONE

    def names_read(self, mark: int) -> list[Name]:
        """The names read since ``mark`` that still stand for what was read, or for its state after calls and stores."""
        env, names_of, updated = self.frame.env, self.frame.names_of, self.frame.objects.updated
        names: list[Name] = []
        for read in self.reads[mark:]:
            while read in updated:
                read = updated[read]
            names += [name for name in names_of.get(read, ()) if env.get(name, NONE) == read]
        return names

    def truth(self, value: int, at: Span, mark: int) -> Outcome:
        """The condition that ``value`` is true."""
        constant = self.constants.get(value, self)
        if constant is not self:
            return self.known(bool(constant))
        known = self._outcome_now(value)
        if known is not None:
            return known
        if is_place(self.ops[value]) and not self._is_part_of_result(value):
            mark = len(self.reads)  # says what it is, and nothing of what it was made from
            self.reads.append(value)
        return self.test(TRUTH, value, NONE, at, mark)

    def _is_part_of_result(self, value: int) -> bool:
        """Whether ``value`` is an element, or a field of what a call gave: what that was made from is tested, too."""
        if self.ops[value] != LOAD:
            return False
        row = LOAD_WIDTH * self._values[VALUE_WIDTH * value + VALUE_DATA]
        return self._loads[row + LOAD_KEY] < 0 or self.ops[self._loads[row + LOAD_OBJECT]] == CALL

    def known(self, holds: bool) -> Outcome:
        """A condition whose truth is known."""
        return Outcome({} if holds else None, None if holds else {})

    def conjunction(self, left: Outcome, right: Outcome) -> tuple[int, int]:
        """The condition, and its side, that says ``left and right``; NONE where one of them has none."""
        if left.false is None:
            return right.condition, right.side
        if right.false is None:
            return left.condition, left.side
        if left.condition == NONE or right.condition == NONE or right.true is None:
            return NONE, 1
        conditions = self._conditions
        row = len(conditions) // CONDITION_WIDTH
        one, other = CONDITION_WIDTH * left.condition, CONDITION_WIDTH * right.condition
        start = min(conditions[one + CONDITION_START], conditions[other + CONDITION_START])
        end = max(conditions[one + CONDITION_END], conditions[other + CONDITION_END])
        conditions.extend((self.frame.index, BOTH, NONE, NONE, start, end))
        self.tables["conjunctions"].extend((row, left.condition, left.side, right.condition, right.side))
        return row, 1

    def boolean(self, outcome: Outcome, at: Span, parts: Sequence[int] = ()) -> int:
        """The value of a condition: a boolean, so no taint; what it says is remembered for tests of the value."""
        if not self._only_tests(outcome):
            self.merge([outcome.true, outcome.false])
        if outcome.true is None:
            return self.constant(False, at)
        if outcome.false is None:
            return self.constant(True, at)
        value = self.new(EXPRESSION, at)
        self._remember(value, outcome)
        return value

    def _remember(self, value: int, outcome: Outcome) -> None:
        """``value`` is the truth of this condition."""
        self.truths[value] = outcome
        env = self.frame.env
        sides = [side for side in (outcome.true, outcome.false) if side is not None]
        self.budget.steps += sum([len(side) for side in sides])
        self._bound_before[value] = {name: env.get(name, NONE) for side in sides for name in side}

    def _only_tests(self, outcome: Outcome) -> bool:
        """Whether a condition changes nothing: all it leaves behind are pis of what is current."""
        env = self.frame.env
        pis = self._pis
        for state in (outcome.true, outcome.false):
            for name, version in (state or {}).items():
                if type(name) is tuple and name not in env:
                    continue  # a part of what the pi of its object holds
                if self.ops[version] != PI:
                    return False
                row = self._values[VALUE_WIDTH * version + VALUE_DATA]
                if pis[PI_WIDTH * row + PI_INPUT] != env.get(name, NONE):
                    return False
        return True

    def _outcome_now(self, value: int) -> Outcome | None:
        """The outcome that a boolean stands for, without names that were bound anew since."""
        outcome = self.truths.get(value)
        settled = self._bound_before.get(value)
        if outcome is None or settled is None:
            return outcome
        env = self.frame.env
        start = self.frame.loop_start
        self.budget.steps += len(settled)
        valid = {name for name, then in settled.items() if then != NONE and env.get(name, NONE) == then >= start}
        if len(valid) == len(settled):
            return outcome
        return Outcome(
            None if outcome.true is None else {n: v for n, v in outcome.true.items() if n in valid},
            None if outcome.false is None else {n: v for n, v in outcome.false.items() if n in valid},
            outcome.condition,
            outcome.side,
        )
