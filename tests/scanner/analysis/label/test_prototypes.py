"""Writes that may change a prototype: under a name from outside, to an object read under another one."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import SOURCE, labelled, vulnerability

POLLUTION = "prototype-pollution"


def polluted(code: str, language: str = "javascript") -> list[str]:
    begin = "import web" if language == "python" else 'const web = require("web")'
    given = ", ".join(["web.get()"] * 4)
    code = f"{begin}\n{code}\nf({given})\n"
    found = labelled(code, SOURCE, language, vulnerabilities=(vulnerability(POLLUTION),))
    return [found.text(role.value) for role in found.labels.sinks]


@pytest.mark.parametrize(
    ("code", "keys"),
    [
        ("function f(o, a, b, v) { o[a][b] = v }", ["b"]),
        ("function f(o, a, b, v) { const p = o[a]; p[b] = v }", ["b"]),
        ("function f(o, ks, v) { for (const k of ks) { o = o[k] } o[ks[0]] = v }", ["ks[0]"]),
        ("function f(o, a, v) { o[a] = v }", []),
        ("function f(o, a, v) { o[a].name = v }", []),
        ("function f(o, b, v) { o.name[b] = v }", []),
        ("function f(o, a, b) { delete o[a][b] }", []),
        ("function f(o, a, b) { o[a]['x.' + b] = 1 }", []),
        ("function f(o, a) { const p = o[a]; for (const k in p) { p[k] = 1 } }", []),
    ],
)
def test_a_store_under_two_unknown_keys_may_pollute_a_prototype(code: str, keys: list[str]) -> None:
    assert polluted(code) == keys


def test_only_languages_with_prototypes_have_pollution() -> None:
    assert polluted("def f(o, a, b, v):\n    o[a][b] = v\n", "python") == []


SET = """
const web = require("web");
function set(o, a, b, c) {
  %s
  o[a][b] = c;
}
set({}, web.get(), web.get(), 1);
"""
GUARDS = '[guard]\nprototype-pollution = ["! eq"]\n[sanitizer]\nprototype-pollution = ["web.bare()"]\n'


@pytest.mark.parametrize(
    ("statement", "keys"),
    [
        ("", ["b"]),
        ("if (a === '__proto__') return;", []),
        ("if (b === '__proto__') return;", ["b === '__proto__'"]),
        ("a = 'known';", []),
        ("o = web.bare();", []),
        ("o = c ? web.bare() : {};", ["b"]),
        ("if (a === '__proto__') return; if (!o[a]) o[a] = {};", []),
        ("if (a === '__proto__') return; for (;;) { if (!o[a]) o[a] = {}; if (c) break; }", []),
        ("if (c) { if (a === '__proto__') return; }", ["b"]),
    ],
)
def test_the_name_under_which_the_object_is_read_decides(statement: str, keys: list[str]) -> None:
    found = labelled(SET % statement, SOURCE + GUARDS, "javascript", vulnerabilities=(vulnerability(POLLUTION),))
    assert [found.text(role.value) for role in found.labels.sinks] == keys


LISTED = """
const web = require("web");
function set(o, a, b, c) {
  const todo = [];
  todo.push([o[a], c]);
  const [to, from] = todo.%s();
  to[b] = from;
}
set({}, web.get(), web.get(), 1);
"""


@pytest.mark.parametrize(("taken", "keys"), [("pop", ["b"]), ("count", [])])
def test_an_object_that_a_list_held_is_the_same_one(taken: str, keys: list[str]) -> None:
    rules = (
        SOURCE + '[propagator]\nflow = ["globalThis.Array#push: * -> this[]", "globalThis.Array#pop: this[] -> ret"]\n'
    )
    rules += '[type]\nbuiltin = ["globalThis.Array"]\n'
    found = labelled(LISTED % taken, rules, "javascript", vulnerabilities=(vulnerability(POLLUTION),))
    assert [found.text(role.value) for role in found.labels.sinks] == keys
