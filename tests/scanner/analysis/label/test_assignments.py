"""Sinks that are assignments: to attributes and elements."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.label.assignments import is_stored_back


@pytest.mark.parametrize(
    ("entry", "places"),
    [
        ("web.Page#title=", ["p.title = x"]),
        ("web.Page#[Location]=", ["p['Location'] = x"]),
        ("web.Page#headers[a]=", ["p.headers['a'] = x"]),
        ("web.setting=", ["web.setting = x"]),
        ("web.Page#nothing=", []),
    ],
)
def test_an_assignment_to_an_attribute_or_key_of_an_api(entry: str, places: list[str]) -> None:
    code = """
import web
p = web.page()
x = f()
p.title = x
p['Location'] = x
p.headers['a'] = x
p.other = x
web.setting = x
q.title = x
p.title = 'constant'
"""
    rules = f'[sink]\ndanger = ["{entry}"]\n[type]\nreturns = ["web.page() : web.Page"]\n'
    assert [place.split(" =")[0] for place in labelled(code, rules).sinks()] == [each.split(" =")[0] for each in places]


def test_conditions_of_an_assignment_are_about_the_value_and_the_object() -> None:
    rules = """[sink]\ndanger = ["web.Page#a= when 0 is string", "web.Page#b= when this called set('on')"]\n"""
    rules += '[type]\nreturns = ["web.page() : web.Page"]\n'
    code = "import web\np = web.page()\np.set('on')\nq = web.page()\np.a = x\np.a = [x]\np.b = x\nq.b = x\n"
    found = labelled(code, rules)
    assert sorted(found.text(role.value) for role in found.labels.sinks) == ["x", "x"]
    assert sorted({found.codes[0][: role.start].count(b"\n") + 1 for role in found.labels.sinks}) == [5, 7]


def test_setting_an_item_calls_what_a_pack_says_of_it() -> None:
    rules = '[sink]\ndanger = ["web.Store#__setitem__(1)"]\nother = ["web.Store#__setitem__(0)"]\n'
    rules += '[type]\nreturns = ["web.store() : web.Store"]\n'
    found = labelled("import web\ndef f(k, v):\n    s = web.store()\n    s[k] = v\n    s['a'] = 'b'\n", rules)
    assert [(found.text(role.value), role.vulnerability) for role in found.labels.sinks] == [("k", 1), ("v", 0)]


def test_a_changed_part_is_stored_back_and_an_assignment_is_not() -> None:
    found = labelled("def f(o, v):\n    o.a.b = v\ndef g(o):\n    o.a = o.a\n")
    stores = found.program.tables["stores"]
    rows = range(len(stores["object"]))
    back = [row for row in rows if is_stored_back(found.facts, row)]
    assert len(back) == 1
    assert found.program.strings[stores["key"][back[0]]] == "a"


def test_an_attribute_that_is_passed_to_a_function_is_not_set_by_that() -> None:
    rules = """
[source]
http = ["web.get()"]

[sink]
danger = ["web.run(0)"]

[sanitizer]
danger = ["web.Page#host="]

[type]
returns = ["web.page() : web.Page"]

[propagator]
flow = ["web.page: 0 -> ret"]
"""
    code = "import web\np = web.page(web.get())\n{}\nweb.run(p)\n"
    set_ = labelled(code.format("p.host = 'a.example'"), rules).labels.harmless_parts
    passed = labelled(code.format("note(p.host)"), rules).labels.harmless_parts
    assert set_
    assert not passed


def test_a_literal_that_is_assigned_to_a_member_assigns_its_members() -> None:
    rules = '[sink]\ndanger = ["web.Page#headers[a]="]\n[type]\nreturns = ["web.page() : web.Page"]\n'
    code = """
import web
p = web.page()
p.headers = {"a": x, "b": y}
p.headers = {"b": y}
p.other = {"a": y}
p.headers = {"a": "constant"}
p.headers = {"c": {"a": y}}
"""
    found = labelled(code, rules)
    assert [found.text(role.value) for role in found.labels.sinks] == ["x"]
