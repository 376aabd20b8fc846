"""Functions that put handlers into a table one by one: ``add(method, path, handler) { this.table.push({ handler }) }``.

The table's look-ups hold as many states as a table has handlers (``handler_tables``). So must what they are taken from:
parameters that are stored where a look-up reads, and the cells there. They are as many as there are such functions.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import RECEIVER, UNKNOWN_KEY, Op
from pyrograph.kernels.arrays import among, distinct
from pyrograph.policy.limits.resolution import MAX_TABLE_STEPS
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program


def kept_handlers(
    program: Program, rep: npt.NDArray[np.int32], apis: Collection[Apis], handlers: Collection[int]
) -> tuple[set[int], set[int]]:
    """The nodes from parameters to where they are stored under a key that leads to one of ``handlers``, and these keys.
    Linear in the tables.
    """
    t = program.tables
    loads, stores, calls, flows, arguments = t["loads"], t["stores"], t["calls"], t["flows"], t["arguments"]
    op = t["values"]["op"]
    reached = np.zeros(program.num_values, bool)
    reached[np.fromiter(handlers, np.int64, len(handlers))] = True
    looked_up = reached[rep[loads["result"]]] & (loads["key"] >= 0)
    keys = {UNKNOWN_KEY, *distinct(loads["key"][looked_up]).tolist()}
    given = (stores["value"] >= 0) & ((stores["key"] < 0) | among(stores["key"], sorted(keys)))
    names = [program.string_ids[name] for name in putting(apis) if name in program.string_ids]
    put = among(calls["name"], names)[arguments["call"]] & (arguments["position"] != RECEIVER)
    kept = np.zeros(program.num_values, bool)
    kept[rep[stores["value"][given]]] = True
    kept[rep[arguments["value"][put]]] = True
    same = (flows["kind"] == 0) & (op[flows["target"]] != Op.SUPER)
    origins = np.concatenate([rep[flows["origin"][same]], rep[t["captures"]["outer"]]])
    targets = np.concatenate([rep[flows["target"][same]], rep[t["captures"]["inner"]]])
    for _ in range(MAX_TABLE_STEPS):
        kept[origins[kept[targets]]] = True
    found = kept & (op == Op.PARAMETER)  # of other nodes, only those behind a parameter
    for _ in range(MAX_TABLE_STEPS):
        found[targets[found[origins] & kept[targets]]] = True
    return set(np.flatnonzero(found).tolist()), keys


def putting(apis: Iterable[Apis]) -> list[str]:
    """The names of APIs that put what they are given into their receiver, under a key of the call or under any."""
    return sorted({name for each in apis for name in each.index.putting})
