"""Exits of functions: results, what is raised, and the versions of parameters and captured variables at each exit.

A caller that tests the result of a call learns from these versions what holds for its arguments.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, FunctionFlag
from pyrograph.ir.packed import FIRST_VALUE_KEY, key_value
from pyrograph.ir.schema import (
    ARGUMENT_CALL,
    ARGUMENT_POST,
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    CAPTURE_OUT,
    CAPTURE_WIDTH,
    CONDITION_LEFT,
    CONDITION_TEST,
    CONDITION_WIDTH,
    FUNCTION_FLAGS,
    FUNCTION_WIDTH,
    LOAD_KEY,
    LOAD_WIDTH,
    PARAMETER_FALSE,
    PARAMETER_OUT,
    PARAMETER_TRUE,
    PARAMETER_WIDTH,
    PI_CONDITION,
    PI_INPUT,
    PI_SIDE,
    PI_WIDTH,
    STORE_OBJECT,
    STORE_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.data import UNKNOWN_TRUTH, Passing, Range, Span, Writes
from pyrograph.parsers.builder.frame import Parameter
from pyrograph.parsers.builder.jumps import Jumps
from pyrograph.parsers.builder.ops import (
    CALL,
    CARRY,
    CLASS,
    CONST,
    EXPRESSION,
    FUNCTION,
    GLOBAL,
    IMPORT,
    LOAD,
    NEW,
    OUT,
    PHI,
    PI,
    POST,
    STORE,
    SUPER,
    TRUTH,
)
from pyrograph.parsers.builder.values import distinct
from pyrograph.policy.limits.lowering import MAX_CONDITION_SLICE, MAX_EXIT_VERSIONS, STEPS_PER_KEPT_NAME

# Values that denote the same thing wherever they are named.
SHOWN_WHERE_MADE: Final = (CONST, NEW, FUNCTION, CLASS, IMPORT, GLOBAL, SUPER)


NOW: Final = -1  # in names at exits, minus a number: a variable that was bound to a parameter, as it is there


class _History:
    """What lies between a value and its versions, found once for all exits of a function."""

    def __init__(self, value: int, *, asked: bool = False) -> None:
        self.value = value
        self.asked = asked  # whether a copy of the value counts as the value
        self.roots: dict[int, tuple[int, bool]] = {}  # version -> answer of ``_root``
        self.merges: dict[int, tuple[frozenset[int], bool]] = {}  # root -> answer of ``_before_merge``
        self.least: dict[int, int] = {}  # root -> answer of ``_least_merges``


class Exits(Jumps):
    """``return`` and ``yield``, and what a function leaves behind."""

    def return_(self, value: int | None, at: Span | None = None, *, is_element: bool = False) -> None:
        """Leave the function; a returned condition or constant is kept, for callers that test it.

        ``at``: the returned name, if it is one: paths then show the value there, and not where the name was bound.
        ``is_element``: an element under a key that is a name or a call's result, and not a piece of what a name holds:
        ``TABLE[x]``.
        """
        frame = self.frame
        boundary = frame.boundary
        if value is not None and at is not None and self.ops[value] not in SHOWN_WHERE_MADE:
            named = self.new(PHI, at)
            self.same(value, named)
            boundary.returns.append(named)
        elif value is not None:
            boundary.returns.append(value)
        outcome = self._outcome_now(value) if value is not None else None
        constant = self.constants.get(value, self) if value is not None else None
        before = self._versions_at_exit({})
        if outcome is not None:
            for truth, state in ((1, outcome.true), (0, outcome.false)):
                if state is not None:
                    boundary.exits.append((truth, self._versions_at_exit(state)))
        elif constant is not self:
            boundary.exits.append((1 if constant else 0, before))
        elif value is not None and self.ops[value] == CALL:
            self._returned_call(value, before)
        elif value is not None and is_element and (key := self._computed_key(value)) != NONE:
            # there is such an element, or there is none
            tested = {key}
            if self.ops[key] == CALL:  # under what a call makes of a name: ``return TABLE[lower(x)]``
                tested.update(self._tested_versions(self.reads, MAX_CONDITION_SLICE))
                tested.discard(NONE)
            self._exits_by_truth(value, before, tested, [])
        elif value is not None and value in frame.refinements.choices:
            for truth in (1, 0):  # "return ok", "return errors": of which branches that says something
                chosen: Passing = {}
                self.choose(value, truth == 1, chosen)
                boundary.exits.append((truth, self._versions_at_exit(chosen)))
        else:
            truth = UNKNOWN_TRUTH if value is None else self._truth_here(value)
            boundary.exits.append((truth, before))
        frame.reachable = False

    def _truth_here(self, value: int) -> int:
        """The truth of what is returned where it was tested before: ``if match: return match``."""
        while self.ops[value] == PI:  # each is made of an earlier value
            row = PI_WIDTH * self._values[VALUE_WIDTH * value + VALUE_DATA]
            before = self._pis[row + PI_INPUT]
            base = CONDITION_WIDTH * self._pis[row + PI_CONDITION]
            if self._conditions[base + CONDITION_TEST] == TRUTH and self._conditions[base + CONDITION_LEFT] == before:
                return self._pis[row + PI_SIDE]
            value = before
        return UNKNOWN_TRUTH

    def _returned_call(self, value: int, before: Writes) -> None:
        """``return check(x)``, ``return clean(x).startswith(root)``: one exit for each truth of the call, with versions
        under the condition of that truth.
        """
        call = self._values[VALUE_WIDTH * value + VALUE_DATA]
        arguments = self._arguments
        tested = set()
        parts: list[int] = []  # what is said of a part of an object is found at the part's own versions
        at = len(arguments) - ARGUMENT_WIDTH
        while at >= 0 and arguments[at + ARGUMENT_CALL] >= call:  # the rows of the newest calls are the last
            if arguments[at + ARGUMENT_CALL] == call:
                tested.add(arguments[at + ARGUMENT_VALUE])
                if self.ops[arguments[at + ARGUMENT_VALUE]] == LOAD:
                    parts.append(arguments[at + ARGUMENT_VALUE])
                tested.add(arguments[at + ARGUMENT_POST])
            at -= ARGUMENT_WIDTH
        tested.update(self._tested_versions(self.reads, MAX_CONDITION_SLICE))  # what this statement reads
        tested.discard(NONE)
        self._exits_by_truth(value, before, tested, parts)

    def _computed_key(self, value: int) -> int:
        """The value under which an element was read, ``TABLE[x]``; ``NONE`` where the key is a name, or not known."""
        if self.ops[value] != LOAD:
            return NONE
        key = self._loads[LOAD_WIDTH * self._values[VALUE_WIDTH * value + VALUE_DATA] + LOAD_KEY]
        return key_value(key) if key <= FIRST_VALUE_KEY else NONE

    def _exits_by_truth(self, value: int, before: Writes, tested: set[int], parts: Sequence[int]) -> None:
        """One exit for each truth of the returned ``value``, with new versions of ``parts``, and of the names whose
        versions are ``tested``, under the condition of that truth.
        """
        frame = self.frame
        boundary = frame.boundary
        if not any(version in tested for version in before.values()):
            boundary.exits.append((UNKNOWN_TRUTH, before))
            return
        condition = len(self._conditions) // CONDITION_WIDTH
        base = VALUE_WIDTH * value
        self._conditions.extend(
            (frame.index, TRUTH, value, NONE, self._values[base + VALUE_START], self._values[base + VALUE_END])
        )
        for truth in (1, 0):
            state = dict(before)
            for part in parts:
                row = len(self._pis) // PI_WIDTH
                pi = self.new(PI, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), row)
                self._pis.extend((pi, part, condition, truth))
            for name, version in before.items():
                if version in tested:
                    row = len(self._pis) // PI_WIDTH
                    pi = self.new(PI, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), row)
                    self._pis.extend((pi, version, condition, truth))
                    state[name] = pi
            boundary.exits.append((truth, dict(state)))

    def yield_(self, value: int, at: Span, *, is_read: bool = False, key: int = UNKNOWN_KEY) -> int:
        """Hand ``value`` out of a generator, under ``key``; returns what is sent in, if that ``is_read``.

        It is what was handed out: code that reads it is mostly a coroutine, and gets what it waits for.
        """
        frame = self.frame
        self.pause()
        frame.flags |= FunctionFlag.GENERATOR
        self.tables["functions"][FUNCTION_WIDTH * frame.index + FUNCTION_FLAGS] |= FunctionFlag.GENERATOR
        produced = frame.env.get("\0yield", NONE)
        if produced == NONE:
            produced = self.new(NEW, at, 0)
        elif produced < frame.loop_start:
            produced = self._header_phi("\0yield", produced)
        state = self.new(STORE, at, len(self._stores) // STORE_WIDTH)
        self._stores.extend((state, produced, key, value))
        self.bind("\0yield", state)
        frame.boundary.returns.append(state)
        return self._sent(value, at) if is_read else self.opaque(at)

    def yield_from(self, value: int, at: Span, *, is_read: bool = False) -> int:
        """Hand out everything that ``value`` hands out; returns its result, if that ``is_read``."""
        sent = self.yield_(self.load(value, UNKNOWN_KEY, at), at)
        return self._sent(value, at) if is_read else sent

    def _sent(self, value: int, at: Span) -> int:
        """A value of its own, since the constant that is handed out is not sent back."""
        sent = self.new(EXPRESSION, at)
        self.same(value, sent)
        return sent

    def end_function(self) -> None:
        """Close the current function: its result, what it raises, the states of its parameters."""
        frame = self.frame
        boundary = frame.boundary
        if frame.reachable:
            boundary.exits.append(
                (0 if not frame.flags & FunctionFlag.GENERATOR else UNKNOWN_TRUTH, self._versions_at_exit({}))
            )
        if frame.flags & FunctionFlag.GENERATOR:  # its result is there whatever it returns
            boundary.exits[:] = [(UNKNOWN_TRUTH, state) for _, state in boundary.exits]
        if not (boundary.exits or frame.parent is None or frame.flags & FunctionFlag.METHOD):
            functions = self.tables["functions"]
            functions[FUNCTION_WIDTH * frame.index + FUNCTION_FLAGS] |= FunctionFlag.NEVER_RETURNS
        for value in distinct(boundary.returns):
            self.same(value, boundary.result)
        for value in distinct(boundary.raises):
            self.same(value, boundary.raised)
        self.spend((len(boundary.parameters) + len(frame.captures.rows)) * len(boundary.exits))
        table = self.tables["parameters"]
        truths = {truth for truth, _ in boundary.exits}  # "return None" beside "return match" answers as well
        boolean = 1 in truths or {0, UNKNOWN_TRUTH} <= truths
        exposed = frame.captures.exposed
        for parameter in boundary.parameters:
            row = PARAMETER_WIDTH * parameter.row
            history = _History(parameter.value)
            at_exits = [
                (truth, version)
                for truth, state in boundary.exits
                for version in self._parameter_at_exit(history, state)
            ]
            known = len(at_exits)
            if exposed and at_exits:
                names = [name for name in frame.names_of[parameter.value] if type(name) is str and name in exposed]
                at_exits += [(UNKNOWN_TRUTH, self._effect(frame, name)) for name in names]
            table[row + PARAMETER_OUT] = self._merged_at_exits(parameter, [version for _, version in at_exits])
            if boolean:
                effects = at_exits[known:]
                history = _History(parameter.value, asked=True)
                at_exits = [
                    (truth, version)
                    for truth, state in boundary.exits
                    for version in self._parameter_at_exit(history, state)
                ] + effects
                table[row + PARAMETER_TRUE] = self._merged_at_exits(
                    parameter, [version for truth, version in at_exits if truth != 0]
                )
                table[row + PARAMETER_FALSE] = self._merged_at_exits(
                    parameter, [version for truth, version in at_exits if truth != 1]
                )
        captures = self.tables["captures"]
        for row, inner, slot, name in frame.captures.rows:
            versions = [s.get(("in", inner), inner) for _, s in boundary.exits]
            if name in exposed:
                versions.append(self._effect(frame, name))
            out = captures[CAPTURE_WIDTH * row + CAPTURE_OUT] = self.phi(versions) if versions else inner
            if out != inner and frame.parent is not None and slot in frame.parent.captures.exposed:
                self.same(out, self._effect(frame.parent, slot))

    def _versions_at_exit(self, outcome: Writes) -> Writes:
        """The versions of parameters and captured variables at an exit with this outcome. Where the variable of a
        parameter has another version, it stands beside the parameter's: a loop that reads the variable carries it under
        that name alone.
        """
        frame = self.frame
        boundary = frame.boundary
        captures = frame.captures
        env = frame.env
        states: Writes = {}
        self.spend(STEPS_PER_KEPT_NAME * (len(boundary.parameters) + len(captures.rows)))
        for parameter in boundary.parameters:
            value = parameter.value
            version = states["in", value] = outcome.get(("in", value), env.get(("in", value), value))
            count = 0
            for name in frame.names_of[value]:
                now = outcome.get(name, env.get(name, NONE)) if type(name) is str else NONE
                if now not in (NONE, value, version) and not self._carries_the_same(now, version):
                    states[NOW - count, value] = now
                    count += 1
        for _, inner, _, _ in captures.rows:
            states["in", inner] = outcome.get(("in", inner), env.get(("in", inner), inner))
        return states

    def _carries_the_same(self, one: int, other: int) -> bool:
        """Whether two header phis, of two names for one object, take the same values: then one of them says it all."""
        while one != other:  # ends: what a header phi begins with is older
            if NONE in (one, other) or self.ops[one] != CARRY or self.ops[other] != CARRY:
                return False
            if self._fed.get(one) != self._fed.get(other):
                return False
            one, other = self._initial[one], self._initial[other]
        return True

    def _parameter_at_exit(self, history: _History, state: Writes) -> list[int]:
        """The versions of a parameter at an exit. Behind a loop that tests one of its variables, that is the version
        under the condition that ended the loop; behind one that changes it, the version that it carries; unless an
        iteration bound the variable to something else. What a loop carries stands beside a newer version of what the
        parameter held: ``for key in self.keys: self.read(key)`` changes ``keys`` by its elements. Where ``asked``, for
        what conditions say, those of a copy count as well, those that a loop only tests (they do in any function that
        raises something), and beside them none that stands for the state before a loop:
        ``for each in HOSTS: if host_of(url) == each: return True``.
        """
        parameter, asked = history.value, history.asked
        version = state.get(("in", parameter), parameter)
        newer = [version] if version != parameter else []
        found: list[int] = []
        count = 0
        while True:  # ends: an exit has a version for each name that was bound to the parameter, at most
            now = tested = state.get((NOW - count, parameter), NONE)
            if now == NONE:
                break
            count += 1
            while self.ops[tested] == POST:
                row = self._values[VALUE_WIDTH * tested + VALUE_DATA]
                tested = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
            raises = bool(self.frame.boundary.raises)
            sure = asked or (not newer and (self.ops[tested] == PI or (raises and self.ops[tested] == CARRY)))
            if self._is_version(now, history, changed=sure):
                found.append(now)
        if asked and found:
            newer = []
        return sorted(distinct([*newer, *found])) or [version]

    def _is_version(self, version: int, history: _History, *, changed: bool) -> bool:
        """Whether ``version`` is the value of ``history`` in another state, under conditions, behind merges, through
        loops. ``changed``: it is known to be another state; else a call or a store on the way has to make it one.

        Time O(MAX_EXIT_VERSIONS²), and what ``history`` has not gone through yet.
        """
        if self._least_merges(version, history) > MAX_EXIT_VERSIONS:
            return False
        root, made = self._root(version, history)
        changed |= made
        work, seen = [root], {root}
        while work:  # what is pushed is new in ``seen``
            root = work.pop()
            if root == history.value:
                continue
            before, made = self._before_merge(root, history)
            changed |= made
            fresh = before - seen
            seen |= fresh
            if not before or len(seen) - (history.value in seen) > MAX_EXIT_VERSIONS:
                return False
            work.extend(fresh)
        return changed

    def _state_before(self, version: int, history: _History) -> int:
        """What a condition, a call, a store or, where copies count, a copy made ``version`` of; NONE: none of these."""
        op = self.ops[version]
        row = self._values[VALUE_WIDTH * version + VALUE_DATA]
        if op == PI:
            before = self._pis[PI_WIDTH * row + PI_INPUT]
        elif op == POST:
            before = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
        elif op == STORE:
            before = self._stores[STORE_WIDTH * row + STORE_OBJECT]
        else:
            before = self.frame.refinements.copies.get(version, NONE) if history.asked else NONE
        return before

    def _root(self, version: int, history: _History) -> tuple[int, bool]:
        """The merge, the loop or the value of ``history`` that ``version`` is a state of, and whether a call or a store
        changed it since.
        """
        roots, way = history.roots, []
        while version not in roots:  # ends: a state is newer than the one before it
            older = NONE if version == history.value else self._state_before(version, history)
            if older == NONE:
                roots[version] = version, False
            else:
                way.append(version)
                version = older
        root, changed = roots[version]
        for each in reversed(way):
            changed |= self.ops[each] in (POST, STORE)
            roots[each] = root, changed
        return root, changed

    def _before_merge(self, root: int, history: _History) -> tuple[frozenset[int], bool]:
        """The roots of what a merge or a loop joins, and whether one of these was changed since; of another value, or
        where that is more than ``MAX_EXIT_VERSIONS`` allows, none.
        """
        known = history.merges.get(root)
        if known is None:
            if self.ops[root] == CARRY:
                joined = [self._initial[root], *self._fed.get(root, ())]
            else:
                joined = self.frame.refinements.merged.get(root, [])
            states = [self._root(version, history) for version in joined]
            before = frozenset(state for state, _ in states)
            if len(before) > MAX_EXIT_VERSIONS + 1:  # the value itself is no merge
                before = frozenset()
            known = history.merges[root] = before, any(changed for _, changed in states)
        return known

    def _least_merges(self, version: int, history: _History) -> int:
        """At least this many merges and loops lie between ``version`` and the value: those along the first input of
        each. More than ``MAX_EXIT_VERSIONS`` where that way ends elsewhere: it is no version of the value.

        A thousand loops with an exit in each take a thousand steps for all exits together.
        """
        least, way, count = history.least, [], 0
        root, _ = self._root(version, history)
        while root != history.value:  # ends: each root on the way is older
            if root in least:
                count = least[root]
                break
            way.append(root)
            if self.ops[root] == CARRY:
                first = self._initial[root]
            else:
                first = next(iter(self.frame.refinements.merged.get(root, ())), NONE)
            if first == NONE:
                count = MAX_EXIT_VERSIONS + 1
                break
            older, _ = self._root(first, history)
            if older >= root:
                break
            root = older
        for each in reversed(way):
            count += 1
            least[each] = count
        return count

    def _merged_at_exits(self, parameter: Parameter, versions: list[int]) -> int:
        """The state of a parameter at some exits; NONE when there is no such exit."""
        if not versions:
            return NONE
        versions = distinct(versions)
        if len(versions) == 1:
            return versions[0]
        base = VALUE_WIDTH * parameter.value
        out = self.new(OUT, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), parameter.row)
        for version in versions:
            self.same(version, out)
        return out
