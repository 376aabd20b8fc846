"""Values, the flow between them, constants: the unit's tables while they grow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from pyrograph.ir.codes import NONE, CallFlag, Flow, FunctionFlag, Op, Operator
from pyrograph.ir.schema import (
    BLOCK_WIDTH,
    CALL_FLAGS,
    CALL_WIDTH,
    CARRY_VALUE,
    CARRY_WIDTH,
    COLUMNS,
    DATA_REFERENCES,
    FLOW_ORIGIN,
    FLOW_TARGET,
    FLOW_WIDTH,
    FUNCTION_RAISED,
    FUNCTION_RESULT,
    FUNCTION_WIDTH,
    VALUE_DATA,
    VALUE_END,
    VALUE_OP,
    VALUE_START,
    VALUE_WIDTH,
)
from pyrograph.ir.unit import Unit, constant_text
from pyrograph.parsers.builder.data import Constant, Contents, Outcome, Overrun, Range, Span, Writes
from pyrograph.parsers.builder.frame import Frame
from pyrograph.parsers.builder.ops import CALL, CONST, EXCEPTION, EXPRESSION, PHI, RAISED, RESULT
from pyrograph.policy.limits.lowering import (
    FILE_STEPS,
    FUNCTION_STEPS,
    MAX_CONSTANT_BITS,
    MAX_CONSTANT_TEXT,
    MAX_KEPT_TEXT,
)

SAME: Final = int(Flow.SAME)
DERIVED: Final = int(Flow.DERIVED)
NUMBER: Final = int(Flow.NUMBER)
SHOWN: Final = int(Flow.SHOWN)
WAITED: Final = int(CallFlag.WAITED)
ANY_DATA: Final = 1 << 31  # above all that ``data`` may be: of ops whose data names no row


class Budget:
    """Steps that the lowering of a file may take, and functions that were left out."""

    def __init__(self) -> None:
        self.steps: int = 0  # so far
        self.limit: int = FUNCTION_STEPS  # limit for ``steps``, those of the current function included
        self.kept_text: int = 0  # characters of the constant texts that are kept, see ``MAX_KEPT_TEXT``
        self.skipped: list[int] = []  # functions whose bodies were not lowered, because the file takes too many steps
        self.too_deep: list[int] = []  # or because they lie in too many others
        # lengths of the tables up to which ``repair`` has checked them
        self.consistent_values: int = 0
        self.consistent_flows: int = 0
        self.consistent_carries: int = 0


class Values:
    """The tables of a unit, and facts about the values in them: constants, texts, truths."""

    def __init__(self, language: str) -> None:
        self.unit = Unit(language, {})
        # lists while they grow, which costs a fifth of growing arrays; ``finish`` makes the unit's arrays of them
        tables: dict[str, list[int]] = {name: [] for name in COLUMNS}
        self.tables = tables
        self._values = tables["values"]
        self._flows = tables["flows"]
        self._blocks = tables["blocks"]
        self._control = tables["control"]
        self._conditions = tables["conditions"]
        self._pis = tables["pis"]
        self._exports = tables["exports"]
        self._loads = tables["loads"]
        self._stores = tables["stores"]
        self._calls = tables["calls"]
        self._arguments = tables["arguments"]
        self.ops: list[int] = []
        self._strings: dict[str, int] = {}
        self._texts = self.unit.strings
        self.constants: dict[int, Constant] = {}
        self.texts: dict[int, str] = {}
        self._contents: dict[int, Contents] = {}  # containers made with all of their contents known
        self.truths: dict[int, Outcome] = {}  # boolean value -> the outcome that it stands for
        self._bound_before: dict[int, Writes] = {}  # boolean value -> the versions that names in its outcome had then
        self._initial: dict[int, int] = {}  # header phi -> its value before the loop
        self._fed: dict[int, list[int]] = {}  # header phi -> values from the back edge, if others
        self.reads: list[int] = []
        # one attribute for all: an object of more than 30 has a slower kind of dictionary, in the interpreter
        self.budget = Budget()
        self.frame = self._new_frame(NONE, NONE, "", int(FunctionFlag.MODULE), None, Range(0, 0))
        self.module = self.frame

    def spend(self, steps: int) -> None:
        """Count steps of work that is not linear in the source.

        Raises:
            Overrun: They are more than the current function, or the file, may take.
        """
        budget = self.budget
        budget.steps += steps
        if budget.steps > budget.limit:
            raise Overrun

    def begin_budget(self) -> bool:
        """A function begins: it may take ``FUNCTION_STEPS``; False if the file has none left."""
        budget = self.budget
        budget.limit = min(budget.steps + FUNCTION_STEPS, FILE_STEPS)
        return budget.steps < FILE_STEPS

    def repair(self) -> None:
        """Make the tables consistent after a ``RecursionError`` inside a method of the builder.

        Rows are written as a whole, but a value comes before the row in another table that defines it: such a value
        becomes a constant of unknown content. Time linear in the rows since the last time.
        """
        budget = self.budget
        ops, columns = self.ops, self._values
        known = min(len(ops), len(columns) // VALUE_WIDTH)
        del ops[known:]
        del columns[VALUE_WIDTH * known :]
        sizes = {
            kind: len(self.unit.strings) if table == "strings" else len(self.tables[table]) // len(COLUMNS[table])
            for kind, table in DATA_REFERENCES.items()
        }
        carries = self.tables["carries"]
        carried = set(carries[budget.consistent_carries + CARRY_VALUE :: CARRY_WIDTH])
        unknown = self.string("'")
        for value in range(budget.consistent_values, known):
            op = Op(ops[value])
            if columns[VALUE_WIDTH * value + VALUE_DATA] >= sizes.get(op, ANY_DATA) or (
                op == Op.CARRY and value not in carried
            ):
                self._set_op(value, CONST, unknown)
        flows = self._flows
        at = budget.consistent_flows
        while at < len(flows):
            if flows[at + FLOW_ORIGIN] >= known or flows[at + FLOW_TARGET] >= known:
                del flows[at : at + FLOW_WIDTH]
            else:
                at += FLOW_WIDTH
        budget.consistent_values, budget.consistent_flows, budget.consistent_carries = known, len(flows), len(carries)

    def string(self, text: str) -> int:
        """The index of ``text`` in the unit's string table."""
        index = self._strings.get(text)
        if index is None:
            index = self._strings[text] = len(self._texts)
            self._texts.append(text)
        return index

    def new(self, op: int, at: Span, data: int = NONE) -> int:
        """A new value of the current function."""
        ops = self.ops
        value = len(ops)
        ops.append(op)
        self._values.extend((op, self.frame.index, at.start_byte, at.end_byte, data))
        return value

    def _set_data(self, value: int, data: int) -> None:
        self._values[VALUE_WIDTH * value + VALUE_DATA] = data

    def _set_op(self, value: int, op: int, data: int) -> None:
        self.ops[value] = op
        self._values[VALUE_WIDTH * value + VALUE_OP] = op
        self._values[VALUE_WIDTH * value + VALUE_DATA] = data

    def same(self, origin: int, target: int) -> None:
        self._flows.extend((origin, target, SAME))

    def copied(self, origin: int, at: Span) -> int:
        """A new object with what ``origin`` holds: what is stored into one is not in the other."""
        copy = self.new(EXPRESSION, at)
        self.same(origin, copy)
        self.frame.refinements.copies[copy] = origin
        return copy

    def derived(self, origin: int, target: int) -> None:
        self._flows.extend((origin, target, DERIVED))

    def constant(self, constant: Constant, at: Span) -> int:
        value = self.new(CONST, at, NONE)
        if (isinstance(constant, str) and not self._is_kept(constant)) or (
            isinstance(constant, int) and constant.bit_length() > MAX_CONSTANT_BITS
        ):
            self._set_data(value, self.string("'"))
            return value
        text = "'" + constant if isinstance(constant, str) else constant_text(constant)
        self._set_data(value, self.string(text))
        self.constants[value] = constant
        return value

    def opaque(self, at: Span) -> int:
        """A constant of no interest: its content is not kept."""
        return self.new(CONST, at, self.string("'"))

    def expression(self, at: Span, parts: Iterable[int], shown: Sequence[int] = ()) -> int:
        """A value derived from ``parts``: taint of any part taints it. The text of ``shown`` parts appears in it."""
        value = self.new(EXPRESSION, at)
        flows = self._flows
        for part in parts:
            if self._needs_flow(part):
                flows.extend((part, value, SHOWN if part in shown else DERIVED))
        return value

    def number(self, at: Span, parts: Iterable[int]) -> int:
        """A number computed from ``parts``, in a language that converts texts to numbers: it has none of their text."""
        value = self.new(EXPRESSION, at)
        for part in parts:
            if self._needs_flow(part):
                self._flows.extend((part, value, NUMBER))
        return value

    def _needs_flow(self, value: int) -> bool:
        """Whether flow from ``value`` needs a row: a constant needs none, unless it has a name (it may be a source)."""
        return self.ops[value] != CONST or value in self.frame.names_of

    def text(self, at: Span, parts: Sequence[int], shown: Sequence[int] = ()) -> int:
        """Text put together from ``parts`` in this order; folded when all of them are constant.

        ``shown``: those of them that are converted to text in the way of the language, whatever they are.
        """
        skeleton = []
        length = 0
        whole = True
        for part in parts:
            constant = self.constants.get(part, self)
            if constant is not self and not isinstance(constant, float):
                piece = as_text(constant)
            else:
                piece = self.texts.get(part, "\0")
                whole = False
            length += len(piece)
            if length > MAX_CONSTANT_TEXT:  # not even put together: one name may stand for much text, many times
                return self.expression(at, parts, shown)
            skeleton.append(piece)
        joined = "".join(skeleton)
        if whole:
            return self._folded(joined, parts, at)
        value = self.expression(at, parts, shown)
        self.describe(value, joined)
        return value

    def describe(self, value: int, skeleton: str) -> None:
        """``value``, a call's result, is a template filled in: its constant text, a NUL for each further argument."""
        if self._is_kept(skeleton):
            self.texts[value] = skeleton
            self.tables["texts"].extend((value, self.string(skeleton)))

    def _is_kept(self, text: str) -> bool:
        """Whether constant text is kept: it is short, and the file has not had too much of it."""
        if len(text) > MAX_CONSTANT_TEXT:
            return False
        self.budget.kept_text += len(text)
        return self.budget.kept_text <= MAX_KEPT_TEXT

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
        if isinstance(result, str) and len(result) > MAX_CONSTANT_TEXT:
            return None
        if isinstance(result, int) and result.bit_length() > MAX_CONSTANT_BITS:
            return None
        return self._folded(result, operands, at)

    def _folded(self, constant: Constant, parts: Sequence[int], at: Span) -> int:
        value = self.constant(constant, at)
        for part in parts:
            if self._needs_flow(part):
                self.derived(part, value)
        return value

    def phi(self, versions: list[int], at: Span | None = None) -> int:
        """The phi of several versions; a single version, or the first of equal constants, is returned as it is."""
        versions = distinct(versions)
        if len(versions) == 1:
            return versions[0]
        first = self.constants.get(versions[0], self)
        if first is not self and all([identical(self.constants.get(v, self), first) for v in versions[1:]]):
            return versions[0]
        ops = self.ops
        values: list[Any] = self._values
        value = len(ops)
        ops.append(PHI)
        if at is None:
            base = VALUE_WIDTH * versions[-1]
            values.extend((PHI, self.frame.index, values[base + VALUE_START], values[base + VALUE_END], NONE))
        else:
            values.extend((PHI, self.frame.index, at.start_byte, at.end_byte, NONE))
        flows = self._flows
        for version in versions:
            flows.extend((version, value, SAME))
        return value

    def computed(self, value: int, operator: Operator, operands: Sequence[int]) -> int:
        """``value`` is ``operator`` of ``operands``, where that is no constant; returns ``value``.

        Kept inside loops only, where it says how a variable changes from one iteration to the next.
        """
        if self.frame.loop_start and value not in self.constants:
            table = self.tables["computed"]
            for operand in operands:
                table.extend((value, operator, operand))
        return value

    def exception_value(self, at: Span) -> int:
        return self.new(EXCEPTION, at)

    def declare_type(self, value: int, type_value: int) -> None:
        """``value`` is an instance of what ``type_value`` resolves to."""
        self.tables["types"].extend((value, type_value))

    def _new_frame(self, value: int, owner: int, name: str, flags: int, parent: Frame | None, at: Span) -> Frame:
        functions = self.tables["functions"]
        index = len(functions) // FUNCTION_WIDTH
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
        frame.boundary.result = self.new(RESULT, at, index)
        frame.boundary.raised = self.new(RAISED, at, index)
        functions[FUNCTION_WIDTH * index + FUNCTION_RESULT] = frame.boundary.result
        functions[FUNCTION_WIDTH * index + FUNCTION_RAISED] = frame.boundary.raised
        self.begin_block()
        return frame

    def _in(self, frame: Frame, make: Callable[[], int]) -> int:
        saved, self.frame = self.frame, frame
        try:
            return make()
        finally:
            self.frame = saved

    def new_block(self, origins: Sequence[tuple[int, int, int]]) -> int:
        """Go on in a new block, which control enters from each ``(block, condition, side)`` of ``origins``."""
        block = self.begin_block()
        for origin, condition, side in origins:
            self.edge(origin, condition, side)
        return block

    def begin_block(self) -> int:
        """Go on in a new block; ``edge`` says where control comes from."""
        blocks = self._blocks
        block = self.frame.block = len(blocks) // BLOCK_WIDTH
        blocks.extend((self.frame.index, len(self.ops)))
        return block

    def edge(self, origin: int, condition: int, side: int) -> None:
        """Control enters the current block from ``origin`` where ``condition`` has this side."""
        self._control.extend((origin, self.frame.block, condition, side))

    def pause(self) -> None:
        """Other functions may run here: at a call, or where the function waits."""
        frame = self.frame
        frame.captures.clock += 1
        frame.captures.paused = frame.captures.clock

    def wait(self, value: int) -> None:
        """The function waits for ``value`` here."""
        if self.ops[value] == CALL:
            row = self._values[VALUE_WIDTH * value + VALUE_DATA]
            self._calls[CALL_WIDTH * row + CALL_FLAGS] |= WAITED
        self.pause()

    def mark(self) -> int:
        """Where a condition's reads begin; pass it to ``test``."""
        return len(self.reads)

    def forget_reads(self) -> None:
        """A statement begins: values read before are not parts of values written now."""
        if self.reads:
            self.reads.clear()

    def problem(self, kind: str, line: int, message: str) -> None:
        self.unit.problems.append((kind, line, message))


def distinct(values: list[int]) -> list[int]:
    """``values`` in their order without repeats; may be the list itself."""
    if len(values) < 2 or (len(values) == 2 and values[0] != values[1]):
        return values
    return list(dict.fromkeys(values))


def as_text(constant: Any) -> str:
    if isinstance(constant, str):
        return constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else str(constant)


def identical(left: Any, right: Any) -> bool:
    return type(left) is type(right) and bool(left == right)
