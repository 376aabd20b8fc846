"""The stored form of a unit: numbers and text in one run of bytes, nothing in which can execute."""

from __future__ import annotations

import struct
from array import array
from collections.abc import Iterable
from typing import Final

from pyrograph.ir.schema import COLUMNS
from pyrograph.ir.unit import Unit

UNIT_VERSION: Final = 10  # of the stored form
NUMBER_BYTES: Final = 4
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
