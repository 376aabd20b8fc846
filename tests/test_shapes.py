"""Programs of one construct, repeated or nested: every scan of one ends, and says what it left out.

The shapes are generated at small sizes here; ``python -m tools.fuzz.shapes`` measures them at the largest.
"""

from __future__ import annotations

import inspect
import re
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tools.fuzz.shapes import Files, shapes
from tree_sitter import QueryCursor

from pyrograph.ir.codes import Op
from pyrograph.ir.schema import COLUMNS, DATA_REFERENCES
from pyrograph.ir.unit import Unit
from pyrograph.model.finding import Report
from pyrograph.parsers import bounded, front_end, lower
from pyrograph.parsers.builder import Builder, values
from pyrograph.parsers.go.syntax import names as go_names
from pyrograph.policy.limits.files import DEFAULT_MAX_FILE_SIZE
from pyrograph.policy.limits.lowering import MAX_NESTED_FUNCTIONS
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner import pipeline, scan
from pyrograph.scanner.analysis.label import admitted, patterns
from pyrograph.scanner.analysis.patterns import texts
from pyrograph.scanner.options import ScanOptions

SHAPES = shapes()
FRAMES = 400  # fewer than the repetitions of most shapes


@cache
def rules() -> Rules:
    return load_rules(("python", "javascript", "go"))


def scanned(folder: Path, files: Files, **settings: Any) -> Report:
    for path, text in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", newline="")
    options = ScanOptions(
        paths=(folder,), root=folder, confidence="low", default_excludes=False, jobs=1, device="cpu", **settings
    )
    return scan(options, rules())


def limits(unit: Unit) -> list[tuple[int, str]]:
    return [(line, message) for kind, line, message in unit.problems if kind == "limit"]


@pytest.mark.parametrize("name", SHAPES)
def test_a_scan_of_each_shape_ends_without_an_internal_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shape = SHAPES[name]
    analyse = pipeline.analyse

    def with_few_frames(*arguments: Any) -> Any:
        """What the analysis recurses on has a bound; with this limit, a repetition of the shape is none."""
        before = sys.getrecursionlimit()
        sys.setrecursionlimit(len(inspect.stack(0)) + FRAMES)
        try:
            return analyse(*arguments)
        finally:
            sys.setrecursionlimit(before)

    monkeypatch.setattr(pipeline, "analyse", with_few_frames)
    report = scanned(tmp_path, shape.generate(min(21 * shape.small // 5, shape.largest)))
    assert report.statistics.files
    assert not [problem for problem in report.problems if "internal error" in problem.message]


@pytest.mark.parametrize("name", ["python-many-functions", "javascript-deep-arrays", "go-many-gotos"])
def test_the_largest_size_of_a_shape_is_that_of_the_largest_file(name: str) -> None:
    shape = SHAPES[name]
    size = max(len(text.encode()) for text in shape.generate(shape.largest).values())
    assert DEFAULT_MAX_FILE_SIZE * 0.9 < size <= DEFAULT_MAX_FILE_SIZE


# Depth


@pytest.mark.parametrize(
    ("language", "before", "deep", "after"),
    [
        ("python", "def f(x):\n    a = x\n", "    y = {}\n", "    return a\n"),
        ("python", "a = x\n", "y = {}\n", "b = a\n"),
        ("javascript", "function f(x){ const a = x\n", "y = {}\n", "return a }\n"),
        ("javascript", "const a = x\n", "y = {}\n", "b = a\n"),
        ("go", "package m\nfunc f(x int) int {\na := x\n", "y = {}\n", "return a\n}\n"),
        ("go", "package m\nvar a = 1\n", "var y = {}\n", "var b = a\n"),
    ],
)
def test_a_statement_that_is_nested_too_deeply_is_left_out_alone(
    language: str, before: str, deep: str, after: str
) -> None:
    code = before + deep.format("f(" * 40_000 + "1" + ")" * 40_000) + after
    unit = lower(code.encode(), language)
    plain = lower((before + after).encode(), language)
    assert [line for line, _ in limits(unit)] == [before.count("\n") + 1]
    assert "nested too deeply" in limits(unit)[0][1]
    assert len(unit.tables["exports"]) == len(plain.tables["exports"])
    assert results(unit) == results(plain)
    assert len(unit.tables["values"]) <= len(plain.tables["values"]) + 50  # ten values of what was left out


def results(unit: Unit) -> list[str]:
    """What functions return, by the name of its kind."""
    functions, flows, columns = (unit.tables[name] for name in ("functions", "flows", "values"))
    ends = set(functions[5::9])
    return [Op(columns[5 * flows[at]]).name for at in range(0, len(flows), 3) if flows[at + 1] in ends]


CODE = {
    "python": "def f(x, g):\n    for a in x:\n        if g(a, b=[a, {1: x}]):\n            x = a or g(lambda: x.y[0])\n"
    "    try:\n        return g(x)\n    except E as e:\n        raise g(e)\n",
    "javascript": "function f(x, g) { for (const a of x) { if (g(a, [a, {b: x}])) x = a || g(() => x.y[0]) }\n"
    "try { return g(x) } catch (e) { throw g(e) } }\n",
    "go": "package m\nfunc f(x []T, g func(T) bool) T {\nfor _, a := range x {\n"
    "if g(a) { x = append(x, T{b: a.c[0]}) } }\n"
    "switch y := g(x[0]); { case y: return x[1]\ndefault: defer func() { recover() }() }\nreturn x[0]\n}\n",
}


@pytest.mark.parametrize("language", CODE)
def test_tables_are_whole_wherever_the_stack_ends(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The interpreter may break off in the middle of a word of the builder."""
    lower(CODE[language].encode(), language)
    cut = 0
    before = sys.getrecursionlimit()
    for extra in range(12, 120):
        cls: Any = front_end(language)
        sys.setrecursionlimit(len(inspect.stack(0)) + extra)
        try:
            unit: Unit = cls()._lower(CODE[language].encode())
        except RecursionError:
            continue  # where nothing recovers: the file is reported as a whole
        finally:
            sys.setrecursionlimit(before)
        cut += bool(limits(unit))
        check_references(unit)
    assert cut > 5


def check_references(unit: Unit) -> None:
    """Each value's row exists, and each flow's ends."""
    sizes = {name: len(unit.tables[name]) // len(columns) for name, columns in COLUMNS.items()}
    sizes["strings"] = len(unit.strings)
    columns = unit.tables["values"]
    for op, data in zip(columns[::5], columns[4::5], strict=True):
        if Op(op) in DATA_REFERENCES:
            assert data < sizes[DATA_REFERENCES[Op(op)]]
    flows = unit.tables["flows"]
    assert all(end < sizes["values"] for end in (*flows[::3], *flows[1::3]))


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
def test_functions_in_too_many_functions_are_left_out_and_reported(language: str) -> None:
    shapes_of = {
        "python": lambda n: "x = " + "lambda a: " * n + "a\n",
        "javascript": lambda n: "x = " + "a => " * n + "a\n",
        "go": lambda n: "package m\nvar x = " + "func() any { return " * n + "1" + "}" * n + "\n",
    }
    most = MAX_NESTED_FUNCTIONS
    assert not limits(lower(shapes_of[language](most - 1).encode(), language))
    (found,) = limits(lower(shapes_of[language](most + 20).encode(), language))
    assert f"more than {most}" in found[1]


# Steps


@pytest.mark.plain
def test_a_function_that_takes_too_many_steps_is_cut_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "FUNCTION_STEPS", 5_000)
    names = "".join(f"    v{i} = y\n" for i in range(100))
    code = f"def wide(y, g):\n    y = g()\n{names}" + "    g(y)\n" * 100 + "def small(x):\n    return x\n"
    unit = lower(code.encode(), "python")
    ((line, message),) = limits(unit)
    assert line == 1
    assert "'wide'" in message
    functions = unit.tables["functions"]
    small = next(row for row in range(len(functions) // 9) if unit.strings[functions[9 * row + 1]] == "small")
    assert any(
        unit.tables["flows"][at + 1] == functions[9 * small + 5] for at in range(0, len(unit.tables["flows"]), 3)
    )


@pytest.mark.plain
def test_functions_behind_the_steps_of_a_file_are_left_out_and_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(values, "FUNCTION_STEPS", 3_000)
    monkeypatch.setattr(values, "FILE_STEPS", 6_000)
    names = "".join(f"    v{i} = y\n" for i in range(100))
    code = "".join(f"def f{i}(y, g):\n    y = g()\n{names}" + "    g(y)\n" * 100 for i in range(6))
    found = limits(lower(code.encode(), "python"))
    assert [message for _, message in found if "and 3 more functions" in message or "and 2 more functions" in message]


STEPS = [
    "python-many-aliases-of-one-object",
    "python-many-augmented-assignments",
    "python-many-flat-assignments",
    "python-many-functions",
    "python-many-conditions-of-many-variables",
    "javascript-many-aliases-of-one-object",
    "javascript-many-constants-in-a-function",
    "javascript-many-property-stores",
    "javascript-many-block-scopes",
    "go-many-short-variables",
    "go-many-field-stores",
]


@pytest.mark.plain
@pytest.mark.parametrize("name", STEPS)
def test_steps_and_rows_grow_with_the_source(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Twice the source takes at most a little more than twice the steps, and makes as many rows more."""
    shape = SHAPES[name]
    budgets: list[values.Budget] = []
    start = values.Budget.__init__

    def made(budget: values.Budget) -> None:
        start(budget)
        budgets.append(budget)

    monkeypatch.setattr(values.Budget, "__init__", made)
    rows = []
    for size in (200, 400):
        (text,) = [text for path, text in shape.generate(size).items() if path.startswith("program")]
        unit = lower(text.encode(), shape.language)
        rows.append(sum(len(table) for table in unit.tables.values()))
    assert budgets[1].steps <= 2.3 * budgets[0].steps + 100
    assert rows[1] <= 2.3 * rows[0]


# Parsing


@pytest.mark.parametrize(
    ("code", "language"),
    [(b"x = a" + b"/[" * 30_000, "javascript"), (b"package a\n" + b"/* " * 9_600, "go")],
)
def test_a_text_that_takes_too_many_steps_to_parse_is_reported(code: bytes, language: str) -> None:
    unit = lower(code, language)
    assert [kind for kind, _, message in unit.problems if "too many steps" in message] == ["not-parsed"]


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
def test_a_text_is_parsed_in_pieces_to_the_same_tree(language: str, monkeypatch: pytest.MonkeyPatch) -> None:
    shape = SHAPES[f"{language}-many-functions"]
    (text,) = [text for path, text in shape.generate(50).items() if path.startswith("program")]
    cls = front_end(language)
    cls.prepare()
    whole = bounded.parse(cls._parser, text.encode())
    monkeypatch.setattr(bounded, "UNBOUNDED_PARSE", 0)
    monkeypatch.setattr(bounded, "PARSE_PIECE", 7)
    pieces = bounded.parse(cls._parser, text.encode())
    assert whole is not None
    assert pieces is not None
    assert str(whole.root_node) == str(pieces.root_node)


@pytest.mark.parametrize(
    "code",
    [
        "function f(a, {b, c: [d]}, ...e) { var g = 1, [h] = a; for (var i of a) j = i; for (const k in a) b++; }",
        "const x = y => { let z = y; z += 1; ({ z } = y); for (q of y) { } }; class A { m(p = 1) { p--; } }",
        "function f() { let a; function g() { a = 1; function h() { a = 2; b = 3 } } } function b() {}",
    ],
)
def test_names_are_found_by_the_query_and_by_the_walk(code: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cls = front_end("javascript")
    cls.prepare()
    asked: Any = cls()
    asked.lower(code.encode())
    walked: Any = cls()
    monkeypatch.setattr("pyrograph.parsers.javascript.syntax.names.is_costly_to_query", lambda root: True)
    walked.lower(code.encode())
    assert walked.b.cell_names == asked.b.cell_names
    assert walked._vars == asked._vars
    assert walked._loop_vars == asked._loop_vars


GO_MUTATIONS = """
package m
var a, b = 1, 2
func f(x, y int, zs ...string) (r error) {
	c, d := a, b
	c, e.f, *g = d, 1, /* comment */ 2
	c++
	e.n--
	for i, j := range zs { c = i; _ = j }
	for i = range zs { }
	ch <- c
	select { case v := <-ch: c = v; case w = <-ch: }
	go func(p int) { q := p; q += 1; a = q; func() { b, k[0] = 1, 2 }() }(c)
	return nil
}
"""


def test_changed_names_of_go_are_found_by_the_query_and_by_the_walk() -> None:
    """The same nodes, also in a tree with errors."""
    cls: Any = front_end("go")
    cls.prepare()
    for text in (GO_MUTATIONS, GO_MUTATIONS.replace("c++", "c+ +{").replace("select", "selekt")):
        tree = bounded.parse(cls._parser, text.encode())
        assert tree is not None
        asked = QueryCursor(cls._mutations).captures(tree.root_node)
        walked = go_names._walked(tree.root_node)
        for kind in ("literal", "target", "declared"):
            spans = {(node.start_byte, node.end_byte) for node in asked.get(kind, ())}
            assert spans, kind
            assert {(node.start_byte, node.end_byte) for node in walked[kind]} == spans, kind


# Whole programs


def test_regular_expressions_share_a_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "MAX_PATTERN_STEPS", 500_000)
    report = scanned(tmp_path, SHAPES["many-regular-expressions-at-a-sink"].generate(20))
    (problem,) = [problem for problem in report.problems if problem.kind == "limit"]
    assert "regular expressions" in problem.message


def test_a_pattern_is_compared_once_however_many_findings_ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []
    compare = texts.lacking

    def counted(text: str, *others: Any) -> tuple[tuple[bool, ...], int]:
        asked.append(text)
        return compare(text, *others)

    monkeypatch.setattr(texts, "lacking", counted)
    report = scanned(tmp_path, SHAPES["many-regular-expressions-at-a-sink"].generate(20))
    assert len(report.findings) > 1
    assert len(asked) == len(set(asked)) == 20


@pytest.mark.plain  # compiled modules hold limits as constants
def test_patterns_that_are_not_found_share_the_budget(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(admitted, "MAX_COMPARED_STEPS", 1)
    report = scanned(tmp_path, SHAPES["many-regular-expressions-at-a-sink"].generate(20))
    (problem,) = [problem for problem in report.problems if "expressions of this program admit" in problem.message]
    assert "after the first 1 count as proving nothing" in problem.message


@pytest.mark.parametrize("name", ["ejs-includes-that-double", "jinja-includes-that-double"])
def test_templates_that_are_shown_too_often_are_reported(name: str, tmp_path: Path) -> None:
    report = scanned(tmp_path, SHAPES[name].generate(6))
    assert any(re.search("template: .*2,000", problem.message) for problem in report.problems)


@pytest.mark.plain
def test_a_builder_has_no_more_attributes_than_a_fast_dictionary() -> None:
    """CPython gives an object whose class has up to 30 attributes a compact dictionary with faster access."""
    assert len(vars(Builder("python", declares=False))) <= 30
