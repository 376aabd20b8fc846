"""Names: scopes, reads and writes of variables, captured variables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from pyrograph.ir.codes import NONE, FunctionFlag
from pyrograph.ir.schema import (
    CAPTURE_OUT,
    CAPTURE_WIDTH,
    FUNCTION_FLAGS,
    VALUE_DATA,
    VALUE_WIDTH,
)
from pyrograph.parsers.builder.arms import Arms
from pyrograph.parsers.builder.data import Range, Semantics, Span
from pyrograph.parsers.builder.frame import Frame
from pyrograph.parsers.builder.ops import CELL, GLOBAL, PARAMETER, PHI, is_fixed
from pyrograph.parsers.builder.values import distinct
from pyrograph.policy.limits.lowering import LISTED_VERSIONS


class Names(Arms):
    """Variables of the current function, and those that it shares with nested and enclosing functions."""

    def __init__(
        self,
        language: str,
        *,
        declares: bool,
        cells: frozenset[str] = frozenset(),
        package_scope: bool = False,
        empty_is_false: bool = False,
    ) -> None:
        """``declares``: variables must be declared, and an assignment to an undeclared name writes an outer one. Else
        an assignment makes a name local.

        ``cells``: names that nested functions assign in an enclosing one; ``package_scope``: other files may define
        module-level names; ``empty_is_false``: an object that holds nothing is false.
        """
        super().__init__(language)
        self.semantics = Semantics(declares, package_scope, empty_is_false)
        self.cell_names = cells
        if package_scope:
            self.tables["functions"][FUNCTION_FLAGS] |= FunctionFlag.SHARED_NAMES

    @contextmanager
    def scope(self) -> Iterator[None]:
        """A block in which ``declare`` may shadow names of enclosing blocks."""
        frame = self.frame
        scope = frame.scope
        scope.blocks.append({})
        try:
            yield
        finally:
            log = frame.logs[-1] if frame.logs else {}
            for name, previous in scope.blocks.pop().items():
                slot = scope.renamed.get(name, name)
                frame.env.pop(slot, None)  # out of scope: no merge and no loop needs it
                if log.get(slot) == NONE:
                    del log[slot]
                if previous is None:
                    scope.own_renamed().pop(name, None)
                else:
                    scope.own_renamed()[name] = previous

    @contextmanager
    def own_names(self) -> Iterator[dict[str, int]]:
        """A body with names that are not visible outside (a class body): yields name -> value, filled at the end."""
        frame = self.frame
        scope = frame.scope
        names: dict[str, int] = {}
        outer, scope.own = scope.own, {}
        scope.shadows += 1
        yield names
        for name, slot in scope.own.items():
            value = frame.env.get(slot, NONE)
            if value != NONE:
                names[name] = value
        scope.own = outer

    def outer_names(self, names: Iterable[str]) -> None:
        """The current function writes these names of an enclosing function."""
        self.frame.scope.outer.update(names)

    def declare(self, name: str) -> None:
        """``name`` is a variable of the innermost scope from here on."""
        frame = self.frame
        scope = frame.scope
        if scope.blocks:
            block = scope.blocks[-1]
            if name not in block and (name in scope.declared or frame.parent is not None):
                block[name] = scope.renamed.get(name)
                scope.shadows += 1
                scope.own_renamed()[name] = f"{name}\0{scope.shadows}"
            else:
                block.setdefault(name, scope.renamed.get(name))
        scope.declared.add(name)

    def pass_by_value(self, name: str, *, changes: bool = False) -> None:
        """``name`` holds text or a number by its type, so that no callee changes it; ``changes``: from here on its
        value may be changed by something else.
        """
        frame = self.frame
        scope = frame.scope
        slot = scope.renamed.get(name, name)
        if changes:
            scope.by_value.discard(slot)
        else:
            scope.by_value.add(slot)

    def is_by_value(self, name: str) -> bool:
        """Whether ``name`` holds text or a number by its type (``pass_by_value``)."""
        return self.frame.scope.renamed.get(name, name) in self.frame.scope.by_value

    def is_declared(self, name: str) -> bool:
        return name in self.frame.scope.declared

    def declared_here(self, name: str) -> int:
        """The value of a variable that the innermost scope declares, before this place; or NONE."""
        scope = self.frame.scope
        if name not in scope.declared or (scope.blocks and name not in scope.blocks[-1]):
            return NONE
        return self.frame.env.get(scope.renamed.get(name, name), NONE)

    def is_own(self, name: str) -> bool:
        """Whether this function, one around it or the file declares or assigned ``name`` before this place."""
        frame: Frame | None = self.frame
        while frame is not None:
            if name in frame.scope.declared or name in frame.captures.versions:
                return True
            frame = frame.parent
        return False

    def versions(self, name: str) -> list[int]:
        """All values so far of the variable ``name`` that is visible here; none for a name that nothing assigned."""
        renamed = self.frame.scope.renamed
        frame: Frame | None = self.frame
        while frame is not None:
            slot = renamed.get(name, name)
            if name in frame.scope.declared or slot in frame.captures.versions:
                return list(frame.captures.versions.get(slot, ()))
            renamed = frame.scope.outer_renamed
            frame = frame.parent
        return []

    def write(self, name: str, value: int) -> None:
        """``name`` is ``value`` from here on."""
        frame = self.frame
        scope = frame.scope
        captures = frame.captures
        refinements = frame.refinements
        slot = scope.renamed.get(name, name) if scope.renamed else name
        if scope.own is not None and name[:1] != "\0":
            slot = scope.own.setdefault(name, f"{name}\1{scope.shadows}")
        elif self._writes_outer(frame, name):
            self._write_outer(name, value)
        elif name in self.cell_names and frame.parent is not None:
            self.same(value, self._cell(frame, slot))
        if name in self.cell_names:
            captures.clock += 1
            captures.own_writes[slot] = (value, captures.clock)
        if value not in refinements.computed_from and self.reads:
            refinements.computed_from[value] = tuple(distinct(self.reads[-8:]))
        captures.add_version(slot, value)
        if slot in captures.exposed:
            captures.exposed[slot] = len(self.ops)
        self.bind(slot, value)

    def _writes_outer(self, frame: Frame, name: str) -> bool:
        """Whether an assignment in ``frame`` is to a variable of a function around it, or of the module."""
        scope = frame.scope
        return name in scope.globals or name in scope.outer or self._is_outer(frame, name)

    def _is_outer(self, frame: Frame, name: str) -> bool:
        return (
            self.semantics.declares
            and frame.parent is not None
            and name not in frame.scope.declared
            and not name.startswith("\0")
        )

    def _write_outer(self, name: str, value: int) -> None:
        frame = self.frame
        scope = frame.scope
        owner: Frame | None = frame.parent
        renamed = scope.outer_renamed
        while owner is not None and owner.parent is not None:
            slot = renamed.get(name, name)
            if (name in owner.scope.declared or slot in owner.captures.versions) and name not in scope.globals:
                self.same(value, self._cell(owner, slot, late=frame.late and owner is frame.parent))
                return
            renamed = owner.scope.outer_renamed
            owner = owner.parent
        self._exports.extend((self.string(name), value))

    def _cell(self, owner: Frame, slot: str, *, late: bool = False) -> int:
        cells = owner.captures.deferred_cells if late else owner.captures.cells
        cell = cells.get(slot)
        if cell is None:
            frame, self.frame = self.frame, owner
            cell = cells[slot] = self.new(CELL, Range(0, 0), self.string(slot.partition("\0")[0]))
            self.frame = frame
        return cell

    def read(self, name: str, at: Span) -> int:
        """The current value of ``name``."""
        frame = self.frame
        scope = frame.scope
        slot = scope.renamed.get(name, name) if scope.renamed else name
        if scope.own is not None:
            slot = scope.own.get(name, slot)
        value = frame.env.get(slot, NONE)
        exposed = frame.captures.exposed
        is_old = bool(exposed) and slot in exposed and value < exposed[slot]
        if value == NONE or name in scope.globals:
            value = self._read_outer(name, slot, at)
        elif value < frame.loop_start and self.ops[value] != GLOBAL:  # a global is all its versions anyway
            value = self._header_phi(slot, value)
        if is_old and not is_fixed(self.ops[value]) and self.ops[value] != GLOBAL:
            value = self._changed_by_nested(slot, value, at)
        if name in self.cell_names:
            value = self._read_cell(name, slot, value, at)
        self.reads.append(value)
        return value

    def current(self, name: str) -> int:
        """The value of a local name without counting as a read, or NONE."""
        frame = self.frame
        scope = frame.scope
        slot = scope.renamed.get(name, name)
        if scope.own is not None:
            slot = scope.own.get(name, slot)
        value = frame.env.get(slot, NONE)
        if value != NONE and value < frame.loop_start:
            value = self._header_phi(slot, value)
        return value

    def cell(self, at: Span, name: str) -> int:
        """A cell without a variable, filled with ``same``: it joins all values stored, in whatever order."""
        return self.new(CELL, at, self.string(name))

    def _read_cell(self, name: str, slot: str, value: int, at: Span) -> int:
        """A variable that nested functions write: its own version here, or whatever any of them wrote.

        Its own version alone where nothing was called since it was written: none of them can have run.
        """
        frame = self.frame
        scope = frame.scope
        captures = frame.captures
        own, when = captures.own_writes.get(slot, (NONE, 0))
        if own == value != NONE and captures.paused < when:
            return value
        if frame.parent is None:
            if (cell := captures.cells.get(slot)) is None:
                cell = captures.cells[slot] = self.new(GLOBAL, at, self.string(name))
        elif (name in scope.declared or slot in captures.versions) and name not in scope.outer:
            cell = self._cell(frame, slot)
        else:
            return value
        key = (value, cell)
        joined = captures.joined.get(key)
        if joined is None:
            joined = captures.joined[key] = self.new(PHI, at)
            captures.version_of[joined] = value
            self.same(value, joined)
            self.same(cell, joined)
            frame.names_of.setdefault(joined, []).extend(frame.names_of.get(value, ()))
        return joined

    def read_at_exit(self, name: str, at: Span) -> int:
        """The value of ``name`` after the functions that run when the current one leaves."""
        value = self.read(name, at)
        frame = self.frame
        slot = frame.scope.renamed.get(name, name)
        if not frame.has_late or name not in self.cell_names:
            return value
        joined = self.new(PHI, at)
        self.same(value, joined)
        self.same(self._cell(frame, slot, late=True), joined)
        return joined

    def _changed_by_nested(self, slot: str, value: int, at: Span) -> int:
        """The object ``value`` after nested functions may have run that store something in it; for every alias."""
        joined = self.new(PHI, at)
        self.same(value, joined)
        self.same(self._effect(self.frame, slot), joined)
        self.update(value, joined, at)
        self.bind(slot, joined)
        return joined

    def _changed_below(self, frame: Frame, inner: int) -> None:
        """``frame``, which was lowered before, captures ``inner`` for functions in it: it leaves what they leave."""
        captures = frame.captures
        if not captures.rows or captures.rows[-1][1] != inner or captures.rows[-1][3] not in captures.exposed:
            return
        row, _, slot, name = captures.rows[-1]
        cell = self._effect(frame, name)
        out = self._in(frame, lambda: self.phi([inner, cell]))
        self.tables["captures"][CAPTURE_WIDTH * row + CAPTURE_OUT] = out
        if frame.parent is not None and slot in frame.parent.captures.exposed:
            self.same(out, self._effect(frame.parent, slot))

    def _effect(self, owner: Frame, slot: str) -> int:
        """The cell of the states in which nested functions leave the object that ``slot`` names."""
        cell = owner.captures.effects.get(slot)
        if cell is None:
            frame, self.frame = self.frame, owner
            cell = owner.captures.effects[slot] = self.new(CELL, Range(0, 0), self.string(slot.partition("\0")[0]))
            self.frame = frame
        return cell

    def update(self, old: int, new: int, at: Span, depth: int = 0, *, changes: bool = True) -> None:
        """See ``Objects.update``."""
        raise NotImplementedError

    def _read_outer(self, name: str, slot: str, at: Span) -> int:
        """A name this function does not define: captured, the module's, or unknown here."""
        frame = self.frame
        captures = frame.captures
        if frame.parent is None:
            value = self.new(GLOBAL, at, self.string(name))
            frame.env[slot] = value
            return value
        known = captures.captured.get(name)
        if known is None:
            known = captures.captured[name] = self._capture(frame, name, at)
            frame.names_of.setdefault(known, []).append(slot)
        if name not in frame.scope.globals or slot not in frame.env:
            frame.env[slot] = known
            captures.changed.add(slot)
            for log in frame.logs:
                log.pop(slot, None)  # bound at entry, whatever arm reads it first
        return frame.env[slot]

    def _capture(self, frame: Frame, name: str, at: Span) -> int:
        parent = frame.parent
        assert parent is not None
        self.spend(1)
        if parent.parent is None or name in frame.scope.globals:
            value = self._in(frame, lambda: self.new(GLOBAL, at, self.string(name)))
            return value
        slot = frame.scope.outer_renamed.get(name, name)
        if name in self.cell_names and (name in parent.scope.declared or slot in parent.captures.versions):
            cell = self._cell(parent, slot)
            value = self._in(frame, lambda: self.new(PHI, at))
            if slot in parent.scope.by_value:
                frame.scope.by_value.add(name)
            self.same(cell, value)
            if parent.has_late:
                self.same(self._cell(parent, slot, late=True), value)
            return value
        outer = self._outer_value(frame, parent, name, slot, at)
        if self.ops[outer] == GLOBAL:
            return self._in(frame, lambda: self.new(GLOBAL, at, self._values[VALUE_WIDTH * outer + VALUE_DATA]))
        inner = self._in(frame, lambda: self.new(PARAMETER, at))
        if slot in parent.scope.by_value or (name in parent.captures.captured and name in parent.scope.by_value):
            frame.scope.by_value.add(name)
        row = len(self.tables["captures"]) // CAPTURE_WIDTH
        self.tables["captures"].extend((frame.index, inner, outer, inner))
        frame.captures.rows.append((row, inner, slot, name))
        frame.env[("in", inner)] = inner
        frame.names_of.setdefault(inner, []).append(("in", inner))
        return inner

    def _outer_value(self, frame: Frame, parent: Frame, name: str, slot: str, at: Span) -> int:
        """The phi of what ``name`` may be in ``parent`` when ``frame``'s function runs: its value where the function is
        created, and every later version.
        """
        at_creation = parent.captures.value_at(slot, frame.number)
        later = self._versions_after(parent, slot, parent.captures.versions_at(slot, frame.number))
        versions = ([at_creation] if at_creation != NONE else []) + later
        if not versions:
            versions = list(parent.captures.versions.get(slot, ()))
        if not versions:
            known = parent.captures.captured.get(name)
            if known is None:
                known = parent.captures.captured[name] = self._capture(parent, name, at)
                self._changed_below(parent, known)
            return known
        return self._in(parent, lambda: self.phi(versions))

    def _versions_after(self, parent: Frame, slot: str, first: int) -> list[int]:
        """The versions of ``slot`` from number ``first`` on. Where they are many, a phi stands for most of them, which
        all functions share that were created before these: else thousands of functions in one function would each list
        thousands of versions.
        """
        versions = parent.captures.versions.get(slot, [])
        if len(versions) - first <= LISTED_VERSIONS:
            return versions[first:]
        joined = parent.captures.joined_later.setdefault(slot, {})
        start = first + LISTED_VERSIONS - first % LISTED_VERSIONS
        known = start
        while known < len(versions) and known not in joined:
            known += LISTED_VERSIONS
        while known > start:
            known -= LISTED_VERSIONS
            rest = [joined[known + LISTED_VERSIONS]] if known + LISTED_VERSIONS in joined else []
            frame, self.frame = self.frame, parent
            joined[known] = self.phi(versions[known : known + LISTED_VERSIONS] + rest)
            self.frame = frame
        return [*versions[first:start], *([joined[start]] if start in joined else [])]
