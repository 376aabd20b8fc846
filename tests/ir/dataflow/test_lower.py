"""Lowered loops are right: running one in Python and running its graph give the same values.

Programs over whole numbers are generated, written in each language, lowered, and the graph of the loop is run for
several activations in a row. What each variable holds after the loop is compared with what Python computes.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st
from tests.scanner.specification import sections

from pyrograph.ir.codes import Op
from pyrograph.ir.dataflow.errors import ZeroStepError
from pyrograph.ir.dataflow.graph import UNKNOWN
from pyrograph.ir.dataflow.interpret import interpret
from pyrograph.ir.dataflow.lower import LoopGraph, loop_graphs
from pyrograph.ir.dataflow.text import parse, printed
from pyrograph.ir.dataflow.verify import verify
from pyrograph.ir.schema import ArgumentRow, CallRow, LoopRow, ParameterRow, ValueRow
from pyrograph.ir.unit import Unit
from pyrograph.parsers import lower, syntaxes

VARIABLES: Final = ("a", "b", "c")


@dataclass(frozen=True)
class Assign:
    target: str
    left: str
    operator: str
    right: str


@dataclass(frozen=True)
class If:
    test: str
    then: tuple[Statement, ...]
    otherwise: tuple[Statement, ...]


@dataclass(frozen=True)
class Leave:
    word: str  # break or continue


@dataclass(frozen=True)
class Loop:
    kind: str  # while, do, up or down
    test: str  # a second condition of while
    bound: str
    step: int
    body: tuple[Statement, ...]


Statement = Assign | If | Leave | Loop

operands = st.one_of(st.sampled_from(VARIABLES), st.integers(-3, 12).map(str))
simple_tests = st.builds(
    lambda left, sign, right: f"{left} {sign} {right}",
    st.sampled_from(VARIABLES),
    st.sampled_from(["<", "<=", ">", ">=", "==", "!="]),
    operands,
)


def statements(depth: int, *, in_loop: bool) -> st.SearchStrategy[tuple[Statement, ...]]:
    choices: list[st.SearchStrategy[Statement]] = [
        st.builds(Assign, st.sampled_from(VARIABLES), operands, st.sampled_from("+-"), operands),
        st.builds(Assign, st.sampled_from(VARIABLES), operands, st.just("*"), st.integers(-2, 2).map(str)),
    ]
    if depth:
        inner = statements(depth - 1, in_loop=in_loop)
        choices += [st.builds(If, tests, inner, st.one_of(st.just(()), inner)), loops(depth - 1)]
    if in_loop:
        choices.append(st.builds(Leave, st.sampled_from(["break", "continue"])))
    return st.lists(st.one_of(choices), min_size=1, max_size=3).map(tuple)


tests = st.one_of(
    simple_tests,
    st.builds(
        lambda left, word, right: f"{left} {word} {right}", simple_tests, st.sampled_from(["and", "or"]), simple_tests
    ),
)


def loops(depth: int) -> st.SearchStrategy[Loop]:
    return st.builds(
        Loop,
        st.sampled_from(["while", "up", "down"]),
        st.one_of(st.just(""), tests),
        operands,
        st.integers(1, 3),
        statements(depth, in_loop=True),
    )


@dataclass
class Writer:
    """Writes a program in one language; every loop ends, since it counts its own rounds."""

    language: str
    loops: int = 0

    def program(self, loop: Loop) -> str:
        lines = self.statement(loop, 1)
        names = ", ".join(VARIABLES)
        if self.language == "python":
            return "\n".join([f"def f({names}):", *lines, f"    use({names})", ""])
        if self.language == "javascript":
            return "\n".join([f"function f({names}) {{", *lines, f"  use({names});", "}", ""])
        return "\n".join(["package p", "", f"func f({names} int) {{", *lines, f"  use({names})", "}", ""])

    def block(self, body: tuple[Statement, ...], depth: int) -> list[str]:
        lines = []
        for statement in body:
            lines += self.statement(statement, depth)
            if isinstance(statement, Leave):
                break  # nothing may stand behind it
        return lines

    def statement(self, statement: Statement, depth: int) -> list[str]:
        pad = "    " * depth
        python, semicolon = self.language == "python", ";" if self.language == "javascript" else ""
        end = [] if python else [f"{pad}}}"]
        if isinstance(statement, Assign):
            return [f"{pad}{statement.target} = {statement.left} {statement.operator} {statement.right}{semicolon}"]
        if isinstance(statement, Leave):
            return [f"{pad}{statement.word}{semicolon}"]
        if isinstance(statement, If):
            lines = [f"{pad}{self.head('if', statement.test)}", *self.block(statement.then, depth + 1)]
            if statement.otherwise:
                lines += [f"{pad}else:" if python else f"{pad}}} else {{", *self.block(statement.otherwise, depth + 1)]
            return lines + end
        return self.loop(statement, depth)

    def loop(self, loop: Loop, depth: int) -> list[str]:
        pad = "    " * depth
        python, semicolon = self.language == "python", ";" if self.language == "javascript" else ""
        end = [] if python else [f"{pad}}}"]
        count = f"t{self.loops}"
        self.loops += 1
        first = {"python": "", "javascript": "let ", "go": ""}[self.language]
        equals = ":=" if self.language == "go" else "="
        if loop.kind == "while":
            test = f"{count} < 4" + (f" and {self.grouped(loop.test)}" if loop.test else "")
            head = self.head("while", test)
            lines = [f"{pad}{first}{count} {equals} 0{semicolon}", f"{pad}{head}"]
            lines += [f"{pad}    {count} = {count} + 1{semicolon}"]
            return [*lines, *self.block(loop.body, depth + 1), *end]
        # a bound counts as it is before the loop, as it does for ``range``
        before = f"n{count}"
        setup = f"{pad}{first}{before} {equals} {loop.bound}{semicolon}"
        start, bound, step = ("0", before, loop.step) if loop.kind == "up" else (before, "-2", -loop.step)
        if python:
            head = f"for {count} in range({start}, {bound}, {step}):"
        else:
            sign, change = ("<", f"+= {step}") if step > 0 else (">", f"-= {-step}")
            clause = f"{first}{count} {equals} {start}; {count} {sign} {bound}; {count} {change}"
            head = f"for ({clause}) {{" if self.language == "javascript" else f"for {clause} {{"
        reads = Assign("a", "a", "+", count)
        few = (
            () if loop.bound not in VARIABLES else (If(f"{count} > 9", (Leave("break"),), ()),)
        )  # a variable may be large
        return [setup, f"{pad}{head}", *self.block((*few, reads, *loop.body), depth + 1), *end]

    def grouped(self, test: str) -> str:
        return f"({test})" if " or " in test else test

    def head(self, word: str, test: str) -> str:
        if self.language == "python":
            return f"{word} {test}:"
        test = test.replace(" and ", " && ").replace(" or ", " || ")
        if self.language == "go":
            return f"{'for' if word == 'while' else word} {test} {{"
        return f"{word} ({test}) {{"


def run(program: str, inputs: tuple[int, ...]) -> list[int]:
    """What ``use`` is given, by Python itself."""
    given: list[int] = []
    names: dict[str, Any] = {"use": lambda *values: given.extend(values)}
    exec(program, names)
    names["f"](*inputs)
    return given


def only_loop(unit: Unit) -> LoopGraph:
    (found,) = loop_graphs(unit, "f")
    return found


def name_of(unit: Unit, value: int) -> str:
    """The parameter that ``value`` is, or is the state of after a call."""
    op, _, _, _, data = unit.rows(ValueRow)[value]
    if op == Op.POST:
        return name_of(unit, unit.rows(ArgumentRow)[data][1])
    assert op == Op.PARAMETER
    return unit.strings[unit.rows(ParameterRow)[data][2]]


def after_loop(unit: Unit, found: LoopGraph, inputs: list[tuple[int, ...]]) -> list[list[int]]:
    """What ``use`` is given, by the graph of the loop: one list for each activation."""
    graph = found.graph
    by_name = dict(zip(VARIABLES, zip(*inputs, strict=True), strict=True))
    arguments = {
        graph.names[at]: list(by_name[name_of(unit, value)])
        for at, value in zip(graph.arguments, found.arguments, strict=True)
    }

    def opaque(name: str, attribute: str | None, operands: tuple[Any, ...]) -> None:
        assert (name, attribute) == ("flow.call", "range"), "only a loop that never runs leaves its range behind"

    results = interpret(graph, arguments, activations=len(inputs), opaque=opaque, max_steps=100_000)
    (call,) = [row for row in unit.rows(CallRow) if unit.strings[unit.rows(ValueRow)[row[1]][4]] == "use"]
    used = [row[1] for row in unit.rows(ArgumentRow) if unit.rows(CallRow)[row[0]] == call]
    of_value = dict(found.results)
    columns = []
    for value, name in zip(used, VARIABLES, strict=True):
        op, _, _, _, data = unit.rows(ValueRow)[value]
        if value in of_value:
            column = results[of_value[value]]
        elif op == Op.CONST:
            column = [int(unit.strings[data])] * len(inputs)
        else:
            column = list(by_name[name])  # the loop does not change it
        columns.append(column)
    return [list(row) for row in zip(*columns, strict=True)]


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
@settings(max_examples=150, deadline=None)
@given(loop=loops(2), inputs=st.lists(st.tuples(*[st.integers(-3, 9)] * 3), min_size=1, max_size=3))
def test_running_a_loop_and_running_its_graph_give_the_same(
    language: str, loop: Loop, inputs: list[tuple[int, ...]]
) -> None:
    expected = [run(Writer("python").program(loop), each) for each in inputs]
    unit = lower(Writer(language).program(loop).encode(), language)
    if unit.rows(LoopRow)[0][1] in (0, 1):
        return  # a loop that never runs, or once, is none
    found = only_loop(unit)
    assert verify(found.graph) == []
    text = printed(found.graph)
    assert parse(text) == found.graph
    if "flow.merge" in text:  # a constant told which arm was taken, and only one side of a conjunction asks for it
        program = Writer("python").program(loop)
        assert re.search(r" (and|or) .*[=!]=|[=!]= .* (and|or) ", program), text
        reject()
    assert after_loop(unit, found, inputs) == expected


FLOWS = Path(__file__).resolve().parents[3] / "fixtures" / "flows"


@pytest.mark.parametrize("path", sorted(FLOWS.rglob("*.md")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_loop_of_the_fixtures_gives_a_graph_that_keeps_the_constraints(path: Path) -> None:
    for section in sections(path.parent):
        for block in section.blocks:
            if section.path == path and block.language in syntaxes():
                for found in loop_graphs(lower(block.code.encode(), block.language)):
                    assert verify(found.graph) == [], printed(found.graph)
                    assert parse(printed(found.graph)) == found.graph


def test_depth_is_no_trouble() -> None:
    long_sum = "x" + " - x" * 5000
    (found,) = loop_graphs(
        lower(f"def f(x, n):\n    while x < n:\n        x = {long_sum}\n    return x\n".encode(), "python")
    )
    assert verify(found.graph) == []
    assert len(found.graph.operations) > 5000


def test_what_is_not_known_exactly_says_so() -> None:
    code = "def f(x):\n    while x:\n        try:\n            x = g(x)\n        except E:\n            x = 1\n"
    (found,) = loop_graphs(lower(code.encode(), "python"))
    assert verify(found.graph) == []
    assert any(operation.name == "flow.merge" or UNKNOWN in operation.operands for operation in found.graph.operations)


def test_a_loop_that_never_runs_is_none() -> None:
    assert loop_graphs(lower(b"def f(x):\n    for i in range(3, 3):\n        x = i\n    return x\n", "python")) == []


def test_a_step_of_zero_is_an_error_when_the_loop_runs() -> None:
    code = b"def f(n, s):\n    a = 0\n    for i in range(0, n, s):\n        a = a - i\n    return a\n"
    (found,) = loop_graphs(lower(code, "python"))
    assert interpret(found.graph, {"n": [4, -3], "s": [1, -1]}, activations=2) == [[-6, 3]]
    with pytest.raises(ZeroStepError, match="RT_DATAFLOW_STREAM_ZERO_STEP"):
        interpret(found.graph, {"n": [4], "s": [0]})
