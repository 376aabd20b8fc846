"""Edges are parallel columns; keys can be replaced in all of them."""

from __future__ import annotations

import numpy as np
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, Context, Edges, Kind
from pyrograph.scanner.analysis.assemble.flow import data_flow


def rows(edges: Edges) -> list[tuple[int, ...]]:
    columns = (edges.origin, edges.target, edges.kind, edges.key, edges.context, edges.site, edges.assumed)
    return list(zip(*(np.concatenate(column).tolist() for column in columns), strict=True))


def test_columns_have_one_cell_for_each_edge() -> None:
    edges = Edges()
    edges.add([1, 2], [3, 4], Kind.SAME)
    edges.add([5, 6], [7, 8], Kind.LOAD, key=[9, 10], context=Context.CALL, site=[11, 12], assumed=1)
    edges.add([], [], Kind.DERIVED)
    assert rows(edges) == [
        (1, 3, Kind.SAME, -1, Context.INTRA, -1, 0),
        (2, 4, Kind.SAME, -1, Context.INTRA, -1, 0),
        (5, 7, Kind.LOAD, 9, Context.CALL, 11, 1),
        (6, 8, Kind.LOAD, 10, Context.CALL, 12, 1),
    ]


def test_a_key_is_replaced_where_it_is_a_key() -> None:
    edges = Edges(transfers=[((5, 6), (5,))])
    for kind in (Kind.LOAD, Kind.STORE, Kind.KILL, Kind.MOVE, Kind.SLICE):
        edges.add([0, 1], [2, 3], kind, key=[5, 7])
    edges.rename(5, OWN_KEYS)
    assert [row[3] for row in rows(edges)] == [OWN_KEYS, 7] * 3 + [5, 7] * 2, "rows of other tables are no keys"
    assert edges.transfers == [((OWN_KEYS, 6), (OWN_KEYS,))]


def test_hidden_keys_of_the_program_become_keys_that_any_key_does_not_match() -> None:
    code = "const f = o => { for (const k of Object.keys(o)) use(k) }\nf(g())\n"
    flow = '[propagator]\nflow = ["globalThis.Object.keys: 0[<keys>] => ret[]"]\n'
    found = labelled(code, flow, "javascript", everywhere=True)
    edges = data_flow(found.program, found.resolution, found.labels)
    assert [take for take, _ in edges.transfers] == [(OWN_KEYS,)]
