"""Keys that loops give, and questions about them that are always answered with yes."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled, vulnerability

from pyrograph.scanner.analysis.label.own_keys import own_keys

GUARD = '[guard]\nprototype-pollution = ["call web.has(1)", "call web.Table#has(0)"]\n'
MERGE = """
const web = require("web");
function merge(target, source) {
  for (const key in source) {
    if (%s) continue;
    target[key][key] = source[key];
  }
}
merge({}, web.get());
"""


@pytest.mark.parametrize(
    ("question", "writes"),
    [
        ("!web.has(source, key)", 1),
        ("!source.has(key)", 1),
        ("!source[key]", 1),
        ("!web.has(target, key)", 0),
        ("!web.has(web.all, key)", 0),
    ],
)
def test_a_question_for_an_own_key_is_no_check(question: str, writes: int) -> None:
    found = labelled(
        MERGE % question, SOURCE + GUARD, "javascript", vulnerabilities=(vulnerability("prototype-pollution"),)
    )
    assert len(found.labels.sinks) == writes


@pytest.mark.parametrize(
    ("code", "objects"),
    [
        ("for (const k in o) { use(k); }", {"k": {"o"}}),
        ("for (const k of names) { use(k); }", {}),
    ],
)
def test_the_objects_whose_keys_a_loop_gives(code: str, objects: dict[str, set[str]]) -> None:
    found = labelled(f"function f(o, names) {{ {code} }}\nf({{}}, []);", SOURCE, "javascript")
    keys = own_keys(found.facts)
    assert {found.text(key): {found.text(each) for each in held} for key, held in keys.items()} == objects
    assert own_keys(found.facts) is keys


EACH = """
function f(o, p) {
  const keep = (k) => use(k);
  CALLS
}
f({a: 1}, {b: 1});
"""


@pytest.mark.parametrize(
    ("calls", "objects"),
    [
        ("Object.keys(o).forEach(keep);", {"o"}),
        ("Object.keys(o).forEach(keep); keep(p);", set()),
        ("Object.keys(o).forEach(keep); Object.keys(p).forEach(keep);", set()),
        ("for (const k of Object.keys(o)) { keep(k); }", {"o"}),
    ],
)
def test_a_function_that_gets_each_key_of_one_object(calls: str, objects: set[str]) -> None:
    rules = SOURCE + '[propagator]\nflow = ["globalThis.Object.keys: 0[<keys>] => ret[]", '
    rules += '"globalThis.Array#forEach: call 0(this[])"]\n[type]\nbuiltin = ["globalThis.Array"]\n'
    found = labelled(EACH.replace("CALLS", calls), rules, "javascript", everywhere=True)
    parameters = [each for each in found.program.tables["parameters"]["value"].tolist() if found.text(each) == "k"]
    keys = own_keys(found.facts)
    held = {found.text(each) for key in parameters for each in keys.get(found.facts.rep[key], ())}
    assert {each for each in held if each in ("o", "p")} == objects
