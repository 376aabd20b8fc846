"""Tables of handlers: values that are taken out of a container by a computed key and then called.

`TABLE[command](request)` may run any handler of the table, and a server has dozens of commands. So these nodes
hold more states than others (``MAX_HANDLERS``). Between the look-up and the call, the handler may be merged with a
default, be taken out of a tuple or an object (`TABLE[command][0]`), or be a class of which an instance is made.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pyrograph.ir.codes import Op
from pyrograph.kernels.arrays import among
from pyrograph.policy.limits.resolution import MAX_TABLE_STEPS
from pyrograph.rules.entries import Flow
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import Program


def handler_nodes(program: Program, rep: npt.NDArray[np.int32], apis: Iterable[Apis]) -> set[int]:
    """The nodes on a chain from a look-up by a computed key to a callee. Linear in the tables."""
    t = program.tables
    loads, calls, flows = t["loads"], t["calls"], t["flows"]
    op, data = t["values"]["op"], t["values"]["data"]
    names = [program.string_ids[name] for name in look_ups(apis) if name in program.string_ids]
    callee = rep[calls["callee"]]
    named = among(calls["name"], names) | ((op[callee] == Op.GLOBAL) & among(data[callee], names))
    computed = loads["key"] < 0
    reached = np.zeros(program.num_values, bool)
    reached[rep[loads["result"][computed]]] = True
    reached[rep[calls["result"][named]]] = True
    same = (flows["kind"] == 0) & (op[flows["target"]] != Op.SUPER)
    origins = np.concatenate([rep[flows["origin"][same]], rep[loads["object"][~computed]], callee])
    targets = np.concatenate([rep[flows["target"][same]], rep[loads["result"][~computed]], rep[calls["result"]]])
    for _ in range(MAX_TABLE_STEPS):
        reached[targets[reached[origins]]] = True
    inner = np.flatnonzero(reached[origins] & reached[targets])
    origins, targets = origins[inner], targets[inner]
    kept = np.zeros(program.num_values, bool)
    kept[callee] = True
    kept &= reached
    for _ in range(MAX_TABLE_STEPS):
        kept[origins[kept[targets]]] = True
    found: list[int] = np.flatnonzero(kept).tolist()
    return set(found)


def look_ups(apis: Iterable[Apis]) -> list[str]:
    """The names of APIs that return what an object holds under a key that they are given, or under any, or the module
    that they are given the name of.
    """
    found: set[str] = set()
    for each in apis:
        for node, roles in each.roles.items():
            if roles.modules:
                found.add(each.paths[node][-1])
            for propagator in roles.propagators:
                for flow in propagator.flows:
                    if (
                        isinstance(flow, Flow)
                        and flow.same
                        and flow.target.kind == "ret"
                        and not flow.target.path
                        and len(flow.origin.path) == 1
                        and (flow.origin.path[0] == "" or flow.origin.path[0][0] == "$")
                    ):
                        found.add(each.paths[node][-1])
    return sorted(found)
