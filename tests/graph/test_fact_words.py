"""The fact words of ``graph.fixpoint`` are ``!dataflow.tagged`` values: what is followed below, what is alive above."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyrograph import graph
from pyrograph.graph.transfer import fact_word, fact_words
from pyrograph.ir.dataflow.types import FACT, SCALARS, Tagged

PAYLOADS = st.integers(0, (1 << FACT.value.width) - 1)
TAGS = st.integers(0, (1 << FACT.tag) - 1)


def test_a_fact_word_is_a_tagged_value_of_the_dialect() -> None:
    assert str(FACT) == "!dataflow.tagged<i32, i16>"
    assert Tagged(SCALARS["i32"], 16) == FACT
    assert FACT.width <= 64


@given(PAYLOADS, TAGS)
def test_packing_a_fact_is_the_dialect_s_packing(payload: int, tag: int) -> None:
    assert fact_word(payload, tag) == FACT.pack(payload, tag)
    assert fact_words(np.array([payload]), np.array([tag])).tolist() == [FACT.pack(payload, tag)]


@st.composite
def flows(draw: st.DrawFn) -> tuple[int, list[tuple[int, int, int]]]:
    """Nodes, and edges with the vulnerabilities that survive each; node 0 is the source, the last the sink."""
    count = draw(st.integers(2, 6))
    node = st.integers(0, count - 1)
    return count, draw(st.lists(st.tuples(node, node, TAGS), max_size=12))


@given(flows(), PAYLOADS.filter(bool), TAGS)
def test_a_batch_of_vulnerabilities_in_the_tag_is_one_search_for_each(
    flow: tuple[int, list[tuple[int, int, int]]], payload: int, tag: int
) -> None:
    """The payload arrives whole, and tag bit v arrives where a search over the edges that let v through does."""
    count, edges = flow
    roles = [graph.Role.SOURCE, *[graph.Role.NORMAL] * (count - 2), graph.Role.SINK]
    data = graph.node_words(roles)
    whole = (1 << FACT.value.width) - 1
    words = [fact_word(whole, mask) for _, _, mask in edges]
    tagged = graph.to_csr(count, [edge[:2] for edge in edges], node_data=data, edge_data=words).graph
    arrived = 0  # each bit stands in the row of the depth at which it first arrives
    for row in graph.fixpoint(tagged, [0], graph.Masks(), words=[fact_word(payload, tag)]).rows():
        arrived |= row[4]
    alive = 0
    for vulnerability in range(FACT.tag):
        bit = 1 << vulnerability
        through = [edge[:2] for edge in edges if edge[2] & bit]
        alone = graph.to_csr(count, through, node_data=data).graph
        if tag & bit and graph.fixpoint(alone, [0], graph.Reach()).rows():
            alive |= bit
    reached = graph.fixpoint(
        graph.to_csr(count, [e[:2] for e in edges], node_data=data).graph, [0], graph.Reach()
    ).rows()
    signed = payload - (1 << 32) if payload >> 31 else payload
    assert FACT.unpack(arrived) == ((signed, alive) if reached else (0, 0))
