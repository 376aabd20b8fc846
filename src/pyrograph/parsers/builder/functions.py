"""Functions, classes and imports: what a unit offers; and the order in which bodies are lowered."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Iterable, Sequence

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, ParameterKind
from pyrograph.ir.schema import (
    FUNCTION_NAME,
    FUNCTION_START,
    FUNCTION_WIDTH,
    IMPORT_WIDTH,
    OWNER_WIDTH,
    PARAMETER_WIDTH,
)
from pyrograph.ir.unit import Unit
from pyrograph.parsers.builder.data import Span
from pyrograph.parsers.builder.exits import Exits
from pyrograph.parsers.builder.frame import Parameter
from pyrograph.parsers.builder.ops import (
    CLASS,
    CONST,
    EXPRESSION,
    FIELD,
    FUNCTION,
    IMPORT,
    PARAMETER,
)
from pyrograph.policy.limits.lowering import MAX_NESTED_FUNCTIONS


class Builder(Exits):
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
        frame.scope.outer_renamed = parent.scope.share_renamed()
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

    def signature(self, owner_value: int, name: str, types: str) -> None:
        """The method ``owner_value.name`` is declared with these types."""
        self.tables["signatures"].extend((owner_value, self.string(name), self.string(types)))

    def field(self, owner_value: int, name: str, type_value: int, at: Span) -> int:
        """A declared field of a type."""
        value = self.new(FIELD, at)
        self.member(owner_value, name, value)
        if type_value != NONE:
            self.declare_type(value, type_value)
        return value

    def collection_type(self, at: Span, base: int, types: Sequence[int]) -> int:
        """A type whose instances are those of ``base``, or of no known type, and hold instances of ``types``: an object
        that holds one of each stands for all its instances.
        """
        held: list[tuple[int, int]] = []
        for type_value in types:
            element = self.new(FIELD, at)
            if type_value != NONE and self.ops[type_value] != CONST:
                self.declare_type(element, type_value)
            held.append((UNKNOWN_KEY, element))
        example = self.container(at, held)
        value = self.new(EXPRESSION, at)
        self.same(example, value)
        if base != NONE:
            self.same(base, value)
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
                self.budget.too_deep.append(frame.index)
            elif self.begin_budget():
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
