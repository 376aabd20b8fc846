"""SSA: a definition comes before its uses, in the numbering and in control flow; phis merge what arrives at them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Flow, FunctionFlag, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY
from pyrograph.ir.verify.control import ControlFlow
from pyrograph.ir.verify.tables import Tables

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]
Rows = npt.NDArray[np.intp]

# Values that are known at the function's entry, whatever block first names them; constants, classes and what is
# imported are the same everywhere.
AT_ENTRY: Final = (
    Op.PARAMETER,
    Op.CONST,
    Op.FUNCTION,
    Op.CLASS,
    Op.IMPORT,
    Op.GLOBAL,
    Op.CELL,
    Op.RESULT,
    Op.RAISED,
    Op.FIELD,
    Op.EXCEPTION,
)


def _of_kinds(*kinds: Op) -> Mask:
    """By op: whether it is one of ``kinds``."""
    found = np.zeros(len(Op), bool)
    found[list(kinds)] = True
    return found


IS_AT_ENTRY: Final = _of_kinds(*AT_ENTRY)
IS_SHARED: Final = _of_kinds(Op.GLOBAL, Op.IMPORT)
IS_CELL: Final = _of_kinds(Op.CELL, Op.GLOBAL)


def single_assignment(tables: Tables) -> None:
    """A definition comes before its uses; a phi's inputs come from the predecessors of its block."""
    t = tables.tables
    op, function = t["values"]["op"], t["values"]["function"]
    flows, joins = t["flows"], t["joins"]
    n = tables.num_values
    uses = [each for each in _uses(tables) if len(each[2])]
    at_entry = IS_AT_ENTRY[op]
    at_entry[_cell_versions(tables)] = True
    if t["functions"]["flags"][0] & FunctionFlag.SHARED_NAMES:  # what a module has is read once, for all that name it
        loads = t["loads"]
        at_entry[loads["result"][IS_SHARED[op[loads["object"]]]]] = True
    for table, column, rows, result, operand in uses:
        bad = np.zeros(tables.length[table], bool)
        bad[rows] = (operand > result) & ~at_entry[operand]
        tables.check(bad, table, column, "defined after its use")
    # A phi's inputs are among what flows into it, and its blocks have one successor in common: the phi's block.
    into = np.flatnonzero((op[flows["target"]] == Op.PHI) & (flows["kind"] == Flow.SAME))
    known = flows["origin"][into].astype(np.int64) * n + flows["target"][into]
    wanted = joins["version"].astype(np.int64) * n + joins["value"]
    tables.check(~np.isin(wanted, known), "joins", "version", "does not flow into its phi")
    is_empty = op == Op.PHI
    is_empty[flows["target"][into]] = False
    tables.check_values(np.flatnonzero(is_empty), "a PHI into which nothing flows")
    if not tables.is_sound():
        return
    block, homeless = _blocks_of(tables)
    tables.check(homeless, "joins", "value", "its blocks have no successor in common")
    if not tables.is_sound():
        return
    flow = ControlFlow(tables)
    for table, column, rows, result, operand in uses:
        if table == "pis":  # parts of objects that another arm made are known here, too: a pi of one is never asked for
            continue
        here, there = block[result], block[operand]
        checked = ~at_entry[operand] & (here >= 0) & (there >= 0) & (function[result] == function[operand])
        if (table, column) == ("pis", "input"):
            continue  # also of what lies in an object that was made on another way: nobody reads that version
        if (table, column) == ("stores", "object"):
            checked &= op[operand] != Op.NEW  # one object may be what all returns of a function fill
        bad = np.zeros(tables.length[table], bool)
        bad[rows[checked]] = ~flow.leads(there[checked], here[checked])
        tables.check(bad, table, column, "defined in a block from which control does not get to its use")


def _uses(tables: Tables) -> Iterable[tuple[str, str, Rows, Ints, Ints]]:
    """(table, column, rows, the values that use, the values that are used): all uses but those of phis and carries."""
    t = tables.tables
    op = t["values"]["op"]
    plain: tuple[tuple[str, str, tuple[str, ...]], ...] = (
        ("loads", "result", ("object",)),
        ("slices", "result", ("object",)),
        ("stores", "result", ("object", "value")),
        ("calls", "result", ("callee", "receiver")),
        ("pis", "value", ("input",)),
    )
    for table, result, columns in plain:
        for column in columns:
            rows = np.flatnonzero(t[table][column] >= 0)
            yield table, column, rows, t[table][result][rows], t[table][column][rows]
    for table in ("loads", "stores"):
        rows = np.flatnonzero(t[table]["key"] < UNKNOWN_KEY)
        yield table, "key", rows, t[table]["result"][rows], FIRST_VALUE_KEY - t[table]["key"][rows]
    arguments = t["arguments"]
    rows = np.arange(len(arguments["call"]))
    yield "arguments", "value", rows, t["calls"]["result"][arguments["call"]], arguments["value"]
    flows = t["flows"]
    rows = np.flatnonzero(op[flows["target"]] == Op.EXPRESSION)
    yield "flows", "origin", rows, flows["target"][rows], flows["origin"][rows]


def _cell_versions(tables: Tables) -> Rows:
    """Phis that a cell flows into: versions of variables that other functions write, known wherever they are named."""
    t = tables.tables
    op, flows = t["values"]["op"], t["flows"]
    rows = (op[flows["target"]] == Op.PHI) & IS_CELL[op[flows["origin"]]]
    return np.asarray(flows["target"][rows], np.intp)


def _blocks_of(tables: Tables) -> tuple[Ints, Mask]:
    """The block of each value, and the rows of joins whose phi has no block.

    A value is of the last block of its function that begins at or before it, but for two kinds: a carry is of the
    header of its loop, whenever it was asked for; a phi with joins of the block that follows all of these.
    """
    t = tables.tables
    function = t["values"]["function"].astype(np.int64)
    blocks, joins, control = t["blocks"], t["joins"], t["control"]
    n = tables.num_values
    keys = blocks["function"].astype(np.int64) * (n + 1) + blocks["first"]
    order = np.argsort(keys, kind="stable")
    wanted = function * (n + 1) + np.arange(n)
    place = np.searchsorted(keys[order], wanted, side="right") - 1
    block = np.where(place >= 0, order[place], NONE) if len(order) else np.full(n, NONE)
    block = np.where((block >= 0) & (blocks["function"][block] == function), block, NONE).astype(np.int32)
    carries = t["carries"]
    block[carries["value"]] = t["loops"]["header"][carries["loop"]]
    following: dict[int, set[int]] = {}
    for origin, target in zip(control["origin"].tolist(), control["target"].tolist(), strict=True):
        following.setdefault(origin, set()).add(target)
    common: dict[int, set[int]] = {}
    nobody: set[int] = set()
    for phi, each in zip(joins["value"].tolist(), joins["block"].tolist(), strict=True):
        known = common.get(phi)
        common[phi] = following.get(each, nobody) if known is None else known & following.get(each, nobody)
    for phi, places in common.items():
        later = [each for each in places if each >= int(block[phi])]
        block[phi] = min(later) if later else NONE
    is_lost = np.zeros(n, bool)
    is_lost[[phi for phi, places in common.items() if not places]] = True
    return block, is_lost[joins["value"]]
