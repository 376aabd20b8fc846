"""The worklist of the expansion: nodes are made once, in the order in which edges lead to them, and finitely many."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np

from pyrograph.policy.limits.flow_graph import MAX_PATH
from pyrograph.scanner.analysis.assemble import Edges, Kind
from pyrograph.scanner.analysis.assemble.pruning import prune
from pyrograph.scanner.analysis.assemble.worklist import Worklist
from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.link import Program

STRINGS = ["a", "b"]
A, B = 0, 1


def followed(edges: list[tuple[int, int, Kind, int]], last: int) -> Worklist:
    """The worklist after value 0 was tainted as a whole and all edges (origin, target, kind, key) were followed."""
    columns, labels = Edges(), Labels(("first",))
    for origin, target, kind, key in edges:
        columns.add([origin], [target], kind, key=key)
    labels.sources = [SourceRole(0, "http", "s")]
    labels.sinks = [SinkRole(last, 0, "t", 0, 0, 0, (), False, False)]
    none = np.zeros(last + 1, np.int32)
    program = cast(
        Program,
        SimpleNamespace(
            num_values=last + 1,
            tables={"values": {"function": none, "op": none}, "slices": {"start": none, "end": none}},
            strings=STRINGS,
            string_ids={text: number for number, text in enumerate(STRINGS)},
            intern=STRINGS.index,
        ),
    )
    worklist = Worklist(program, labels, columns, prune(program, labels, columns))
    worklist.node(0, worklist.number((), frozenset()))
    worklist.run()
    return worklist


def test_nodes_come_in_the_order_in_which_edges_lead_to_them_and_each_once() -> None:
    diamond = [(0, 1, Kind.STORE, A), (0, 2, Kind.STORE, B), (1, 3, Kind.SAME, -1), (2, 3, Kind.SAME, -1)]
    worklist = followed([*diamond, (3, 4, Kind.LOAD, A)], 4)
    assert worklist.values == [0, 1, 2, 3, 3, 4]
    assert [worklist.tainted[part][0] for part in worklist.parts] == [(), (A,), (B,), (A,), (B,), ()]
    origin, target, _, widened = worklist.edges(np.array(worklist.values, np.int32))
    assert list(zip(origin.tolist(), target.tolist(), strict=True)) == [(0, 1), (0, 2), (1, 3), (2, 4), (3, 5)]
    assert not widened.any(), "the load of one key takes nothing that lies under the other, and no path was cut"


def test_a_path_that_grows_in_a_loop_ends() -> None:
    worklist = followed([(0, 1, Kind.SAME, -1), (1, 2, Kind.STORE, A), (2, 1, Kind.SAME, -1), (2, 3, Kind.SAME, -1)], 3)
    paths = [
        worklist.tainted[part][0] for value, part in zip(worklist.values, worklist.parts, strict=True) if value == 3
    ]
    assert paths
    assert max(map(len, paths)) <= MAX_PATH
