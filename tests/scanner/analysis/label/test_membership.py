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
