"""Facts of summaries, in rounds and by the worklist, against the definition."""

from __future__ import annotations

from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.scanner.analysis.assemble import facts
from pyrograph.scanner.analysis.assemble.facts import Level, facts_at_exits

Row = tuple[int, int, int]  # of edges: origin, target, mask
Call = tuple[int, int, int, int]  # inner end, site, outer end, mask

NODES, SITES, EVERY = 9, 3, 7
node, site, mask = st.integers(0, NODES - 1), st.integers(0, SITES - 1), st.integers(1, EVERY)
calls = st.lists(st.tuples(node, site, node, mask), max_size=8)


def level(inside: list[Row], entered: list[Call], left: list[Call]) -> Level:
    tables = [(inside, 3), (entered, 4), (left, 4)]
    columns = [column for rows, width in tables for column in np.array(rows, np.int64).reshape(-1, width).T]
    return Level(NODES, *columns)


def by_definition(inside: list[Row], entered: list[Call], left: list[Call]) -> dict[tuple[int, int], int]:
    """(node, formal) -> mask: one bit at a time, until nothing changes."""
    found = {(formal, formal): EVERY for formal, *_ in entered}
    edges = dict[tuple[int, int], int]()
    for origin, target, passing in inside:
        edges[origin, target] = edges.get((origin, target), 0) | passing
    while True:
        before = dict(found), dict(edges)
        for (at, formal), bits in before[0].items():
            for (origin, target), passing in before[1].items():
                if origin == at:
                    found[target, formal] = found.get((target, formal), 0) | bits & passing
            for end, call, result, leaving in left:
                for inner, other, argument, entering in entered:
                    if (end, inner, call) == (at, formal, other):
                        known = edges.get((argument, result), 0)
                        edges[argument, result] = known | bits & leaving & entering
        if before == (found, edges):
            return {pair: bits for pair, bits in found.items() if bits}


@pytest.mark.parametrize("narrow", [0, 2, 5, 1000])
@given(st.lists(st.tuples(node, node, mask), max_size=10), calls, calls)
def test_rounds_and_worklist_find_what_the_definition_says(
    narrow: int, inside: list[Row], entered: list[Call], left: list[Call]
) -> None:
    at_exits = {end for end, *_ in left}
    is_exit = np.isin(np.arange(NODES), list(at_exits))
    formals = np.array(sorted({formal for formal, *_ in entered}), np.int64)
    with mock.patch.object(facts, "NARROW_ROUND", narrow):
        starts = formals, formals, np.full(len(formals), EVERY)
        pairs, masks = facts_at_exits(level(inside, entered, left), starts, is_exit)
    assert (np.diff(pairs) > 0).all()
    expected = by_definition(inside, entered, left)
    assert {divmod(pair, NODES): bits for pair, bits in zip(pairs.tolist(), masks.tolist(), strict=True)} == {
        pair: bits for pair, bits in expected.items() if pair[0] in at_exits
    }


def test_a_chain_of_calls_takes_a_worklist_and_no_round_each() -> None:
    # f0 calls f1 calls f2 ...: formal 3 * i, argument 3 * i + 1, result 3 * i + 2; the last one returns its argument
    depth = 2000
    formal, argument, result = (3 * np.arange(depth) + each for each in range(3))
    every = np.ones(depth, np.int64)
    chain = Level(
        3 * depth,
        *(formal[:-1], argument[:-1], every[:-1]),
        *(formal[1:], np.arange(depth - 1), argument[:-1], every[:-1]),
        *(np.append(result[1:-1], formal[-1]), np.arange(depth - 1), result[:-1], every[:-1]),
    )
    starts = formal[1:], formal[1:], every[1:]
    through = facts._Joins.through_calls
    with mock.patch.object(facts._Joins, "through_calls", autospec=True, side_effect=through) as rounds:
        pairs, _ = facts_at_exits(chain, starts, np.ones(3 * depth, bool))
    assert rounds.call_count <= 3
    assert {(result[at], formal[at]) for at in range(1, depth - 1)} <= {divmod(pair, 3 * depth) for pair in pairs}
