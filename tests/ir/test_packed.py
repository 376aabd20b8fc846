"""What is packed into one number comes out again, and cannot be mistaken for anything else in its column."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pyrograph.ir.codes import NO_STRING, UNKNOWN_KEY
from pyrograph.ir.packed import (
    KIND,
    KIND_BITS,
    PAIR_BITS,
    PAIR_LOW,
    SUBJECT_MASK,
    key_value,
    pack_pair,
    pack_state,
    state_kind,
    state_subject,
    subjects,
    value_key,
)

kinds = st.integers(0, KIND)
rows = st.integers(0, (1 << 28) - 1)


@given(kinds, rows)
def test_a_state_is_its_kind_and_its_subject(kind: int, subject: int) -> None:
    state = pack_state(kind, subject)
    assert (state_kind(state), state_subject(state)) == (kind, subject) == (state & KIND, state >> KIND_BITS)


@given(kinds, kinds, rows)
def test_a_state_without_its_kind_takes_another(kind: int, other: int, subject: int) -> None:
    assert pack_state(kind, subject) & SUBJECT_MASK | other == pack_state(other, subject)


@given(st.lists(st.tuples(kinds, rows)), kinds)
def test_subjects_are_those_of_the_kind_in_order(states: list[tuple[int, int]], kind: int) -> None:
    packed = [pack_state(*state) for state in states]
    assert subjects(packed, kind) == [subject for each, subject in states if each == kind]


@given(rows)
def test_a_key_that_is_a_value_is_no_string_and_not_the_unknown_key(value: int) -> None:
    key = value_key(value)
    assert key_value(key) == value
    assert NO_STRING < key < UNKNOWN_KEY


@given(st.tuples(rows, rows), st.tuples(rows, rows))
def test_pairs_sort_as_tuples_do(one: tuple[int, int], other: tuple[int, int]) -> None:
    packed = [pack_pair(*each) for each in (one, other)]
    assert (packed[0] < packed[1]) == (one < other)
    assert (packed[0] >> PAIR_BITS, packed[0] & PAIR_LOW) == one
