"""The unit: what one source file lowers to, with no rule applied and no other file looked at; and its stored form.

A unit is a handful of tables of 32-bit integers, which ``ir.schema`` defines, and one table of strings. A row refers
to a value, a function, a string and so on by its index in the same unit. Nothing in a unit depends on rules, so a
changed rule lowers nothing anew, and nothing depends on other files, so units are cached by content.

A table is stored row after row in one flat array. ``ir.verify`` checks units.

Sources: SSA with pi nodes is e-SSA (Bodik, Gupta, Sarkar: ABCD, PLDI 2000); loop headers are ``dataflow.carry`` of
the dialect.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from itertools import repeat
from typing import Final, TypeVar

from pyrograph.ir.schema import COLUMNS, NAMES

UNIT_VERSION: Final = 8  # of the stored form
NUMBER_BYTES: Final = 4

R = TypeVar("R", bound=tuple[int, ...])


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
    """One lowered file; ``ir.schema`` says what is in the tables."""

    language: str
    tables: dict[str, array[int]] = field(default_factory=lambda: {name: array("i") for name in COLUMNS})
    strings: list[str] = field(default_factory=list)
    problems: list[tuple[str, int, str]] = field(default_factory=list)  # (kind, line from 1, message)
    package: str = ""  # the package clause, where the language has one
    lines: int = 0
    syntax_nodes: int = 0  # nodes that were visited
    error_nodes: int = 0
    unhandled_nodes: int = 0
    # with a marker: (line, first and last line that it speaks for, text)
    comments: list[tuple[int, int, int, str]] = field(default_factory=list)

    def outline(self) -> Unit:
        """The same without tables and strings, which are nine tenths of a unit; it shares the comments."""
        return replace(self, tables={}, strings=[])

    def rows(self, kind: type[R]) -> list[R]:
        """The rows of the table whose rows are ``kind`` (``ir.schema``), as these; for reading, not for speed."""
        name = NAMES[kind]
        width = len(COLUMNS[name])
        cells = iter(self.tables[name])
        return list(map(tuple.__new__, repeat(kind), zip(*[cells] * width, strict=True)))


_MAGIC: Final = b"PYROUNIT"
_HEAD: Final = struct.Struct("<8sIIIIIII")  # magic, version, lines, visited, errors, unhandled, problems, comments


class UnitError(ValueError):
    """The bytes are no unit of this version."""


def dump(unit: Unit) -> bytes:
    """Write ``unit`` as bytes that hold numbers and text only: nothing in them can execute."""
    texts = [unit.language, unit.package]
    for kind, line, message in unit.problems:
        texts += [kind, str(line), message]
    for line, start, end, text in unit.comments:
        texts += [str(line), str(start), str(end), text]
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
            len(unit.problems),
            len(unit.comments),
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
        magic, version, lines, visited, errors, unhandled, num_problems, num_comments = _HEAD.unpack_from(data, 0)
        if magic != _MAGIC or version != UNIT_VERSION:
            raise UnitError("not a unit of this version")
        at = _HEAD.size
        meta_size, num_strings, strings_size = struct.unpack_from("<III", data, at)
        at += 3 * NUMBER_BYTES
        sizes = struct.unpack_from(f"<{len(COLUMNS)}I", data, at)
        at += NUMBER_BYTES * len(COLUMNS)
        if at + NUMBER_BYTES * sum(sizes) + meta_size + strings_size != len(data):
            raise UnitError("a unit of the wrong length")
        tables = {}
        for (name, columns), size in zip(COLUMNS.items(), sizes, strict=True):
            if size % len(columns):
                raise UnitError(f"{name} is cut")
            table = array("i")
            table.frombytes(data[at : at + NUMBER_BYTES * size])
            tables[name] = table
            at += NUMBER_BYTES * size
        texts = _unpack_texts(data[at : at + meta_size], 2 + 3 * num_problems + 4 * num_comments)
        strings = _unpack_texts(data[at + meta_size :], num_strings)
        first = 2 + 3 * num_problems
        problems = [(texts[i], int(texts[i + 1]), texts[i + 2]) for i in range(2, first, 3)]
        rows = range(first, len(texts), 4)
        comments = [(int(texts[i]), int(texts[i + 1]), int(texts[i + 2]), texts[i + 3]) for i in rows]
    except (struct.error, IndexError, UnicodeDecodeError, ValueError) as error:
        raise UnitError(str(error)) from error
    return Unit(texts[0], tables, strings, problems, texts[1], lines, visited, errors, unhandled, comments)


def _pack_texts(texts: Iterable[str]) -> bytes:
    encoded = [text.encode("utf-8", "surrogatepass") for text in texts]
    return struct.pack(f"<{len(encoded)}I", *map(len, encoded)) + b"".join(encoded)


def _unpack_texts(data: bytes, count: int) -> list[str]:
    sizes = struct.unpack_from(f"<{count}I", data, 0)
    at = NUMBER_BYTES * count
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
