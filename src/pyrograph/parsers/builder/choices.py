"""Tests of a variable that several edges into a merge gave different versions: which edges the test leaves, and what is
known on each of them.

``ok = valid(x)``, then ``if not ok: ok = other(x)`` and ``if not ok: return``: behind it, ``x`` is the version that
passed ``valid`` or the one that passed ``other``. Merges lie one before another, so a version of one may be what
another made.
"""

from __future__ import annotations

from typing import Final

from pyrograph.ir.codes import NONE
from pyrograph.ir.schema import (
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    PI_INPUT,
    PI_WIDTH,
    VALUE_DATA,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.calls import Calls
from pyrograph.parsers.builder.data import Name, Writes
from pyrograph.parsers.builder.ops import EQUAL, LESS, PI, POST, TRUTH
from pyrograph.parsers.builder.values import distinct
from pyrograph.policy.limits.lowering import MAX_CHOSEN_EDGES, MAX_CHOSEN_MERGES, MAX_REFINED_VERSIONS

FILLED: Final = -1  # the test whether an object holds anything, which no condition has


class Asked:
    """A test of a merged variable, and its outcome."""

    def __init__(self, test: int, wanted: object, side: bool) -> None:
        self.test = test
        self.wanted = wanted  # with which it is compared
        self.side = side
        self.edges = MAX_CHOSEN_EDGES  # of merges before the tested one that may still be looked at


class Choices(Calls):
    """Edges into merges that the outcome of a test leaves, and the versions on them."""

    def choose_edges(self, test: int, left: int, right: int, true: Writes, false: Writes) -> None:
        """A variable of which something is known on some edges into a merge is tested: only the edges whose version
        fits are possible, and other names that were merged there have the versions of these. Examples: ``found = None``
        and, in a loop, ``found = x; break``, then ``if found is None: return``; ``if not ok(x): errors.append("x")``,
        then ``if len(errors) > 0: return``.
        """
        choices = self.frame.refinements.choices
        measured, holds = self._measured(test, left, right)
        if measured in choices:
            self._choose(measured, Asked(FILLED, None, True), true if holds else false)
            self._choose(measured, Asked(FILLED, None, False), false if holds else true)
        if test == TRUTH and left in choices:
            self._choose(left, Asked(TRUTH, None, True), true)
            self._choose(left, Asked(TRUTH, None, False), false)
        elif test == EQUAL and (left in choices or right in choices):
            phi, other = (left, right) if left in choices else (right, left)
            wanted = self.constants.get(other, self)
            if wanted is not self:
                self._choose(phi, Asked(EQUAL, wanted, True), true)
                self._choose(phi, Asked(EQUAL, wanted, False), false)

    def choose(self, value: int, side: bool, state: Writes) -> None:
        """Add to ``state`` the versions of names where the truth of ``value`` is ``side``."""
        self._choose(value, Asked(TRUTH, None, side), state)

    def _measured(self, test: int, left: int, right: int) -> tuple[int, bool]:
        """The object of which a test asks whether it holds anything, and whether it does so where the test holds."""
        sizes = self.frame.objects.sizes
        if test == TRUTH:
            return sizes.get(left, NONE), True
        first, second = self.constants.get(left, self), self.constants.get(right, self)
        if test == EQUAL and second == 0:
            return sizes.get(left, NONE), False
        if test == EQUAL and first == 0:
            return sizes.get(right, NONE), False
        if test == LESS and first == 0:
            return sizes.get(right, NONE), True
        if test == LESS and second == 1:
            return sizes.get(left, NONE), False
        return NONE, False

    def _choose(self, phi: int, asked: Asked, state: Writes) -> None:
        """Add to ``state``, which holds where a test of ``phi`` comes out so, the versions of the edges that fit."""
        found = self._chosen(phi, asked, {}, 0)
        for name, version in (found or {}).items():
            if name not in state:
                state[name] = version

    def _chosen(self, version: int, asked: Asked, now: Writes, depth: int) -> Writes | None:
        """The versions of names where the test of ``version`` has this outcome; None where it cannot have it.

        ``now``: names that have another version there than in the environment. ``depth``: merges behind this one.
        """
        choice = self.frame.refinements.choices.get(version)
        if choice is None or depth > MAX_CHOSEN_MERGES or asked.edges < 0:
            if not self._may_be(version, asked):
                return None
            return self._known_of(version, asked.side, now) if asked.test == TRUTH else {}
        versions, merged, split = choice
        env, start = self.frame.env, self.frame.loop_start
        if depth:
            asked.edges -= len(versions)
        self.budget.steps += (len(split) + len(now)) * len(versions)
        parted: dict[Name, tuple[int, ...]] = {}
        for name, each in split:
            then = merged.get(name, NONE)
            if then >= start and now.get(name, env.get(name, NONE)) == then:
                parted[name] = each
        edges: list[Writes] = []
        names = dict.fromkeys(parted)
        fitting: list[int] = []
        for at, each_version in enumerate(versions):
            here: Writes = dict(now)
            for name, each in parted.items():
                here[name] = each[at]
            found = self._chosen(each_version, asked, here, depth + 1)
            if found is None:
                continue
            fitting.append(at)
            names.update(dict.fromkeys(found))
            here.update(found)
            edges.append(here)
        if not edges:
            return None
        chosen: Writes = {}
        for name in names:
            before = now.get(name, env.get(name, NONE))
            current = [edge.get(name, before) for edge in edges]
            if len(edges) == len(versions) and tuple(current) == parted.get(name):
                continue  # as it is merged
            if NONE not in current and min(current) >= start:
                chosen[name] = self.phi(distinct(current))
        return chosen

    def _may_be(self, version: int, asked: Asked) -> bool:
        """Whether a test of truth, of equality with what is wanted or of content can come out so for this version."""
        test, wanted, side = asked.test, asked.wanted, asked.side
        constant = self.constants.get(version, self)
        if test == FILLED or (test == TRUTH and constant is self and self.semantics.empty_is_false):
            filled = self.is_filled(version)
            if filled is not None:
                return filled == side
        if test == FILLED:
            return True
        if constant is self:
            return test != TRUTH or self.truth_behind(version) in (NONE, int(side))
        if test == TRUTH:
            return bool(constant) == side
        if constant is None or wanted is None or type(constant) is type(wanted):
            return (constant == wanted) == side
        return True

    def _known_of(self, version: int, side: bool, now: Writes) -> Writes | None:
        """The versions of names where a boolean, which stands for a condition, is ``side``; None where it was tested
        before and came out otherwise.
        """
        outcome = self.truths.get(version)
        then = self._bound_before.get(version)
        if outcome is None or then is None:
            return {}
        taken, other = (outcome.true, outcome.false) if side else (outcome.false, outcome.true)
        if taken is None:
            return None
        env = self.frame.env
        found: Writes = {}
        self.budget.steps += len(taken)
        for name, passed in taken.items():
            current = now.get(name, env.get(name, NONE))
            refused = NONE if other is None else other.get(name, NONE)
            if current == NONE:
                continue
            if current == then.get(name, NONE):
                found[name] = passed
            elif refused not in (NONE, passed, then.get(name, NONE)) and self._is_later(current, refused):
                return None
        return found

    def _is_later(self, version: int, than: int) -> bool:
        """Whether ``version`` is ``than``, or its state after calls or under conditions."""
        for _ in range(MAX_REFINED_VERSIONS):
            if version == than:
                return True
            if (version := self._version_before(version)) == NONE:
                break
        return False

    def _version_before(self, version: int) -> int:
        """What a state after a call, or under a condition, is a version of; NONE for another value."""
        row = self._values[VALUE_WIDTH * version + VALUE_DATA]
        if self.ops[version] == POST:
            return self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
        return self._pis[PI_WIDTH * row + PI_INPUT] if self.ops[version] == PI else NONE
