"""Arms of control: the environment that each one sees, the log of its writes, and the phis where arms merge.

``Frame.env`` maps names to their current values. An arm logs what it overwrites, so leaving it restores the environment
and yields only the names written, and a merge looks at those names alone. Values are numbered in the order of their
creation, so a value older than a loop that is read inside it gets its header phi (``carry``) at that moment.
"""

from __future__ import annotations

from typing import Any

from pyrograph.ir.codes import NONE
from pyrograph.ir.schema import (
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    CONDITION_LEFT,
    CONDITION_TEST,
    CONDITION_WIDTH,
    PI_CONDITION,
    PI_INPUT,
    PI_SIDE,
    PI_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.data import Constant, Name, Passing, Range, Writes
from pyrograph.parsers.builder.frame import Frame, Loop, Mark
from pyrograph.parsers.builder.ops import CALL, CARRY, PI, POST, TRUTH
from pyrograph.parsers.builder.values import Values
from pyrograph.parsers.many import Many
from pyrograph.policy.limits.lowering import FEW_NAMES, MAX_REFINED_VERSIONS, STEPS_PER_KEPT_NAME


class Arms(Values):
    """Bindings of names, and what becomes of them where arms of control part and merge."""

    def bind(self, name: Name, value: int) -> None:
        """Bind ``name`` to ``value`` in the environment, the log of the current arm and what handlers may see."""
        frame = self.frame
        env: Passing = frame.env
        if frame.attempts:
            self._bind_attempted(frame, name, value)
        if frame.logs:
            log: Passing = frame.logs[-1]
            if name not in log:
                log[name] = env.get(name, NONE)
        bound: Any = value
        env[name] = bound
        names_of: dict[Any, list[Name]] = frame.names_of
        names = names_of.get(bound)
        if names is None:
            names_of[bound] = [name]
        elif name not in names:
            names.append(name)
            if len(names) >= FEW_NAMES:
                self._index_names(value, name)
        if type(name) is not str:
            return
        if frame.parent is not None:
            frame.captures.changed.add(name)
        elif "\1" not in name and name[:1] != "\0":
            self._exports.extend((self.string(name.partition("\0")[0]), value))

    def _bind_attempted(self, frame: Frame, name: Name, value: int) -> None:
        """A handler may see the value of ``name`` before and after the write, and that of earlier iterations."""
        before = frame.env.get(name, NONE)
        if NONE < before < frame.loop_start and type(name) is str:
            self._header_phi(name, before)
            before = frame.env[name]
        if len(frame.attempts) > FEW_NAMES:
            self.spend(len(frame.attempts))
        for attempt in frame.attempts:
            versions = attempt.versions.get(name)
            if versions is None:
                attempt.versions[name] = [before, value]
            else:
                versions.append(value)

    def apply(self, state: Writes) -> None:
        """Bind all of ``state``."""
        frame = self.frame
        if frame.attempts or frame.parent is None:
            for name, value in state.items():
                self.bind(name, value)
            return
        env: Passing = frame.env
        written: Passing = state
        names_of: dict[Any, list[Name]] = frame.names_of
        if frame.logs:
            log: Passing = frame.logs[-1]
            for name in written:
                if name not in log:
                    log[name] = env.get(name, NONE)
        env.update(written)
        frame.captures.changed.update(written)
        for name, value in written.items():
            names = names_of.get(value)
            if names is None:
                names_of[value] = [name]
            elif name not in names:
                names.append(name)
                if len(names) >= FEW_NAMES:
                    self._index_names(value, name)

    def _index_names(self, value: int, name: Name) -> None:
        """``value`` has many names, ``name`` among them: keep a set of them, so that lookups stay cheap."""
        names = self.frame.names_of[value]
        if isinstance(names, Many):
            names.known.add(name)
        else:
            self.frame.names_of[value] = Many(names)

    def _header_phi(self, name: Name, value: int) -> int:
        """The header phi of ``name`` in the loops that are younger than ``value``, its value before them."""
        frame = self.frame
        if len(frame.loops) > FEW_NAMES:
            self.spend(len(frame.loops))
        inside = False  # a loop inside one that needs a header phi needs its own, although the outer one's is newer
        for loop in frame.loops:
            if loop.breakable_only or (value >= loop.start and not inside):
                continue
            inside = True
            carry = loop.carries.get(name, NONE)
            if carry == NONE:
                carry = self._new_header_phi(loop, name, value)
                frame.logs[loop.log].setdefault(name, value)
                frame.env[name] = carry
                frame.captures.changed.add(name)
            value = carry
        return value

    def _new_header_phi(self, loop: Loop, name: Name, initial: int) -> int:
        base = VALUE_WIDTH * initial if initial != NONE else 0
        carry = self.new(CARRY, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), loop.row)
        loop.carries[name] = carry
        self._initial[carry] = initial
        if initial != NONE:
            self.same(initial, carry)
        loop.rows[carry] = len(self.tables["carries"])
        self.tables["carries"].extend((carry, loop.row, initial, NONE))
        frame = self.frame
        objects = frame.objects
        names = frame.names_of.setdefault(carry, [])
        names.append(name)
        if initial in objects.loaded:
            objects.loaded[carry] = objects.loaded[initial]
        if initial != NONE:
            frame.refinements.merged_into[initial] = carry
        if initial in frame.refinements.computed_from:
            frame.refinements.computed_from[carry] = frame.refinements.computed_from[initial]
        return carry

    def open_arm(self) -> None:
        """Begin to log writes; ``close_arm`` or ``discard_arm`` undoes them."""
        self.frame.logs.append({})

    def close_arm(self) -> Writes:
        """Restore the environment and return the writes since ``open_arm``."""
        frame = self.frame
        log: Passing = frame.logs.pop()
        frame.captures.changed.update(log)
        env: Passing = frame.env
        state: Passing = {}
        for name, before in log.items():
            now = env.get(name)
            if now is not None:
                state[name] = now
            number: int = before
            if number != NONE:
                env[name] = before
            elif now is not None:
                del env[name]
        return state

    def discard_arm(self) -> Writes | None:
        """End an arm whose end control does not reach: its writes are dropped."""
        self.close_arm()
        return None

    def writes_since(self, depth: int) -> Writes:
        """The writes since the log at ``depth`` was opened."""
        frame = self.frame
        env = frame.env
        names: dict[Name, None] = {}
        for log in frame.logs[depth:]:
            self.spend(STEPS_PER_KEPT_NAME * len(log))
            names.update(dict.fromkeys(log))
        return {name: env[name] for name in names if name in env}

    def joined(self, states: list[Writes | None], blocks: list[int] | None = None) -> Writes | None:
        """Merge the writes of arms that start from the current environment, with phis where they differ.

        ``states`` has None for an arm whose end control does not reach; ``blocks`` are the blocks in which arms end.
        """
        live: list[Passing] = [state for state in states if state is not None]
        if len(live) < 2:
            return live[0] if live else None
        frame = self.frame
        frame.captures.own_writes.clear()
        ends = [blocks[at] for at, state in enumerate(states) if state is not None] if blocks else []
        joins = self.tables["joins"]
        names = live[0].copy()
        for state in live[1:]:
            names.update(state)
        self.spend(len(names) * len(live))
        env: Passing = frame.env
        start = frame.loop_start
        result: Passing = {}
        made: dict[tuple[Any, ...], Any] = {}
        split: list[tuple[Name, tuple[Any, ...]]] = []
        for name in names:
            versions: list[Any] = [state.get(name, NONE) for state in live]
            if NONE in versions:
                before: int = env.get(name, NONE)
                if before == NONE and type(name) is tuple:
                    continue
                if before < start and before != NONE and type(name) is str:
                    before = self._header_phi(name, before)
                versions = [state.get(name, before) for state in live]
            first: int = versions[0]
            second: int = versions[1]
            if first == second and (len(versions) == 2 or versions.count(first) == len(versions)):
                result[name] = versions[0]
                continue
            same = tuple(versions)
            split.append((name, same))
            known = made.get(same)
            if known is not None:  # another name of the same value: a parameter and its value at entry
                result[name] = known
                continue
            everywhere = NONE not in versions
            fresh = len(self.ops)
            joined = self.phi(versions if everywhere else [version for version in versions if version != NONE])
            result[name] = made[same] = joined
            if joined != fresh:
                continue
            if everywhere:
                self._remember_merge(versions, joined)
            if self._has_known(versions):
                frame.refinements.choices[joined] = (same, result, split)
            if ends:
                for at, block in enumerate(ends):
                    version: int = versions[at]
                    if version != NONE and block != NONE:
                        joins.extend((fresh, version, block))
        return result

    def _remember_merge(self, versions: list[int], phi: int) -> None:
        """Where these are versions of one value, later conditions on that value apply to the phi."""
        self.frame.refinements.merged[phi] = versions
        root = self._version_of(versions[0])
        for version in versions[1:]:
            if self._version_of(version) != root:
                return
        for version in versions:
            self.frame.refinements.merged_into[version] = phi
        self.frame.refinements.merge_roots[phi] = root

    def _has_known(self, versions: list[Any]) -> bool:
        """Whether one of them is a constant, a truth, or an object of which is known whether it holds anything."""
        constants: dict[Any, Constant] = self.constants
        objects, truths = self.frame.objects, self.truths
        for version in versions:
            if version in constants or version in truths or version in objects.emptied or version in objects.filled:
                return True
            if self.ops[version] == PI and self.truth_behind(version) != NONE and self._is_answer(version):
                return True
        return False

    def _is_answer(self, pi: int) -> bool:
        """Whether a version under a condition is one of what a call answered."""
        row = PI_WIDTH * self._values[VALUE_WIDTH * pi + VALUE_DATA]
        return self.ops[self._pis[row + PI_INPUT]] == CALL

    def truth_behind(self, version: int) -> int:
        """1 or 0 for a version behind a test of its own truth, else NONE."""
        if self.ops[version] != PI:
            return NONE
        row = PI_WIDTH * self._values[VALUE_WIDTH * version + VALUE_DATA]
        condition = CONDITION_WIDTH * self._pis[row + PI_CONDITION]
        if self._conditions[condition + CONDITION_TEST] != TRUTH:
            return NONE
        is_own = self._conditions[condition + CONDITION_LEFT] == self._pis[row + PI_INPUT]
        return self._pis[row + PI_SIDE] if is_own else NONE

    def _version_of(self, value: int) -> int:
        """The value that ``value`` is a later version of: after calls, under conditions, behind merges."""
        for _ in range(MAX_REFINED_VERSIONS):
            if self.ops[value] == PI:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._pis[PI_WIDTH * row + PI_INPUT]
            elif self.ops[value] == POST:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
            elif value in self.frame.refinements.merge_roots:
                value = self.frame.refinements.merge_roots[value]
            else:
                break
        return value

    def merge(self, states: list[Writes | None], blocks: list[int] | None = None) -> None:
        """Continue after arms that ended with ``states`` (None: control does not reach the end of the arm)."""
        state = self.joined(states, blocks)
        if state is None:
            self.frame.reachable = False
            return
        frame = self.frame
        before = frame.block
        self.begin_block()
        if not blocks:
            self.edge(before, NONE, 1)
        entered: set[int] = set()
        for at, block in enumerate(blocks or []):
            if states[at] is not None and block != NONE and block not in entered:
                entered.add(block)
                self.edge(block, NONE, 1)
        self.apply(state)

    def recover(self, mark: Mark) -> None:
        """Return to the point of the function where ``mark`` was made and continue there; writes in arms opened since
        are dropped.
        """
        frame = self.frame = mark.frame
        while len(frame.logs) > mark.logs:
            self.close_arm()
        del frame.loops[mark.loops :]
        del frame.attempts[mark.attempts :]
        self.repair()
        frame.loop_start, frame.scope.own = mark.loop_start, mark.own
        frame.reachable = True
        self.new_block([(mark.block, NONE, 1)])
        self.forget_reads()
