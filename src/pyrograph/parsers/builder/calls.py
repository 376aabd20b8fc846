"""Calls: each argument that is a variable gets a new state, the post-update value."""

from __future__ import annotations

from collections.abc import Sequence

from pyrograph.ir.codes import NONE, RECEIVER
from pyrograph.ir.schema import (
    ARGUMENT_WIDTH,
    CALL_WIDTH,
)
from pyrograph.parsers.builder.data import Argument, Span
from pyrograph.parsers.builder.objects import Objects
from pyrograph.parsers.builder.ops import (
    CALL,
    POST,
    SUPER,
    is_fixed,
)
from pyrograph.policy.names.functions import CHANGING_METHODS


class Calls(Objects):
    """Callees, receivers and arguments."""

    def method(self, receiver: int, name: str, at: Span) -> int:
        """``receiver.name`` as a callee: a load that no condition is about."""
        before = len(self.reads)
        value = self.load(receiver, self.key(name), at)
        del self.reads[before:]
        return value

    def super_(self, at: Span, owner: int, receiver: int) -> int:
        """``receiver`` seen as an instance of the base classes of ``owner`` (a row in owners)."""
        value = self.new(SUPER, at, owner)
        self.same(receiver, value)
        self.frame.objects.seen_as[value] = receiver
        return value

    def call(
        self,
        at: Span,
        callee: int,
        arguments: Sequence[Argument],
        *,
        receiver: int = NONE,
        name: str | None = None,
        flags: int = 0,
        receiver_at: Span | None = None,
        changes: bool = True,
    ) -> int:
        """``callee(arguments)``; each argument that is a variable (or part of one) gets the state after the call, if
        the call ``changes`` anything.
        """
        row = len(self._calls) // CALL_WIDTH
        result = self.new(CALL, at, row)
        self.pause()
        name_index = NONE if name is None else self.string(name)
        self._calls.extend((result, callee, receiver, name_index, flags, at.start_byte, at.end_byte))
        posts: dict[int, int] = {}  # state before -> after, NONE where it stays
        if not changes:
            posts = dict.fromkeys((argument.value for argument in arguments), NONE)
        filled = NONE
        if receiver != NONE:
            if name in CHANGING_METHODS:
                filled = self.frame.objects.seen_as.get(receiver, receiver)
            self._argument(row, receiver, RECEIVER, NONE, 0, receiver_at or at, posts, changes=filled != NONE)
        for argument in arguments:
            keyword = NONE if argument.keyword is None else self.string(argument.keyword)
            self._argument(row, argument.value, argument.position, keyword, argument.flags, argument.at, posts)
        for old, new in posts.items():
            if new != NONE:
                self.update(old, new, at, changes=old == filled)
        if self.frame.attempts:
            self.tables["handlers"].extend((row, self.frame.attempts[-1].exception))
        if self.frame.catches:
            self.tables["handlers"].extend((row, self.frame.boundary.raised))
        return result

    def _argument(
        self,
        call: int,
        value: int,
        position: int,
        keyword: int,
        flags: int,
        at: Span,
        posts: dict[int, int],
        *,
        changes: bool = False,
    ) -> None:
        post = NONE
        holder = self.frame.objects.seen_as.get(value, value)
        if not is_fixed(self.ops[holder]) and holder not in posts and self._has_state(holder, changes=changes):
            post = posts[holder] = self.new(POST, at, len(self._arguments) // ARGUMENT_WIDTH)
        if self.truths and value in self.truths:
            outcome = self.truths[value]
            if outcome.condition != NONE:
                row = len(self._arguments) // ARGUMENT_WIDTH
                self.tables["truths"].extend((row, outcome.condition, outcome.side))
        self._arguments.extend((call, value, position, keyword, flags, at.start_byte, at.end_byte, post))
