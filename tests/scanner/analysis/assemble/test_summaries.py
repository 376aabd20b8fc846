"""Summaries: which arguments reach which results, by hand-made calls; properties are in ``test_search``."""

from __future__ import annotations

import numpy as np
import pytest

from pyrograph.ir.packed import ASCENDING, DESCENDING, FIRST_SUMMARY, LAYERS
from pyrograph.scanner.analysis.assemble.edges import Context
from pyrograph.scanner.analysis.assemble.summaries import Summaries, summarise, two_layers

CALL, RETURN, INTRA, HEAP = Context.CALL, Context.RETURN, Context.INTRA, Context.HEAP
Edge = tuple[int, int, Context, int]


def column(numbers: list[int]) -> np.ndarray:
    return np.array(numbers, np.int32)


def columns(edges: list[Edge]) -> list[np.ndarray]:
    return [column([int(edge[i]) for edge in edges]) for i in range(4)]


def found(edges: list[Edge], masks: list[int] | None = None) -> list[tuple[int, int, int, int]]:
    origin, target, context, site = columns(edges)
    mask = np.array(masks if masks is not None else [3] * len(edges), np.int64)
    summaries = summarise(origin, target, mask, context, site)
    rows = (summaries.origin, summaries.target, summaries.site, summaries.mask)
    return list(zip(*(row.tolist() for row in rows), strict=True))


IDENTITY: list[Edge] = [(10, 11, INTRA, -1)]


def test_an_argument_reaches_the_result_of_its_own_call() -> None:
    edges = [(0, 10, CALL, 5), (11, 1, RETURN, 5), (2, 10, CALL, 6), (11, 3, RETURN, 6), *IDENTITY]
    assert found(edges) == [(0, 1, 5, 3), (2, 3, 6, 3)]


@pytest.mark.parametrize(
    ("masks", "expected"), [([3, 3, 1], 1), ([2, 3, 3], 2), ([3, 2, 3], 2), ([1, 2, 3], 0), ([3, 3, 0], 0)]
)
def test_a_summary_has_the_vulnerabilities_that_survive_all_its_edges(masks: list[int], expected: int) -> None:
    edges = [(0, 10, CALL, 5), (11, 1, RETURN, 5), *IDENTITY]
    assert found(edges, masks) == ([(0, 1, 5, expected)] if expected else [])


def test_two_paths_through_a_callee_join_their_masks() -> None:
    edges = [(0, 10, CALL, 5), (12, 1, RETURN, 5), (10, 11, INTRA, -1), (11, 12, INTRA, -1), (10, 12, INTRA, -1)]
    assert found(edges, [3, 3, 1, 3, 2]) == [(0, 1, 5, 3)]


def test_a_callee_calls_another() -> None:
    edges = [(0, 10, CALL, 5), (13, 1, RETURN, 5), (10, 20, CALL, 7), (21, 13, RETURN, 7), (20, 21, INTRA, -1)]
    assert found(edges) == [(0, 1, 5, 3), (10, 13, 7, 3)]


def test_recursion_ends_and_is_found() -> None:
    # f(x): return x, or f(x) again
    edges = [(0, 10, CALL, 5), (11, 1, RETURN, 5), *IDENTITY, (10, 10, CALL, 7), (11, 11, RETURN, 7)]
    assert found(edges) == [(0, 1, 5, 3), (10, 11, 7, 3)]


def test_what_leaves_the_procedure_is_no_summary() -> None:
    assert found([(0, 10, CALL, 5), (11, 1, RETURN, 5), (10, 11, HEAP, -1)]) == []
    assert found([(0, 10, CALL, 5), (11, 1, RETURN, 6), *IDENTITY]) == []
    assert found([(0, 10, CALL, 5), *IDENTITY]) == []


def test_layers_match_calls_and_returns() -> None:
    edges = [(0, 1, INTRA, -1), (1, 2, CALL, 5), (2, 3, RETURN, 5), (3, 4, HEAP, -1)]
    summaries = Summaries(column([1]), column([3]), column([5]), np.array([1], np.int64))
    origin, target, context, _ = columns(edges)
    up, down = ASCENDING, DESCENDING
    rows = two_layers(origin, target, context, summaries)
    layered = sorted(
        (u // LAYERS, u % LAYERS, v // LAYERS, v % LAYERS, row)
        for u, v, row in zip(*(each.tolist() for each in rows), strict=True)
    )
    assert layered == sorted(
        [
            (0, up, 1, up, 0),
            (0, down, 1, down, 0),
            (1, up, 2, down, 1),
            (1, down, 2, down, 1),
            (2, up, 3, up, 2),
            (3, up, 4, up, 3),
            (3, down, 4, up, 3),
            (1, up, 3, up, FIRST_SUMMARY),
            (1, down, 3, down, FIRST_SUMMARY),
        ]
    )


def test_edges_keep_the_numbers_that_they_are_given() -> None:
    nothing = Summaries(column([]), column([]), column([]), np.empty(0, np.int64))
    _, _, rows = two_layers(column([0]), column([1]), column([int(RETURN)]), nothing, rows=np.array([77]))
    assert rows.tolist() == [77]
