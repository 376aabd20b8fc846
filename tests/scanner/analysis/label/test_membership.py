"""Whether a request brings what a collection holds."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label.membership import index_call, is_given

CODE = """
const web = require("web"), other = require("./other");

function f(request) {{
  const given = web.get();
  {made}
  if (names.includes(given)) web.run(given);
}}
"""


@pytest.mark.parametrize(
    ("made", "given"),
    [
        ("const names = other.names;", False),
        ("const names = given.names;", True),
        ("const names = [other.first, given];", True),
        ("const { names } = request.kept; other.look(request.kept);", False),
    ],
)
def test_a_collection_of_the_request(made: str, given: bool) -> None:
    found = labelled(CODE.format(made=made), RULES, "javascript", everywhere=True)
    assert is_given(found.facts, found.value("names")) is given


def test_a_class_that_says_what_it_contains_is_a_doubt() -> None:
    code = """
import web
class Hosts:
    def __contains__(self, host):
        return host in ("a", "b")
hosts = Hosts()
def f():
    given = web.get()
    if web.host(given) not in hosts:
        return
    web.run(given)
"""
    found = labelled(code, RULES + '[guard]\ndanger = ["in web.host(0)"]\n')
    (sink,) = found.labels.sinks
    assert not found.labels.clean.get(sink.value, 0)
    assert sink.value in found.labels.checks.likely


@pytest.mark.parametrize(
    ("call", "methods", "operands"),
    [
        ("a.find('x')", ["find"], ["a", "x"]),
        ("a.count('x')", ["count"], ["a", "x"]),
        ("a.strip('x')", [], []),
        ("find(a, 'x')", [], []),
    ],
)
def test_calls_that_look_for_a_position_or_count(call: str, methods: list[str], operands: list[str]) -> None:
    rules = RULES + '[propagator]\nflow = ["builtins.str#{find,count,strip}:"]\n[type]\nbuiltin = ["builtins.str"]\n'
    found = labelled(f"def f(a):\n    use({call})\n", rules, everywhere=True)
    names, values = index_call(found.facts, found.value(call, Op.CALL))
    assert (names, [found.text(value) for value in values]) == (methods, operands)
