"""Where control goes on: blocks that a jump leaves, rounds that are fed back, what is raised."""

from __future__ import annotations

from pyrograph.ir.codes import NONE
from pyrograph.ir.schema import CARRY_FED, LOOP_INDUCTION, LOOP_WIDTH
from pyrograph.parsers.builder.conditions import Conditions
from pyrograph.parsers.builder.frame import Loop, State


class Jumps(Conditions):
    """The ends of ways that control takes; ``control.Control`` walks them."""

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
        """Control may arrive here from elsewhere."""
        self.frame.reachable = True

    def set_index(self, value: int) -> None:
        """``value`` is the index variable of the loop being lowered."""
        loop = self.frame.loops[-1]
        self.tables["loops"][LOOP_WIDTH * loop.row + LOOP_INDUCTION] = value

    def break_(self, label: str | None = None) -> None:
        passed: list[Loop] = []
        for loop in reversed(self.frame.loops):
            if label is None or loop.label == label:
                state = self.since(loop.log)
                loop.breaks.append(state)
                loop.break_blocks.append(self.frame.block)
                for inner in passed:
                    inner.leaving.append(state)
                break
            passed.append(loop)
        self.frame.reachable = False

    def continue_(self, label: str | None = None) -> None:
        passed: list[Loop] = []
        for loop in reversed(self.frame.loops):
            if not loop.breakable_only and (label is None or loop.label == label):
                state = self.since(loop.body_log)
                loop.continues.append(state)
                loop.continue_blocks.append(self.frame.block)
                for inner in passed:
                    inner.leaving.append(state)
                break
            passed.append(loop)
        self.frame.reachable = False

    def raise_(self, value: int | None) -> None:
        """Leave by an exception that carries ``value``."""
        frame = self.frame
        if value is not None:
            if frame.attempts:
                self.same(value, frame.attempts[-1].exception)
            else:
                frame.raises.append(value)
        frame.reachable = False

    def rejoin(self, loop: Loop) -> None:
        """``continue`` arrives at the end of the body, before the step and a condition that is tested there."""
        frame = self.frame
        end = self.end()
        self.fork()
        self.merge([end, *loop.continues], [frame.block, *loop.continue_blocks])

    def feed(self, loop: Loop, back: State) -> None:
        """Close the loop: each header phi also takes what the back edge brings; names first written inside get one."""
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
                    before = self._carried(name, before)  # what the loops around this one feed back comes in here, too
                    frame.loops.append(loop)
                carry = self._new_carry(loop, name, before)
                frame.logs[loop.log].setdefault(name, before)
                frame.env[name] = carry
                frame.changed.add(name)
            self.same(fed, carry)
            self._fed.setdefault(carry, []).append(fed)
            carries[loop.rows[carry] + CARRY_FED] = fed

    def enter(self, state: State, block: int, condition: int, side: int) -> None:
        """Begin an arm that control takes from ``block`` where ``condition`` has this side."""
        self.fork()
        self.apply(state)
        self.begin_block()
        self.edge(block, condition, side)

    def skip(self, state: State, block: int, condition: int, side: int) -> State:
        """An arm in which nothing happens: what comes out of it is what went in."""
        frame = self.frame
        if frame.attempts or frame.parent is None:  # handlers and other files are told of what is bound in it
            self.enter(state, block, condition, side)
            return self.leave()
        self.begin_block()
        self.edge(block, condition, side)
        return state

    def end(self) -> State | None:
        """End an arm: what it wrote, None where nothing comes out of it."""
        after = self.leave() if self.frame.reachable else self.abandon()
        self.frame.reachable = True
        return after


def trips(first: object, step: object, bound: object, sign: str = "") -> int:
    """How often the body of a counted loop runs, NONE where that is not constant; 0 where it never does.

    ``sign`` compares the index with ``bound``; without one it is ``<`` for a positive step and ``>`` for a negative.

    >>> [trips(0, 3, 7), trips(5, -1, 0), trips(1, 1, 10, "<="), trips(4, 1, 4), trips(0, 0, 9), trips(0, -1, 9, "<")]
    [3, 5, 10, 0, -1, -1]
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
