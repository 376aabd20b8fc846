"""Quantifiers: what a function that is asked about each element proves of the variables that it captures."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.rules.entries import Port

RULES = """
[source]
http = ["web.get()"]
[sink]
danger = ["web.use(0)"]
[guard]
danger = ["prefix web.clean(0)", "in"]
[propagator]
flow = [
    "web.clean: 0 -> ret",
    "globalThis.Array#{some,every,find,findIndex,map}: call 0(this[])",
    "globalThis.String#startsWith:",
]
[type]
builtin = ["globalThis.Array", "globalThis.String"]
"""
CODE = """import * as web from "web";
function f(roots) {
  const x = web.clean(web.get());
  if ({code}) {
    web.use(x);
  }
}
"""


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("roots.some((root) => x.startsWith(root))", True),
        ("!roots.some((root) => x.startsWith(root))", False),
        ("roots.every((root) => x.startsWith(root))", True),
        ("!roots.every((root) => !x.startsWith(root))", True),
        ("roots.some((root) => !x.startsWith(root))", False),
        ("roots.some((root) => root === 1 || x.startsWith(root))", False),
        ("roots.some((root) => root !== 1 && x.startsWith(root))", True),
        ("roots.some((root) => root.startsWith(x))", False),
        ("roots.find((root) => x.startsWith(root))", True),
        ("roots.findIndex((root) => x.startsWith(root)) !== -1", True),
        ("roots.findIndex((root) => x.startsWith(root)) < 0", False),
        ("['a', 'b'].some((each) => each === x)", True),
        ("['a', 'b'].every((each) => each !== x)", False),
        ("!['a', 'b'].every((each) => each !== x)", True),
        ("['a', 'b'].some((each) => each !== x)", False),
        ("roots.map((root) => x.startsWith(root))", False),
    ],
)
def test_what_a_function_proves_for_one_element_holds_behind_the_call(code: str, expected: bool) -> None:
    found = labelled(CODE.replace("{code}", code), RULES, "javascript")
    (used,) = (found.facts.arg_value[row] for row in found.facts.args.at(found.call("web.use(x)"), Port("position", 0)))
    assert bool(found.labels.clean.get(used, 0) & 1) is expected


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("x.startsWith(root) || x.startsWith(root)", True),
        ("x.startsWith(root) || x.endsWith(root)", False),
        ("x.endsWith(root) || x.startsWith(root)", False),
        ("x.startsWith(root) || root.length", False),
    ],
)
def test_all_ways_on_which_a_function_holds_prove_it(code: str, expected: bool) -> None:
    rules = RULES.replace("[propagator]", 'other = ["suffix web.clean(0)"]\n[propagator]')
    rules = rules.replace("String#startsWith", "String#{startsWith,endsWith}")
    made = labelled(CODE.replace("{code}", f"roots.some((root) => {code})"), rules, "javascript")
    (used,) = (made.facts.arg_value[row] for row in made.facts.args.at(made.call("web.use(x)"), Port("position", 0)))
    assert bool(made.labels.clean.get(used, 0) & 1) is expected
