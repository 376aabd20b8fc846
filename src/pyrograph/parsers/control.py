"""Control: conditions in a row, branches, loops, switches, exceptions.

These words take what the front end does inside an arm or a loop as callbacks, and so nest as deep as the input does.
They stay plain Python, whose frames lie on the heap; the builder, which may be compiled, never calls back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from pyrograph.ir.codes import EXCEPTIONAL, NONE
from pyrograph.ir.schema import LOOP_BODY, LOOP_EXIT, LOOP_WIDTH
from pyrograph.parsers.builder import Attempt, Builder, Loop, Outcome, Span, Writes


class Control:
    """Control structures: each opens arms, and ends with a merge of them."""

    def __init__(self, b: Builder) -> None:
        self.b = b

    def both(self, left: Outcome, right: Callable[[], Outcome]) -> Outcome:
        """``left and right``; ``right`` is evaluated only where ``left`` holds."""
        b = self.b
        if left.true is None:
            return left
        b.open_arm()
        b.apply(left.true)
        second = right()
        base = b.close_arm()
        b.budget.steps += len(base)
        true = None if second.true is None else {**base, **second.true}
        other = None if second.false is None else {**base, **second.false}
        return Outcome(true, b.joined([left.false, other]), *b.conjunction(left, second))

    def either(self, left: Outcome, right: Callable[[], Outcome]) -> Outcome:
        """``left or right``; ``right`` is evaluated only where ``left`` does not hold."""
        return self.both(left.inverted(), lambda: right().inverted()).inverted()

    def branch(
        self, outcome: Outcome, then: Callable[[], None] | None, otherwise: Callable[[], None] | None = None
    ) -> None:
        """``if outcome: then() else: otherwise()``; an arm that cannot run is not lowered."""
        block = self.b.frame.block
        first, first_block = self._arm(outcome.true, then, block, outcome.condition, outcome.side)
        second, second_block = self._arm(outcome.false, otherwise, block, outcome.condition, 1 - outcome.side)
        self.b.merge([first, second], [first_block, second_block])

    def _arm(
        self, state: Writes | None, body: Callable[[], None] | None, block: int, condition: int, side: int
    ) -> tuple[Writes | None, int]:
        if state is None:
            return None, NONE
        if body is None:
            return self.b.skip_arm(state, block, condition, side), self.b.frame.block
        self.b.enter_arm(state, block, condition, side)
        body()
        return self.b.end_arm(), self.b.frame.block

    def choose(self, outcome: Outcome, then: Callable[[], int], otherwise: Callable[[], int], at: Span) -> int:
        """A conditional expression."""
        b = self.b
        values: list[int] = []
        ends: list[int] = []

        def arm(make: Callable[[], int]) -> None:
            values.append(make())
            ends.append(b.frame.block if b.frame.reachable else NONE)

        self.branch(outcome, lambda: arm(then), lambda: arm(otherwise))
        b.frame.reachable = True
        if not values:
            return b.opaque(at)
        fresh = len(b.ops)
        chosen = b.phi(values, at)
        if chosen == fresh:
            joins = b.tables["joins"]
            for value, end in zip(values, ends, strict=True):
                if end != NONE:  # else no control leads from this arm to the phi
                    joins.extend((fresh, value, end))
        return chosen

    def branches(self, arms: Sequence[Callable[[], None]]) -> None:
        """One of ``arms`` runs; which one is not known."""
        block = self.b.frame.block
        ends = [self._arm({}, arm, block, NONE, 1) for arm in arms]
        self.b.merge([state for state, _ in ends], [end for _, end in ends])

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
        counting: tuple[int, int, int] | None = None,
    ) -> None:
        """``while condition: body; step`` (``condition`` None: an iteration over something, any number of iterations).

        ``otherwise`` runs when the loop ends without ``break``; ``body_first``: the condition is tested after the body
        (and ``step``). ``trips``: the number of iterations without ``break``, where that is known. With 0 nothing is
        lowered, with 1 there is no loop, and with more the first iteration is certain. ``over``: what is iterated
        over; ``counting``: start, step and bound of an iteration that counts (``set_index`` names what counts).
        """
        b, frame = self.b, self.b.frame
        tables = b.tables
        row = len(tables["loops"]) // LOOP_WIDTH
        if trips in (0, 1):
            where = (frame.block, frame.block, frame.block)
            tables["loops"].extend((frame.index, trips, NONE, at.start_byte, at.end_byte, *where, over))
            if trips == 1:
                self._once(row, body, step, label)
            if otherwise is not None and frame.reachable:
                otherwise()
            return
        once = body_first or trips > 0  # values from before the loop reach the code behind it only through the body
        header = b.new_block([(frame.block, NONE, 1)])
        tables["loops"].extend((frame.index, trips, NONE, at.start_byte, at.end_byte, header, header, header, over))
        if counting is not None:
            tables["streams"].extend((row, *counting))
        b.open_arm()
        loop = Loop(row, len(b.ops), len(frame.logs) - 1, label, header)
        frame.loops.append(loop)
        outer_start, frame.loop_start = frame.loop_start, len(b.ops)
        anything = Outcome({}, {})
        outcome = anything if condition is None or body_first else condition()
        tested = frame.block  # the block in which the condition is known
        back: Writes | None = None
        last: Writes | None = None  # writes at the end of the last iteration, if the condition is tested there
        b.open_arm()
        loop.body_log = len(frame.logs) - 1
        if outcome.true is not None:
            b.apply(outcome.true)
            inside = b.new_block([(tested, NONE if body_first else outcome.condition, outcome.side)])
            tables["loops"][LOOP_WIDTH * row + LOOP_BODY] = inside
            tables["loops"][LOOP_WIDTH * row + LOOP_EXIT] = inside  # the body may be cut at a limit
            body()
            if loop.continues:
                b.merge_continues(loop)
            if frame.reachable:
                if step is not None:
                    step()
                if body_first:
                    outcome = anything if condition is None else condition()
                    tested = frame.block
                    last = None if outcome.false is None else {**b.writes_since(loop.body_log), **outcome.false}
                    b.apply(outcome.true or {})
                    frame.reachable = outcome.true is not None
                elif once:
                    last = b.writes_since(loop.body_log)
            back = b.close_arm() if frame.reachable else b.discard_arm()
            if frame.reachable:
                tables["control"].extend(
                    (frame.block, header, outcome.condition if body_first else NONE, outcome.side if body_first else 1)
                )
        else:
            b.discard_arm()
        frame.reachable = True
        if back is not None:
            b.feed_header(loop, back)
            b.spend(len(back) * (len(loop.breaks) + len(loop.leaving)))
            for name in back:  # an exit before the name is written sees the value of the previous iteration
                carry = loop.carries.get(name, NONE)
                if carry != NONE and type(name) is str:
                    for state in (*loop.breaks, *loop.leaving):
                        state.setdefault(name, carry)
        frame.loops.pop()
        frame.loop_start = outer_start
        ended = [(tested, outcome.condition, 1 - outcome.side)] if outcome.false is not None else []
        tables["loops"][LOOP_WIDTH * row + LOOP_EXIT] = b.new_block(ended)
        after: Writes | None = None
        if outcome.false is not None:
            if once:
                b.apply(last or {})
                frame.reachable = last is not None
            else:
                b.apply(outcome.false)
            if otherwise is not None and frame.reachable:
                otherwise()
            after = b.close_arm() if frame.reachable else b.discard_arm()
        else:
            b.discard_arm()
        frame.reachable = True
        b.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    def _once(self, row: int, body: Callable[[], None], step: Callable[[], None] | None, label: str | None) -> None:
        """The body of a loop with one iteration: no back edge."""
        b, frame = self.b, self.b.frame
        b.open_arm()
        loop = Loop(row, 0, len(frame.logs) - 1, label, frame.block)
        frame.loops.append(loop)
        b.open_arm()
        loop.body_log = len(frame.logs) - 1
        body()
        frame.loops.pop()
        iteration = b.end_arm()
        b.merge([iteration, *loop.continues], [frame.block, *loop.continue_blocks])
        if step is not None and frame.reachable:
            step()
        after = b.end_arm()
        b.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    @contextmanager
    def breakable(self, at: Span, label: str | None = None) -> Iterator[None]:
        """A region that ``break`` leaves: a switch, a labelled block."""
        b, frame = self.b, self.b.frame
        b.open_arm()
        loop = Loop(NONE, 0, len(frame.logs) - 1, label, frame.block, breakable_only=True)
        frame.loops.append(loop)
        yield
        frame.loops.pop()
        after = b.end_arm()
        b.merge([after, *loop.breaks], [frame.block, *loop.break_blocks])

    def switch(
        self, at: Span, arms: Sequence[tuple[Outcome, Callable[[], None]]], *, complete: bool, label: str | None = None
    ) -> None:
        """Arms in source order, each entered where its condition holds or where control falls out of the one before;
        ``break`` leaves.

        The conditions were evaluated before; ``complete``: one arm is always entered.
        """
        b = self.b
        with self.breakable(at, label):
            frame = b.frame
            head = frame.block
            end: Writes | None = None
            ends: list[int] = []
            for outcome, body in arms:
                entry = b.joined([outcome.true, end])
                if entry is None:
                    continue
                b.open_arm()
                b.apply(entry)
                b.new_block(
                    [(head, outcome.condition, outcome.side)] * (outcome.true is not None)
                    + [(b, NONE, 1) for b in ends]
                )
                body()
                end = b.close_arm() if frame.reachable else b.discard_arm()
                ends = [frame.block] if frame.reachable else []
                frame.reachable = True
            b.merge([end, None if complete else {}], [*ends, head] if ends else [NONE, head])

    def attempt(
        self,
        at: Span,
        body: Callable[[], None],
        handlers: Sequence[Callable[[int], None]],
        otherwise: Callable[[], None] | None = None,
        final: Callable[[], None] | None = None,
        caught: Sequence[frozenset[str] | None] = (),
    ) -> None:
        """``try``: each handler gets the exception, and sees any version that a name had in the body.

        ``caught``: for each handler the names of the classes that it handles, None for all; () where all handle all. A
        block of the body that raises one of them goes on in the handler.
        """
        b, frame = self.b, self.b.frame
        block = frame.block
        ends: list[Writes | None] = []
        if handlers:
            attempt = Attempt(b.exception_value(at))
            frame.attempts.append(attempt)
            b.open_arm()
            body()
            frame.attempts.pop()
            if not attempt.raising:
                b.forget_last(attempt)
            if frame.reachable and otherwise is not None:
                otherwise()
            ends.append(b.end_arm())
            blocks = [frame.block]
            versions_in_all = sum(map(len, attempt.versions.values()))
            raising = attempt.raising
            for number, handler in enumerate(handlers):
                b.spend(versions_in_all)
                b.open_arm()
                kinds = caught[number] if caught else None
                here = [at for at, kind in raising if kinds is None or kind in kinds]
                raising = [] if kinds is None else [(at, kind) for at, kind in raising if kind not in kinds]
                b.new_block([(origin, NONE, EXCEPTIONAL) for origin in dict.fromkeys([block, *here])])
                for name, versions in attempt.versions.items():
                    if type(name) is str or name[0] == "in":
                        b.bind(name, b.phi([v for v in versions if v != NONE]))
                handler(attempt.exception)
                ends.append(b.end_arm())
                blocks.append(frame.block)
            b.merge(ends, blocks)
        else:
            body()
            if frame.reachable and otherwise is not None:
                otherwise()
        if final is not None:
            went_on = frame.reachable
            frame.reachable = True
            final()
            frame.reachable = frame.reachable and went_on
