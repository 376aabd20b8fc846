"""Constants are computed only where the result is short enough to be kept."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.parsers.folding import padded, power, repeated, replaced, shifted, times, zero_filled
from pyrograph.policy.limits.lowering import MAX_CONSTANT_BITS, MAX_CONSTANT_TEXT

SHORT = st.text("ab<", max_size=6)
COUNTS = st.integers(-3, 10**15)


@given(SHORT, COUNTS)
def test_a_text_is_repeated_as_python_does_or_not_at_all(text: str, count: int) -> None:
    if len(text) * count > MAX_CONSTANT_TEXT:
        with pytest.raises(ValueError, match="too long"):
            times(text, count)
        with pytest.raises(ValueError, match="too long"):
            times(count, text)
    elif text:
        assert times(text, count) == times(count, text) == repeated(text, count) == text * count


@given(SHORT, SHORT, st.text("ab<", max_size=2000), st.integers(-1, 5))
def test_a_replacement_is_that_of_python_or_too_long(text: str, old: str, new: str, count: int) -> None:
    expected = text.replace(old, new, count)
    if len(expected) <= MAX_CONSTANT_TEXT:
        assert replaced(text, old, new, count) == expected
    else:
        with pytest.raises(ValueError, match="too long"):
            replaced(text, old, new, count)


@given(SHORT, st.integers(-3, 50))
def test_padding_is_that_of_python(text: str, width: int) -> None:
    assert padded(text, width, "0") == text.ljust(width, "0")
    assert padded(text, width, left=True) == text.rjust(width)
    assert zero_filled(text, width) == text.zfill(width)


@pytest.mark.parametrize("fill", [lambda: padded("a", 10**12), lambda: zero_filled("a", 10**12)])
def test_no_text_is_filled_beyond_what_is_kept(fill: object) -> None:
    with pytest.raises(ValueError, match="too long"):
        fill()  # type: ignore[operator]


@given(st.integers(-(2**64), 2**64), st.integers(0, 70))
def test_powers_and_shifts_are_those_of_python_or_too_long(number: int, by: int) -> None:
    for function, expected in ((power, number**by), (shifted, number << by)):
        try:
            found = function(number, by)
        except ValueError:
            assert function is power
            assert expected.bit_length() > MAX_CONSTANT_BITS
        else:
            assert found == expected


def test_huge_powers_and_shifts_are_refused_and_so_is_what_is_no_real_number() -> None:
    for function, by in ((power, 10**12), (shifted, 10**12)):
        with pytest.raises(ValueError, match="too long"):
            function(9, by)
    with pytest.raises(TypeError):
        power(-2, 0.5)
    assert power(1, 10**12) == 1
    assert times(6, 7) == 42
