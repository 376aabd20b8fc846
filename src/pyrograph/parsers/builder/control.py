"""Control: branches, loops, switches, exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyrograph.ir.unit import EXCEPTIONAL, NONE
from pyrograph.parsers.builder.conditions import Conditions
from pyrograph.parsers.builder.frame import Attempt, Loop, Outcome, Span, State


class Control(Conditions):
    """The ways that control takes, each an arm of its own that a merge ends."""

    def branch(self, outcome: Outcome, then: Callable[[], None], otherwise: Callable[[], None] | None = None) -> None:
        """``if outcome: then() else: otherwise()``; an arm that cannot run is not lowered."""
        block = self.frame.block
        first, first_block = self._arm(outcome.true, then, block, outcome.condition, outcome.side)
        second, second_block = self._arm(outcome.false, otherwise, block, outcome.condition, 1 - outcome.side)
        self.merge([first, second], [first_block, second_block])

    def _arm(
        self, state: State | None, body: Callable[[], None] | None, block: int, condition: int, side: int
    ) -> tuple[State | None, int]:
        if state is None:
            return None, NONE
        self._fork()
        self._apply(state)
        self._new_block([(block, condition, side)])
        if body is not None:
            body()
        after = self._leave() if self.frame.reachable else self._abandon()
        end = self.frame.block
        self.frame.reachable = True
        return after, end

    def choose(self, outcome: Outcome, then: Callable[[], int], otherwise: Callable[[], int], at: Span) -> int:
        """A conditional expression."""
        values: list[int] = []
        ends: list[int] = []

        def arm(make: Callable[[], int]) -> None:
            values.append(make())
            ends.append(self.frame.block)

        self.branch(outcome, lambda: arm(then), lambda: arm(otherwise))
        self.frame.reachable = True
        if not values:
            return self.opaque(at)
        fresh = len(self.ops)
        chosen = self.phi(values, at)
        if chosen == fresh:
            joins = self.tables["joins"]
            for value, end in zip(values, ends, strict=True):
                joins.extend((fresh, value, end))
        return chosen

    def branches(self, arms: Sequence[Callable[[], None]]) -> None:
        """Any one of ``arms`` runs, nothing is known of which."""
        block = self.frame.block
        ends = [self._arm({}, arm, block, NONE, 1) for arm in arms]
        self.merge([state for state, _ in ends], [end for _, end in ends])

    @property
    def reachable(self) -> bool:
        """Whether control can be here; front ends lower no statement where it cannot."""
        return self.frame.reachable

    def label(self) -> None:
        """Control may arrive here from elsewhere."""
        self.frame.reachable = True

    def loop(
        self,
        at: Span,
        condition: Callable[[], Outcome] | None,
        body: Callable[[], None],
        *,
        step: Callable[[], None] | None = None,
        otherwise: Callable[[], None] | None = None,
        label: str | None = None,
        body_first: bool = False,
        trips: int = NONE,
        over: int = NONE,
        counted: tuple[int, int, int] | None = None,
    ) -> None:
        """``while condition: body; step`` (``condition`` None: an iteration over something, any number of rounds).

        ``otherwise`` runs when the loop ends without ``break``; ``body_first``: the condition is tested after the body
        (and ``step``). ``trips``: how many rounds there are if nothing breaks, where that is known; of no round
        nothing is lowered, a single one is no loop, and of several the first is certain. ``over``: what is iterated
        over; ``counted``: start, step and bound of an iteration that counts (``set_index`` names what counts).
        """
        frame = self.frame
        tables = self.tables
        row = len(tables["loops"]) // 9
        if trips in (0, 1):
            where = (frame.block, frame.block, frame.block)
            tables["loops"].extend((frame.index, trips, NONE, at.start_byte, at.end_byte, *where, over))
            if trips == 1:
                self._once(row, body, step, label)
            if otherwise is not None and frame.reachable:
                otherwise()
            return
        once = body_first or trips > 0  # what was before the loop is seen after it only through the body
        header = self._new_block([(frame.block, NONE, 1)])
        tables["loops"].extend((frame.index, trips, NONE, at.start_byte, at.end_byte, header, header, header, over))
        if counted is not None:
            tables["streams"].extend((row, *counted))
        self._fork()
        loop = Loop(row, len(self.ops), len(frame.logs) - 1, label, header)
        frame.loops.append(loop)
        outer_start, frame.loop_start = frame.loop_start, len(self.ops)
        anything = Outcome({}, {})
        outcome = anything if condition is None or body_first else condition()
        tested = frame.block  # where the condition is known
        back: State | None = None
        last: State | None = None  # at the end of the last round, where the condition is tested there
        self._fork()
        loop.body_log = len(frame.logs) - 1
        if outcome.true is not None:
            self._apply(outcome.true)
            tables["loops"][9 * row + 6] = self._new_block(
                [(tested, NONE if body_first else outcome.condition, outcome.side)]
            )
            body()
            if loop.continues:
                self._rejoin(loop)
            if frame.reachable:
                if step is not None:
                    step()
                if body_first:
                    outcome = anything if condition is None else condition()
                    tested = frame.block
                    last = None if outcome.false is None else {**self._since(loop.body_log), **outcome.false}
                    self._apply(outcome.true or {})
                    frame.reachable = outcome.true is not None
                elif once:
                    last = self._since(loop.body_log)
            back = self._leave() if frame.reachable else self._abandon()
            if frame.reachable:
                tables["control"].extend(
                    (frame.block, header, outcome.condition if body_first else NONE, outcome.side if body_first else 1)
                )
        else:
            self._abandon()
        frame.reachable = True
        if back is not None:
            self._feed(loop, back)
            for name in back:  # a way out that was there before the name was written, in the round before
                carry = loop.carries.get(name, NONE)
                if carry != NONE and type(name) is str:
                    for state in (*loop.breaks, *loop.leaving):
                        state.setdefault(name, carry)
        frame.loops.pop()
        frame.loop_start = outer_start
        ended = [(tested, outcome.condition, 1 - outcome.side)] if outcome.false is not None else []
        tables["loops"][9 * row + 7] = self._new_block(ended)
        after: State | None = None
        if outcome.false is not None:
            if once:
                self._apply(last or {})
                frame.reachable = last is not None
            else:
                self._apply(outcome.false)
            if otherwise is not None and frame.reachable:
                otherwise()
            after = self._leave() if frame.reachable else self._abandon()
        else:
            self._abandon()
        frame.reachable = True
        self.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    def _once(self, row: int, body: Callable[[], None], step: Callable[[], None] | None, label: str | None) -> None:
        """The body of a loop that has a single round: nothing is fed back."""
        frame = self.frame
        self._fork()
        loop = Loop(row, 0, len(frame.logs) - 1, label, frame.block)
        frame.loops.append(loop)
        self._fork()
        loop.body_log = len(frame.logs) - 1
        body()
        frame.loops.pop()
        round_ = self._leave() if frame.reachable else self._abandon()
        frame.reachable = True
        self.merge([round_, *loop.continues], [frame.block, *loop.continue_blocks])
        if step is not None and frame.reachable:
            step()
        after = self._leave() if frame.reachable else self._abandon()
        frame.reachable = True
        self.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    def _rejoin(self, loop: Loop) -> None:
        """``continue`` arrives at the end of the body, before the step and a condition that is tested there."""
        frame = self.frame
        end = self._leave() if frame.reachable else self._abandon()
        self._fork()
        frame.reachable = True
        self.merge([end, *loop.continues], [frame.block, *loop.continue_blocks])

    def _feed(self, loop: Loop, back: State) -> None:
        """Close the loop: each header phi also takes what the back edge brings; names first written inside get one."""
        frame = self.frame
        carries = self.tables["carries"]
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
            carries[loop.rows[carry] + 3] = fed

    def set_index(self, value: int) -> None:
        """``value`` is the index variable of the loop being lowered."""
        loop = self.frame.loops[-1]
        self.tables["loops"][9 * loop.row + 2] = value

    @contextmanager
    def breakable(self, at: Span, label: str | None = None) -> Iterator[None]:
        """A region that ``break`` leaves: a switch, a labelled block."""
        frame = self.frame
        self._fork()
        loop = Loop(NONE, 0, len(frame.logs) - 1, label, frame.block, breakable_only=True)
        frame.loops.append(loop)
        yield
        frame.loops.pop()
        after = self._leave() if frame.reachable else self._abandon()
        frame.reachable = True
        self.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    def switch(
        self, at: Span, arms: Sequence[tuple[Outcome, Callable[[], None]]], *, complete: bool, label: str | None = None
    ) -> None:
        """Arms in source order, each entered where its condition holds or where control falls out of the one before;
        ``break`` leaves.

        The conditions were evaluated before; ``complete``: one arm is always entered.
        """
        with self.breakable(at, label):
            frame = self.frame
            head = frame.block
            end: State | None = None
            ends: list[int] = []
            for outcome, body in arms:
                entry = self._joined([outcome.true, end])
                if entry is None:
                    continue
                self._fork()
                self._apply(entry)
                self._new_block(
                    [(head, outcome.condition, outcome.side)] * (outcome.true is not None)
                    + [(b, NONE, 1) for b in ends]
                )
                body()
                end = self._leave() if frame.reachable else self._abandon()
                ends = [frame.block] if frame.reachable else []
                frame.reachable = True
            self.merge([end, None if complete else {}], [*ends, head] if ends else [NONE, head])

    def break_(self, label: str | None = None) -> None:
        passed: list[Loop] = []
        for loop in reversed(self.frame.loops):
            if label is None or loop.label == label:
                state = self._since(loop.log)
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
                state = self._since(loop.body_log)
                loop.continues.append(state)
                loop.continue_blocks.append(self.frame.block)
                for inner in passed:
                    inner.leaving.append(state)
                break
            passed.append(loop)
        self.frame.reachable = False

    def attempt(
        self,
        at: Span,
        body: Callable[[], None],
        handlers: Sequence[Callable[[int], None]],
        otherwise: Callable[[], None] | None = None,
        final: Callable[[], None] | None = None,
    ) -> None:
        """``try``: each handler gets what was raised, and sees any version a name had in the body."""
        frame = self.frame
        block = frame.block
        ends: list[State | None] = []
        if handlers:
            attempt = Attempt(self.exception_value(at))
            frame.attempts.append(attempt)
            self._fork()
            body()
            frame.attempts.pop()
            if frame.reachable and otherwise is not None:
                otherwise()
            ends.append(self._leave() if frame.reachable else self._abandon())
            blocks = [frame.block]
            frame.reachable = True
            for handler in handlers:
                self._fork()
                self._new_block([(block, NONE, EXCEPTIONAL)])
                for name, versions in attempt.versions.items():
                    if type(name) is str or name[0] == "in":
                        self._bind(name, self.phi([v for v in versions if v != NONE]))
                handler(attempt.exception)
                ends.append(self._leave() if frame.reachable else self._abandon())
                blocks.append(frame.block)
                frame.reachable = True
            self.merge(ends, blocks)
        else:
            body()
            if frame.reachable and otherwise is not None:
                otherwise()
        if final is not None:
            went_on = frame.reachable
            frame.reachable = True
            final()
            frame.reachable = frame.reachable and went_on

    def raise_(self, value: int | None) -> None:
        """Leave by an exception that carries ``value``."""
        frame = self.frame
        if value is not None:
            if frame.attempts:
                self.same(value, frame.attempts[-1].exception)
            else:
                frame.raises.append(value)
        frame.reachable = False


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
