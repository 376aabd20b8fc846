"""The shared builder: the words in which every front end says what a program does.

It owns SSA, objects, conditions, constants and control flow, and knows no language and no syntax kind. How it works:

* **Environment with write logs.** ``env`` maps names to their current values. A branch arm logs what it overwrites,
  so that leaving the
  arm restores the environment and yields only the names written; a merge looks at those names alone.
* **Loop headers are lazy.** Values are numbered in order of creation, so a value older than the loop that is read
  inside it gets a
  ``carry`` at that moment, and no scan of the body is needed beforehand.
* **Objects are states.** A store or a call makes a new state of an object, and every name (and every object that was
  loaded from)
  that was bound to the old state is bound to the new one: aliases see every store.
* **Conditions** evaluate to an ``Outcome``: what the environment looks like where they hold and where they do not,
  with a pi version of
  every variable they read, directly or through the definitions before.
* **Function bodies are lowered after the body that encloses them**, when all versions of a captured variable are known.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final, Protocol

from pyrograph.ir.unit import (
    ANY_BOUND,
    COLUMNS,
    EXCEPTIONAL,
    KEYS,
    NONE,
    OPEN,
    RECEIVER,
    UNKNOWN_KEY,
    CallFlag,
    Flow,
    FunctionFlag,
    Op,
    Operator,
    ParameterKind,
    Test,
    Unit,
    constant_text,
    value_key,
)

Constant = str | int | float | bool | None
Name = str | tuple[int, int] | tuple[str, int]  # a variable, (object, key), or ("in", value) for what a parameter held
State = dict[Name, int]  # names written since some point, with their values

SAME: Final = int(Flow.SAME)
DERIVED: Final = int(Flow.DERIVED)
COUNTED: Final = int(Flow.COUNTED)

MAX_TEXT: Final = 4096  # longest constant text that is kept; longer ones are still text, of unknown content
MAX_FORWARDED: Final = 64  # elements of a literal whose values are known without a load
MAX_KEPT: Final = (
    16  # items of a literal whose constants are kept too: an options object says something, a table does not
)
MAX_HOLDERS: Final = 12  # objects around a changed one (a.b.c = 1 changes b and a) that get a new state
MAX_VERSIONS: Final = 16  # conditions about one version that are followed to the version that counts now
SLICE_DEPTH: Final = 3  # definitions a condition looks back through for the variables it tests

_PLAIN = frozenset({Op.LOAD, Op.PARAMETER, Op.CARRY, Op.PHI})  # variables and fields: nothing computes their truth
_FIXED = frozenset({Op.CONST, Op.FUNCTION, Op.CLASS, Op.IMPORT})  # values whose state no call changes


class Span(Protocol):
    """Anything with a place in the source, in bytes: a syntax node, or ``Range``."""

    @property
    def start_byte(self) -> int: ...
    @property
    def end_byte(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Range:
    start_byte: int
    end_byte: int


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a container holds, in order: ``(key, value)``; the keys of a sequence are its indices."""

    items: tuple[tuple[int, int], ...]
    sequence: bool

    @property
    def values(self) -> tuple[int, ...]:
        return tuple(value for _, value in self.items)


@dataclass(slots=True)
class Argument:
    """One argument of a call; ``position`` NONE for a keyword or a spread of keywords."""

    value: int
    position: int
    at: Span
    keyword: str | None = None
    flags: int = 0


@dataclass(slots=True)
class Outcome:
    """What a condition leaves behind: writes where it holds, where it does not; None: that side cannot happen."""

    true: State | None
    false: State | None
    condition: int = NONE
    side: int = 1  # the side of ``condition`` on which it holds

    def inverted(self) -> Outcome:
        return Outcome(self.false, self.true, self.condition, 1 - self.side)


@dataclass(slots=True)
class Loop:
    row: int
    start: int  # values below are older than the loop
    log: int  # depth of the log that holds what the loop changes
    label: str | None
    header: int  # block
    breakable_only: bool = False  # a switch: ``break`` leaves it, ``continue`` does not see it
    carries: dict[Name, int] = field(default_factory=dict)
    rows: dict[int, int] = field(default_factory=dict)  # carry -> where its row in carries begins
    breaks: list[State] = field(default_factory=list)
    break_blocks: list[int] = field(default_factory=list)  # where each of ``breaks`` comes from
    continues: list[State] = field(default_factory=list)
    continue_blocks: list[int] = field(default_factory=list)
    leaving: list[State] = field(default_factory=list)  # of ways from inside to outer loops
    body_log: int = 0


@dataclass(slots=True)
class Attempt:
    """A protected region: every version a name had in it may be the one a handler sees."""

    exception: int
    versions: dict[Name, list[int]] = field(default_factory=dict)


@dataclass(slots=True)
class Parameter:
    row: int
    value: int


class Frame:
    """One function while it is lowered, and what its nested functions ask of it afterwards."""

    def __init__(self, index: int, parent: Frame | None, flags: int) -> None:
        self.index = index
        self.parent = parent
        self.flags = flags
        self.env: dict[Name, int] = {}
        self.number = 0  # which of the functions created in its parent this is
        self.num_functions = 0  # functions created here so far
        self.changed: set[Name] = set()  # names bound since the last function was created here
        # name -> (function numbers, value from that one on, versions there were then)
        self.history: dict[str, tuple[list[int], list[int], list[int]]] = {}
        self.outer_renamed: dict[str, str] = {}
        self.created = NONE  # the function value in the parent
        self.logs: list[dict[Name, int]] = []
        self.loops: list[Loop] = []
        self.loop_start = 0  # start of the innermost loop, 0 outside
        self.attempts: list[Attempt] = []
        self.names_of: dict[int, list[Name]] = {}
        self.tested_parts: dict[int, list[tuple[int, int]]] = {}  # object -> (key, pi) of parts that a condition tests
        self.seen_as: dict[int, int] = {}  # a super value -> the receiver it is a view of
        self.loaded: dict[int, tuple[int, int]] = {}  # load result -> (object, key)
        self.updated: dict[int, int] = {}  # state -> the state that replaced it
        self.made_from: dict[int, tuple[int, ...]] = {}
        self.refined: dict[int, int] = {}  # version -> its pi where a condition holds, then the other side's
        self.merges: dict[int, int] = {}  # a phi of versions of one value -> that value
        self.merged: dict[int, int] = {}  # version -> the phi that it and other versions of the same value went into
        self.versions: dict[str, list[int]] = {}
        self.declared: set[str] = set()
        self.plain: set[str] = set()  # names whose values nothing changes: text and numbers, handed on by value
        self.scopes: list[dict[str, str | None]] = []
        self.renamed: dict[str, str] = {}
        self.shadows = 0
        self.own: dict[str, str] | None = None  # names of a body that nobody outside sees, with their slots
        self.globals: set[str] = set()  # names declared to be the module's
        self.outer: set[str] = set()  # names declared to be an enclosing function's
        self.captured: dict[str, int] = {}  # name -> inner value
        self.capture_rows: list[tuple[int, int]] = []  # (row in captures, inner value)
        self.cells: dict[str, int] = {}
        self.late_cells: dict[str, int] = {}  # what functions that run when this one leaves write
        self.catches = False  # a function that runs when this one leaves handles what it raises
        self.late = False  # runs when its parent leaves
        self.has_late = False
        self.own_writes: dict[str, tuple[int, int]] = {}  # name -> (version, when it was written), until a merge
        self.clock = 0  # writes of names that nested functions write, and pauses, so far
        self.paused = 0  # by the clock, when other functions may have run last
        self.joined: dict[tuple[int, int], int] = {}  # (version, cell) -> phi
        self.parameters: list[Parameter] = []
        self.exits: list[tuple[int, State]] = []  # (truth -1/0/1, the states of parameters there)
        self.returns: list[int] = []
        self.raises: list[int] = []
        self.reachable = True
        self.block = 0
        self.pending: list[Callable[[], None]] = []
        self.result = NONE
        self.raised = NONE
        self.locals_only = False

    def number_function(self) -> int:
        """Note what names are bound to where a function is created; takes time for the names bound since the last
        one.
        """
        number = self.num_functions
        self.num_functions += 1
        for name in self.changed:
            if type(name) is str:
                numbers, values, counts = self.history.setdefault(name, ([], [], []))
                numbers.append(number)
                values.append(self.env.get(name, NONE))
                counts.append(len(self.versions.get(name, ())))
        self.changed.clear()
        return number

    def add_version(self, name: str, value: int) -> None:
        versions = self.versions.get(name)
        if versions is None:
            self.versions[name] = [value]
        else:
            versions.append(value)

    def versions_after(self, name: str, number: int) -> list[int]:
        """The versions that ``name`` got after function ``number`` was created."""
        numbers, _values, counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return self.versions.get(name, [])[counts[at - 1] if at else 0 :]

    def value_at(self, name: str, number: int) -> int:
        """What ``name`` was bound to where function ``number`` was created, or NONE."""
        numbers, values, _counts = self.history.get(name, ((), (), ()))
        at = bisect_right(numbers, number)
        return values[at - 1] if at else NONE


class Builder:
    """Builds one unit. Front ends call its methods; nothing else writes the unit's tables."""

    def __init__(
        self, language: str, *, declares: bool, cells: frozenset[str] = frozenset(), package_scope: bool = False
    ) -> None:
        """``declares``: variables must be declared, an assignment to any other name writes an outer one (else:
        assigning makes it local).

        ``cells``: names that nested functions assign in an enclosing one; ``package_scope``: other files may define
        module-level names.
        """
        self.unit = Unit(language, {})
        self.declares = declares
        self.cell_names = cells
        self.package_scope = package_scope
        # lists while they grow, which costs a fifth of growing arrays; ``finish`` makes the unit's arrays of them
        tables: dict[str, list[int]] = {name: [] for name in COLUMNS}
        self.tables = tables
        self._values = tables["values"]
        self._flows = tables["flows"]
        self._loads = tables["loads"]
        self._stores = tables["stores"]
        self._calls = tables["calls"]
        self._arguments = tables["arguments"]
        self.ops: list[int] = []
        self._strings: dict[str, int] = {}
        self.constants: dict[int, Constant] = {}
        self.texts: dict[int, str] = {}
        self._contents: dict[int, Contents] = {}  # containers all of whose contents were known when they were made
        self.truths: dict[int, Outcome] = {}  # boolean results: what each side leaves behind
        self._settled: dict[int, State] = {}  # boolean results: what the names in it were bound to then
        self._initial: dict[int, int] = {}  # header phi -> what it is before the loop
        self.reads: list[int] = []
        self.frame = self._new_frame(NONE, NONE, "", int(FunctionFlag.MODULE), None, Range(0, 0))
        self.module = self.frame

    # -- strings, values, flow
    # ---------------------------------------------------------------------------------------------------

    def string(self, text: str) -> int:
        """The index of ``text`` in the unit's string table."""
        index = self._strings.get(text)
        if index is None:
            index = self._strings[text] = len(self.unit.strings)
            self.unit.strings.append(text)
        return index

    def new(self, op: Op, at: Span, data: int = NONE) -> int:
        """A new value of the current function."""
        ops = self.ops
        value = len(ops)
        ops.append(op)
        self._values.extend((op, self.frame.index, at.start_byte, at.end_byte, data))
        return value

    def _set_data(self, value: int, data: int) -> None:
        self._values[5 * value + 4] = data

    def _set_op(self, value: int, op: Op, data: int) -> None:
        self.ops[value] = op
        self._values[5 * value] = op
        self._values[5 * value + 4] = data

    def same(self, origin: int, target: int) -> None:
        self._flows.extend((origin, target, SAME))

    def derived(self, origin: int, target: int) -> None:
        self._flows.extend((origin, target, DERIVED))

    def constant(self, constant: Constant, at: Span) -> int:
        value = self.new(Op.CONST, at, NONE)
        if isinstance(constant, str) and len(constant) > MAX_TEXT:
            self._set_data(value, self.string("'"))
            return value
        self._set_data(value, self.string(constant_text(constant)))
        self.constants[value] = constant
        return value

    def opaque(self, at: Span) -> int:
        """A constant of no interest: its content is not kept."""
        return self.new(Op.CONST, at, self.string("'"))

    def expression(self, at: Span, parts: Iterable[int]) -> int:
        """A value made from ``parts``: taint of any of them is taint of it."""
        value = self.new(Op.EXPRESSION, at)
        flows = self._flows
        for part in parts:
            if self._carries(part):
                flows.extend((part, value, DERIVED))
        return value

    def number(self, at: Span, parts: Iterable[int]) -> int:
        """A number computed from ``parts`` where a language makes numbers of texts: no text of theirs is in it."""
        value = self.new(Op.EXPRESSION, at)
        for part in parts:
            if self._carries(part):
                self._flows.extend((part, value, COUNTED))
        return value

    def _carries(self, value: int) -> bool:
        """Whether flow from ``value`` is worth a row: not from a constant, unless it has a name (a rule may call
        such a one a source).
        """
        return self.ops[value] != Op.CONST or value in self.frame.names_of

    def text(self, at: Span, parts: Sequence[int]) -> int:
        """Text put together from ``parts`` in this order; folded when all of them are constant."""
        skeleton = []
        whole = True
        for part in parts:
            constant = self.constants.get(part, self)
            if constant is not self and not isinstance(constant, float):
                skeleton.append(_as_text(constant))
            elif part in self.texts:
                skeleton.append(self.texts[part])
                whole = False
            else:
                skeleton.append("\0")
                whole = False
        joined = "".join(skeleton)
        if whole and len(joined) <= MAX_TEXT:
            return self._folded(joined, parts, at)
        value = self.expression(at, parts)
        if len(joined) <= MAX_TEXT:
            self.texts[value] = joined
            self.tables["texts"].extend((value, self.string(joined)))
        return value

    def describe(self, value: int, skeleton: str) -> None:
        """``value``, a call's result, is a template filled in: its constant text, a NUL for each further argument."""
        if len(skeleton) <= MAX_TEXT:
            self.texts[value] = skeleton
            self.tables["texts"].extend((value, self.string(skeleton)))

    def fold(self, function: Callable[..., Constant], operands: Sequence[int], at: Span) -> int | None:
        """The constant ``function(*operands)`` when all operands are constant and it does not fail; else None."""
        constants = []
        for operand in operands:
            constant = self.constants.get(operand, self)
            if constant is self:
                return None
            constants.append(constant)
        try:
            result = function(*constants)
        except (ArithmeticError, TypeError, ValueError, IndexError, LookupError, MemoryError):
            return None
        if isinstance(result, str) and len(result) > MAX_TEXT:
            return None
        if isinstance(result, int) and not isinstance(result, bool) and result.bit_length() > 256:
            return None
        return self._folded(result, operands, at)

    def _folded(self, constant: Constant, parts: Sequence[int], at: Span) -> int:
        value = self.constant(constant, at)
        for part in parts:
            if self._carries(part):
                self.derived(part, value)
        return value

    def phi(self, versions: Sequence[int], at: Span | None = None) -> int:
        """One value for several versions; a single one (or equal constants) stays what it is."""
        distinct = list(dict.fromkeys(versions))
        if len(distinct) == 1:
            return distinct[0]
        first = self.constants.get(distinct[0], self)
        if first is not self and all(_identical(self.constants.get(v, self), first) for v in distinct[1:]):
            return distinct[0]
        ops = self.ops
        values = self._values
        value = len(ops)
        ops.append(Op.PHI)
        if at is None:
            base = 5 * distinct[-1]
            values.extend((Op.PHI, self.frame.index, values[base + 2], values[base + 3], NONE))
        else:
            values.extend((Op.PHI, self.frame.index, at.start_byte, at.end_byte, NONE))
        flows = self._flows
        for version in distinct:
            flows.extend((version, value, SAME))
        return value

    def computed(self, value: int, operator: Operator, operands: Sequence[int]) -> int:
        """``value`` is ``operator`` of ``operands``, where that is no constant; returns ``value``.

        Kept inside loops only, where it says how a variable goes on from round to round.
        """
        if self.frame.loop_start and value not in self.constants:
            table = self.tables["computed"]
            for operand in operands:
                table.extend((value, operator, operand))
        return value

    def exception_value(self, at: Span) -> int:
        return self.new(Op.EXCEPTION, at)

    # -- names ---------------------------------------------------------------------------------------------------------
    # ----------

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
            frame.made_from[value] = tuple(dict.fromkeys(self.reads[-8:]))
        frame.add_version(slot, value)
        self._bind(slot, value)

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
        self.tables["exports"].extend((self.string(name), value))

    def _cell(self, owner: Frame, slot: str, *, late: bool = False) -> int:
        cells = owner.late_cells if late else owner.cells
        cell = cells.get(slot)
        if cell is None:
            frame, self.frame = self.frame, owner
            cell = cells[slot] = self.new(Op.CELL, Range(0, 0), self.string(slot.partition("\0")[0]))
            self.frame = frame
        return cell

    def _bind(self, name: Name, value: int) -> None:
        frame = self.frame
        env = frame.env
        if frame.attempts:
            self._bind_attempted(frame, name, value)
        if frame.logs:
            log = frame.logs[-1]
            if name not in log:
                log[name] = env.get(name, NONE)
        env[name] = value
        frame.changed.add(name)
        names = frame.names_of.get(value)
        if names is None:
            frame.names_of[value] = [name]
        elif name not in names:
            names.append(name)
        if frame.parent is None and type(name) is str and "\1" not in name and name[:1] != "\0":
            self.tables["exports"].extend((self.string(name.partition("\0")[0]), value))

    def _bind_attempted(self, frame: Frame, name: Name, value: int) -> None:
        """A handler may see what a name was and what it becomes, and what the loops around feed back."""
        before = frame.env.get(name, NONE)
        if NONE < before < frame.loop_start and type(name) is str:
            self._carried(name, before)
            before = frame.env[name]
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
        elif value < frame.loop_start and self.ops[value] != Op.GLOBAL:  # a global is all its versions anyway
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
        return self.new(Op.CELL, at, self.string(name))

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
                cell = frame.cells[slot] = self.new(Op.GLOBAL, at, self.string(name))
        elif (name in frame.declared or slot in frame.versions) and name not in frame.outer:
            cell = self._cell(frame, slot)
        else:
            return value
        key = (value, cell)
        joined = frame.joined.get(key)
        if joined is None:
            joined = frame.joined[key] = self.new(Op.PHI, at)
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
        joined = self.new(Op.PHI, at)
        self.same(value, joined)
        self.same(self._cell(frame, slot, late=True), joined)
        return joined

    def _read_outer(self, name: str, slot: str, at: Span) -> int:
        """A name this function does not define: captured, the module's, or unknown here."""
        frame = self.frame
        if frame.parent is None:
            value = self.new(Op.GLOBAL, at, self.string(name))
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
        if parent.parent is None or name in frame.globals:
            value = self._in(frame, lambda: self.new(Op.GLOBAL, at, self.string(name)))
            return value
        slot = frame.outer_renamed.get(name, name)
        if name in self.cell_names and (name in parent.declared or slot in parent.versions):
            cell = self._cell(parent, slot)
            value = self._in(frame, lambda: self.new(Op.PHI, at))
            if slot in parent.plain:
                frame.plain.add(name)
            self.same(cell, value)
            if parent.has_late:
                self.same(self._cell(parent, slot, late=True), value)
            return value
        outer = self._outer_value(frame, parent, name, slot, at)
        if self.ops[outer] == Op.GLOBAL:
            return self._in(frame, lambda: self.new(Op.GLOBAL, at, self._values[5 * outer + 4]))
        inner = self._in(frame, lambda: self.new(Op.PARAMETER, at))
        if slot in parent.plain or (name in parent.captured and name in parent.plain):
            frame.plain.add(name)
        row = len(self.tables["captures"]) // 4
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

    def _in(self, frame: Frame, make: Callable[[], int]) -> int:
        saved, self.frame = self.frame, frame
        try:
            return make()
        finally:
            self.frame = saved

    def _carried(self, name: Name, value: int) -> int:
        """``value`` as seen inside the loops that are younger than it."""
        frame = self.frame
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
        base = 5 * initial if initial != NONE else 0
        carry = self.new(Op.CARRY, Range(self._values[base + 2], self._values[base + 3]), loop.row)
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

    # -- objects
    # -----------------------------------------------------------------------------------------------------------------

    def key(self, constant: Constant) -> int:
        """The key column's number for a constant key (a field name, a dict key, an index)."""
        return self.string(constant if type(constant) is str else _as_text(constant))

    def key_of(self, value: int) -> int:
        """The key that ``value`` stands for: constant where it is known."""
        constant = self.constants.get(value, self)
        if constant is self:
            return UNKNOWN_KEY if self.ops[value] == Op.CONST else value_key(value)
        return self.key(self.constants[value])

    def container(
        self,
        at: Span,
        items: Sequence[tuple[int, int]],
        spreads: Sequence[int] = (),
        *,
        sequence: bool | None = None,
    ) -> int:
        """A new object holding ``(key, value)`` items; ``spreads`` are objects whose contents it also holds.

        ``sequence``: the items are the elements of a sequence (True) or the entries of a mapping (False) and nothing
        else; what is done to it afterwards is followed as long as it is known (``contents``).
        """
        constant = not spreads and all(self.ops[value] == Op.CONST for _, value in items)
        state = self.new(Op.NEW, at, int(constant))
        for spread in spreads:
            self.same(spread, state)
        for key, value in items:
            if spreads or len(items) <= MAX_KEPT or self._carries(value):
                after = self.new(Op.STORE, at, len(self._stores) // 4)
                self._stores.extend((after, state, key, value))
                state = after
        if not spreads and len(items) <= MAX_FORWARDED:
            frame = self.frame
            for key, value in items:
                if key >= 0:
                    frame.env[(state, key)] = value
                    if self.ops[value] not in _FIXED:
                        frame.names_of.setdefault(value, []).append((state, key))
            if sequence is not None and all(key >= 0 for key, _ in items):
                known = tuple(items) if sequence else tuple(dict(items).items())
                self._contents[state] = Contents(known, sequence)
        return state

    def contents(self, obj: int) -> Contents | None:
        """All that ``obj`` holds now, or None where that is not known."""
        known = self._contents.get(obj)
        if known is None:
            return None
        env = self.frame.env
        return Contents(tuple((key, env.get((obj, key), value)) for key, value in known.items), known.sequence)

    def sequence(self, at: Span, values: Sequence[int]) -> int:
        """A new sequence of these elements."""
        return self.container(at, [(self.key(i), value) for i, value in enumerate(values)], sequence=True)

    def replace(self, obj: int, items: Sequence[tuple[int, int]], at: Span) -> int:
        """``obj``, whose contents are known, now holds ``items`` and nothing else; every alias sees it."""
        state = self.container(at, items, sequence=self._contents[obj].sequence)
        self.update(obj, state, at)
        return state

    def replace_elements(self, obj: int, values: Sequence[int], at: Span) -> int:
        """The sequence ``obj``, whose contents are known, now has these elements; those appended are stored one by
        one, anything else makes the sequence anew.
        """
        known = self.contents(obj)
        before = known.values if known is not None else ()
        if tuple(values[: len(before)]) == before:
            for index in range(len(before), len(values)):
                obj = self.store(obj, self.key(index), values[index], at)
            return obj
        return self.replace(obj, [(self.key(i), value) for i, value in enumerate(values)], at)

    def slice(self, obj: int, start: int | None, end: int | None, at: Span) -> int:
        """``obj[start:end]``: text, or a new object with some elements; a bound is a constant, ``OPEN`` or None where
        it is not known.
        """
        known = self.contents(obj)
        if known is not None and known.sequence and start is not None and end is not None:
            values = known.values[None if start == OPEN else start : None if end == OPEN else end]
            return self.sequence(at, values)
        value = self.new(Op.EXPRESSION, at)
        bounds = (ANY_BOUND if bound is None else max(min(bound, OPEN), -OPEN) for bound in (start, end))
        self.tables["slices"].extend((value, obj, *bounds))
        self.reads.append(value)
        return value

    def method(self, receiver: int, name: str, at: Span) -> int:
        """``receiver.name`` as a callee: a load that no condition is about."""
        before = len(self.reads)
        value = self.load(receiver, self.key(name), at)
        del self.reads[before:]
        return value

    def load(self, obj: int, key: int, at: Span) -> int:
        """``obj.key`` or ``obj[key]``: what was stored there or is known of it since, else a new value."""
        frame = self.frame
        slot = (obj, key)
        if key >= 0:
            known = frame.env.get(slot, NONE)
            if known != NONE and frame.loaded.get(known) == slot and self.ops[known] == Op.LOAD:
                known = NONE  # read again: the same data, but a place of its own
            if known in frame.tested_parts:
                return self._read_again(slot, frame.tested_parts[known], at)
            if known != NONE:
                if known < frame.loop_start and obj >= frame.loop_start:
                    known = self._carried(slot, known)
                if self.ops[known] not in _FIXED:
                    frame.loaded.setdefault(known, slot)  # a change of it is a change of what holds it
                self.reads.append(known)
                return known
        value = self.new(Op.LOAD, at, len(self._loads) // 3)
        self._loads.extend((value, obj, key))
        frame.loaded[value] = slot
        if key >= 0:
            self._bind(slot, value)
        self.reads.append(value)
        return value

    def place(self, value: int) -> tuple[int, str] | None:
        """Where ``value`` is read from, whatever calls made of it: the object it starts from and the constant keys
        behind it; None where a key is not constant.
        """
        path = ""
        for _ in range(MAX_HOLDERS):
            op = self.ops[value]
            if op == Op.POST:
                value = self._arguments[8 * self._values[5 * value + 4] + 1]
            elif op == Op.PI:
                value = self.tables["pis"][4 * self._values[5 * value + 4] + 1]
            elif op == Op.LOAD:
                row = 3 * self._values[5 * value + 4]
                if self._loads[row + 2] < 0:
                    return None
                path = f"\0{self._loads[row + 2]}{path}"
                value = self._loads[row + 1]
            elif op in (Op.STORE, Op.CALL, Op.PHI, Op.CARRY, Op.GLOBAL, Op.PARAMETER):
                return value, path
            else:
                return None
        return None

    def remember(self, slot: tuple[int, int], value: int) -> None:
        """``value`` is what was found at ``slot``, a name of the front end's own."""
        self._bind(slot, value)
        self.reads.append(value)

    def tested(self, slot: tuple[int, int]) -> int:
        """What was found at ``slot`` before, if a condition has been about it since; else NONE."""
        known = self.frame.env.get(slot, NONE)
        if known == NONE or known < self.frame.loop_start or self.ops[known] != Op.PI:
            return NONE
        self.reads.append(known)
        return known

    def _read_again(self, slot: tuple[int, int], parts: list[tuple[int, int]], at: Span) -> int:
        """An object that is read again after a test of its parts: a place of its own, and what is known of the
        parts.
        """
        value = self.new(Op.LOAD, at, len(self._loads) // 3)
        self._loads.extend((value, *slot))
        self.frame.loaded[value] = slot
        self._bind(slot, value)
        for key, part in parts:
            self._bind((value, key), part)
        self.frame.tested_parts[value] = parts
        self.reads.append(value)
        return value

    def has_value_keys(self, obj: int) -> bool:
        """Whether one of the last stores into ``obj``, seen from here, was under a key that is a value."""
        for _ in range(MAX_KEPT):
            if self.ops[obj] == Op.POST:
                obj = self._arguments[8 * self._values[5 * obj + 4] + 1]
                continue
            if self.ops[obj] != Op.STORE:
                break
            row = 4 * self._values[5 * obj + 4]
            if self._stores[row + 2] < UNKNOWN_KEY:
                return True
            obj = self._stores[row + 1]
        return False

    def keys(self, obj: int, at: Span) -> int:
        """Any of the keys of ``obj``, as a loop over them gives."""
        return self.load(obj, self.string(KEYS), at)

    def store(self, obj: int, key: int, value: int, at: Span) -> int:
        """``obj.key = value``: returns the object's new state and binds every alias to it."""
        state = self.new(Op.STORE, at, len(self._stores) // 4)
        self._stores.extend((state, obj, key, value))
        if key >= 0:
            self._bind((state, key), value)
            known = self.contents(obj)
            if known is not None and len(known.items) < MAX_FORWARDED:
                self._store_known(state, known, key, value)
        self.update(obj, state, at)
        return state

    def _store_known(self, state: int, known: Contents, key: int, value: int) -> None:
        items = dict(known.items)
        if known.sequence and key not in items and key != self.key(len(items)):
            return
        items[key] = value
        self._contents[state] = Contents(tuple(items.items()), known.sequence)
        for other, element in items.items():
            if other != key:
                self.frame.env[state, other] = element
                if self.ops[element] not in _FIXED:
                    self.frame.names_of.setdefault(element, []).append((state, other))

    def deposit(self, obj: int, key: int, value: int, at: Span) -> None:
        """``value`` lies in ``obj`` under ``key`` from now on, for every holder of every state that came of ``obj``."""
        state = self.new(Op.STORE, at, len(self._stores) // 4)
        self._stores.extend((state, obj, key, value))
        self.same(state, obj)

    def origin_of(self, value: int) -> int:
        """The value that ``value`` is a later state or version of, as far as there is one."""
        columns, tables = self._values, self.tables
        while True:
            op, row = self.ops[value], columns[5 * value + 4]
            if op == Op.STORE:
                value = self._stores[4 * row + 1]
            elif op == Op.POST:
                value = self._arguments[8 * row + 1]
            elif op == Op.PI:
                value = tables["pis"][4 * row + 1]
            elif op == Op.CARRY and (before := self._initial.get(value, NONE)) != NONE:
                value = before
            else:
                return value

    def update(self, old: int, new: int, at: Span, depth: int = 0) -> None:
        """The object whose state was ``old`` is now in state ``new``: for every name, and for the object it was
        loaded from.

        Objects that hold each other would go on for ever: ``MAX_HOLDERS`` objects around this one see the change.
        """
        frame = self.frame
        env = frame.env
        frame.updated[old] = new
        for name in tuple(frame.names_of.get(old, ())):
            if env.get(name, NONE) != old:
                continue
            self._bind(name, new)
            if type(name) is str:
                frame.add_version(name, new)
                plain = name.partition("\0")[0]
                if frame.parent is not None and self._is_module_name(frame, plain, old):
                    self.tables["exports"].extend((self.string(plain), new))
                elif plain in self.cell_names and frame.parent is not None and plain in frame.declared:
                    self.same(new, self._cell(frame, name))
        origin = frame.loaded.get(old)
        if origin is not None and depth < MAX_HOLDERS:
            holder = origin[0]
            while holder in frame.updated:
                holder = frame.updated[holder]
            if self._has_state(holder):
                state = self.new(Op.STORE, at, len(self._stores) // 4)
                self._stores.extend((state, holder, origin[1], new))
                if origin[1] >= 0:
                    self._bind((state, origin[1]), new)
                frame.loaded[new] = (state, origin[1])
                self.update(holder, state, at, depth + 1)

    def _is_module_name(self, frame: Frame, name: str, value: int) -> bool:
        captured = frame.captured.get(name, NONE)
        return captured != NONE and self.ops[captured] == Op.GLOBAL

    def _has_state(self, value: int, depth: int = 0) -> bool:
        """Whether a change of this object can be seen later: it is bound to a name, or was loaded from one that is."""
        frame = self.frame
        op = self.ops[value]
        if op in _FIXED or depth > MAX_HOLDERS:
            return False
        if op == Op.GLOBAL:
            if frame.parent is None:
                return False
            name = self.unit.strings[self._values[5 * value + 4]]
            known = self.module.versions.get(name)
            if known is None:
                return self.package_scope
            return any(self.ops[version] not in _FIXED for version in known)
        env = frame.env
        names = frame.names_of.get(value, ())
        if frame.plain and any(name in frame.plain for name in names):
            return False
        for bound in names:
            if (type(bound) is str or bound[0] == "in") and env.get(bound, NONE) == value:
                return True
        origin = frame.loaded.get(value)
        if origin is None:
            return False
        holder = origin[0]
        while holder in frame.updated:
            holder = frame.updated[holder]
        return self._has_state(holder, depth + 1)

    def super_(self, at: Span, owner: int, receiver: int) -> int:
        """``receiver`` seen as an instance of the base classes of ``owner`` (a row in owners)."""
        value = self.new(Op.SUPER, at, owner)
        self.same(receiver, value)
        self.frame.seen_as[value] = receiver
        return value

    # -- calls ---------------------------------------------------------------------------------------------------------
    # ----------

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
        row = len(self._calls) // 7
        result = self.new(Op.CALL, at, row)
        self.pause()
        name_index = NONE if name is None else self.string(name)
        self._calls.extend((result, callee, receiver, name_index, flags, at.start_byte, at.end_byte))
        posts: dict[int, int] = {}  # state before -> after, NONE where it stays
        if not changes:
            posts = dict.fromkeys((argument.value for argument in arguments), NONE)
        if receiver != NONE:
            self._argument(row, receiver, RECEIVER, NONE, 0, receiver_at or at, posts)
        for argument in arguments:
            keyword = NONE if argument.keyword is None else self.string(argument.keyword)
            self._argument(row, argument.value, argument.position, keyword, argument.flags, argument.at, posts)
        for old, new in posts.items():
            if new != NONE:
                self.update(old, new, at)
        for attempt in self.frame.attempts[-1:]:
            self.tables["handlers"].extend((row, attempt.exception))
        if self.frame.catches:
            self.tables["handlers"].extend((row, self.frame.raised))
        return result

    def pause(self) -> None:
        """Other functions may run here: something is called, or waited for."""
        frame = self.frame
        frame.clock += 1
        frame.paused = frame.clock

    def _argument(
        self, call: int, value: int, position: int, keyword: int, flags: int, at: Span, posts: dict[int, int]
    ) -> None:
        post = NONE
        holder = self.frame.seen_as.get(value, value)
        if self.ops[holder] not in _FIXED and holder not in posts and self._has_state(holder):
            post = posts[holder] = self.new(Op.POST, at, len(self._arguments) // 8)
        self._arguments.extend((call, value, position, keyword, flags, at.start_byte, at.end_byte, post))

    # -- branches
    # ----------------------------------------------------------------------------------------------------------------

    def mark(self) -> int:
        """Where a condition's reads begin; pass it to ``test``."""
        return len(self.reads)

    def forget_reads(self) -> None:
        """A statement begins: what was read before does not make what is written now."""
        if self.reads:
            self.reads.clear()

    def test(self, test: Test, left: int, right: int, at: Span, mark: int) -> Outcome:
        """A condition ``left test right``; the variables read since ``mark`` get a version on each side."""
        frame = self.frame
        env, names_of, loaded = frame.env, frame.names_of, frame.loaded
        conditions, pis = self.tables["conditions"], self.tables["pis"]
        start, end = at.start_byte, at.end_byte
        condition = len(conditions) // 6
        conditions.extend((frame.index, test, left, right, start, end))
        true: State = {}
        false: State = {}
        made: dict[tuple[int, int], int] = {}  # (version, side) -> pi
        reads = self.reads[mark:]
        plain = test == Test.TRUTH and len(reads) == 1 and self.ops[left] in _PLAIN
        for value in self._tested(reads, 1 if plain else SLICE_DEPTH):
            names = [n for n in names_of.get(value, ()) if env.get(n, NONE) == value]
            if not names:
                continue
            if value < frame.loop_start and (variable := next((n for n in names if type(n) is str), None)) is not None:
                value = self._carried(variable, value)  # as the loops around see it
                names = [n for n in names if env.get(n, NONE) == value]
            row = len(pis) // 4
            pi = len(self.ops)
            self.ops.extend((Op.PI, Op.PI))
            self._values.extend(
                (Op.PI, frame.index, start, end, row, Op.PI, frame.index, start, end, row + 1),
            )
            pis.extend((pi, value, condition, 1, pi + 1, value, condition, 0))
            if value in loaded:
                loaded[pi] = loaded[pi + 1] = loaded[value]
            if value in frame.made_from:
                frame.made_from[pi] = frame.made_from[pi + 1] = frame.made_from[value]
            frame.refined[value] = pi
            for name in names:
                true[name] = pi
                false[name] = pi + 1
            made[value, 1] = pi
            made[value, 0] = pi + 1
        if len(made) > 2:
            self._test_parts(made, true, false)
        return Outcome(true, false, condition)

    def _test_parts(self, made: dict[tuple[int, int], int], true: State, false: State) -> None:
        """What a condition says of a part of an object, a later read of that part sees."""
        frame = self.frame
        for (value, side), pi in made.items():
            obj, key = frame.loaded.get(value, (NONE, NONE))
            if key < 0:
                continue
            now = obj
            while now in frame.updated:
                now = frame.updated[now]
            holder = made.get((now, side), NONE)
            if holder != NONE and (now == obj or frame.env.get((now, key), NONE) == value):
                frame.loaded[pi] = (holder, key)
                (true if side else false)[holder, key] = pi
                frame.tested_parts.setdefault(holder, []).append((key, pi))

    def _tested(self, reads: Iterable[int], depth: int) -> list[int]:
        """The versions a condition says something about: what it reads, in its state now, and what that was made
        from.
        """
        frame = self.frame
        found: dict[int, None] = {}
        level = list(reads)
        for _ in range(depth):
            following: list[int] = []
            for value in level:
                following.extend(frame.made_from.get(value, ()))
                if value in frame.loaded:
                    following.append(frame.loaded[value][0])
                value = self._version_now(value)
                if value not in found and self.ops[value] not in _FIXED and self.ops[value] != Op.GLOBAL:
                    found[value] = None
            level = following
        return list(found)

    def _version_of(self, value: int) -> int:
        """What ``value`` is a state or a version under a condition of."""
        for _ in range(MAX_VERSIONS):
            if self.ops[value] == Op.PI:
                value = self.tables["pis"][4 * self._values[5 * value + 4] + 1]
            elif self.ops[value] == Op.POST:
                value = self._arguments[8 * self._values[5 * value + 4] + 1]
            elif value in self.frame.merges:
                value = self.frame.merges[value]
            else:
                break
        return value

    def _version_now(self, value: int) -> int:
        """The state of ``value`` after calls and stores and, under conditions about it, its version there."""
        frame = self.frame
        env, names_of = frame.env, frame.names_of
        for _ in range(MAX_VERSIONS):
            while value in frame.updated:
                value = frame.updated[value]
            pi = frame.refined.get(value, NONE)
            merged = frame.merged.get(value, NONE)
            if pi == merged == NONE or any(env.get(name, NONE) == value for name in names_of.get(value, ())):
                break
            if merged != NONE:
                value = merged
                continue
            for side in (pi, pi + 1):  # the side we are on is the one that is bound to a name or went on changing
                bound = any(env.get(name, NONE) == side for name in names_of.get(side, ()))
                if bound or side in frame.updated or side in frame.refined or side in frame.merged:
                    value = side
                    break
            else:
                break
        return value

    def truth(self, value: int, at: Span, mark: int) -> Outcome:
        """The condition that ``value`` is true."""
        constant = self.constants.get(value, self)
        if constant is not self:
            return self.known(bool(constant))
        known = self._remembered(value)
        if known is not None:
            return known
        if self.ops[value] in _PLAIN and not self._is_part_of_result(value):
            mark = len(self.reads)  # says what it is, and nothing of what it was made from
            self.reads.append(value)
        return self.test(Test.TRUTH, value, NONE, at, mark)

    def _is_part_of_result(self, value: int) -> bool:
        """Whether ``value`` is an element, or a field of what a call gave: what that was made from is tested, too."""
        if self.ops[value] != Op.LOAD:
            return False
        row = 3 * self._values[5 * value + 4]
        return self._loads[row + 2] < 0 or self.ops[self._loads[row + 1]] == Op.CALL

    def known(self, holds: bool) -> Outcome:
        """A condition whose truth is known."""
        return Outcome({} if holds else None, None if holds else {})

    def both(self, left: Outcome, right: Callable[[], Outcome]) -> Outcome:
        """``left and right``; ``right`` is evaluated only where ``left`` holds."""
        if left.true is None:
            return left
        self._fork()
        self._apply(left.true)
        second = right()
        base = self._leave()
        true = None if second.true is None else {**base, **second.true}
        other = None if second.false is None else {**base, **second.false}
        return Outcome(true, self._joined([left.false, other]), *self._conjunction(left, second))

    def _conjunction(self, left: Outcome, right: Outcome) -> tuple[int, int]:
        """The condition, and its side, that says ``left and right``; NONE where one of them has none."""
        if left.false is None:
            return right.condition, right.side
        if right.false is None:
            return left.condition, left.side
        if left.condition == NONE or right.condition == NONE or right.true is None:
            return NONE, 1
        conditions = self.tables["conditions"]
        row = len(conditions) // 6
        start, end = conditions[6 * left.condition + 4], conditions[6 * right.condition + 5]
        conditions.extend((self.frame.index, Test.BOTH, NONE, NONE, start, end))
        self.tables["conjunctions"].extend((row, left.condition, left.side, right.condition, right.side))
        return row, 1

    def either(self, left: Outcome, right: Callable[[], Outcome]) -> Outcome:
        """``left or right``; ``right`` is evaluated only where ``left`` does not hold."""
        return self.both(left.inverted(), lambda: right().inverted()).inverted()

    def boolean(self, outcome: Outcome, at: Span, parts: Sequence[int] = ()) -> int:
        """The value of a condition: a boolean, so no taint; what it says is remembered for tests of the value."""
        if not self._only_tests(outcome):
            self.merge([outcome.true, outcome.false])
        if outcome.true is None:
            return self.constant(False, at)
        if outcome.false is None:
            return self.constant(True, at)
        value = self.new(Op.EXPRESSION, at)
        self.truths[value] = outcome
        env = self.frame.env
        self._settled[value] = {name: env.get(name, NONE) for side in (outcome.true, outcome.false) for name in side}
        return value

    def _only_tests(self, outcome: Outcome) -> bool:
        """Whether a condition changes nothing: all it leaves behind are pis of what is current."""
        env = self.frame.env
        pis = self.tables["pis"]
        for state in (outcome.true, outcome.false):
            for name, version in (state or {}).items():
                if type(name) is tuple and name not in env:
                    continue  # a part of what the pi of its object holds
                if self.ops[version] != Op.PI or pis[4 * self._values[5 * version + 4] + 1] != env.get(name, NONE):
                    return False
        return True

    def _remembered(self, value: int) -> Outcome | None:
        """What a boolean says now: nothing of names that were bound anew since."""
        outcome = self.truths.get(value)
        settled = self._settled.get(value)
        if outcome is None or settled is None:
            return outcome
        env = self.frame.env
        start = self.frame.loop_start
        valid = {name for name, then in settled.items() if then != NONE and env.get(name, NONE) == then >= start}
        if len(valid) == len(settled):
            return outcome
        return Outcome(
            None if outcome.true is None else {n: v for n, v in outcome.true.items() if n in valid},
            None if outcome.false is None else {n: v for n, v in outcome.false.items() if n in valid},
            outcome.condition,
            outcome.side,
        )

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

    def _fork(self) -> None:
        self.frame.logs.append({})

    def _leave(self) -> State:
        """End an arm: restore the environment, return what the arm wrote."""
        frame = self.frame
        log = frame.logs.pop()
        frame.changed.update(log)
        env = frame.env
        state = {name: env[name] for name in log if name in env}
        for name, value in log.items():
            if value == NONE:
                env.pop(name, None)
            else:
                env[name] = value
        return state

    def _abandon(self) -> State | None:
        """End an arm that control does not leave: its writes are forgotten."""
        self._leave()
        return None

    def _apply(self, state: State) -> None:
        """Bind all of ``state``."""
        frame = self.frame
        if frame.attempts or frame.parent is None:
            for name, value in state.items():
                self._bind(name, value)
            return
        env, names_of = frame.env, frame.names_of
        if frame.logs:
            log = frame.logs[-1]
            for name in state:
                if name not in log:
                    log[name] = env.get(name, NONE)
        env.update(state)
        frame.changed.update(state)
        for name, value in state.items():
            names = names_of.get(value)
            if names is None:
                names_of[value] = [name]
            elif name not in names:
                names.append(name)

    def _since(self, depth: int) -> State:
        """What was written since the log at ``depth`` was opened."""
        frame = self.frame
        env = frame.env
        names: dict[Name, None] = {}
        for log in frame.logs[depth:]:
            names.update(dict.fromkeys(log))
        return {name: env[name] for name in names if name in env}

    def _joined(self, states: Sequence[State | None], blocks: Sequence[int] = ()) -> State | None:
        """One state for several that start from the current environment; ``blocks`` are where they end."""
        live = [state for state in states if state is not None]
        if len(live) < 2:
            return live[0] if live else None
        self.frame.own_writes.clear()
        ends = [block for state, block in zip(states, blocks, strict=False) if state is not None]
        told = len(ends) == len(live)
        joins = self.tables["joins"]
        names = dict(live[0])
        for state in live[1:]:
            names.update(state)
        frame = self.frame
        env, start, ops = frame.env, frame.loop_start, self.ops
        result: State = {}
        made: dict[tuple[int, ...], int] = {}
        for name in names:
            versions = [state.get(name, NONE) for state in live]
            if NONE in versions:
                before = env.get(name, NONE)
                if before == NONE and type(name) is tuple:
                    continue
                if before < start and before != NONE and type(name) is str:
                    before = self._carried(name, before)
                versions = [state.get(name, before) for state in live]
            first = versions[0]
            if first == versions[1] and (len(versions) == 2 or versions.count(first) == len(versions)):
                result[name] = first
                continue
            same = tuple(versions)
            if same in made:  # another name of the same thing: a parameter and what it held
                result[name] = made[same]
                continue
            fresh = len(ops)
            joined = result[name] = made[same] = self.phi([version for version in versions if version != NONE])
            if joined == fresh and NONE not in versions:
                roots = {self._version_of(version) for version in versions}
                if len(roots) == 1:  # versions of one value: what is told of it later is told of the phi
                    frame.merged.update(dict.fromkeys(versions, joined))
                    frame.merges[joined] = roots.pop()
            if joined == fresh and told:
                for version, block in zip(versions, ends, strict=True):
                    if version != NONE and block != NONE:
                        joins.extend((fresh, version, block))
        return result

    def merge(self, states: Sequence[State | None], blocks: Sequence[int] = ()) -> None:
        """Go on after arms that ended in ``states`` (None: the arm did not end here)."""
        state = self._joined(states, blocks)
        if state is None:
            self.frame.reachable = False
            return
        if blocks:
            ends = dict.fromkeys(block for s, block in zip(states, blocks, strict=True) if s is not None)
            self._new_block([(block, NONE, 1) for block in ends if block != NONE])
        else:
            self._new_block([(self.frame.block, NONE, 1)])
        self._apply(state)

    def _new_block(self, origins: Sequence[tuple[int, int, int]]) -> int:
        blocks = self.tables["blocks"]
        block = len(blocks) // 2
        blocks.extend((self.frame.index, len(self.ops)))
        for origin, condition, side in origins:
            self.tables["control"].extend((origin, block, condition, side))
        self.frame.block = block
        return block

    @property
    def reachable(self) -> bool:
        """Whether control can be here; front ends lower no statement where it cannot."""
        return self.frame.reachable

    def label(self) -> None:
        """Control may arrive here from elsewhere."""
        self.frame.reachable = True

    # -- loops ---------------------------------------------------------------------------------------------------------
    # ----------

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

    # -- exceptions
    # --------------------------------------------------------------------------------------------------------------

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

    # -- functions
    # ---------------------------------------------------------------------------------------------------------------

    def _new_frame(self, value: int, owner: int, name: str, flags: int, parent: Frame | None, at: Span) -> Frame:
        functions = self.tables["functions"]
        index = len(functions) // 9
        frame = Frame(index, parent, flags)
        functions.extend(
            (
                value,
                self.string(name),
                owner,
                NONE if parent is None else parent.index,
                flags,
                NONE,
                NONE,
                at.start_byte,
                at.end_byte,
            )
        )
        self.frame = frame
        frame.result = self.new(Op.RESULT, at, index)
        frame.raised = self.new(Op.RAISED, at, index)
        functions[9 * index + 5] = frame.result
        functions[9 * index + 6] = frame.raised
        self._new_block([])
        return frame

    def function(
        self,
        at: Span,
        name: str,
        body: Callable[[], None],
        *,
        flags: int = 0,
        owner: int = NONE,
        name_at: Span | None = None,
        late: bool = False,
    ) -> int:
        """A function value; ``body`` is lowered when the enclosing body is done, and begins by naming the
        parameters. ``late``: it runs when the enclosing function leaves, and only then.
        """
        parent = self.frame
        value = self.new(Op.FUNCTION, name_at or at)
        frame = self._new_frame(value, owner, name, flags, parent, at)
        self._set_data(value, frame.index)
        self.frame = parent
        frame.created = value
        frame.late = late
        parent.has_late |= late
        frame.number = parent.number_function() if parent.parent is not None else 0
        frame.outer_renamed = dict(parent.renamed)

        def lower() -> None:
            self.frame = frame
            self.reads.clear()
            body()
            self._finish()

        parent.pending.append(lower)
        return value

    def parameter(
        self,
        name: str | None,
        at: Span,
        position: int,
        *,
        kind: ParameterKind = ParameterKind.NORMAL,
        default: int = NONE,
        type_value: int = NONE,
    ) -> int:
        """The next parameter of the current function; ``name`` None: a pattern, taken apart by the front end."""
        frame = self.frame
        table = self.tables["parameters"]
        row = len(table) // 8
        value = self.new(Op.PARAMETER, at, row)
        table.extend(
            (
                frame.index,
                value,
                self.string(name) if name is not None else NONE,
                position,
                kind,
                value,
                NONE,
                NONE,
            )
        )
        frame.parameters.append(Parameter(row, value))
        frame.env[("in", value)] = value
        frame.names_of[value] = [("in", value)]
        if name is not None:
            self.declare(name)
            self.write(name, value)
        if default != NONE:
            self.same(default, value)
        if type_value != NONE:
            self.declare_type(value, type_value)
        return value

    def declare_type(self, value: int, type_value: int) -> None:
        """``value`` is an instance of what ``type_value`` resolves to."""
        self.tables["types"].extend((value, type_value))

    def return_(self, value: int | None) -> None:
        """Leave the function; a returned condition or constant is kept, for callers that test it."""
        frame = self.frame
        if value is not None:
            frame.returns.append(value)
        outcome = self._remembered(value) if value is not None else None
        constant = self.constants.get(value, self) if value is not None else None
        before: State = {("in", p.value): frame.env.get(("in", p.value), p.value) for p in frame.parameters}
        for _, inner in frame.capture_rows:
            before[("in", inner)] = frame.env.get(("in", inner), inner)
        if outcome is not None:
            for truth, state in ((1, outcome.true), (0, outcome.false)):
                if state is not None:
                    frame.exits.append((truth, {n: state.get(n, v) for n, v in before.items()}))
        elif constant is not self:
            frame.exits.append((1 if constant else 0, before))
        elif value is not None and self.ops[value] == Op.CALL:
            self._returned_call(value, before)
        else:
            frame.exits.append((-1, before))
        frame.reachable = False

    def _returned_call(self, value: int, before: State) -> None:
        """``return check(x)``: what the caller's condition says is what this call's truth says."""
        frame = self.frame
        call = self._values[5 * value + 4]
        arguments = self._arguments
        tested = set()
        at = len(arguments) - 8
        while at >= 0 and arguments[at] >= call:  # the rows of the newest calls are the last
            if arguments[at] == call:
                tested.add(arguments[at + 1])
                tested.add(arguments[at + 7])
            at -= 8
        tested.discard(NONE)
        if not any(version in tested for version in before.values()):
            frame.exits.append((-1, before))
            return
        condition = len(self.tables["conditions"]) // 6
        base = 5 * value
        self.tables["conditions"].extend(
            (frame.index, Test.TRUTH, value, NONE, self._values[base + 2], self._values[base + 3])
        )
        for truth in (1, 0):
            state = dict(before)
            for name, version in before.items():
                if version in tested:
                    row = len(self.tables["pis"]) // 4
                    pi = self.new(Op.PI, Range(self._values[base + 2], self._values[base + 3]), row)
                    self.tables["pis"].extend((pi, version, condition, truth))
                    state[name] = pi
            frame.exits.append((truth, dict(state)))

    def yield_(self, value: int, at: Span) -> int:
        """Hand ``value`` out of a generator; returns what is sent in."""
        frame = self.frame
        self.pause()
        produced = frame.env.get("\0yield", NONE)
        if produced == NONE:
            produced = self.new(Op.NEW, at, 0)
        elif produced < frame.loop_start:
            produced = self._carried("\0yield", produced)
        state = self.new(Op.STORE, at, len(self._stores) // 4)
        self._stores.extend((state, produced, UNKNOWN_KEY, value))
        self._bind("\0yield", state)
        frame.returns.append(state)
        return self.opaque(at)

    def yield_from(self, value: int, at: Span) -> int:
        """Hand out everything that ``value`` hands out; returns its result."""
        return self.yield_(self.load(value, UNKNOWN_KEY, at), at)

    def _finish(self) -> None:
        """Close the current function: its result, what it raises, the states of its parameters, then the functions
        inside it.
        """
        frame = self.frame
        if frame.reachable:
            states: State = {("in", p.value): frame.env.get(("in", p.value), p.value) for p in frame.parameters}
            for _, inner in frame.capture_rows:
                states[("in", inner)] = frame.env.get(("in", inner), inner)
            frame.exits.append((0 if not frame.flags & FunctionFlag.GENERATOR else -1, states))
        if not (frame.exits or frame.parent is None or frame.flags & FunctionFlag.METHOD):
            functions = self.tables["functions"]
            functions[9 * frame.index + 4] |= FunctionFlag.NEVER_RETURNS
        for value in dict.fromkeys(frame.returns):
            self.same(value, frame.result)
        for value in dict.fromkeys(frame.raises):
            self.same(value, frame.raised)
        table = self.tables["parameters"]
        boolean = any(truth == 1 for truth, _ in frame.exits)
        for parameter in frame.parameters:
            name = ("in", parameter.value)
            row = 8 * parameter.row
            table[row + 5] = self._out(parameter, [s.get(name, parameter.value) for _, s in frame.exits])
            if boolean:
                table[row + 6] = self._out(parameter, [s.get(name, parameter.value) for t, s in frame.exits if t != 0])
                table[row + 7] = self._out(parameter, [s.get(name, parameter.value) for t, s in frame.exits if t != 1])
        captures = self.tables["captures"]
        for row, inner in frame.capture_rows:
            versions = [s.get(("in", inner), inner) for _, s in frame.exits]
            captures[4 * row + 3] = self.phi(versions) if versions else inner
        pending, frame.pending = frame.pending, []
        for lower in pending:
            lower()
        self.frame = frame

    def _out(self, parameter: Parameter, versions: Sequence[int]) -> int:
        """The state of a parameter at some exits; NONE when there is no such exit."""
        if not versions:
            return NONE
        distinct = list(dict.fromkeys(versions))
        if len(distinct) == 1:
            return distinct[0]
        base = 5 * parameter.value
        out = self.new(Op.OUT, Range(self._values[base + 2], self._values[base + 3]), parameter.row)
        for version in distinct:
            self.same(version, out)
        return out

    # -- classes, imports
    # --------------------------------------------------------------------------------------------------------

    def class_(self, at: Span, name: str, bases: Sequence[int] = ()) -> tuple[int, int]:
        """A class or declared type: ``(value, owner row)``."""
        owners = self.tables["owners"]
        row = len(owners) // 5
        value = self.new(Op.CLASS, at, row)
        owners.extend((value, self.string(name), self.frame.index, at.start_byte, at.end_byte))
        for base in bases:
            self.tables["bases"].extend((row, base))
        return value, row

    def base(self, owner: int, base: int) -> None:
        self.tables["bases"].extend((owner, base))

    def member(self, owner_value: int, name: str, value: int) -> None:
        """``owner_value.name`` is ``value``, for the class and its instances."""
        self.tables["members"].extend((owner_value, self.string(name), value))

    def field(self, owner_value: int, name: str, type_value: int, at: Span) -> int:
        """A declared field of a type."""
        value = self.new(Op.FIELD, at)
        self.member(owner_value, name, value)
        if type_value != NONE:
            self.declare_type(value, type_value)
        return value

    def import_(self, at: Span, module: str, name: str | None = None, level: int = 0) -> int:
        """``name`` of ``module``, or the module itself."""
        imports = self.tables["imports"]
        row = len(imports) // 4
        value = self.new(Op.IMPORT, at, row)
        imports.extend((value, self.string(module), NONE if name is None else self.string(name), level))
        return value

    def export(self, name: str, value: int) -> None:
        self.tables["exports"].extend((self.string(name), value))

    # -- the end
    # -----------------------------------------------------------------------------------------------------------------

    def problem(self, kind: str, line: int, message: str) -> None:
        self.unit.problems.append((kind, line, message))

    def finish(self) -> Unit:
        """Lower what is left and return the unit."""
        self.frame = self.module
        self._finish()
        self.unit.tables = {name: array("i", rows) for name, rows in self.tables.items()}
        return self.unit


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


def _as_text(constant: Any) -> str:
    if isinstance(constant, str):
        return constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else str(constant)


def _identical(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)


__all__ = ["Argument", "Builder", "CallFlag", "Constant", "Outcome", "Range", "Span", "State", "trips"]
