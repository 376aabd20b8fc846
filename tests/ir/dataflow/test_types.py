"""Types: what may be tagged, and that a value and its tag are one word, exactly."""

from __future__ import annotations

import math
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.ir.dataflow.errors import DataflowError
from pyrograph.ir.dataflow.types import SCALARS, Scalar, Tagged, type_of

INTEGERS = [scalar for scalar in SCALARS.values() if not scalar.exponent]
FLOATS = [scalar for scalar in SCALARS.values() if scalar.exponent]


@pytest.mark.parametrize(
    "text", ["!dataflow.tagged<i32, i4>", "!dataflow.tagged<f32, i5>", "!dataflow.tagged<index, i1>"]
)
def test_types_of_the_specification(text: str) -> None:
    assert str(type_of(text)) == text


def test_the_packing_of_the_specification() -> None:
    tagged = type_of("!dataflow.tagged<f32, i5>")
    assert isinstance(tagged, Tagged)
    word = tagged.pack(-2.5, 0b10110)
    assert word & 0xFFFFFFFF == struct.unpack("<I", struct.pack("<f", -2.5))[0]  # bits 31:0
    assert word >> 32 == 0b10110  # bits 36:32
    assert word.bit_length() <= tagged.width == 37


def test_all_native_types_are_there() -> None:
    assert list(SCALARS) == ["i1", "i8", "i16", "i32", "i64", "bf16", "f16", "f32", "f64", "index"]


@pytest.mark.parametrize("value", list(SCALARS))
@pytest.mark.parametrize("width", [1, 2, 15, 16])
def test_every_native_type_may_have_a_tag_of_1_to_16_bits(value: str, width: int) -> None:
    assert type_of(f"!dataflow.tagged<{value}, i{width}>") == Tagged(SCALARS[value], width)


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("!dataflow.tagged<i32, i0>", "tag of a tagged type is i0, but must be one of i1 to i16"),
        ("!dataflow.tagged<i32, i17>", "tag of a tagged type is i17"),
        ("!dataflow.tagged<i32, si4>", "integer without sign"),
        ("!dataflow.tagged<i32, ui4>", "integer without sign"),
        ("!dataflow.tagged<i32, f16>", "integer without sign"),
        ("!dataflow.tagged<i32, index>", "integer without sign"),
        ("!dataflow.tagged<i2, i4>", "value of a tagged type is i2"),
        ("!dataflow.tagged<f8, i4>", "value of a tagged type is f8"),
        ("!dataflow.tagged<vector<4xi32>, i4>", "must be scalar; the dialect has no vector types"),
        ("!dataflow.tagged<tensor<4xi32>, i4>", "no tensor types"),
        ("!dataflow.tagged<memref<4xi32>, i4>", "no memref types"),
        ("!dataflow.tagged<complex<f32>, i4>", "no complex types"),
        ("!dataflow.tagged<none, i4>", "must be one of i1, i8"),
        ("!dataflow.tagged<i32>", "no tagged type"),
        ("vector<4xi32>", "no vector types"),
        ("i4", "must be one of"),
    ],
)
def test_other_types_are_refused_by_name(text: str, trouble: str) -> None:
    with pytest.raises(DataflowError, match=trouble):
        type_of(text)


def tags(tagged: Tagged) -> st.SearchStrategy[int]:
    return st.integers(0, (1 << tagged.tag) - 1)


tagged_types = st.builds(Tagged, st.sampled_from(list(SCALARS.values())), st.integers(1, 16))


@given(tagged_types, st.data())
def test_any_bits_of_a_value_and_its_tag_come_back(tagged: Tagged, data: st.DataObject) -> None:
    bits = data.draw(st.integers(0, (1 << tagged.value.width) - 1))
    tag = data.draw(tags(tagged))
    value = tagged.value.decode(bits)
    word = tagged.pack(value, tag)
    assert word == tag << tagged.value.width | bits  # the value below, the tag above; NaNs keep every bit
    again, same_tag = tagged.unpack(word)
    assert same_tag == tag
    assert again == value or (math.isnan(again) and math.isnan(value))


@pytest.mark.parametrize("scalar", INTEGERS, ids=str)
def test_whole_numbers_are_two_s_complement(scalar: Scalar) -> None:
    highest = (1 << (scalar.width - 1)) - 1 if scalar.width > 1 else 1
    lowest = -(1 << (scalar.width - 1)) if scalar.width > 1 else 0
    for value in (lowest, 0, highest):
        assert scalar.decode(scalar.encode(value)) == value
    with pytest.raises(DataflowError, match="does not fit"):
        scalar.encode(1 << scalar.width)


@pytest.mark.parametrize("scalar", FLOATS, ids=str)
def test_floats_are_ieee_s_and_are_never_rounded(scalar: Scalar) -> None:
    formats = {"f16": ("<e", "<H"), "f32": ("<f", "<I"), "f64": ("<d", "<Q")}
    for value in (0.0, -0.0, 1.0, -2.5, math.inf, -math.inf):
        bits = scalar.encode(value)
        assert math.copysign(1, scalar.decode(bits)) == math.copysign(1, value)
        assert scalar.decode(bits) == value
        if scalar.name in formats:
            number, whole = formats[scalar.name]
            assert bits == struct.unpack(whole, struct.pack(number, value))[0]
        else:  # the upper half of an f32
            assert bits == struct.unpack("<I", struct.pack("<f", value))[0] >> 16
    if scalar.width < 64:
        with pytest.raises(DataflowError, match="exactly"):
            scalar.encode(0.1)
        with pytest.raises(DataflowError, match="exactly"):
            scalar.encode(1e300)


def test_a_tag_or_a_word_that_is_too_large_is_refused() -> None:
    tagged = Tagged(SCALARS["i8"], 3)
    with pytest.raises(DataflowError, match="does not fit into the 3 bits"):
        tagged.pack(0, 8)
    with pytest.raises(DataflowError, match="more than the 11 bits"):
        tagged.unpack(1 << 11)
