"""Names: scopes, versions, captured variables, and the environment of each arm of control.

``Frame.env`` maps names to their current values. An arm logs what it overwrites, so that leaving it restores the
environment and yields only the names written; a merge looks at those names alone. Values are numbered in order of
creation, so a value older than a loop that is read inside it gets a ``carry`` at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.ir.schema import (
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    CAPTURE_WIDTH,
    FUNCTION_FLAGS,
    PI_INPUT,
    PI_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.frame import Constant, Frame, Loop, Mark, Name, Passing, Range, Span, State
from pyrograph.parsers.builder.ops import CARRY, CELL, GLOBAL, PARAMETER, PHI, PI, POST
from pyrograph.parsers.builder.values import Values, distinct
from pyrograph.parsers.many import Many
from pyrograph.policy.limits import FEW_NAMES, MAX_REFINED_VERSIONS, STEPS_PER_KEPT_NAME


class Names(Values):
    """Names, what they are bound to, and what becomes of that where arms of control part and merge."""

    def __init__(
        self, language: str, *, declares: bool, cells: frozenset[str] = frozenset(), package_scope: bool = False
    ) -> None:
        """``declares``: variables must be declared, an assignment to any other name writes an outer one (else:
        assigning makes it local).

        ``cells``: names that nested functions assign in an enclosing one; ``package_scope``: other files may define
        module-level names.
        """
        super().__init__(language)
        self.declares = declares
        self.cell_names = cells
        self.package_scope = package_scope
        if package_scope:
            self.tables["functions"][FUNCTION_FLAGS] |= FunctionFlag.SHARED_NAMES

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block in which ``declare`` may shadow names of enclosing blocks."""
        frame = self.frame
        frame.scopes.append({})
        try:
            yield
        finally:
            log = frame.logs[-1] if frame.logs else {}
            for name, previous in frame.scopes.pop().items():
                slot = frame.renamed.get(name, name)
                frame.env.pop(slot, None)  # nobody sees it any more: no merge and no loop has to carry it
                if log.get(slot) == NONE:
                    del log[slot]
                if previous is None:
                    frame.renamed.pop(name, None)
                else:
                    frame.renamed[name] = previous

    @contextmanager
    def own_names(self) -> Iterator[dict[str, int]]:
        """A body whose names nobody outside sees (a class body): yields them with their values, filled in at the
        end.
        """
        frame = self.frame
        names: dict[str, int] = {}
        outer, frame.own = frame.own, {}
        frame.shadows += 1
        yield names
        for name, slot in frame.own.items():
            value = frame.env.get(slot, NONE)
            if value != NONE:
                names[name] = value
        frame.own = outer

    def outer_names(self, names: Iterable[str]) -> None:
        """The current function writes these names of an enclosing function."""
        self.frame.outer.update(names)

    def declare(self, name: str) -> None:
        """``name`` is a variable of the innermost scope from here on."""
        frame = self.frame
        if frame.scopes:
            scope = frame.scopes[-1]
            if name not in scope and (name in frame.declared or frame.parent is not None):
                scope[name] = frame.renamed.get(name)
                frame.shadows += 1
                frame.renamed[name] = f"{name}\0{frame.shadows}"
            else:
                scope.setdefault(name, frame.renamed.get(name))
        frame.declared.add(name)

    def plain(self, name: str, *, changes: bool = False) -> None:
        """``name`` holds text or a number by its type, so that no callee changes it; ``changes``: from here on
        something may after all.
        """
        frame = self.frame
        slot = frame.renamed.get(name, name)
        if changes:
            frame.plain.discard(slot)
        else:
            frame.plain.add(slot)

    def is_plain(self, name: str) -> bool:
        return self.frame.renamed.get(name, name) in self.frame.plain

    def is_declared(self, name: str) -> bool:
        return name in self.frame.declared

    def write(self, name: str, value: int) -> None:
        """``name`` is ``value`` from here on."""
        frame = self.frame
        slot = frame.renamed.get(name, name) if frame.renamed else name
        if frame.own is not None and name[:1] != "\0":
            slot = frame.own.setdefault(name, f"{name}\1{frame.shadows}")
        elif name in frame.globals or name in frame.outer or self._is_outer(frame, name):
            self._write_outer(name, value)
        elif name in self.cell_names and frame.parent is not None:
            self.same(value, self._cell(frame, slot))
        if name in self.cell_names:
            frame.clock += 1
            frame.own_writes[slot] = (value, frame.clock)
        if value not in frame.made_from and self.reads:
            frame.made_from[value] = tuple(distinct(self.reads[-8:]))
        frame.add_version(slot, value)
        self.bind(slot, value)

    def _is_outer(self, frame: Frame, name: str) -> bool:
        return self.declares and frame.parent is not None and name not in frame.declared and not name.startswith("\0")

    def _write_outer(self, name: str, value: int) -> None:
        frame = self.frame
        owner: Frame | None = frame.parent
        renamed = frame.outer_renamed
        while owner is not None and owner.parent is not None:
            slot = renamed.get(name, name)
            if (name in owner.declared or slot in owner.versions) and name not in frame.globals:
                self.same(value, self._cell(owner, slot, late=frame.late and owner is frame.parent))
                return
            renamed = owner.outer_renamed
            owner = owner.parent
        self._exports.extend((self.string(name), value))

    def _cell(self, owner: Frame, slot: str, *, late: bool = False) -> int:
        cells = owner.late_cells if late else owner.cells
        cell = cells.get(slot)
        if cell is None:
            frame, self.frame = self.frame, owner
            cell = cells[slot] = self.new(CELL, Range(0, 0), self.string(slot.partition("\0")[0]))
            self.frame = frame
        return cell

    def bind(self, name: Name, value: int) -> None:
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
                self._has_many(value, name)
        if type(name) is not str:
            return
        if frame.parent is not None:
            frame.changed.add(name)
        elif "\1" not in name and name[:1] != "\0":
            self._exports.extend((self.string(name.partition("\0")[0]), value))

    def _bind_attempted(self, frame: Frame, name: Name, value: int) -> None:
        """A handler may see what a name was and what it becomes, and what the loops around feed back."""
        before = frame.env.get(name, NONE)
        if NONE < before < frame.loop_start and type(name) is str:
            self._carried(name, before)
            before = frame.env[name]
        if len(frame.attempts) > FEW_NAMES:
            self.spend(len(frame.attempts))
        for attempt in frame.attempts:
            versions = attempt.versions.get(name)
            if versions is None:
                attempt.versions[name] = [before, value]
            else:
                versions.append(value)

    def read(self, name: str, at: Span) -> int:
        """The current value of ``name``."""
        frame = self.frame
        slot = frame.renamed.get(name, name) if frame.renamed else name
        if frame.own is not None:
            slot = frame.own.get(name, slot)
        value = frame.env.get(slot, NONE)
        if value == NONE or name in frame.globals:
            value = self._read_outer(name, slot, at)
        elif value < frame.loop_start and self.ops[value] != GLOBAL:  # a global is all its versions anyway
            value = self._carried(slot, value)
        if name in self.cell_names:
            value = self._read_cell(name, slot, value, at)
        self.reads.append(value)
        return value

    def current(self, name: str) -> int:
        """The value of a local name without counting as a read, or NONE."""
        frame = self.frame
        slot = frame.renamed.get(name, name)
        if frame.own is not None:
            slot = frame.own.get(name, slot)
        value = frame.env.get(slot, NONE)
        if value != NONE and value < frame.loop_start:
            value = self._carried(slot, value)
        return value

    def cell(self, at: Span, name: str) -> int:
        """A place without a name that other functions fill with ``same``: what it holds is known whatever the time."""
        return self.new(CELL, at, self.string(name))

    def _read_cell(self, name: str, slot: str, value: int, at: Span) -> int:
        """A variable that nested functions write: its own version here, or whatever any of them wrote.

        Its own version alone where nothing was called since it was written: none of them can have run.
        """
        frame = self.frame
        own, when = frame.own_writes.get(slot, (NONE, 0))
        if own == value != NONE and frame.paused < when:
            return value
        if frame.parent is None:
            if (cell := frame.cells.get(slot)) is None:
                cell = frame.cells[slot] = self.new(GLOBAL, at, self.string(name))
        elif (name in frame.declared or slot in frame.versions) and name not in frame.outer:
            cell = self._cell(frame, slot)
        else:
            return value
        key = (value, cell)
        joined = frame.joined.get(key)
        if joined is None:
            joined = frame.joined[key] = self.new(PHI, at)
            self.same(value, joined)
            self.same(cell, joined)
            frame.names_of.setdefault(joined, []).extend(frame.names_of.get(value, ()))
        return joined

    def read_at_exit(self, name: str, at: Span) -> int:
        """The value of ``name`` when the current function has left: the functions that run then have written theirs."""
        value = self.read(name, at)
        frame = self.frame
        slot = frame.renamed.get(name, name)
        if not frame.has_late or name not in self.cell_names:
            return value
        joined = self.new(PHI, at)
        self.same(value, joined)
        self.same(self._cell(frame, slot, late=True), joined)
        return joined

    def _read_outer(self, name: str, slot: str, at: Span) -> int:
        """A name this function does not define: captured, the module's, or unknown here."""
        frame = self.frame
        if frame.parent is None:
            value = self.new(GLOBAL, at, self.string(name))
            frame.env[slot] = value
            return value
        known = frame.captured.get(name)
        if known is None:
            known = frame.captured[name] = self._capture(frame, name, at)
            frame.names_of.setdefault(known, []).append(slot)
        if name not in frame.globals or slot not in frame.env:
            frame.env[slot] = known
            frame.changed.add(slot)
            for log in frame.logs:
                log.pop(slot, None)  # bound at entry, whatever arm asked first
        return frame.env[slot]

    def _capture(self, frame: Frame, name: str, at: Span) -> int:
        parent = frame.parent
        assert parent is not None
        self.spend(1)
        if parent.parent is None or name in frame.globals:
            value = self._in(frame, lambda: self.new(GLOBAL, at, self.string(name)))
            return value
        slot = frame.outer_renamed.get(name, name)
        if name in self.cell_names and (name in parent.declared or slot in parent.versions):
            cell = self._cell(parent, slot)
            value = self._in(frame, lambda: self.new(PHI, at))
            if slot in parent.plain:
                frame.plain.add(name)
            self.same(cell, value)
            if parent.has_late:
                self.same(self._cell(parent, slot, late=True), value)
            return value
        outer = self._outer_value(frame, parent, name, slot, at)
        if self.ops[outer] == GLOBAL:
            return self._in(frame, lambda: self.new(GLOBAL, at, self._values[VALUE_WIDTH * outer + VALUE_DATA]))
        inner = self._in(frame, lambda: self.new(PARAMETER, at))
        if slot in parent.plain or (name in parent.captured and name in parent.plain):
            frame.plain.add(name)
        row = len(self.tables["captures"]) // CAPTURE_WIDTH
        self.tables["captures"].extend((frame.index, inner, outer, inner))
        frame.capture_rows.append((row, inner))
        frame.env[("in", inner)] = inner
        frame.names_of.setdefault(inner, []).append(("in", inner))
        return inner

    def _outer_value(self, frame: Frame, parent: Frame, name: str, slot: str, at: Span) -> int:
        """What ``name`` may be in ``parent`` when ``frame``'s function runs: as created, and every version after."""
        at_creation = parent.value_at(slot, frame.number)
        later = parent.versions_after(slot, frame.number)
        versions = ([at_creation] if at_creation != NONE else []) + later
        if not versions:
            versions = list(parent.versions.get(slot, ()))
        if not versions:
            known = parent.captured.get(name)
            if known is None:
                known = parent.captured[name] = self._capture(parent, name, at)
            return known
        return self._in(parent, lambda: self.phi(versions))

    def _carried(self, name: Name, value: int) -> int:
        """``value`` as seen inside the loops that are younger than it."""
        frame = self.frame
        if len(frame.loops) > FEW_NAMES:
            self.spend(len(frame.loops))
        inside = False  # a loop inside one that needs a carry needs its own, although the outer one's was made later
        for loop in frame.loops:
            if loop.breakable_only or (value >= loop.start and not inside):
                continue
            inside = True
            carry = loop.carries.get(name, NONE)
            if carry == NONE:
                carry = self._new_carry(loop, name, value)
                frame.logs[loop.log].setdefault(name, value)
                frame.env[name] = carry
                frame.changed.add(name)
            value = carry
        return value

    def _new_carry(self, loop: Loop, name: Name, initial: int) -> int:
        base = VALUE_WIDTH * initial if initial != NONE else 0
        carry = self.new(CARRY, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), loop.row)
        loop.carries[name] = carry
        self._initial[carry] = initial
        if initial != NONE:
            self.same(initial, carry)
        loop.rows[carry] = len(self.tables["carries"])
        self.tables["carries"].extend((carry, loop.row, initial, NONE))
        frame = self.frame
        names = frame.names_of.setdefault(carry, [])
        names.append(name)
        if initial in frame.loaded:
            frame.loaded[carry] = frame.loaded[initial]
        return carry

    def fork(self) -> None:
        self.frame.logs.append({})

    def leave(self) -> State:
        """End an arm: restore the environment, return what the arm wrote."""
        frame = self.frame
        log: Passing = frame.logs.pop()
        frame.changed.update(log)
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

    def abandon(self) -> State | None:
        """End an arm that control does not leave: its writes are forgotten."""
        self.leave()
        return None

    def apply(self, state: State) -> None:
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
        frame.changed.update(written)
        for name, value in written.items():
            names = names_of.get(value)
            if names is None:
                names_of[value] = [name]
            elif name not in names:
                names.append(name)
                if len(names) >= FEW_NAMES:
                    self._has_many(value, name)

    def _has_many(self, value: int, name: Name) -> None:
        """``name`` is a further one of the many names of ``value``, which are not looked through from now on."""
        names = self.frame.names_of[value]
        if isinstance(names, Many):
            names.known.add(name)
        else:
            self.frame.names_of[value] = Many(names)

    def recover(self, mark: Mark) -> None:
        """Go back to where ``mark`` was made, in the same function, and go on from there: what was written in arms
        since is forgotten.
        """
        frame = self.frame = mark.frame
        while len(frame.logs) > mark.logs:
            self.leave()
        del frame.loops[mark.loops :]
        del frame.attempts[mark.attempts :]
        self.repair()
        frame.loop_start, frame.own = mark.loop_start, mark.own
        frame.reachable = True
        self.new_block([(mark.block, NONE, 1)])
        self.forget_reads()

    def since(self, depth: int) -> State:
        """What was written since the log at ``depth`` was opened."""
        frame = self.frame
        env = frame.env
        names: dict[Name, None] = {}
        for log in frame.logs[depth:]:
            self.spend(STEPS_PER_KEPT_NAME * len(log))
            names.update(dict.fromkeys(log))
        return {name: env[name] for name in names if name in env}

    def joined(self, states: list[State | None], blocks: list[int] | None = None) -> State | None:
        """One state for several that start from the current environment; ``blocks`` are where they end."""
        live: list[Passing] = [state for state in states if state is not None]
        if len(live) < 2:
            return live[0] if live else None
        frame = self.frame
        frame.own_writes.clear()
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
                    before = self._carried(name, before)
                versions = [state.get(name, before) for state in live]
            first: int = versions[0]
            second: int = versions[1]
            if first == second and (len(versions) == 2 or versions.count(first) == len(versions)):
                result[name] = versions[0]
                continue
            same = tuple(versions)
            split.append((name, same))
            known = made.get(same)
            if known is not None:  # another name of the same thing: a parameter and what it held
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
            if self._has_constant(versions):
                frame.choices[joined] = (same, result, split)
            if ends:
                for at, block in enumerate(ends):
                    version: int = versions[at]
                    if version != NONE and block != NONE:
                        joins.extend((fresh, version, block))
        return result

    def _remember_merge(self, versions: list[int], phi: int) -> None:
        """Where these are versions of one value, what is told of it later is told of the phi."""
        root = self._version_of(versions[0])
        for version in versions[1:]:
            if self._version_of(version) != root:
                return
        for version in versions:
            self.frame.merged[version] = phi
        self.frame.merges[phi] = root

    def _has_constant(self, versions: list[Any]) -> bool:
        constants: dict[Any, Constant] = self.constants
        for version in versions:  # noqa: SIM110 - compiled, ``any`` makes a generator
            if version in constants:
                return True
        return False

    def _version_of(self, value: int) -> int:
        """What ``value`` is a state or a version under a condition of."""
        for _ in range(MAX_REFINED_VERSIONS):
            if self.ops[value] == PI:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._pis[PI_WIDTH * row + PI_INPUT]
            elif self.ops[value] == POST:
                row = self._values[VALUE_WIDTH * value + VALUE_DATA]
                value = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
            elif value in self.frame.merges:
                value = self.frame.merges[value]
            else:
                break
        return value

    def merge(self, states: list[State | None], blocks: list[int] | None = None) -> None:
        """Go on after arms that ended in ``states`` (None: the arm did not end here)."""
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
