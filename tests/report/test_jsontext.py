from __future__ import annotations

import io
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.report.jsontext import write_json

LEAVES = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(st.text(), inner),
    max_leaves=40,
)


def deep(value: Any, levels: int) -> Any:
    for level in range(levels):
        value = {"a": value, "b": []} if level % 2 else [value, {}]
    return value


@given(value=VALUES, levels=st.integers(0, 7))
def test_the_text_is_that_of_the_standard_library(value: Any, levels: int) -> None:
    stream = io.StringIO()
    write_json(deep(value, levels), stream)
    assert stream.getvalue() == json.dumps(deep(value, levels), indent=1)


def test_a_lone_surrogate_and_a_control_character_are_escapes() -> None:
    stream = io.StringIO()
    write_json({"\udcff": "\x1b\u2028\U0001f600"}, stream)
    assert stream.getvalue() == '{\n "\\udcff": "\\u001b\\u2028\\ud83d\\ude00"\n}'


def test_what_json_does_not_know_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold a set"):
        write_json({"a": [set()]}, io.StringIO())
