"""Whether a request brings what a collection holds."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.scanner.analysis.label.membership import is_given

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
