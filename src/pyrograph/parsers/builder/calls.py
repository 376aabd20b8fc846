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
    CARRY,
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
        stale: list[tuple[int, int]] = []  # (version before a condition of an argument that is about it, version now)
        if receiver != NONE:
            receiver = self._behind_conditions(receiver, stale)
            if name in CHANGING_METHODS:
                filled = self.frame.objects.seen_as.get(receiver, receiver)
            self._argument(row, receiver, RECEIVER, NONE, 0, receiver_at or at, posts, changes=filled != NONE)
        for argument in arguments:
            keyword = NONE if argument.keyword is None else self.string(argument.keyword)
            value = self._behind_conditions(argument.value, stale)
            self._argument(row, value, argument.position, keyword, argument.flags, argument.at, posts)
        for old, new in posts.items():
            if new != NONE:
                self.update(old, new, at, changes=old == filled)
        for old, value in stale:
            if (new := posts.get(self.frame.objects.seen_as.get(value, value), NONE)) != NONE:
                self.update(old, new, at)
        if self.frame.attempts:
            self.tables["handlers"].extend((row, self.frame.attempts[-1].exception))
        if self.frame.catches:
            self.tables["handlers"].extend((row, self.frame.boundary.raised))
        return result

    def now(self, value: int) -> int:
        """The version that a variable has now which was read before a condition was about it."""
        return self._behind_conditions(value, [])

    def _behind_conditions(self, value: int, stale: list[tuple[int, int]]) -> int:
        """The version that a variable has now which was read before a condition was about it, in a later argument of
        the same call: ``names.append(x if x in names else y)``. ``value`` itself if a variable still stands for it.
        """
        refinements = self.frame.refinements
        merged = refinements.merged_into.get(value, NONE)
        if (merged == NONE and value not in refinements.pis) or self._is_bound(value):
            return value
        # a parameter's own name stands for the state before a loop
        now = self._version_now(merged if merged != NONE and self.ops[merged] == CARRY else value)
        if now == value or not self._is_bound(now):
            return value
        stale.append((value, now))
        return now

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
