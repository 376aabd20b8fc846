"""The functions that check a field of a form, by read of the field."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

RULES = """
[source]
http = ["web.Form#cleaned keyed", "web.Form!validate:0 keyed"]
[propagator]
flow = ["web.Form#cleaned.get: this[$0] -> ret"]
"""
PROGRAM = """
import web
def outside(value):
    if value.bad:
        raise ValueError
def first(form, value):
    raise ValueError
class Own(web.Field):
    def __init__(self, label):
        self.label = label
    def check(self, value):
        outside(value)
    def nothing(self):
        pass
class Inner(web.Form):
    part = web.Field()
    def validate_part(self, value):
        pass
class Deep(web.Form):
    def validate(self, values):
        return values
class Base(web.Form):
    based = web.Field([outside])
class Form(Base):
    given = web.Field(outside)
    listed = web.Field(checks=[outside, first])
    own = Own("label")
    inner = Inner()
    deep = Deep()
    named = web.Field()
    passed = web.Field()
    plain = web.Field()
    def clean_named(self):
        return self.cleaned["named"]
    def validate_passed(self, value):
        return value
    def validate(self, values):
        return values["given"]
def f():
    form = Form()
    data = form.cleaned
    return {read}
"""


def checks(program: Labelled, read: str) -> list[tuple[str, list[str]]]:
    """(function, what the field is in it) of the checks of the reads with this text."""
    of_reads = program.labels.checks.field_checks
    found = [check for value in sorted(of_reads) if program.text(value) == read for check in of_reads[value]]
    names = program.program.tables["functions"]["name"]
    return [(program.program.strings[names[each.function]], program.texts(each.texts)) for each in found]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ('data["given"]', [("outside", ["value"]), ("validate", ['values["given"]'])]),
        ('data.get("given")', [("outside", ["value"]), ("validate", ['values["given"]'])]),
        ('data["listed"]', [("outside", ["value"]), ("first", ["form"])]),
        ('data["based"]', [("outside", ["value"])]),
        ('data["own"]', [("check", ["value"])]),
        ('data["inner"]', []),  # a form within the form: its methods check parts of it
        ('data["deep"]', []),
        ('data["named"]', [("clean_named", ['self.cleaned["named"]'])]),
        ('data["passed"]', [("validate_passed", ["value"])]),
        ('data["plain"]', []),
        ('data["other"]', []),
    ],
)
def test_a_read_of_a_field_names_the_functions_that_check_it(read: str, expected: list[tuple[str, list[str]]]) -> None:
    program = labelled(PROGRAM.replace("{read}", read), RULES)
    assert checks(program, read) == expected


def test_what_a_method_of_the_form_is_given_was_checked_before() -> None:
    program = labelled(PROGRAM.replace("{read}", "data"), RULES)
    assert checks(program, 'values["given"]') == [("outside", ["value"])]


def test_a_check_does_not_check_what_it_reads_itself() -> None:
    program = labelled(PROGRAM.replace("{read}", "data"), RULES)
    assert checks(program, 'self.cleaned["named"]') == []
