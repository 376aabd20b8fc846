"""What may lie between a source and a sink: fields, calling contexts and what holds data back are not looked at.

Most values of a program are none of an attacker's business, so that what costs much, guards above all, is only asked
where it may matter. All states of an object count as one here, and each way that ``assemble`` knows is one: what is
not found here is on no way that is found there.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from pyrograph.ir.unit import UNKNOWN_KEY
from pyrograph.scanner.columns import rows_of
from pyrograph.scanner.label.facts import Facts
from pyrograph.scanner.reach import reached

Ints = npt.NDArray[np.int32]
Mask = npt.NDArray[np.bool_]

MAX_PARTS: Final = 4  # keys of a part that was checked


def spread(facts: Facts) -> Mask:
    """Which values (values,) may lie between a source and a sink. Time linear in the program."""
    program, resolution, labels = facts.program, facts.resolution, facts.labels
    t, rep = program.tables, resolution.representative
    origins: list[Ints] = []
    targets: list[Ints] = []

    def add(origin: Ints, target: Ints) -> None:
        origins.append(origin)
        targets.append(target)

    add(t["flows"]["origin"], t["flows"]["target"])
    add(t["loads"]["object"], t["loads"]["result"])
    add(t["slices"]["object"], t["slices"]["result"])
    stores, arguments, calls, captures = t["stores"], t["arguments"], t["calls"], t["captures"]
    stored, named = stores["value"] >= 0, stores["key"] < UNKNOWN_KEY
    add(stores["value"][stored], stores["object"][stored])
    add(-2 - stores["key"][named], stores["object"][named])
    add(arguments["value"], calls["result"][arguments["call"]])  # what unknown callees may do
    add(captures["outer"], captures["inner"])
    add(captures["out"], captures["outer"])
    made = t["functions"]["value"]
    add(captures["outer"], made[captures["function"]])  # a function value holds what the function captures …
    add(made[captures["function"]], captures["inner"])  # … and where it is called, the callee gives it back
    targets_of, callbacks = rows_of(resolution.targets, 2), rows_of(resolution.callbacks, 4)
    add(calls["callee"][targets_of[:, 0]], made[targets_of[:, 1]])
    callbacks = callbacks[callbacks[:, 3] >= 0]
    add(callbacks[:, 3], made[callbacks[:, 2]])
    for rows, width, before, after in (
        (resolution.bindings, 5, 1, 2),
        (resolution.returns, 3, 1, 2),
        (resolution.element_returns, 4, 1, 2),
        (resolution.fields, 4, 1, 2),
        (resolution.loads, 3, 1, 0),
        (resolution.heap, 2, 0, 1),
        (resolution.same, 2, 0, 1),
    ):
        columns = rows_of(rows, width)
        add(columns[:, before], columns[:, after])
    modelled = rows_of([(flow.origin, flow.target) for flow in labels.flows], 2)
    add(modelled[:, 0], modelled[:, 1])
    origin, target = rep[np.concatenate(origins)], rep[np.concatenate(targets)]
    moves = origin != target
    origin, target = origin[moves], target[moves]
    sources = rep[np.array([source.value for source in labels.sources], np.int64)]
    sinks = rep[np.array([sink.value for sink in labels.sinks], np.int64)]
    found = reached(program.num_values, origin, target, sources)
    tainted = found[origin]
    found &= reached(program.num_values, target[tainted], origin[tainted], sinks)
    return found[rep]


def with_parts(facts: Facts) -> Mask:
    """What lies between, and what was read from it: ``if ok(o.a)`` tells of ``o.a`` when it is read again."""
    loads, rep = facts.tables["loads"], facts.resolution.representative
    whole, part = rep[loads["object"]], rep[loads["result"]]
    found = facts.labels.between.copy()
    for _ in range(MAX_PARTS):
        found[part[found[whole]]] = True
    return found[rep]
