"""The promises of a program: its tables, files, strings and copies."""

from __future__ import annotations

from hashlib import blake2b
from typing import Final

import numpy as np

from pyrograph.ir.codes import FunctionFlag, Op
from pyrograph.ir.schema import COLUMNS
from pyrograph.ir.verify import Promises, Tables
from pyrograph.scanner.analysis.link import Program

# The digest of the tables that were looked at last, if they kept their promises: a stage that leaves the tables as they
# were is followed by the same question.
_sound: Final[list[bytes]] = []


def program(linked: Program) -> list[str]:
    """The broken promises of a program: those of its tables, and of its files, strings and copies."""
    promises = Promises()
    for name, columns in COLUMNS.items():
        table = linked.tables.get(name, {})
        if promises.say(tuple(table) == columns, f"{name}: its columns are {', '.join(table)}"):
            lengths = {len(cells) for cells in table.values()}
            promises.say(len(lengths) == 1, f"{name}: columns of different lengths: {sorted(lengths)}")
            wrong = [each for each, cells in table.items() if cells.dtype != np.int32]
            promises.say(not wrong, f"{name}: {', '.join(wrong)} of other numbers than 32 bits")
    if promises.broken:
        return promises.broken
    tables = Tables(linked.tables, len(linked.strings))
    promises = tables.promises
    n = linked.num_values
    _files(linked, promises)
    promises.say(len(linked.string_ids) == len(linked.strings), "strings: not as many as string_ids")
    bad = [text for at, text in enumerate(linked.strings) if linked.string_ids.get(text) != at]
    promises.say(not bad, f"string_ids: {len(bad)} strings have another number there, {bad[:1]}")
    digest = _digest(linked)
    if digest not in _sound or not tables.is_sound():
        _rows(linked, tables)
    if tables.is_sound():
        _sound[:] = [digest]
    for (of, column), numbers in linked._numbers.items():
        whole = linked.file_of_value if (of, column) == ("values", "file") else linked.tables[of][column]
        promises.say(len(numbers) == len(whole), f"numbers({of}, {column}): {len(numbers)} of {len(whole)} rows")
    promises.say(len(linked.file_of_value) == n, "file_of_value: not one for each value")
    return promises.broken


def _rows(linked: Program, tables: Tables) -> None:
    """The promises of the rows of all tables."""
    promises = tables.promises
    tables.references()
    if tables.is_sound():
        original = linked.original
        functions = linked.tables["functions"]
        copied = original[functions["result"]] != functions["result"]
        kinds = linked.tables["values"]["op"]
        changed = kinds != kinds[original]
        constant = changed & (kinds == Op.CONST) & (kinds[original] == Op.PARAMETER)
        cell = kinds == Op.CELL  # of a table of records: it stands where something else does
        promises.check(
            changed & ~constant & ~cell, "not of its original's kind", lambda row: f"values[{row}].op = {kinds[row]}"
        )
        tables.definitions(copied, constant, original)
        promises.check(
            (functions["flags"] & FunctionFlag.MODULE != 0) & copied,
            "a module is copied",
            lambda row: f"functions[{row}]",
        )
    if tables.is_sound():
        tables.places()


def _digest(linked: Program) -> bytes:
    """The same for programs with the same tables."""
    digest = blake2b(len(linked.strings).to_bytes(8, "little"), digest_size=16)
    for cells in (linked.original, *[cells for table in linked.tables.values() for cells in table.values()]):
        digest.update(len(cells).to_bytes(8, "little"))
        digest.update(cells.tobytes())
    return digest.digest()


def _files(linked: Program, promises: Promises) -> None:
    """Files follow each other without a gap; each value before the copies is of the file whose range holds it."""
    n, end = linked.num_values, 0
    for at, file in enumerate(linked.files):
        if not promises.say(file.first == end <= file.last, f"files[{at}] {file.path}: {file.first} … {file.last}"):
            return
        end = file.last
    if promises.say(len(linked.original) == n, "original: not one for each value"):
        own = np.arange(end)
        promises.say(bool((linked.original[:end] == own).all()), "original: a value of a file is no copy")
        later = linked.original[end:]
        bad = (later < 0) | (later >= end)
        promises.check(bad, "a copy of no value of a file", lambda row: f"original[{end + row}] = {later[row]}")
    if promises.say(len(linked.file_of_value) == n, "file_of_value: not one for each value") and not promises.broken:
        expected = np.repeat(np.arange(len(linked.files)), [file.last - file.first for file in linked.files])
        bad = linked.file_of_value != expected[linked.original]
        promises.check(bad, "not the value's file", lambda row: f"file_of_value[{row}]")
