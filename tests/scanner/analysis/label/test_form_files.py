"""Fields of forms that hold files, and sinks that take a file or a path."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

RULES = """
[source]
http = ["web.Form#cleaned keyed"]

[sink]
danger = ["web.load(0) unless 0 is file", "web.run(0)"]

[propagator]
flow = ["web.Form#cleaned.get: this[$0] -> ret"]

[type]
files = ["web.Upload"]
declared_in = ["web.Form(this[Meta][model])"]
"""
FORM = """
import web
class Model:
    book = {declared}
class Form(web.Form):
    {body}
    class Meta:
        model = Model
def f():
    data = Form().cleaned
    web.load({read})
    web.run({read})
"""
UPLOAD, TEXT = "web.Upload()", "web.Text()"


@pytest.mark.parametrize("read", ['data["book"]', 'data.get("book")'])
@pytest.mark.parametrize(
    ("declared", "body", "loads"),
    [
        (TEXT, "book = web.Upload()", False),
        (TEXT, "book = web.Text()", True),
        (UPLOAD, "pass", False),  # the model declares it
        (TEXT, "pass", True),
        (UPLOAD, "book = web.Text()", True),  # the form's own field comes first
    ],
)
def test_a_field_that_holds_a_file_is_no_path(read: str, declared: str, body: str, loads: bool) -> None:
    code = FORM.replace("{read}", read).replace("{declared}", declared).replace("{body}", body)
    assert len(labelled(code, RULES).labels.sinks) == 1 + loads


@pytest.mark.parametrize(
    ("made", "loads"),
    [("web.Upload()", 0), ("web.Text()", 1), ("Own()", 0), ("x", 1)],
)
def test_a_file_is_known_by_its_type(made: str, loads: int) -> None:
    code = f"import web\nclass Own(web.Upload):\n    pass\ndef f(x):\n    given = {made}\n    web.load(given)\n"
    assert len(labelled(code, RULES).sinks()) == loads


def test_classes_that_name_each_other_declare_nothing_more() -> None:
    code = """
import web
class A(web.Form):
    class Meta:
        model = B
class B(web.Form):
    class Meta:
        model = A
def f():
    web.load(A().cleaned["book"])
"""
    assert labelled(code, RULES).sinks() == ['A().cleaned["book"]']


@pytest.mark.parametrize(
    ("declared", "member", "runs"),
    [(UPLOAD, "name", False), (UPLOAD, "title", True), (TEXT, "name", True)],
)
def test_a_member_of_a_file_is_as_clean_as_packs_say(declared: str, member: str, runs: bool) -> None:
    code = FORM.replace("{read}", f'data["book"].{member}').replace("{declared}", TEXT)
    rules = RULES + '[sanitizer]\ndanger = ["web.Upload#name"]\n'
    found = labelled(code.replace("{body}", f"book = {declared}"), rules)
    assert (f'data["book"].{member}' not in found.clean()) is runs
