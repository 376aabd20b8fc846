"""Conditions of entries: each operator of the rule language, where it holds and where it does not."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, applies, labelled

from pyrograph.rules.entries import OPERATORS
from pyrograph.scanner.analysis.label.conditions import EVALUATED

WITHOUT_PORT = {"imported", "version", "secret"}  # asked of the program and of a call, not of values


def test_each_operator_is_evaluated() -> None:
    assert EVALUATED.keys() | WITHOUT_PORT == set(OPERATORS)
    assert not EVALUATED.keys() & WITHOUT_PORT


@pytest.mark.parametrize(
    ("condition", "first", "holds"),
    [
        ("when 0 == 'a'", "'a'", True),
        ("when 0 == 'a'", "'b'", False),
        ("when 0 == 'a'", "x", False),
        ("when 0 == true", "True", True),
        ("when 0 == null", "None", True),
        ("when 0 != 'a'", "'b'", True),
        ("when 0 != 'a'", "'a'", False),
        ("when 0 != 'a'", "x", True),
        ("unless 0 == 'a'", "'a'", False),
        ("unless 0 == 'a'", "x", True),
        ("when 0 in ('a', 'b')", "'b'", True),
        ("when 0 in ('a', 'b')", "'c'", False),
        ("when 0 == 'a'", "'a' if x else 'b'", True),
        ("when 0 == 'a'", "'c' if x else 'b'", False),
        ("when 0 in ('a', 'b')", "x or 'b'", True),
        ("unless 0 == 'a'", "'a' if x else 'b'", True),
        ("when 0 != 'a'", "'a' if x else 'b'", True),
        ("when 0 prefix 'ab'", "'abc'", True),
        ("when 0 prefix 'ab'", "'cab'", False),
        ("when 0 prefix 'ab'", "f'ab{x}'", True),
        ("when 0 prefix ('q', 'ab')", "'abc'", True),
        ("when 0 contains 'b'", "'abc'", True),
        ("when 0 contains 'b'", "'ac'", False),
        ("when 0 contains 'b'", "f'{x}b'", True),
        ("when 0 lacks 'b'", "'ac'", True),
        ("when 0 lacks 'b'", "'abc'", False),
        ("when 0 lacks 'b'", "x", False),
        ("when 0 lacks 'b'", "5", False),
        ("when 0 decides", "lambda v: v if v else 1", True),
        ("when 0 decides", "lambda v: v", False),
        ("when 0 backtracks match", r"'(a+)+$'", True),
        ("when 0 backtracks match", r"'a+$'", False),
        ("when 0 slow search", r"'a+$'", True),
        ("when 0 slow match", r"'a+$'", False),
    ],
)
def test_a_test_of_an_argument(condition: str, first: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({first}, x)\n") is holds


@pytest.mark.parametrize(
    ("condition", "arguments", "holds"),
    [
        ("when 2 present", "1, x, 3", True),
        ("when 2 present", "1, x", False),
        ("when 2 absent", "1, x", True),
        ("when shell= == true", "1, x, shell=True", True),
        ("when shell= == true", "1, x", False),
        ("when shell= == null", "1, x", True),
        ("when 0 == 1 and 2 == 3", "1, x, 3", True),
        ("when 0 == 1 and 2 == 3", "1, x, 4", False),
        ("unless 0 == 1 and 2 == 3", "1, x, 4", True),
        ("when 0 == 1 when 2 == 3", "1, x, 4", False),
        ("when 0 == 1 unless 2 == 3", "1, x, 4", True),
    ],
)
def test_tests_of_several_arguments_and_conditions(condition: str, arguments: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({arguments})\n") is holds


@pytest.mark.parametrize(
    ("first", "holds"), [("'%d: %s'", True), ("'%s: %d'", False), ("'%%d %s'", False), ("x", True)]
)
def test_a_format_converts_the_argument_that_the_sink_is_about(first: str, holds: bool) -> None:
    rules = SOURCE + """[sink]\ndanger = ["web.print(1+) unless 0 converts 's'"]\n"""
    code = f"import web\nx = web.get()\nweb.print({first}, x)\n"
    assert bool(labelled(code, rules).labels.sinks) is holds


@pytest.mark.parametrize(("call", "holds"), [("web.run(f, x)\nf()", True), ("web.run(f, x)", False)])
def test_a_value_is_invoked_somewhere(call: str, holds: bool) -> None:
    assert applies("when 0 invoked", f"import web\nx = web.get()\ndef f(): pass\n{call}\n") is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ('"f(\'" + x + "\')"', True),
        ("\"f('a', \" + x + ')'", False),
        ('"f(\\\\\'" + x', False),
        ("'f(' + x + ')'", False),
        ("f'g(`{x}`)'", True),
        ("\"f('\" + ('g(' + x + ')') + \"')\"", True),
        ('"f(\'" + x.strip() + "\')"', True),
    ],
)
def test_a_part_stands_in_quotes(text: str, holds: bool) -> None:
    assert applies("when 0 enclosed", f"import web\nx = web.get()\nweb.other({text})\nweb.run(x, x)\n") is holds


def test_via_asks_all_registrations_of_the_enclosing_function() -> None:
    rules = '[source]\nhttp = ["web.get() when via 0 == \'a\'"]\nroute = ["@web.route"]\n'

    def found(decorators: str) -> bool:
        return bool(labelled(f"import web\n{decorators}def f():\n    web.run(web.get())\n", rules).labels.sources)

    assert found("@web.route('a')\n")
    assert not found("@web.route('b')\n")
    assert not found("@web.route('a')\n@web.route('b')\n")
    assert not found("@other.route('a')\n")
    assert not found("")


def test_the_name_of_a_parameter_stands_in_texts() -> None:
    rules = """[source]\nhttp = ["@web.route unless 0 contains '<int:$name>'"]\n"""
    code = "import web\n@web.route('/<int:a>/<b>')\ndef f(a, b): pass\n"
    assert labelled(code, rules).sources() == ["b"]


@pytest.mark.parametrize(
    ("stored", "sinks"),
    [
        ("self.tool = 'sh'", ["x"]),
        ("self.tool = 'ls'", []),
        ("self.tool = 'sh'\n        self.tool = 'ls'", []),
        ("self.tool = web.tool()", []),
        ("pass", []),
    ],
)
def test_a_field_is_the_constants_that_are_stored_in_it(stored: str, sinks: list[str]) -> None:
    rules = "[source]\nhttp = [\"web.get()\"]\n[sink]\ndanger = [\"web.run(1) when 0 in ('sh', 'bash')\"]\n"
    code = f"""
import web
class Runner:
    def __init__(self):
        {stored}
    def run(self, x):
        web.run(self.tool, x)
Runner().run(web.get())
"""
    assert labelled(code, rules).sinks() == sinks
