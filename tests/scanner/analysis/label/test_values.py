"""Sources and clean values by name and by the API that gives them."""

from __future__ import annotations

from tests.scanner.analysis.label.programs import RULES, labelled


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
