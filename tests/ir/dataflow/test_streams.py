"""The four operations: the specification's examples, their laws, and arrays against tokens."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.ir.dataflow import streams, vectorised
from pyrograph.ir.dataflow.errors import DataflowError, ZeroStepError

T, F = True, False
CONTROL = [T, T, F, T, T, T, T, F]

bursts = st.lists(st.lists(st.just(True), max_size=5), min_size=1, max_size=4).map(
    lambda lists: [each for burst in lists for each in [*burst, False]]
)
tokens = st.lists(st.integers(0, 99), max_size=12)
controls = st.lists(st.booleans(), max_size=12)
bounds = st.integers(-30, 30)
steps = st.integers(-5, 5).filter(bool)
edges = st.sampled_from([-(2**63), -(2**63) + 1, -1, 0, 1, 2**63 - 2, 2**63 - 1])


def test_carry_of_the_specification() -> None:
    assert streams.carry(CONTROL, "AB", "CDEFGH") == list("ACDBEFGH")


def test_invariant_of_the_specification() -> None:
    assert streams.invariant(CONTROL, "AB") == list("AAABBBBB")


def test_stream_of_the_specification() -> None:
    assert streams.stream([0], [1], [5]) == ([0, 1, 2, 3, 4, 5], [T, T, T, T, T, F])


def test_a_stream_that_never_runs_emits_one_element() -> None:
    assert streams.stream([3], [1], [3]) == ([3], [F])


def test_gate_of_the_specification() -> None:
    assert streams.gate("ABCDE", [T, T, T, T, F]) == (list("ABCD"), [T, T, T, F])


def test_a_stream_counts_down() -> None:
    assert streams.stream([5], [-2], [0]) == ([5, 3, 1, -1], [T, T, T, F])


def test_several_bursts_follow_each_other() -> None:
    index, cont = streams.stream([0, 7, 2], [1, 1, -1], [2, 7, 1])
    assert (index, cont) == ([0, 1, 2, 7, 2, 1], [T, T, F, F, T, F])
    assert streams.gate(index, cont) == ([0, 1, 2], [T, F, F])


def test_a_step_of_zero_is_an_error_with_a_code() -> None:
    with pytest.raises(ZeroStepError, match="RT_DATAFLOW_STREAM_ZERO_STEP"):
        streams.stream([0], [0], [5])
    with pytest.raises(ZeroStepError, match="RT_DATAFLOW_STREAM_ZERO_STEP"):
        vectorised.stream(np.array([0]), np.array([0]), np.array([5]))


def test_a_zero_step_counts_only_once_all_three_operands_are_there() -> None:
    assert streams.stream([0], [0], []) == ([], [])


@given(bursts, st.data())
def test_carry_and_invariant_are_as_long_as_their_control_stream(d: list[bool], data: st.DataObject) -> None:
    count, rounds = d.count(False), d.count(True)
    initial = data.draw(st.lists(st.integers(), min_size=count, max_size=count))
    fed = data.draw(st.lists(st.integers(), min_size=rounds, max_size=rounds))
    assert len(streams.carry(d, initial, fed)) == len(d)
    assert len(streams.invariant(d, initial)) == len(d)


@given(bursts)
def test_carry_begins_each_burst_with_its_initial_value(d: list[bool]) -> None:
    output = streams.carry(d, [("initial", i) for i in range(d.count(False))], [("fed", i) for i in range(len(d))])
    starts = [at for at in range(len(d)) if at == 0 or not d[at - 1]]
    assert [output[at] for at in starts] == [("initial", i) for i in range(len(starts))]
    assert [each for each in output if each[0] == "fed"] == [("fed", i) for i in range(d.count(True))]


@given(bursts)
def test_gate_cuts_each_burst_s_last_value_and_first_condition(d: list[bool]) -> None:
    value, cond = streams.gate(list(range(len(d))), d)
    assert value == [at for at in range(len(d)) if d[at]]
    assert cond == [d[at] for at in range(1, len(d)) if d[at - 1]]


@given(st.integers())
def test_a_gate_of_length_one_is_empty(value: int) -> None:
    assert streams.gate([value], [False]) == ([], [])


@given(bounds, steps, bounds)
def test_a_stream_is_python_s_range_and_one_more(start: int, step: int, bound: int) -> None:
    index, cont = streams.stream([start], [step], [bound])
    rounds = list(range(start, bound, step))
    assert index == [*rounds, start + len(rounds) * step]
    assert cont == [True] * len(rounds) + [False]


@given(controls, tokens, tokens)
def test_arrays_carry_as_tokens_do(d: list[bool], a: list[int], b: list[int]) -> None:
    assert vectorised.carry(np.array(d, bool), np.array(a, int), np.array(b, int)).tolist() == streams.carry(d, a, b)


@given(controls, tokens)
def test_arrays_repeat_as_tokens_do(d: list[bool], a: list[int]) -> None:
    assert vectorised.invariant(np.array(d, bool), np.array(a, int)).tolist() == streams.invariant(d, a)


@given(tokens, controls)
def test_arrays_are_gated_as_tokens_are(value: list[int], cond: list[bool]) -> None:
    fast = vectorised.gate(np.array(value, int), np.array(cond, bool))
    assert (fast[0].tolist(), fast[1].tolist()) == streams.gate(value, cond)


@given(st.lists(st.tuples(bounds, steps, bounds), max_size=5))
def test_arrays_count_as_tokens_do(operands: list[tuple[int, int, int]]) -> None:
    start, step, bound = (list(each) for each in zip(*operands, strict=True)) if operands else ([], [], [])
    index, cont = vectorised.stream(*(np.array(each, np.int64) for each in (start, step, bound)))
    assert (index.tolist(), cont.tolist()) == streams.stream(start, step, bound)


@given(edges, st.integers(2**61, 2**63 - 1), st.sampled_from([1, -1]), edges)
def test_both_refuse_an_index_beyond_64_bits(start: int, size: int, sign: int, bound: int) -> None:
    operands = [start], [sign * size], [bound]
    try:
        expected = streams.stream(*operands)
    except DataflowError:
        with pytest.raises(DataflowError, match="64 bits"):
            vectorised.stream(*(np.array(each, np.int64) for each in operands))
    else:
        index, cont = vectorised.stream(*(np.array(each, np.int64) for each in operands))
        assert (index.tolist(), cont.tolist()) == expected
