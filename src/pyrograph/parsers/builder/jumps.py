"""Jumps: ends of arms, ``break``, ``continue``, ``raise``, and the back edges of loops."""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.schema import CARRY_FED, LOOP_INDUCTION, LOOP_WIDTH, VALUE_END, VALUE_WIDTH
from pyrograph.parsers.builder.conditions import Conditions
from pyrograph.parsers.builder.data import Span, Writes
from pyrograph.parsers.builder.frame import Attempt, Loop
from pyrograph.parsers.builder.ops import CONST, EXPRESSION, PI, POST, STORE

SILENT: Final = (CONST, PI, POST, STORE)  # what a call leaves behind, which raises nothing any more


class Jumps(Conditions):
    """Words that end an arm or jump out of it; ``control.Control`` calls them."""

    @property
    def reachable(self) -> bool:
        """Whether control can be here; front ends lower no statement where it cannot."""
        return self.frame.reachable

    def begin_statement(self) -> bool:
        """Whether control can be here; then a statement begins (``forget_reads``)."""
        if not self.frame.reachable:
            return False
        self.forget_reads()
        return True

    def label(self) -> None:
        """Control may arrive here by a jump."""
        self.frame.reachable = True

    def set_index(self, value: int) -> None:
        """``value`` is the index variable of the loop being lowered."""
        loop = self.frame.loops[-1]
        self.tables["loops"][LOOP_WIDTH * loop.row + LOOP_INDUCTION] = value

    def break_(self, label: str | None = None) -> None:
        """Leave the innermost loop or switch, or the one with this label."""
        passed: list[Loop] = []
        for loop in reversed(self.frame.loops):
            if label is None or loop.label == label:
                state = self.writes_since(loop.log)
                loop.breaks.append(state)
                loop.break_blocks.append(self.frame.block)
                for inner in passed:
                    inner.leaving.append(state)
                break
            passed.append(loop)
        self.frame.reachable = False

    def continue_(self, label: str | None = None) -> None:
        """Go on with the next iteration of the innermost loop, or of the one with this label."""
        passed: list[Loop] = []
        for loop in reversed(self.frame.loops):
            if not loop.breakable_only and (label is None or loop.label == label):
                state = self.writes_since(loop.body_log)
                loop.continues.append(state)
                loop.continue_blocks.append(self.frame.block)
                for inner in passed:
                    inner.leaving.append(state)
                break
            passed.append(loop)
        self.frame.reachable = False

    def raise_(self, value: int | None, at: Span | None = None, kind: str = "") -> None:
        """Raise ``value``; None: an exception whose value is not known. ``at``: where the statement names a value that
        was made elsewhere, so that the block which raises it holds a value, too. ``kind``: the name of its class.
        """
        frame = self.frame
        if frame.attempts:
            frame.attempts[-1].raising.append((frame.block, kind))
        if value is not None:
            if at is not None:
                raised = self.new(EXPRESSION, at)
                self.same(value, raised)
                value = raised
            if frame.attempts:
                self.same(value, frame.attempts[-1].exception)
            else:
                frame.boundary.raises.append(value)
        frame.reachable = False

    def merge_continues(self, loop: Loop) -> None:
        """Merge the end of the body with every ``continue``, before the step and a condition that is tested there."""
        frame = self.frame
        end = self.end_arm()
        self.open_arm()
        self.merge([end, *loop.continues], [frame.block, *loop.continue_blocks])

    def feed_header(self, loop: Loop, back: Writes) -> None:
        """Close the loop: each header phi gets its value from the back edge; names first written inside get one."""
        frame = self.frame
        carries = self.tables["carries"]
        self.spend(len(loop.carries) + len(back))
        for name in dict.fromkeys([*loop.carries, *back]):
            carry = loop.carries.get(name, NONE)
            fed = back.get(name, NONE)
            if fed in (NONE, carry):
                continue
            if carry == NONE:
                if type(name) is tuple and name[0] != "in":
                    continue
                before = frame.env.get(name, NONE)
                if before != NONE:
                    frame.loops.pop()
                    before = self._header_phi(name, before)  # its header phis in the loops around this one
                    frame.loops.append(loop)
                carry = self._new_header_phi(loop, name, before)
                frame.logs[loop.log].setdefault(name, before)
                frame.env[name] = carry
                frame.captures.changed.add(name)
            self.same(fed, carry)
            self._fed.setdefault(carry, []).append(fed)
            carries[loop.rows[carry] + CARRY_FED] = fed

    def forget_last(self, attempt: Attempt) -> None:
        """A handler does not see the truth that the last statement of the body wrote: nothing raises behind it."""
        ops, values = self.ops, self._values
        last = len(ops) - 1
        while last >= 0 and ops[last] in SILENT:
            last -= 1
        end = values[VALUE_WIDTH * last + VALUE_END]
        for version in range(last + 1, len(ops)):
            if ops[version] == STORE and values[VALUE_WIDTH * version + VALUE_END] > end:
                return  # no state of what the call got: a statement behind it
        for name, versions in attempt.versions.items():
            if type(name) is not str or len(versions) < 2 or versions[-2] == NONE:
                continue
            if versions[-1] >= last and versions[-1] in self.truths:
                del versions[-1]

    def enter_arm(self, state: Writes, block: int, condition: int, side: int) -> None:
        """Begin an arm that control takes from ``block`` where ``condition`` has this side."""
        self.open_arm()
        self.apply(state)
        self.begin_block()
        self.edge(block, condition, side)

    def skip_arm(self, state: Writes, block: int, condition: int, side: int) -> Writes:
        """An arm without statements: its writes are those of the condition that leads into it."""
        frame = self.frame
        if frame.attempts or frame.parent is None:  # handlers and other files see every binding
            self.enter_arm(state, block, condition, side)
            return self.close_arm()
        self.begin_block()
        self.edge(block, condition, side)
        return state

    def end_arm(self) -> Writes | None:
        """End an arm and return its writes; None where control does not reach its end."""
        after = self.close_arm() if self.frame.reachable else self.discard_arm()
        self.frame.reachable = True
        return after


def trip_count(first: object, step: object, bound: object, sign: str = "") -> int:
    """The number of iterations of a counting loop: 0 where the body never runs, NONE where the number is not constant.

    ``sign`` compares the index with ``bound``; without one it is ``<`` for a positive step and ``>`` for a negative.

    >>> [trip_count(0, 3, 7), trip_count(5, -1, 0), trip_count(1, 1, 10, "<="), trip_count(4, 1, 4)]
    [3, 5, 10, 0]
    >>> [trip_count(0, 0, 9), trip_count(0, -1, 9, "<")]  # never ends
    [-1, -1]
    """
    if type(first) is not int or type(step) is not int or type(bound) is not int or step == 0:
        return NONE
    if sign in ("<=", ">="):
        bound += 1 if sign == "<=" else -1
    if sign in ("!=", "!=="):
        if (bound - first) % step:
            return NONE
        count = (bound - first) // step
        return count if 0 <= count < 2**31 else NONE
    if sign not in ("", "<", "<=", ">", ">="):
        return NONE
    if sign and (step > 0) != (sign in ("<", "<=")):
        return NONE
    count = max(0, -(-(bound - first) // step))
    return count if count < 2**31 else NONE
