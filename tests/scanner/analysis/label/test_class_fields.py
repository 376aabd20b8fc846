"""Fields: clean by the class that declares them, validated by a method of it, or embedded."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import GO_RULES, RULES, labelled

from pyrograph.ir.codes import Op

CLEAN = '[type]\nclean = ["builtins.int", "web.Choice"]\n'


@pytest.mark.parametrize(
    ("fields", "clean"),
    [
        ("a: int", ["c.a"]),
        ("a: str", []),
        ("a: int\n    b: str", ["c.a"]),
        ("b: int", []),
    ],
)
def test_a_field_of_a_clean_type_is_clean_where_the_class_is_known(fields: str, clean: list[str]) -> None:
    code = f"class C:\n    {fields}\ndef f(c: C):\n    return c.a\n"
    assert labelled(code, RULES + CLEAN).clean(op=Op.LOAD) == clean


FORM = """
import web
class Form(web.Form):
    page: int
    name: str
class Sub(Form):
    name: int
def f():
    form = {owner}()
    data = form.cleaned
    return data["page"], data["name"], data.get("page"), data.get("name"), data["other"]
"""
FORM_RULES = """
[source]
http = ["web.Form#cleaned keyed"]
[propagator]
flow = ["web.Form#cleaned.get: this[$0] -> ret"]
"""


@pytest.mark.parametrize(
    ("owner", "clean"),
    [
        ("Form", ['data.get("page")', 'data["page"]']),
        ("Sub", ['data.get("name")', 'data.get("page")', 'data["name"]', 'data["page"]']),
    ],
)
def test_checked_data_of_a_form_has_the_types_of_its_fields(owner: str, clean: list[str]) -> None:
    found = labelled(FORM.replace("{owner}", owner), FORM_RULES + CLEAN)
    assert found.sources() == ["form.cleaned"]
    assert found.clean() == clean
    (keys,) = found.labels.keys.clean.values()
    assert {found.program.strings[key] for key in keys} == {each.split('"')[1] for each in clean}


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        ("raise ValueError", ["m.a"]),
        ("return v", []),
        ("if v in web.names(): raise ValueError\n        return v", ["m.a"]),
    ],
)
def test_a_field_with_a_validator_that_raises_is_noted(body: str, fields: list[str]) -> None:
    rules = RULES + '[type]\nvalidates = ["web.validator"]\n'
    code = f"import web\nclass M:\n    @web.validator('a')\n    def check(cls, v):\n        {body}\n"
    found = labelled(code + "class N(M): pass\ndef f(m: N):\n    return m.a, m.b\n", rules)
    assert found.texts(found.labels.checks.validated_fields) == fields


def test_an_embedded_field_lies_under_the_name_of_its_type() -> None:
    code = "package main\ntype Base struct { A string }\ntype T struct { Base; B string }\n"
    found = labelled(code + "func f(t T) { use(t.A); use(t.B) }\n", GO_RULES, "go")
    read, stored = found.labels.flows  # the state behind the call is stored back
    assert (found.text(read.target), read.derived, read.put) == ("t.A", False, ())
    assert [found.program.strings[key] for key in read.take] == ["Base", "A"]
    assert (found.text(stored.origin), stored.take) == ("t.A", ())
    assert [found.program.strings[key] for key in stored.put] == ["Base", "A"]


def test_a_field_that_types_of_several_depths_have_is_that_of_the_least_depth() -> None:
    code = """package main
type Low struct { A string }
type Other struct { A string }
type Middle struct { Low }
type T struct { Middle; Other }
func f(t T) { use(t.A) }
"""
    found = labelled(code, GO_RULES, "go")
    paths = [flow.take for flow in found.labels.flows if flow.take]
    assert [[found.program.strings[key] for key in path] for path in paths] == [["Other", "A"]]


@pytest.mark.parametrize(
    ("method", "clean"),
    [
        ("def clean(self):\n        data = super().clean()", ['data["name"]', 'data["page"]']),
        ("def validate(self, data):", ['data["name"]', 'data["page"]']),
        ("def validate(self, data: Form):", ['data["page"]']),  # another class declares the keys
        ("def other(self, data):", []),
    ],
)
def test_checked_data_that_a_form_gets_has_the_types_of_its_own_fields(method: str, clean: list[str]) -> None:
    code = FORM.split("def f()")[0] + f"    {method}\n        return data['page'], data['name'], data['other']\n"
    rules = FORM_RULES.replace('keyed"]', 'keyed", "web.Form#clean() keyed", "web.Form!validate:0 keyed"]')
    assert labelled(code.replace("'", '"'), rules + CLEAN).clean(op=Op.LOAD) == clean
