"""Sources and clean values by name, by declared type and by the class that declares a field."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import GO_RULES, RULES, labelled

from pyrograph.ir.codes import Op

CLEAN = '[type]\nclean = ["builtins.int", "web.Choice"]\n'
GO_CLEAN = '[type]\nclean = ["builtin.int"]\n'


def test_parameters_and_literals_are_sources_by_their_text() -> None:
    rules = """[source]\nhttp = ["param body", "literal 'bad'"]\n"""
    found = labelled("def f(body, other): return 'bad', 'good'\ndef g(body): pass\n", rules)
    assert found.sources() == ["bad", "body"]
    assert len(found.labels.sources) == 3
    assert {role.api for role in found.labels.sources} == {"parameter body", "'bad'"}


def test_attributes_read_and_results_of_calls_are_sources() -> None:
    rules = '[source]\nhttp = ["web.request.args", "web.request.json()"]\ncookie = ["web.request.cookies"]\n'
    code = "import web\na = web.request.args\nb = web.request.json()\nc = web.request.json\nd = web.request.cookies\n"
    assert labelled(code, rules).sources() == ["web.request.args", "web.request.json()"]
    assert "web.request.cookies" in labelled(code, rules, kinds=("cookie",)).sources()


def test_the_result_of_a_sanitizer_is_clean_for_its_vulnerability_or_for_all() -> None:
    rules = RULES + '[sanitizer]\ndanger = ["web.clean()"]\nany = ["web.hash()"]\n'
    found = labelled("import web\na = web.clean(web.get())\nb = web.hash(web.get())\n", rules)
    assert found.clean(1) == ["web.clean(web.get())", "web.hash(web.get())"]
    assert found.clean(2) == ["web.hash(web.get())"]


def test_nobody_sent_what_a_function_made_itself() -> None:
    rules = '[source]\nhttp = ["web.Message#body"]\n[type]\nparameters = ["@web.handle:0 : web.Message"]\n'
    code = "import web\n@web.handle\ndef f(m):\n    a = m.body\n    n = web.Message()\n    b = n.body\n"
    found = labelled(code, rules)
    assert "m.body" in found.sources()
    made = 'package main\nimport "web"\nfunc f(m *web.Message) {\n use(m.Body)\n n := &web.Message{}\n use(n.Body)\n}\n'
    assert labelled(made, '[source]\nhttp = ["web.Message#Body"]\n', "go").sources() == ["m.Body"]


def test_members_of_a_parameter_are_sources_by_their_steps() -> None:
    rules = '[source]\nhttp = ["cb web.on(0):0.query", "cb web.on(0):0.all().x"]\n'
    code = "const web = require('web')\n"
    code += "web.on(r => { a(r.query.q); b(r.body); const { all } = r; c(all().x, r.all().x) })\n"
    found = labelled(code, rules, "javascript")
    assert found.sources() == ["all().x", "r.all().x", "r.query"]


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


def test_an_enumeration_of_the_program_is_a_clean_type() -> None:
    code = "import web\nclass Color(web.Choice): pass\nclass Dark(Color): pass\nclass C:\n    a: Dark\n    b: Other\n"
    found = labelled(code + "def f(c: C):\n    return c.a, c.b\n", RULES + CLEAN)
    assert found.clean(op=Op.LOAD) == ["c.a"]


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
    (keys,) = found.labels.clean_keys.values()
    assert {found.program.strings[key] for key in keys} == {each.split('"')[1] for each in clean}


@pytest.mark.parametrize(
    ("body", "fields"),
    [("raise ValueError", ["m.a"]), ("return v", []), ("if v: raise ValueError\n        return v", ["m.a"])],
)
def test_a_field_with_a_validator_that_raises_is_noted(body: str, fields: list[str]) -> None:
    rules = RULES + '[type]\nvalidates = ["web.validator"]\n'
    code = f"import web\nclass M:\n    @web.validator('a')\n    def check(cls, v):\n        {body}\n"
    found = labelled(code + "class N(M): pass\ndef f(m: N):\n    return m.a, m.b\n", rules)
    assert found.texts(found.labels.checks.validated_fields) == fields


def test_an_embedded_field_lies_under_the_name_of_its_type() -> None:
    code = "package main\ntype Base struct { A string }\ntype T struct { Base; B string }\n"
    found = labelled(code + "func f(t T) { use(t.A); use(t.B) }\n", GO_RULES, "go")
    (flow,) = found.labels.flows
    assert (found.text(flow.target), flow.derived, flow.put) == ("t.A", False, ())
    assert [found.program.strings[key] for key in flow.take] == ["Base", "A"]


def test_a_length_is_a_number_unless_the_object_has_such_a_member() -> None:
    rules = RULES + '[propagator]\nflow = ["web.page.length.set: 0 -> this"]\n'
    found = labelled("const web = require('web')\na = web.get().length\nb = web.page.length\n", rules, "javascript")
    assert found.clean() == ["web.get().length"]
    assert labelled("import web\na = web.get().length\n").clean() == []


def test_a_declared_number_is_clean_where_a_compiler_checks_types() -> None:
    go = labelled("package main\nfunc f(n int, s string) {}\n", GO_RULES + GO_CLEAN, "go")
    assert go.texts(go.labels.numeric_parameters) == ["n"]
    assert labelled("def f(n: int): pass\n", RULES + CLEAN).labels.numeric_parameters == set()
