"""The unit: what one source file lowers to, with no rule applied and no other file looked at.

A unit is a handful of tables of 32-bit integers and one table of strings. A row refers to a value, a function, a
string and so on by its index in the same unit; ``NONE`` (-1) says "none". Nothing in a unit depends on rules, so a
changed rule lowers nothing anew, and nothing depends on other files, so units are cached by content.

The tables:

``values``      one row for each node of the flow graph: an SSA version of a variable, an expression's result, a
                parameter, a state of an object. ``op`` says which (see ``Op``), ``function`` the function it belongs
                to, ``start``/``end`` the bytes of the text it stands for, ``data`` depends on the op.
``flows``       data goes from ``origin`` to ``target``; ``kind`` SAME (the value itself: copy, phi, await), DERIVED
                (made from it: text), SHOWN (text that shows it as a person may read it) or COUNTED (a number made
                from it).
``loads``       ``result = load(object, key)``.
``slices``      ``result = object[start:end]``: a new object; bounds are constants, ``OPEN`` or ``ANY_BOUND``.
``stores``      ``result = store(object, key, value)``: a new state of the object, everything else as before. Keys: a
                string index (field, dict key or index, as text; that of ``KEYS`` for the object's keys),
                ``UNKNOWN_KEY``, or ``value_key(v)`` for a key that is a value.
``calls``       ``result = callee(arguments)``; ``receiver`` for ``receiver.name(...)`` (then ``callee`` is the load),
                ``name`` the method's name.
``arguments``   by ``position`` (from 0; ``RECEIVER`` for the receiver), ``keyword`` (a string) or spread (``flags``);
                ``post`` is the argument's state after the call, which later reads of the same variable see.
``functions``   ``value`` is the function value where it is created, ``result`` joins what it returns, ``raised`` what
                it raises. Function 0 is the module's own code.
``parameters``  ``value`` holds the parameter at entry, ``out`` joins its states at all normal exits (what a caller's
                ``post`` sees), ``true``/``false`` only at exits that return a true/false value (what a caller's
                condition sees).
``captures``    inside ``function``, ``inner`` is what the enclosing function knows as ``outer``; ``out`` is its state
                at exit.
``conditions``  ``left op right``; a pi below says where it holds. A row whose test is BOTH has no operands of its own:
``conjunctions`` says of which two conditions, each on the given side, it is the conjunction.
``pis``         ``value`` is ``input`` where ``condition`` is true (``side`` 1) or false (0).
``owners``      ``value`` is the class (or type) value, for inheritance: ``bases`` gives its base classes.
``members``     ``owner.name`` is ``value``: methods, class attributes, declared fields (``owner`` is a value that
                resolves to a class).
``types``       ``value`` is declared to be an instance of what ``type`` resolves to.
``imports``     ``value`` is ``name`` of ``module`` (or the module itself); ``level`` counts leading dots.
``exports``     ``name`` of this module is ``value`` (one row a version); once more with ``EXPORTED`` before the name
                where an export statement says so.
``handlers``    what ``call`` raises arrives at ``value``.
``texts``       ``value`` is text put together; ``text`` is its constant skeleton, each hole a NUL character.
``computed``    inside loops: ``value`` is ``operator`` (see ``Operator``) of its operands, in this order.
``loops``       structured loops: ``trips`` is the constant trip count or -1, ``index`` the index variable's value,
                ``over`` what is iterated over. Blocks from ``header`` on test the condition, those from ``body`` on are
                repeated, ``exit`` is where the loop was left because its condition did not hold.
``streams``     the loop counts from ``start`` by ``step`` to ``bound``, which it does not reach.
``carries``     ``value`` is the loop-header phi of ``loop``: ``initial`` before (-1 if the name is first bound inside),
                ``fed`` from the body (-1 if unchanged). It is a value of the header, whatever its number.
``blocks``      basic blocks; a block's values begin at ``first``, but for phis, which ``joins`` places.
``joins``       the phi ``value`` takes ``version`` when control comes from ``block``; it is a value of the block that
                these blocks all lead to. A name that only some of them bind has no version from the others.
``control``     CFG edges; ``condition`` and ``side`` say when they are taken (``side`` EXCEPTIONAL: when something was
                raised). The numbers of a loop's blocks lie between those of its header and its exit.

``ir.verify`` checks all of this.

Sources: SSA with pi nodes is e-SSA (Bodik, Gupta, Sarkar: ABCD, PLDI 2000); loop headers are ``dataflow.carry`` of
the dialect.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Final, TypeVar

NONE: Final = -1
UNKNOWN_KEY: Final = -1
NO_STRING: Final = -(1 << 31)  # a text that is looked for and is no string of the program: equals no cell of a column
EXPORTED: Final = "export "  # before names in ``exports`` that a statement exports
RECEIVER: Final = -2  # the position of a call's receiver among its arguments
KEYS: Final = "\0keys"  # the key under which an object holds its own keys; "any key" does not mean it

INTERFACE: Final = "\0interface"  # a member of types that say which methods there are, and have none themselves
EXCEPTIONAL: Final = 2  # the side of a control edge to a handler
RAISED: Final = "\0raised"  # the key under which a promise holds what it was rejected with: no part of its value
OPEN: Final = 1 << 30  # a bound of a slice that is not written: the object's own end
ANY_BOUND: Final = OPEN + 1  # a bound that is not constant

UNIT_VERSION: Final = 6  # of the stored form


E = TypeVar("E", bound=type[IntEnum])


def direct(enumeration: E) -> E:
    """Members as plain class attributes: Python 3.11 finds them by a slow detour, and front ends ask for them all
    the time.
    """
    for name, member in enumeration.__members__.items():
        type.__setattr__(enumeration, name, member)
    return enumeration


@direct
class Op(IntEnum):
    """What a value is. ``data`` in parentheses."""

    PARAMETER = 0  # (row in parameters or NONE for a capture)
    CONST = 1  # (string: the constant as ``constant_text`` writes it)
    EXPRESSION = 2  # made from its parts (NONE)
    PHI = 3  # joins versions at a merge (NONE)
    CARRY = 4  # joins initial and fed-back versions at a loop header (loop)
    PI = 5  # a version under a condition (row in pis)
    CALL = 6  # a call's result (row in calls)
    LOAD = 7  # (row in loads)
    STORE = 8  # an object's state after a store (row in stores)
    POST = 9  # an argument's state after a call (row in arguments)
    NEW = 10  # a new container, object literal or tuple (1 if all of it is constant, else 0)
    FUNCTION = 11  # a function value (function)
    CLASS = 12  # a class or type (row in owners)
    IMPORT = 13  # (row in imports)
    GLOBAL = 14  # a name that the unit's functions do not define: module level, package or built in (string)
    RESULT = 15  # joins what a function returns (function)
    RAISED = 16  # joins what a function raises (function)
    OUT = 17  # a parameter's state at exit (row in parameters)
    EXCEPTION = 18  # what a handler catches (NONE)
    FIELD = 19  # a declared field of a type (NONE)
    SUPER = 21  # a receiver seen as an instance of the base classes (row in owners)
    CELL = 20  # a variable that closures write, whatever the time (string: its name)


@direct
class Flow(IntEnum):
    SAME = 0
    DERIVED = 1
    COUNTED = 2  # a number computed from it: none of its text is left, but who chose it chooses the number
    SHOWN = 3  # text that shows it; of a container, what the language shows of its elements


@direct
class Test(IntEnum):
    """How a condition compares; a negation is kept in the polarity, never here."""

    TRUTH = 0  # left is true
    EQUAL = 1
    IN = 2  # left is a member of right
    LESS = 3  # left is less than right; ``a >= b`` is its negation, ``a > b`` the same with the operands exchanged
    IS = 4  # left is of the type that right names (a class value or a constant text)
    PREFIX = 5  # left starts with right, where a language has an operator for it
    BOTH = 6  # two other conditions (see ``conjunctions``)


@direct
class Operator(IntEnum):
    """What a value is of its operands."""

    ADD = 0  # of numbers; of texts, one after the other
    SUBTRACT = 1
    MULTIPLY = 2
    DIVIDE = 3  # what a language's ``/`` does
    FLOOR_DIVIDE = 4  # rounds down
    MODULO = 5  # has the divisor's sign
    REMAINDER = 6  # has the dividend's sign
    POWER = 7
    AND = 8
    OR = 9
    XOR = 10
    SHIFT_LEFT = 11
    SHIFT_RIGHT = 12
    NEGATE = 13
    INVERT = 14


@direct
class CallFlag(IntEnum):
    NEW = 1  # constructor syntax
    AWAIT = 2
    DECORATOR = 4  # applied by decorator syntax
    MULTI = 8  # several results are taken apart (Go)
    DEFERRED = 16  # runs later (go, defer)
    OPTIONAL = 32


@direct
class ArgumentFlag(IntEnum):
    SPREAD = 1  # *args, ...args
    SPREAD_KEYWORDS = 2  # **kwargs


@direct
class FunctionFlag(IntEnum):
    MODULE = 1
    GENERATOR = 2
    ASYNC = 4
    METHOD = 8  # its first parameter (position RECEIVER) is the receiver
    STATIC = 16
    CLASS_METHOD = 32
    PROPERTY = 64
    CONSTRUCTOR = 128
    LAMBDA = 256
    SETTER = 512
    NEVER_RETURNS = 1024  # it has no normal exit


@direct
class ParameterKind(IntEnum):
    NORMAL = 0
    VARARG = 1  # *args, ...rest
    KEYWORDS = 2  # **kwargs
    KEYWORD_ONLY = 3
    RECEIVER = 4


@direct
class ExitKind(IntEnum):
    RETURN = 0
    RAISE = 1


COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "values": ("op", "function", "start", "end", "data"),
    "flows": ("origin", "target", "kind"),
    "loads": ("result", "object", "key"),
    "slices": ("result", "object", "start", "end"),
    "stores": ("result", "object", "key", "value"),
    "calls": ("result", "callee", "receiver", "name", "flags", "start", "end"),
    "arguments": ("call", "value", "position", "keyword", "flags", "start", "end", "post"),
    "functions": ("value", "name", "owner", "parent", "flags", "result", "raised", "start", "end"),
    "parameters": ("function", "value", "name", "position", "kind", "out", "true", "false"),
    "captures": ("function", "inner", "outer", "out"),
    "conditions": ("function", "test", "left", "right", "start", "end"),
    "conjunctions": ("condition", "left", "left_side", "right", "right_side"),
    "pis": ("value", "input", "condition", "side"),
    "owners": ("value", "name", "function", "start", "end"),
    "bases": ("owner", "base"),
    "members": ("owner", "name", "value"),
    "types": ("value", "type"),
    "imports": ("value", "module", "name", "level"),
    "exports": ("name", "value"),
    "handlers": ("call", "value"),
    "texts": ("value", "text"),
    "computed": ("value", "operator", "operand"),
    "loops": ("function", "trips", "index", "start", "end", "header", "body", "exit", "over"),
    "streams": ("loop", "start", "step", "bound"),
    "carries": ("value", "loop", "initial", "fed"),
    "blocks": ("function", "first"),
    "joins": ("value", "version", "block"),
    "control": ("origin", "target", "condition", "side"),
}

# What a column's numbers index, so that linking can move them; columns not named hold plain numbers or bytes.
REFERENCES: Final[dict[str, dict[str, str]]] = {
    "values": {"function": "functions"},
    "flows": {"origin": "values", "target": "values"},
    "loads": {"result": "values", "object": "values", "key": "key"},
    "slices": {"result": "values", "object": "values"},
    "stores": {"result": "values", "object": "values", "key": "key", "value": "values"},
    "calls": {"result": "values", "callee": "values", "receiver": "values", "name": "strings"},
    "arguments": {"call": "calls", "value": "values", "keyword": "strings", "post": "values"},
    "functions": {
        "value": "values",
        "name": "strings",
        "owner": "owners",
        "parent": "functions",
        "result": "values",
        "raised": "values",
    },
    "parameters": {
        "function": "functions",
        "value": "values",
        "name": "strings",
        "out": "values",
        "true": "values",
        "false": "values",
    },
    "captures": {"function": "functions", "inner": "values", "outer": "values", "out": "values"},
    "conditions": {"function": "functions", "left": "values", "right": "values"},
    "conjunctions": {"condition": "conditions", "left": "conditions", "right": "conditions"},
    "pis": {"value": "values", "input": "values", "condition": "conditions"},
    "owners": {"value": "values", "name": "strings", "function": "functions"},
    "bases": {"owner": "owners", "base": "values"},
    "members": {"owner": "values", "name": "strings", "value": "values"},
    "types": {"value": "values", "type": "values"},
    "imports": {"value": "values", "module": "strings", "name": "strings"},
    "exports": {"name": "strings", "value": "values"},
    "handlers": {"call": "calls", "value": "values"},
    "texts": {"value": "values", "text": "strings"},
    "computed": {"value": "values", "operand": "values"},
    "loops": {
        "function": "functions",
        "index": "values",
        "header": "blocks",
        "body": "blocks",
        "exit": "blocks",
        "over": "values",
    },
    "streams": {"loop": "loops", "start": "values", "step": "values", "bound": "values"},
    "carries": {"value": "values", "loop": "loops", "initial": "values", "fed": "values"},
    "blocks": {"function": "functions", "first": "values"},
    "joins": {"value": "values", "version": "values", "block": "blocks"},
    "control": {"origin": "blocks", "target": "blocks", "condition": "conditions"},
}

# What ``values.data`` indexes, by op.
DATA_REFERENCES: Final[dict[Op, str]] = {
    Op.PARAMETER: "parameters",
    Op.CONST: "strings",
    Op.CARRY: "loops",
    Op.PI: "pis",
    Op.CALL: "calls",
    Op.LOAD: "loads",
    Op.STORE: "stores",
    Op.POST: "arguments",
    Op.FUNCTION: "functions",
    Op.CLASS: "owners",
    Op.IMPORT: "imports",
    Op.GLOBAL: "strings",
    Op.RESULT: "functions",
    Op.RAISED: "functions",
    Op.OUT: "parameters",
    Op.CELL: "strings",
    Op.SUPER: "owners",
}


def constant_text(constant: str | int | float | bool | None) -> str:
    """Write a constant so that kinds stay apart: ``"'abc"`` is text, ``"5"`` a number.

    >>> [constant_text(c) for c in ("5", 5, True, None)]
    ["'5", '5', 'true', 'null']
    """
    if isinstance(constant, str):
        return "'" + constant
    if isinstance(constant, bool):
        return "true" if constant else "false"
    return "null" if constant is None else repr(constant)


@dataclass(slots=True)
class Unit:
    """One lowered file; see the module's text for the tables."""

    language: str
    tables: dict[str, array[int]] = field(default_factory=lambda: {name: array("i") for name in COLUMNS})
    strings: list[str] = field(default_factory=list)
    problems: list[tuple[str, int, str]] = field(default_factory=list)  # (kind, line from 1, message)
    package: str = ""  # the package clause, where the language has one
    lines: int = 0
    syntax_nodes: int = 0  # nodes that were visited
    error_nodes: int = 0
    unhandled_nodes: int = 0

    def rows(self, table: str) -> list[tuple[int, ...]]:
        """The rows of ``table`` as tuples; for tests and printing, not for speed."""
        width = len(COLUMNS[table])
        flat = self.tables[table]
        return [tuple(flat[i : i + width]) for i in range(0, len(flat), width)]


_MAGIC: Final = b"PYROUNIT"
_HEAD: Final = struct.Struct("<8sIIIIII")  # magic, version, lines, visited, errors, unhandled, number of texts


class UnitError(ValueError):
    """The bytes are no unit of this version."""


def dump(unit: Unit) -> bytes:
    """Write ``unit`` as bytes that hold numbers and text only: nothing in them can execute."""
    texts = [unit.language, unit.package]
    for kind, line, message in unit.problems:
        texts += [kind, str(line), message]
    meta = _pack_texts(texts)
    strings = _pack_texts(unit.strings)
    parts = [
        _HEAD.pack(
            _MAGIC,
            UNIT_VERSION,
            unit.lines,
            unit.syntax_nodes,
            unit.error_nodes,
            unit.unhandled_nodes,
            len(texts),
        ),
        struct.pack("<III", len(meta), len(unit.strings), len(strings)),
        struct.pack(f"<{len(COLUMNS)}I", *(len(unit.tables[name]) for name in COLUMNS)),
    ]
    parts += [_little(unit.tables[name]) for name in COLUMNS]
    parts += [meta, strings]
    return b"".join(parts)


def load(data: bytes) -> Unit:
    """Read what ``dump`` wrote.

    Raises:
        UnitError: Wrong magic, another version, or lengths that do not fit: a cache is not to be trusted.
    """
    try:
        magic, version, lines, visited, errors, unhandled, num_texts = _HEAD.unpack_from(data, 0)
        if magic != _MAGIC or version != UNIT_VERSION:
            raise UnitError("not a unit of this version")
        at = _HEAD.size
        meta_size, num_strings, strings_size = struct.unpack_from("<III", data, at)
        at += 12
        sizes = struct.unpack_from(f"<{len(COLUMNS)}I", data, at)
        at += 4 * len(COLUMNS)
        if at + 4 * sum(sizes) + meta_size + strings_size != len(data):
            raise UnitError("a unit of the wrong length")
        tables = {}
        for (name, columns), size in zip(COLUMNS.items(), sizes, strict=True):
            if size % len(columns):
                raise UnitError(f"{name} is cut")
            table = array("i")
            table.frombytes(data[at : at + 4 * size])
            tables[name] = table
            at += 4 * size
        texts = _unpack_texts(data[at : at + meta_size], num_texts)
        strings = _unpack_texts(data[at + meta_size :], num_strings)
        problems = [(texts[i], int(texts[i + 1]), texts[i + 2]) for i in range(2, len(texts), 3)]
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise UnitError(str(error)) from error
    return Unit(texts[0], tables, strings, problems, texts[1], lines, visited, errors, unhandled)


def _pack_texts(texts: Iterable[str]) -> bytes:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return struct.pack(f"<{len(encoded)}I", *map(len, encoded)) + b"".join(encoded)


def _unpack_texts(data: bytes, count: int) -> list[str]:
    sizes = struct.unpack_from(f"<{count}I", data, 0)
    at = 4 * count
    texts = []
    for size in sizes:
        texts.append(data[at : at + size].decode("utf-8", "surrogatepass"))
        at += size
    if at != len(data):
        raise UnitError("texts of the wrong length")
    return texts


def _little(table: array[int]) -> bytes:
    if struct.pack("=I", 1) != struct.pack("<I", 1):  # pragma: no cover - big-endian machines
        table = array("i", table)
        table.byteswap()
    return table.tobytes()
