"""Open graphs: each lets more through than the one before, and remembers what the true graph does not take."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from pyrograph.ir.codes import NONE, UNKNOWN_KEY, Op
from pyrograph.ir.packed import FIRST_VALUE_KEY, PAIR_BITS
from pyrograph.scanner.analysis.assemble import Context, Edges, Kind, data_flow
from pyrograph.scanner.analysis.label import Labels
from pyrograph.scanner.diagnose.answer import Reason
from pyrograph.scanner.diagnose.question import Question, RemovedBarrier


def open_graphs(q: Question) -> Iterable[tuple[Edges, Labels]]:
    """The graphs that let more and more through; made when they are asked for."""
    labels = q.opened
    edges = data_flow(q.program, q.resolution, labels)
    one_function = _without_fields(edges, calls=False)
    yield edges, labels
    yield _without_fields(edges), labels
    add_open_edges(q, edges, calls_without_flow(q))
    yield edges, labels
    yield _without_fields(edges), labels
    add_open_edges(q, edges, through_functions(q))
    yield edges, labels
    yield _without_fields(edges), labels
    yield one_function, labels


def add_open_edges(q: Question, edges: Edges, found: dict[tuple[int, int], RemovedBarrier]) -> None:
    q.gaps.update(found)
    if found:
        ends = np.array(sorted(found), np.int32)
        edges.add(ends[:, 0], ends[:, 1], Kind.DERIVED)


def calls_without_flow(q: Question) -> dict[tuple[int, int], RemovedBarrier]:
    """Arguments to results of calls that leave the program, keys to what they choose, parts to comparisons."""
    found: dict[tuple[int, int], RemovedBarrier] = {}
    arguments, calls = q.tables["arguments"], q.tables["calls"]
    modelled = q.labels.modelled
    for call, value in zip(arguments["call"].tolist(), arguments["value"].tolist(), strict=True):
        if call not in q.targets and q.op[value] != Op.CONST:
            reason: Reason = "model" if call in modelled else "unknown-call"
            found[value, int(calls["result"][call])] = RemovedBarrier(reason, call)
    loads = q.tables["loads"]
    computed = loads["key"] < UNKNOWN_KEY
    keys, results = FIRST_VALUE_KEY - loads["key"][computed], loads["result"][computed]
    for key, result in zip(keys.tolist(), results.tolist(), strict=True):
        found.setdefault((key, result), RemovedBarrier("comparison", NONE))
    found.update(compared(q))
    return found


def compared(q: Question) -> dict[tuple[int, int], RemovedBarrier]:
    """Values inside expressions that nothing flows into: comparisons, tests, conditions."""
    edges = q.true_edges
    entered = np.zeros(q.program.num_values, bool)
    for targets in edges.target:
        entered[targets] = True
    found: dict[tuple[int, int], RemovedBarrier] = {}
    order = np.lexsort((q.start, q.program.file_of_value))
    keys = q.program.file_of_value[order].astype(np.int64) << PAIR_BITS | q.start[order]
    for value in np.flatnonzero((q.op == Op.EXPRESSION) & ~entered).tolist():
        file = int(q.program.file_of_value[value]) << PAIR_BITS
        low, high = np.searchsorted(keys, [file | int(q.start[value]), file | int(q.end[value])]).tolist()
        for part in order[low:high].tolist():
            inside = part != value and q.end[part] <= q.end[value] and q.end[part] > q.start[part]
            if inside and q.op[part] in (Op.LOAD, Op.CALL, Op.EXPRESSION):
                found[part, value] = RemovedBarrier("comparison", NONE)
    conditions = q.tables["conditions"]
    by_place = {(int(q.start[v]), int(q.end[v]), int(q.function[v])): v for _, v in found} | {
        (int(q.start[v]), int(q.end[v]), int(q.function[v])): v
        for v in np.flatnonzero((q.op == Op.EXPRESSION) & ~entered).tolist()
    }
    for left, right, start, end, function in zip(
        *(conditions[column].tolist() for column in ("left", "right", "start", "end", "function")), strict=True
    ):
        value_ = by_place.get((start, end, function))
        for operand in (left, right):
            if value_ is not None and operand >= 0 and operand != value_ and q.op[operand] != Op.CONST:
                found[operand, value_] = RemovedBarrier("comparison", NONE)
    return found


def through_functions(q: Question) -> dict[tuple[int, int], RemovedBarrier]:
    """Arguments to results of the program's own functions, and to what any call leaves in other arguments."""
    found: dict[tuple[int, int], RemovedBarrier] = {}
    arguments, results = q.tables["arguments"], q.tables["calls"]["result"]
    rows: dict[int, list[int]] = {}
    for row, call in enumerate(arguments["call"].tolist()):
        rows.setdefault(call, []).append(row)
    for call, mine in rows.items():
        reason: Reason = "unknown-call"
        if call in q.labels.modelled:
            reason = "model"
        elif call in q.targets:
            reason = "function"
        for row in mine:
            value = int(arguments["value"][row])
            if q.op[value] == Op.CONST:
                continue
            ends = [int(results[call])] if call in q.targets else []
            ends += [int(arguments["post"][other]) for other in mine if other != row]
            for end in ends:
                if end != NONE:
                    found.setdefault((value, end), RemovedBarrier(reason, call))
    return found


def _without_fields(edges: Edges, *, calls: bool = True) -> Edges:
    """The same edges, each of which taints all of its target; ``calls``: whether they remember the calls."""
    plain = Edges()
    for origin, target, context, site, assumed in zip(
        edges.origin, edges.target, edges.context, edges.site, edges.assumed, strict=True
    ):
        for one in (0, 1):
            rows = assumed == one
            around = context[rows] if calls else Context.INTRA
            plain.add(origin[rows], target[rows], Kind.DERIVED, context=around, site=site[rows], assumed=one)
    return plain
