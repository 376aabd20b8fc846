"""Valid TypeScript and Go that the grammars do not know is left out or renamed; places stay the same."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.parsers import lower
from pyrograph.parsers.go.syntax.unparsed import OTHER_NAME, with_plain_calls
from pyrograph.parsers.javascript.syntax.unparsed import without_types
from pyrograph.policy.limits.parsing import MAX_BLANKED


@pytest.mark.parametrize(
    ("source", "types"),
    [
        ("gql<A, B>`q`", "<A, B>"),
        ("styled.div<{ on: (x: A<B>) => C }>`q`", "<{ on: (x: A<B>) => C }>"),
        ("f(x)<A>\n`q`", "<A>"),
        ("g<\n  A\n>`q`", "<\n  A\n>"),
        ("export type * from './a'", "type"),
        ("f /* a */ <A> /* `b` */ `q`", "<A>"),
        ("f<A>`q` /* <B>`r` /*", "<A>"),
        ("`<b>${x}</b>`", ""),
        ("a >`q`", ""),
        ("x = 1", ""),
    ],
)
def test_types_become_blanks(source: str, types: str) -> None:
    blanks = "".join("\n" if each == "\n" else " " for each in types)
    assert without_types(source.encode()).decode() == source.replace(types, blanks)


def test_long_types_stay() -> None:
    source = b"f<" + b"A" * MAX_BLANKED + b">`q`"
    assert without_types(source) is source


@given(st.text(alphabet="a<>`=\n $({", max_size=60))
def test_length_and_lines_stay_the_same(text: str) -> None:
    source = text.encode()
    parsed = without_types(source)
    assert len(parsed) == len(source)
    assert [at for at, each in enumerate(parsed) if each == 10] == [at for at, each in enumerate(source) if each == 10]


@pytest.mark.parametrize("language", ["typescript", "tsx"])
def test_nothing_is_lost_of_a_tagged_template_with_types(language: str) -> None:
    unit = lower(b"const a = styled.div<{ wide: boolean }>`x`\nexport type * from './types'\n", language)
    assert unit.problems == []


@pytest.mark.parametrize("language", ["javascript", "tsx"])
@pytest.mark.parametrize(
    "text",
    [
        "Date & Time",
        "R&D, Q&A's",
        "a && b {x} & c <i>d & e</i> & f",
        "&amp; & &copy",
        "& don't &#169; &\n&",
        "{a & b} & c",
    ],
)
def test_an_ampersand_in_the_text_of_jsx_costs_nothing(text: str, language: str) -> None:
    unit = lower(f"const a = <p title='a & b'>{text}</p>;\nf(a & b);\n".encode(), language)
    assert unit.problems == []
    assert not unit.error_nodes


@pytest.mark.parametrize("source", ["a & ;", "f(<p>{a & }</p>)"])
def test_an_ampersand_in_code_stays_an_error(source: str) -> None:
    assert lower(source.encode(), "tsx").problems


@pytest.mark.parametrize("value", ['"s"', "1", "f(a)", "items[0]", "a + b", '[]string{"a"}', " 1", "*p + 1"])
def test_new_of_a_value_is_parsed_as_a_call(value: str) -> None:
    source = f"package p\n\nvar x = new({value})\n".encode()
    assert with_plain_calls(source) == source.replace(b"new", OTHER_NAME)
    assert not lower(source, "go").problems


@pytest.mark.parametrize(
    "type_",
    [
        *("T", "a.T", "*T", "[]T", "[4]byte", "T[int]", "a.T[map[string]int]", "map[string][]int"),
        *("[]map[int]int", "chan int", "struct{}", "func()", ""),
    ],
)
def test_new_of_a_type_stays(type_: str) -> None:
    source = f"package p\n\nvar x, y = new({type_}), c.new(1)\n".encode()
    assert with_plain_calls(source) == source
