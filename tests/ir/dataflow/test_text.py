"""Graphs as text, and what the verifier says of those that break a constraint."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.ir.dataflow.test_lower import Loop, Writer, loops

from pyrograph.ir.dataflow import text as module
from pyrograph.ir.dataflow.errors import DataflowError, ParseError
from pyrograph.ir.dataflow.interpret import interpret
from pyrograph.ir.dataflow.lower import loop_graphs
from pyrograph.ir.dataflow.text import parse, parse_all, printed
from pyrograph.ir.dataflow.verify import verify
from pyrograph.parsers import lower

EXAMPLE = "\n".join(line[4:] for line in (module.__doc__ or "").splitlines() if line.startswith("    "))


def graph(*lines: str, arguments: str = "%d: i1, %a: i32, %b: i32, %f: f32, %i: index") -> str:
    return "\n".join([f"graph @g({arguments}) -> () {{", *lines, "return", "}"])


@pytest.mark.parametrize(
    "line",
    [
        "%o = dataflow.carry %d, %a, %b : i1, i32, i32 -> i32",
        "%o = dataflow.invariant %d, %a : i1, i32 -> i32",
        "%idx, %cont = dataflow.stream %i, %i, %i",
        "%after_value, %after_cond = dataflow.gate %a, %d\n  : i32, i1 -> i32, i1",
        "%o = dataflow.carry %d, %t, %t : i1, !dataflow.tagged<f32, i5>, !dataflow.tagged<f32, i5> -> "
        "!dataflow.tagged<f32, i5>",
    ],
)
def test_the_syntax_of_the_specification(line: str) -> None:
    found = parse(graph(line, arguments="%d: i1, %a: i32, %b: i32, %i: index, %t: !dataflow.tagged<f32, i5>"))
    assert verify(found) == []
    assert parse(printed(found)) == found


def test_the_example_of_the_text_runs() -> None:
    found = parse(EXAMPLE)
    assert verify(found) == []
    assert interpret(found, {"n": [5, 0, 3]}, activations=3) == [[10, 0, 3]]


@pytest.mark.parametrize(
    ("line", "trouble"),
    [
        ("%o = dataflow.carry %a, %a, %b : i32, i32, i32 -> i32", "control stream must be i1, not i32"),
        ("%o = dataflow.carry %d, %a, %f : i1, i32, f32 -> i32", "must have the same type"),
        ("%o = dataflow.carry %d, %a, %b : i1, i32, i32 -> f32", "must have the same type"),
        ("%o = dataflow.carry %d, %a : i1, i32 -> i32", "2 operands and 1 results, but must have 3 and 1"),
        ("%o = dataflow.carry %d, 5, %b : i1, i32, i32 -> i32", "operand 5 is no value"),
        ("%o = dataflow.carry %d, %f, %b : i1, i32, i32 -> i32", "%f is of type f32, not i32"),
        ("%o = dataflow.invariant %f, %a : f32, i32 -> i32", "control stream must be i1, not f32"),
        ("%o = dataflow.invariant %d, %a : i1, i32 -> i64", "value and result must have the same type"),
        ("%x, %c = dataflow.stream %a, %i, %i", "%a is of type i32, not index"),
        ("%x, %c = dataflow.stream %a, %i, %i : i32, index, index -> index, i1", "start, step and bound must be index"),
        ("%x, %c = dataflow.stream %i, %i, %i : index, index, index -> index, index", "results must be index and i1"),
        ("%v, %c = dataflow.gate %a, %b : i32, i32 -> i32, i1", "condition before must be i1, not i32"),
        ("%v, %c = dataflow.gate %a, %d : i32, i1 -> f32, i1", "values before and after must have the same type"),
        ("%v, %c = dataflow.gate %a, %d : i32, i1 -> i32, i32", "condition after must be i1, not i32"),
        ("%o = dataflow.fork %a : i32 -> i32", "there is no such operation"),
        ("%o = flow.add %a, %f : i32, f32 -> i32", "operands and result must have the same type"),
        ("%o = flow.select %a, %a, %b : i32, i32, i32 -> i32", "a truth value must be i1"),
        ("%o = flow.add %a : i32 -> i32", "it has 1 operands, but must have 2"),
        ("%o = flow.add %a, %o : i32, i32 -> i32", "a cycle without a carry"),
    ],
)
def test_each_constraint_is_named(line: str, trouble: str) -> None:
    assert any(trouble in problem for problem in verify(parse(graph(line)))), verify(parse(graph(line)))


@pytest.mark.parametrize(
    ("text", "place", "trouble"),
    [
        ("graph @g() -> () {\n  %o = dataflow.invariant %d, %a : i1, i33 -> i33\nreturn }", "2:40", "i33"),
        ("graph @g(%a: i1, %a: i1) -> () { return }", "1:18", "%a is defined twice"),
        ("graph @g() -> () {\n  %o = flow.not %x : i1 -> i1\n  return\n}", "2:17", "%x is defined nowhere"),
        ("graph @g(%a: i1) -> (index) { return %a }", "1:22", "not the types of what is returned"),
        ("graph @g() -> () {\n  %o = flow.not\n", "3:1", "expected"),
        ("graph @g() -> () { return } &", "1:29", "'&' is not expected here"),
        ("loop @g() -> () { return }", "1:1", "graph is expected, not loop"),
        ("graph @g(%a: !dataflow.tagged<i32, i17>) -> () { return }", "1:14", "i1 to i16"),
    ],
)
def test_an_error_has_a_place(text: str, place: str, trouble: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse(text)
    assert str(caught.value).startswith(f"{place}: "), caught.value
    assert trouble in str(caught.value)


def test_several_graphs_stand_in_one_text() -> None:
    assert len(parse_all(EXAMPLE + "\n// and again\n" + EXAMPLE)) == 2


@settings(max_examples=40, deadline=None)
@given(loops(1), st.sampled_from(["python", "javascript", "go"]))
def test_reading_what_was_written_gives_the_same_graph(loop: Loop, language: str) -> None:
    for found in loop_graphs(lower(Writer(language).program(loop).encode(), language)):
        assert parse(printed(found.graph)) == found.graph


@given(st.text(max_size=20))
def test_any_text_may_stand_in_quotes(attribute: str) -> None:
    given_graph = parse(graph('%o = flow.call "x" %a : i32 -> i32'))
    (operation,) = given_graph.operations
    changed = replace(given_graph, operations=(replace(operation, attribute=attribute),))
    assert parse(printed(changed)) == changed


@given(st.text(alphabet='%@graphdataflow.cy{}()=,:->?"5i1 \n!<>', max_size=60))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        parse_all(text)
    except DataflowError:
        return
