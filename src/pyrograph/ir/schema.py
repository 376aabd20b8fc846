"""The tables of a unit, each defined once: its columns, what they hold, and what stands there where there is nothing.

A table is the class of its rows. A column's type says what its numbers are (``Cells``): a row of another table, a
string, a key, a member of an enumeration, a number of a range. ``Optional...`` columns hold ``NONE`` where there is
nothing; no other column does. Everything else that is said of columns is derived from these classes: ``COLUMNS``,
``REFERENCES``, how a unit is stored, linked and verified.

A linked program has the same tables, with the numbers of all its files (``scanner.analysis.link``); tables of later
stages are in ``scanner.analysis.schema``.

Builders write columns of a flat table in place: ``VALUE_WIDTH * value + VALUE_DATA``. These offsets stand at the end as
literals, because mypyc and the interpreter are slow with anything else; a test compares them with the classes.
"""

# Annotations are evaluated here: they are the schema.
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Annotated, Final, NamedTuple

from pyrograph.ir.codes import (
    ANY_BOUND,
    EXCEPTIONAL,
    NONE,
    OPEN,
    RECEIVER,
    ArgumentFlag,
    CallFlag,
    Flow,
    FunctionFlag,
    Op,
    Operator,
    ParameterKind,
    Test,
)

# What columns may refer to besides tables.
STRINGS: Final = "strings"  # the string table
KEY: Final = "key"  # a string, UNKNOWN_KEY, or ``packed.value_key`` of a value
DATA: Final = "data"  # what the row's op says: see DATA_REFERENCES
BYTES: Final = "bytes"  # bytes of the text from its beginning; the row's span is ``start <= byte < end``


@dataclass(frozen=True, slots=True)
class Cells:
    """The numbers that a column may hold."""

    to: str = ""  # what they index: a table, or one of the words above; "" for numbers of the range below
    least: int = 0
    most: int = 0
    absent: int | None = None  # what stands there where there is nothing; None: there always is something
    or_end: bool = False  # the number after the last row, too


def _members(kind: type[IntEnum]) -> Cells:
    return Cells(least=min(kind), most=max(kind))


def _flags(kind: type[IntEnum]) -> Cells:
    return Cells(least=0, most=sum(kind))


MOST_POSITION: Final = 1 << 30

ValueId = Annotated[int, Cells("values")]
OptionalValue = Annotated[int, Cells("values", absent=NONE)]
FunctionId = Annotated[int, Cells("functions")]
OptionalFunction = Annotated[int, Cells("functions", absent=NONE)]
CallId = Annotated[int, Cells("calls")]
ArgumentId = Annotated[int, Cells("arguments")]
OwnerId = Annotated[int, Cells("owners")]
OptionalOwner = Annotated[int, Cells("owners", absent=NONE)]
ConditionId = Annotated[int, Cells("conditions")]
OptionalCondition = Annotated[int, Cells("conditions", absent=NONE)]
LoopId = Annotated[int, Cells("loops")]
BlockId = Annotated[int, Cells("blocks")]
StringId = Annotated[int, Cells(STRINGS)]
OptionalString = Annotated[int, Cells(STRINGS, absent=NONE)]
Key = Annotated[int, Cells(KEY)]
Byte = Annotated[int, Cells(BYTES)]
Bound = Annotated[int, Cells(least=-OPEN, most=ANY_BOUND)]  # of a slice: a constant, OPEN or ANY_BOUND
Side = Annotated[int, Cells(least=0, most=1)]  # of a condition: 1 where it holds, 0 where it does not
Position = Annotated[int, Cells(least=RECEIVER, most=MOST_POSITION)]  # from 0, or RECEIVER


class ValueRow(NamedTuple):
    """A node of the flow graph: a variable's SSA version, an expression's result, a parameter, a state of an object."""

    op: Annotated[int, _members(Op)]
    function: Annotated[FunctionId, "the function it belongs to"]
    start: Annotated[Byte, "of the text it stands for"]
    end: Byte
    data: Annotated[int, Cells(DATA), "depends on the op: see ``Op`` and ``DATA_REFERENCES``"]


class FlowRow(NamedTuple):
    """Data goes from ``origin`` to ``target``."""

    origin: ValueId
    target: ValueId
    kind: Annotated[int, _members(Flow), "the value itself (copy, phi, await), or what is made of it"]


class LoadRow(NamedTuple):
    """``result = load(object, key)``."""

    result: ValueId
    object: ValueId
    key: Key


class SliceRow(NamedTuple):
    """``result = object[start:end]``: a new object."""

    result: ValueId
    object: ValueId
    start: Bound
    end: Bound


class StoreRow(NamedTuple):
    """``result = store(object, key, value)``: a new state of the object, everything else as before."""

    result: ValueId
    object: ValueId
    key: Annotated[Key, "that of ``KEYS`` for the object's own keys"]
    value: Annotated[OptionalValue, "what lies there from now on"]


class CallRow(NamedTuple):
    """``result = callee(arguments)``."""

    result: ValueId
    callee: Annotated[ValueId, "of ``receiver.name(...)`` the load"]
    receiver: OptionalValue
    name: Annotated[OptionalString, "the method's"]
    flags: Annotated[int, _flags(CallFlag)]
    start: Byte
    end: Byte


class ArgumentRow(NamedTuple):
    """An argument of a call; those of one call stand together, in the order of the calls."""

    call: CallId
    value: ValueId
    position: Position
    keyword: OptionalString
    flags: Annotated[int, _flags(ArgumentFlag), "spread"]
    start: Byte
    end: Byte
    post: Annotated[OptionalValue, "its state after the call, which later reads of the same variable see"]


class FunctionRow(NamedTuple):
    """A function; function 0 is the module's own code."""

    value: Annotated[OptionalValue, "the function value where it is created; modules have none"]
    name: StringId
    owner: Annotated[OptionalOwner, "the class it is a method of"]
    parent: Annotated[OptionalFunction, "the function around it; modules have none"]
    flags: Annotated[int, _flags(FunctionFlag)]
    result: Annotated[ValueId, "joins what it returns"]
    raised: Annotated[ValueId, "joins what it raises"]
    start: Byte
    end: Byte


class ParameterRow(NamedTuple):
    """A parameter, and its states where the function is left."""

    function: FunctionId
    value: Annotated[ValueId, "at entry"]
    name: OptionalString
    position: Position
    kind: Annotated[int, _members(ParameterKind)]
    out: Annotated[OptionalValue, "joins its states at all normal exits: what a caller's ``post`` sees"]
    true: Annotated[OptionalValue, "at exits that return a true value: what a caller's condition sees"]
    false: Annotated[OptionalValue, "at exits that return a false value"]


class CaptureRow(NamedTuple):
    """Inside ``function``, ``inner`` is what the enclosing function knows as ``outer``."""

    function: FunctionId
    inner: ValueId
    outer: ValueId
    out: Annotated[ValueId, "its state at exit"]


class ConditionRow(NamedTuple):
    """``left test right``; pis say where it holds. One whose test is BOTH has no operands: see ``conjunctions``."""

    function: FunctionId
    test: Annotated[int, _members(Test)]
    left: OptionalValue
    right: OptionalValue
    start: Byte
    end: Byte


class ConjunctionRow(NamedTuple):
    """``condition`` holds where two others, known before it, have the given sides."""

    condition: ConditionId
    left: ConditionId
    left_side: Side
    right: ConditionId
    right_side: Side


class TruthRow(NamedTuple):
    """``argument`` is the truth value of a condition: true where ``condition`` has this side, else false."""

    argument: ArgumentId
    condition: ConditionId
    side: Side


class PiRow(NamedTuple):
    """``value`` is ``input`` where ``condition`` has this side."""

    value: ValueId
    input: ValueId
    condition: ConditionId
    side: Side


class OwnerRow(NamedTuple):
    """A class or type."""

    value: Annotated[ValueId, "the class value"]
    name: StringId
    function: Annotated[FunctionId, "where it is declared"]
    start: Byte
    end: Byte


class BaseRow(NamedTuple):
    """``owner`` inherits from what ``base`` resolves to."""

    owner: OwnerId
    base: ValueId


class MemberRow(NamedTuple):
    """``owner.name`` is ``value``: methods, class attributes, declared fields."""

    owner: Annotated[ValueId, "resolves to a class"]
    name: StringId
    value: ValueId


class SignatureRow(NamedTuple):
    """The method ``owner.name`` is declared with these types, of a language whose interfaces ask for them."""

    owner: Annotated[ValueId, "resolves to a class"]
    name: StringId
    types: Annotated[StringId, "of its parameters and results: see ``signatures.py`` of resolution"]


class TypeRow(NamedTuple):
    """``value`` is declared to be an instance of what ``type`` resolves to."""

    value: ValueId
    type: ValueId


class ImportRow(NamedTuple):
    """``value`` is ``name`` of ``module``, or the module itself."""

    value: ValueId
    module: StringId
    name: OptionalString
    level: Annotated[int, Cells(least=0, most=1 << 30), "leading dots"]


class ExportRow(NamedTuple):
    """``name`` of this module is ``value``: a row a version, and once more where a statement exports it."""

    name: Annotated[StringId, "after ``EXPORTED`` where a statement exports it"]
    value: ValueId


class HandlerRow(NamedTuple):
    """``value`` receives the exceptions of ``call``."""

    call: CallId
    value: ValueId


class TextRow(NamedTuple):
    """``value`` is text put together; it is described once."""

    value: ValueId
    text: Annotated[StringId, "its constant skeleton, each hole a NUL character"]


class ComputedRow(NamedTuple):
    """Inside loops: ``value`` is ``operator`` of its operands, a row for each in this order."""

    value: ValueId
    operator: Annotated[int, _members(Operator)]
    operand: ValueId


class LoopRow(NamedTuple):
    """A structured loop. Blocks from ``header`` on test the condition, those from ``body`` on are repeated."""

    function: FunctionId
    trips: Annotated[int, Cells(least=0, most=(1 << 31) - 1, absent=NONE), "iterations, where that is constant"]
    induction: Annotated[OptionalValue, "the induction variable"]
    start: Byte
    end: Byte
    header: BlockId
    body: BlockId
    exit: Annotated[BlockId, "where the loop was left because its condition did not hold"]
    over: Annotated[OptionalValue, "what is iterated over"]


class StreamRow(NamedTuple):
    """The loop counts from ``start`` by ``step`` to ``bound``, which it does not reach."""

    loop: LoopId
    start: ValueId
    step: ValueId
    bound: ValueId


class CarryRow(NamedTuple):
    """``value`` is a loop-header phi; it is a value of the header, whatever its number."""

    value: ValueId
    loop: LoopId
    initial: Annotated[OptionalValue, "before the loop; NONE: the name is first bound inside"]
    fed: Annotated[OptionalValue, "from the body; NONE: unchanged"]


class BlockRow(NamedTuple):
    """A basic block; a function's last block that begins at or before a value has it, but for phis (``joins``)."""

    function: FunctionId
    first: Annotated[int, Cells("values", or_end=True), "its first value, or what would be the next"]


class JoinRow(NamedTuple):
    """The phi ``value`` takes ``version`` when control comes from ``block``.

    It is a value of the block that these blocks all lead to. A name that only some of them bind has no version from
    the others.
    """

    value: ValueId
    version: ValueId
    block: BlockId


class ControlRow(NamedTuple):
    """A CFG edge. The numbers of a loop's blocks lie between those of its header and its exit."""

    origin: BlockId
    target: BlockId
    condition: OptionalCondition
    side: Annotated[int, Cells(least=0, most=EXCEPTIONAL), "of the condition; EXCEPTIONAL: something was raised"]


Row = tuple[int, ...]

ROWS: Final[dict[str, type[Row]]] = {
    "values": ValueRow,
    "flows": FlowRow,
    "loads": LoadRow,
    "slices": SliceRow,
    "stores": StoreRow,
    "calls": CallRow,
    "arguments": ArgumentRow,
    "functions": FunctionRow,
    "parameters": ParameterRow,
    "captures": CaptureRow,
    "conditions": ConditionRow,
    "conjunctions": ConjunctionRow,
    "truths": TruthRow,
    "pis": PiRow,
    "owners": OwnerRow,
    "bases": BaseRow,
    "members": MemberRow,
    "signatures": SignatureRow,
    "types": TypeRow,
    "imports": ImportRow,
    "exports": ExportRow,
    "handlers": HandlerRow,
    "texts": TextRow,
    "computed": ComputedRow,
    "loops": LoopRow,
    "streams": StreamRow,
    "carries": CarryRow,
    "blocks": BlockRow,
    "joins": JoinRow,
    "control": ControlRow,
}
NAMES: Final[dict[type[Row], str]] = {row: name for name, row in ROWS.items()}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table."""

    name: str
    cells: Cells
    meaning: str  # where its name and type do not say it; else ""


def columns_of(row: type[Row]) -> tuple[Column, ...]:
    """The columns of a class of rows whose annotations are ``Annotated[int, Cells(...)]``, in their order.

    Raises:
        TypeError: A column does not say what its numbers are.
    """
    found = []
    for name, kind in row.__annotations__.items():
        said: tuple[object, ...] = getattr(kind, "__metadata__", ())
        cells = [each for each in said if isinstance(each, Cells)]
        if len(cells) != 1:
            raise TypeError(f"{row.__name__}.{name} does not say what its numbers are")
        found.append(Column(name, cells[0], next((each for each in said if isinstance(each, str)), "")))
    return tuple(found)


TABLES: Final[Mapping[str, tuple[Column, ...]]] = {name: columns_of(row) for name, row in ROWS.items()}
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    table: tuple([column.name for column in columns]) for table, columns in TABLES.items()
}

# What a column's numbers index, so that linking can move them; columns not named hold plain numbers or bytes.
# ``values.data`` is not among them: see DATA_REFERENCES.
REFERENCES: Final[dict[str, dict[str, str]]] = {
    table: {column.name: column.cells.to for column in columns if column.cells.to not in ("", BYTES, DATA)}
    for table, columns in TABLES.items()
}

# Columns that may also hold the number after the last row.
OR_END: Final[dict[str, tuple[str, ...]]] = {
    table: names for table, columns in TABLES.items() if (names := tuple(c.name for c in columns if c.cells.or_end))
}

# What ``values.data`` indexes, by op.
DATA_REFERENCES: Final[dict[Op, str]] = {
    Op.PARAMETER: "parameters",
    Op.CONST: STRINGS,
    Op.CARRY: "loops",
    Op.PI: "pis",
    Op.CALL: "calls",
    Op.LOAD: "loads",
    Op.STORE: "stores",
    Op.POST: "arguments",
    Op.FUNCTION: "functions",
    Op.CLASS: "owners",
    Op.IMPORT: "imports",
    Op.GLOBAL: STRINGS,
    Op.RESULT: "functions",
    Op.RAISED: "functions",
    Op.OUT: "parameters",
    Op.CELL: STRINGS,
    Op.SUPER: "owners",
}

# Offsets in flat tables.
VALUE_WIDTH: Final = 5
VALUE_OP: Final = 0
VALUE_START: Final = 2
VALUE_END: Final = 3
VALUE_DATA: Final = 4
FLOW_WIDTH: Final = 3
FLOW_ORIGIN: Final = 0
FLOW_TARGET: Final = 1
LOAD_WIDTH: Final = 3
LOAD_OBJECT: Final = 1
LOAD_KEY: Final = 2
STORE_WIDTH: Final = 4
STORE_OBJECT: Final = 1
STORE_KEY: Final = 2
CALL_WIDTH: Final = 7
CALL_FLAGS: Final = 4
ARGUMENT_WIDTH: Final = 8
ARGUMENT_CALL: Final = 0
ARGUMENT_VALUE: Final = 1
ARGUMENT_POST: Final = 7
FUNCTION_WIDTH: Final = 9
FUNCTION_NAME: Final = 1
FUNCTION_FLAGS: Final = 4
FUNCTION_RESULT: Final = 5
FUNCTION_RAISED: Final = 6
FUNCTION_START: Final = 7
PARAMETER_WIDTH: Final = 8
PARAMETER_OUT: Final = 5
PARAMETER_TRUE: Final = 6
PARAMETER_FALSE: Final = 7
CAPTURE_WIDTH: Final = 4
CAPTURE_OUT: Final = 3
CONDITION_WIDTH: Final = 6
CONDITION_TEST: Final = 1
CONDITION_LEFT: Final = 2
CONDITION_START: Final = 4
CONDITION_END: Final = 5
PI_WIDTH: Final = 4
PI_INPUT: Final = 1
PI_CONDITION: Final = 2
PI_SIDE: Final = 3
OWNER_WIDTH: Final = 5
IMPORT_WIDTH: Final = 4
LOOP_WIDTH: Final = 9
LOOP_INDUCTION: Final = 2
LOOP_BODY: Final = 6
LOOP_EXIT: Final = 7
CARRY_WIDTH: Final = 4
CARRY_VALUE: Final = 0
CARRY_FED: Final = 3
BLOCK_WIDTH: Final = 2
