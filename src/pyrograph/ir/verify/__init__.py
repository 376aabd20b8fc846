"""Verification: whether a unit keeps every promise of ``ir.schema``.

``verify`` returns the broken promises as sentences, each with the table, row and column; an empty list says that the
unit is well formed. Nothing is repaired and nothing raised. The checks, from the outside to the inside:

1. **Shape**: every table is there, its length is a multiple of its columns, every number is in its column's range.
2. **Definitions**: the row of a table that defines a value and the value name each other, and nothing is defined twice.
3. **Places**: what a row says of one function stands in that function.
4. **SSA**: a definition comes before its uses, in the numbering and, where the unit's blocks say so, in control flow:
   its block dominates the block of the use. A name that only some ways to a merge bind is, behind it, what it is on
   these: then control gets from the definition to the use on some way. Inputs of phis come from predecessors of their
   block, and flow into them.

A check runs only where those before it found nothing, so that it may index without looking. ``Tables`` holds 1 to 3
for the scanner, which verifies the tables of a whole program in the same way.

Cost: linear in the unit; a few NumPy operations a column, and a loop over the blocks for dominance.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import FunctionFlag, Op
from pyrograph.ir.schema import COLUMNS
from pyrograph.ir.stored import NUMBER_BYTES
from pyrograph.ir.unit import Unit
from pyrograph.ir.verify.assignment import single_assignment
from pyrograph.ir.verify.promises import Promises
from pyrograph.ir.verify.tables import SPANNED, Tables
from pyrograph.policy.limits.lowering import MAX_SHOWN_ROWS

Ints = npt.NDArray[np.int32]


def columns_of(unit: Unit) -> dict[str, dict[str, Ints]]:
    """The tables of a unit as arrays, which share its memory. Raises KeyError or ValueError for a wrong shape."""
    found: dict[str, dict[str, Ints]] = {}
    for name, columns in COLUMNS.items():
        rows = np.frombuffer(unit.tables[name], np.int32).reshape(-1, len(columns))
        found[name] = {column: rows[:, at] for at, column in enumerate(columns)}
    return found


def verify(unit: Unit, size: int | None = None) -> list[str]:
    """The broken promises of ``unit``; none where it is well formed.

    ``size``: bytes of the file, where the caller knows it; spans end there.
    """
    shape = Promises()
    for name, columns in COLUMNS.items():
        table = unit.tables.get(name)
        if shape.say(table is not None, f"{name}: there is no such table") and table is not None:
            shape.say(table.itemsize == NUMBER_BYTES, f"{name}: its numbers have {8 * table.itemsize} bits")
            shape.say(not len(table) % len(columns), f"{name}: {len(table)} numbers in rows of {len(columns)}")
    for name in unit.tables.keys() - COLUMNS.keys():
        shape.say(False, f"{name}: no table of units")
    shape.say(len(set(unit.strings)) == len(unit.strings), "strings: one stands there twice")
    for at, (_, line, _) in enumerate(unit.problems):
        shape.say(0 <= line <= max(unit.lines, 1), f"problems[{at}]: in line {line} of {unit.lines}")
    for at, (line, first, last, _) in enumerate(unit.comments):
        is_sound = 0 < line <= last and 0 < first <= last <= max(unit.lines, 1)
        shape.say(is_sound, f"comments[{at}]: in line {line} for {first} to {last} of {unit.lines}")
    if shape.broken:
        return shape.broken
    tables = Tables(columns_of(unit), len(unit.strings))
    tables.references()
    if tables.is_sound():
        _text(tables, unit, size)
        tables.definitions()
    if tables.is_sound():
        tables.places()
    if tables.is_sound():
        single_assignment(tables)
    return tables.promises.broken


def _text(tables: Tables, unit: Unit, size: int | None) -> None:
    """Promises of units alone: spans in the file, the module first, constants as ``constant_text`` writes them."""
    t, promises = tables.tables, tables.promises
    if size is not None:
        for table in SPANNED:
            tables.check(t[table]["end"] > size, table, "end", f"behind the text, which has {size} bytes")
    functions = t["functions"]
    module = functions["flags"] & FunctionFlag.MODULE != 0
    if promises.say(len(module) > 0, "functions: there is no module"):
        tables.check(module != (np.arange(len(module)) == 0), "functions", "flags", "function 0 alone is the module")
        inner = np.arange(len(module)) > 0
        tables.check(inner & (functions["parent"] >= np.arange(len(module))), "functions", "parent", "behind it")
    values = t["values"]
    constants = np.unique(values["data"][values["op"] == Op.CONST])
    bad = [text for text in (unit.strings[each] for each in constants.tolist()) if not _is_constant(text)]
    for text in bad[:MAX_SHOWN_ROWS]:
        promises.say(False, f"strings: {text!r} is no constant as units write them")
    first = t["blocks"]["first"]
    fallen = np.zeros(len(first), bool)
    fallen[1:] = first[1:] < first[:-1]
    tables.check(fallen, "blocks", "first", "before the first value of the block before")
    described = t["texts"]["value"]
    count = np.bincount(described, minlength=tables.num_values)
    tables.check(count[described] > 1, "texts", "value", "described twice")


def _is_constant(text: str) -> bool:
    if text[:1] == "'" or text in ("true", "false", "null", "inf", "-inf", "nan"):
        return True
    try:
        float(text)
    except ValueError:
        return False
    return True


__all__ = ["SPANNED", "Promises", "Tables", "columns_of", "verify"]
