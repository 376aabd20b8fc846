"""Copies of functions are rows like any other, and each is what it was copied from, but for what it was given."""

from __future__ import annotations

from typing import Literal

import numpy as np
import pytest
from tests.scanner.analysis.resolve.programs import modelled

from pyrograph.ir.codes import NONE, Op
from pyrograph.ir.schema import COLUMNS, DATA_REFERENCES, REFERENCES
from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_COPIED, MAX_COPY_SIZE, MAX_RARE_COPIED, MAX_STATES
from pyrograph.scanner.analysis.apis import Apis, tries
from pyrograph.scanner.analysis.link import Program, link
from pyrograph.scanner.analysis.resolve import Resolution, resolve

DECORATED = """
def traced(name):
    def decorate(function):
        def inner(*args):
            for each in args:
                if each:
                    print(name, each)
            return function(*args)
        return inner
    return decorate

@traced("a")
def f(x): return x
@traced("b")
def g(x): return x

def timed(function): return lambda x: function(x)
def logged(function): return timed(lambda x: function(x))
h = logged(f)
i = logged(g)

def p(x): return x
def q(x): return x

def again(function, n):
    return again(function, n - 1) if n else function(n)
again(p, 3)
again(q, 3)

TABLE = {}
def on(name, function): TABLE[name] = function
def fire(name, value): return TABLE[name](value)
on("p", p)
on("q", q)
fire("p", 1)
"""

WRAPPED = """
const wrap = (fn) => function (...args) {
  for (const a of args) { if (a) console.log(a); }
  return fn(...args);
};
const twice = (f, g) => (v) => g(f(v));
function one(x) { return x; }
function two(x) { return [x]; }
const a = wrap(one), b = wrap(two), c = twice(a, (x) => x), d = twice((x) => x, b);
const options = (o) => o.done(1);
options({ done: (x) => x });
options({ done: (x) => [x] });
"""

HANDLED = """
package p
func logged(f func(string) string) func(string) string {
	return func(v string) string { for i := 0; i < 3; i++ { v += "x" }; return f(v) }
}
var a = logged(func(v string) string { return v })
var b = logged(func(v string) string { return "" })
"""

PROGRAMS = [("python", "a.py", DECORATED), ("javascript", "a.js", WRAPPED), ("go", "a.go", HANDLED)]


def resolved(language: str, path: str, code: str) -> tuple[dict[str, int], Program, Resolution]:
    """How many rows each table had before resolution, and the program and resolution after it."""
    program = link([path], [lower(code.encode(), language)], {})
    before = {name: len(next(iter(table.values()))) for name, table in program.tables.items()}
    return before, program, resolve(program, {language: Apis([], low=False)})


def targets(program: Program, resolution: Resolution, code: str, call: str, first: int) -> list[set[int]]:
    """For each copy of the call that reads so, behind the ``first`` calls, the functions that it may run."""
    calls = program.tables["calls"]
    found: dict[int, set[int]] = {}
    for site, function in resolution.targets:
        if site >= first and code.encode()[calls["start"][site] : calls["end"][site]].decode() == call:
            found.setdefault(site, set()).add(function)
    return list(found.values())


def copied_values(program: Program, before: dict[str, int]) -> int:
    """How many values were added, but for the cells that are reserved for tables of records."""
    added = program.tables["values"]["op"][before["values"] :]
    return int((added != Op.CELL).sum())


@pytest.mark.parametrize(("language", "path", "code"), PROGRAMS)
def test_every_reference_of_a_copy_is_that_of_its_original_or_of_the_same_copy(
    language: str, path: str, code: str
) -> None:
    before, program, _ = resolved(language, path, code)
    t = program.tables
    assert copied_values(program, before) > 0, "something is copied"
    for name, columns in COLUMNS.items():
        lengths = {len(t[name][column]) for column in columns}
        assert len(lengths) == 1, f"{name} has columns of different lengths"
        for column, reference in REFERENCES.get(name, {}).items():
            if reference in t:
                assert (t[name][column] < len(next(iter(t[reference].values())))).all()
    values = t["values"]
    copied = np.flatnonzero((program.original != np.arange(program.num_values)) & (values["op"] != Op.CELL))
    assert (program.original[copied] < before["values"]).all()
    same = values["op"][copied] == values["op"][program.original[copied]]
    assert (same | (values["op"][copied] == Op.CONST)).all(), "only parameters become constants"
    for op, reference in DATA_REFERENCES.items():
        rows = copied[(values["op"][copied] == op) & (values["data"][copied] != NONE)]
        if reference in ("calls", "loads", "stores", "arguments", "parameters", "pis", "functions", "loops"):
            assert (values["data"][rows] >= before[reference]).all(), f"{op.name} of a copy is its own"
    for table, column in (("calls", "result"), ("loads", "result"), ("stores", "result"), ("pis", "value")):
        results = t[table][column]
        assert (values["data"][results] == np.arange(len(results))).all(), f"{table} and values agree"
    assert (np.diff(t["arguments"]["call"]) >= 0).all(), "arguments stay in the order of their calls"


@pytest.mark.parametrize(
    ("program", "call", "functions"),
    [
        (0, "function(*args)", {"f", "g"}),
        (0, "function(n)", {"p", "q"}),
        (0, "TABLE[name](value)", {"p"}),
        (1, "fn(...args)", {"one", "two"}),
        (1, "o.done(1)", {"done"}),
    ],
)
def test_in_each_copy_a_call_of_what_was_given_has_one_target(program: int, call: str, functions: set[str]) -> None:
    language, path, code = PROGRAMS[program]
    before, linked, resolution = resolved(language, path, code)
    found = targets(linked, resolution, code, call, before["calls"])
    assert all(len(each) == 1 for each in found)
    names = linked.tables["functions"]["name"]
    assert {linked.strings[names[function]] for each in found for function in each} == functions


def test_a_default_is_called_only_where_nothing_is_given() -> None:
    code = """
def p(x): return x
def q(x): return x
def f(x, convert=p): return convert(x)
f(1)
f(2, q)
f(3, convert=q)
"""
    before, program, resolution = resolved("python", "a.py", code)
    names = program.tables["functions"]["name"]
    in_copies = targets(program, resolution, code, "convert(x)", before["calls"])
    assert [{program.strings[names[each]] for each in found} for found in in_copies] == [{"q"}]
    everywhere = targets(program, resolution, code, "convert(x)", 0)
    assert [{program.strings[names[each]] for each in found} for found in everywhere] == [{"p"}, {"q"}]


def test_calls_that_give_what_one_name_means_share_a_copy() -> None:
    code = "def p(x): return x\ndef q(x): return x\ndef f(x, convert=p): return convert(x)\n"
    code += "".join(f"def g{n}(): return f({n}, {name})\n" for n, name in enumerate(["int", "int", "q", "q"]))
    before, program, _ = resolved("python", "a.py", code)
    names = program.tables["functions"]["name"][before["functions"] :]
    assert [program.strings[name] for name in names] == ["f", "f"]


def test_a_large_function_is_copied_for_a_few_functions_only() -> None:
    large = "def f(x, convert):\n" + "    print(len([1, 2, 3, 4]))\n" * 28 + "    return convert(x)\n"
    for number, is_copied in ((3, True), (MAX_RARE_COPIED // MAX_COPY_SIZE + 1, False)):
        code = large + "".join(f"def g{n}(x): return x\nf({n}, g{n})\n" for n in range(number))
        before, program, _ = resolved("python", "a.py", code)
        assert (copied_values(program, before) > 0) is is_copied


def test_copies_of_one_language_leave_those_of_another_alone() -> None:
    uses = MAX_COPIED // 240
    large = "const timed = (f) => {\n" + "  console.log([1, 2, 3, 4]);\n" * 18 + "  return (x) => f(x);\n};\n"
    script = large + "".join(f"function f{n}(x) {{ return x; }}\nconst g{n} = timed(f{n});\n" for n in range(uses))
    other = large.replace("timed", "other") + "".join(
        f"function h{n}(x) {{ return x; }}\nconst i{n} = other(h{n});\n" for n in range(uses)
    )
    code = "def f(x, convert): return convert(x)\nf(1, int)\nf(2, str)\n" + "def g(x): return [x, x]\n" * 20
    units = [
        lower(text.encode(), language)
        for text, language in ((script, "javascript"), (other, "javascript"), (code, "python"))
    ]
    program = link(["a.js", "b.js", "c.py"], units, {})
    resolve(program, tries([], ("javascript", "python"), low=False))
    copied = np.flatnonzero(program.original != np.arange(program.num_values))
    languages = {program.files[file].language for file in program.file_of_value[program.original[copied]].tolist()}
    assert languages == {"javascript", "python"}


def test_what_would_make_a_program_too_large_is_not_copied_and_told() -> None:
    uses = MAX_COPIED // 100
    code = "def timed(function):\n" + "    print(len([1, 2, 3, 4]))\n" * 15 + "    return lambda x: function(x)\n"
    code += "".join(f"def f{n}(x): return x\ng{n} = timed(f{n})\n" for n in range(uses))
    before, program, resolution = resolved("python", "a.py", code)
    assert copied_values(program, before) == 0
    assert any("too many ways" in what for what, _, _ in resolution.bounds_reached())
    few = "".join(code.splitlines(keepends=True)[: 17 + 2 * 3])
    before, program, resolution = resolved("python", "a.py", few)
    assert copied_values(program, before) > 0
    assert not any("too many ways" in what for what, _, _ in resolution.bounds_reached())


FORWARDING = {
    "python": (
        "import lib\ndef made(kind):\n    return lib.get(kind)\n",
        "class C{0}:\n    def run(self, x): return x\ndef use{0}(x): return made(C{0}).run(x)\n",
    ),
    "javascript": (
        'import lib from "lib";\nconst made = (kind) => {\n  return lib.get(kind);\n};\n',
        "class C{0} {{ run(x) {{ return x; }} }}\nfunction use{0}(x) {{ return made(C{0}).run(x); }}\n",
    ),
}


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_what_a_container_makes_of_a_class_is_kept_apart_behind_a_helper(
    language: Literal["python", "javascript"],
) -> None:
    helper, use = FORWARDING[language]
    code = helper + "".join(use.format(number) for number in range(MAX_STATES * 2))
    program, resolution = modelled(code, language, ["lib.get: call 0() -> ret"])
    names = program.tables["functions"]["name"]
    called = {each.function for each in resolution.targets}
    assert len([each for each in called if program.strings[names[each]] == "run"]) == MAX_STATES * 2
