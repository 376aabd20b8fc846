"""Functions, classes, imports: what a unit offers, and the end of each function."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Sequence
from typing import Final

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, FunctionFlag, ParameterKind
from pyrograph.ir.schema import (
    ARGUMENT_CALL,
    ARGUMENT_POST,
    ARGUMENT_VALUE,
    ARGUMENT_WIDTH,
    CAPTURE_OUT,
    CAPTURE_WIDTH,
    CONDITION_WIDTH,
    FUNCTION_FLAGS,
    FUNCTION_NAME,
    FUNCTION_START,
    FUNCTION_WIDTH,
    IMPORT_WIDTH,
    OWNER_WIDTH,
    PARAMETER_FALSE,
    PARAMETER_OUT,
    PARAMETER_TRUE,
    PARAMETER_WIDTH,
    PI_WIDTH,
    STORE_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.ir.unit import Unit
from pyrograph.parsers.builder.data import UNKNOWN_TRUTH, Range, Span, Writes
from pyrograph.parsers.builder.frame import Parameter
from pyrograph.parsers.builder.jumps import Jumps
from pyrograph.parsers.builder.ops import (
    CALL,
    CARRY,
    CLASS,
    CONST,
    FIELD,
    FUNCTION,
    GLOBAL,
    IMPORT,
    NEW,
    OUT,
    PARAMETER,
    PHI,
    PI,
    POST,
    STORE,
    SUPER,
    TRUTH,
)
from pyrograph.parsers.builder.values import distinct
from pyrograph.policy.limits import MAX_EXIT_VERSIONS, MAX_NESTED_FUNCTIONS, STEPS_PER_KEPT_NAME

# What is the same thing wherever it is named.
SHOWN_WHERE_MADE: Final = (CONST, NEW, FUNCTION, CLASS, IMPORT, GLOBAL, SUPER)


class Builder(Jumps):
    """Builds one unit. Front ends call its methods; nothing else writes the unit's tables."""

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
        changes: Iterable[str] = (),
    ) -> int:
        """A function value; ``body`` is lowered when the enclosing body is done, and begins by naming the
        parameters. ``late``: it runs when the enclosing function leaves, and only then. ``changes``: names of enclosing
        functions in whose objects it may store something.
        """
        parent = self.frame
        value = self.new(FUNCTION, name_at or at)
        frame = self._new_frame(value, owner, name, flags, parent, at)
        self._set_data(value, frame.index)
        self.frame = parent
        frame.late = late
        parent.has_late |= late
        if parent.parent is not None:
            for each in changes:
                parent.captures.exposed[parent.scope.renamed.get(each, each)] = len(self.ops)
        frame.number = parent.captures.number_function(parent.env) if parent.parent is not None else 0
        frame.scope.outer_renamed = dict(parent.scope.renamed)
        parent.pending.append((frame, body))
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
        row = len(table) // PARAMETER_WIDTH
        value = self.new(PARAMETER, at, row)
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
        frame.boundary.parameters.append(Parameter(row, value))
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

    def return_(self, value: int | None, at: Span | None = None) -> None:
        """Leave the function; a returned condition or constant is kept, for callers that test it.

        ``at``: the name that is returned, where it is one: what is told of the value is told there, not where the name
        was bound.
        """
        frame = self.frame
        boundary = frame.boundary
        if value is not None and at is not None and self.ops[value] not in SHOWN_WHERE_MADE:
            named = self.new(PHI, at)
            self.same(value, named)
            boundary.returns.append(named)
        elif value is not None:
            boundary.returns.append(value)
        outcome = self._remembered(value) if value is not None else None
        constant = self.constants.get(value, self) if value is not None else None
        before = self._held({})
        if outcome is not None:
            for truth, state in ((1, outcome.true), (0, outcome.false)):
                if state is not None:
                    boundary.exits.append((truth, self._held(state)))
        elif constant is not self:
            boundary.exits.append((1 if constant else 0, before))
        elif value is not None and self.ops[value] == CALL:
            self._returned_call(value, before)
        else:
            boundary.exits.append((UNKNOWN_TRUTH, before))
        frame.reachable = False

    def _returned_call(self, value: int, before: Writes) -> None:
        """``return check(x)``: what the caller's condition says is what this call's truth says."""
        frame = self.frame
        boundary = frame.boundary
        call = self._values[VALUE_WIDTH * value + VALUE_DATA]
        arguments = self._arguments
        tested = set()
        at = len(arguments) - ARGUMENT_WIDTH
        while at >= 0 and arguments[at + ARGUMENT_CALL] >= call:  # the rows of the newest calls are the last
            if arguments[at + ARGUMENT_CALL] == call:
                tested.add(arguments[at + ARGUMENT_VALUE])
                tested.add(arguments[at + ARGUMENT_POST])
            at -= ARGUMENT_WIDTH
        tested.discard(NONE)
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
            for name, version in before.items():
                if version in tested:
                    row = len(self._pis) // PI_WIDTH
                    pi = self.new(PI, Range(self._values[base + VALUE_START], self._values[base + VALUE_END]), row)
                    self._pis.extend((pi, version, condition, truth))
                    state[name] = pi
            boundary.exits.append((truth, dict(state)))

    def yield_(self, value: int, at: Span) -> int:
        """Hand ``value`` out of a generator; returns what is sent in."""
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
        self._stores.extend((state, produced, UNKNOWN_KEY, value))
        self.bind("\0yield", state)
        frame.boundary.returns.append(state)
        return self.opaque(at)

    def yield_from(self, value: int, at: Span) -> int:
        """Hand out everything that ``value`` hands out; returns its result."""
        return self.yield_(self.load(value, UNKNOWN_KEY, at), at)

    def end_function(self) -> None:
        """Close the current function: its result, what it raises, the states of its parameters."""
        frame = self.frame
        boundary = frame.boundary
        if frame.reachable:
            boundary.exits.append((0 if not frame.flags & FunctionFlag.GENERATOR else UNKNOWN_TRUTH, self._held({})))
        if not (boundary.exits or frame.parent is None or frame.flags & FunctionFlag.METHOD):
            functions = self.tables["functions"]
            functions[FUNCTION_WIDTH * frame.index + FUNCTION_FLAGS] |= FunctionFlag.NEVER_RETURNS
        for value in distinct(boundary.returns):
            self.same(value, boundary.result)
        for value in distinct(boundary.raises):
            self.same(value, boundary.raised)
        self.spend((len(boundary.parameters) + len(frame.captures.rows)) * len(boundary.exits))
        table = self.tables["parameters"]
        boolean = any(truth == 1 for truth, _ in boundary.exits)
        exposed = frame.captures.exposed
        for parameter in boundary.parameters:
            row = PARAMETER_WIDTH * parameter.row
            left = [(truth, self._left(parameter.value, state)) for truth, state in boundary.exits]
            if exposed and left:
                names = [name for name in frame.names_of[parameter.value] if type(name) is str and name in exposed]
                left += [(UNKNOWN_TRUTH, self._effect(frame, name)) for name in names]
            table[row + PARAMETER_OUT] = self._out(parameter, [version for _, version in left])
            if boolean:
                table[row + PARAMETER_TRUE] = self._out(parameter, [version for truth, version in left if truth != 0])
                table[row + PARAMETER_FALSE] = self._out(parameter, [version for truth, version in left if truth != 1])
        captures = self.tables["captures"]
        for row, inner, slot, name in frame.captures.rows:
            versions = [s.get(("in", inner), inner) for _, s in boundary.exits]
            if name in exposed:
                versions.append(self._effect(frame, name))
            out = captures[CAPTURE_WIDTH * row + CAPTURE_OUT] = self.phi(versions) if versions else inner
            if out != inner and frame.parent is not None and slot in frame.parent.captures.exposed:
                self.same(out, self._effect(frame.parent, slot))

    def _held(self, outcome: Writes) -> Writes:
        """What parameters and captured variables held are at an exit with this outcome; where nothing is known of
        one, what its variable is.
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
            if version == value:
                for name in frame.names_of[value]:
                    now = outcome.get(name, env.get(name, NONE)) if type(name) is str else NONE
                    if now != NONE and now != value:
                        states["now", value] = now
        for _, inner, _, _ in captures.rows:
            states["in", inner] = outcome.get(("in", inner), env.get(("in", inner), inner))
        return states

    def _left(self, parameter: int, state: Writes) -> int:
        """What a parameter's value is at an exit: also under what condition a loop was left in which its variable was
        tested, if no round bound that to something else.
        """
        version = state.get(("in", parameter), parameter)
        now = tested = state.get(("now", parameter), NONE)
        while tested != NONE and self.ops[tested] == POST:
            row = self._values[VALUE_WIDTH * tested + VALUE_DATA]
            tested = self._arguments[ARGUMENT_WIDTH * row + ARGUMENT_VALUE]
        if version != parameter or tested == NONE or self.ops[tested] != PI:
            return version
        return now if self._denotes(now, parameter) else version

    def _denotes(self, version: int, value: int) -> bool:
        """Whether ``version`` is ``value``, in whatever state, under conditions, through loops."""
        work, seen = [version], {version}
        while work:
            root = self._version_of(work.pop())
            if root == value:
                continue
            if self.ops[root] != CARRY or len(seen) > MAX_EXIT_VERSIONS:
                return False
            fresh = {self._initial[root], *self._fed.get(root, ())} - seen
            seen |= fresh
            work.extend(sorted(fresh))
        return True

    def _out(self, parameter: Parameter, versions: list[int]) -> int:
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

    def class_(self, at: Span, name: str, bases: Sequence[int] = ()) -> tuple[int, int]:
        """A class or declared type: ``(value, owner row)``."""
        owners = self.tables["owners"]
        row = len(owners) // OWNER_WIDTH
        value = self.new(CLASS, at, row)
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
        value = self.new(FIELD, at)
        self.member(owner_value, name, value)
        if type_value != NONE:
            self.declare_type(value, type_value)
        return value

    def import_(self, at: Span, module: str, name: str | None = None, level: int = 0) -> int:
        """``name`` of ``module``, or the module itself."""
        imports = self.tables["imports"]
        row = len(imports) // IMPORT_WIDTH
        value = self.new(IMPORT, at, row)
        imports.extend((value, self.string(module), NONE if name is None else self.string(name), level))
        return value

    def export(self, name: str, value: int) -> None:
        self._exports.extend((self.string(name), value))

    def name_and_start(self, function: int) -> tuple[str, int]:
        """The name of a function, "" where it has none, and its first byte."""
        row = FUNCTION_WIDTH * function
        functions = self.tables["functions"]
        return self.unit.strings[functions[row + FUNCTION_NAME]], functions[row + FUNCTION_START]

    def finish(self, guard: Callable[[Callable[[], None]], None] | None = None) -> Unit:
        """Lower what is left and return the unit.

        ``guard`` runs the body of the current function, ends it (``end_function``), and recovers where one of them
        raises; it did so with the module. None: nothing recovers.
        """
        self.frame = self.module
        if guard is None:
            self.end_function()
        waiting = self.module.pending[::-1]
        self.module.pending.clear()
        while waiting:  # the functions inside a function come right after it
            frame, body = waiting.pop()
            self.frame = frame
            self.reads.clear()
            if frame.depth > MAX_NESTED_FUNCTIONS:
                self.budget.buried.append(frame.index)
            elif self.allow():
                if guard is None:
                    body()
                    self.end_function()
                else:
                    guard(body)
            else:
                self.budget.skipped.append(frame.index)
            waiting.extend(reversed(frame.pending))
            frame.pending.clear()
        self.frame = self.module
        self.unit.tables = {name: _packed(rows) for name, rows in self.tables.items()}
        return self.unit


def _packed(rows: list[int]) -> array[int]:
    """``array("i", rows)``, which takes twice as long."""
    packed = array("i")
    packed.frombytes(struct.pack(f"{len(rows)}i", *rows))
    return packed
