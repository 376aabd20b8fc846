"""Functions that check an object as a whole, by the reads of its fields."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled

RULES = """
[source]
http = ["web.data"]
[propagator]
flow = ["web.Schema#load: 0 -> ret as this"]
[type]
validates = ["web.{checks,checks_field}"]
"""
PROGRAM = """
import web
class Base:
    based: str
    @web.checks
    def whole(self):
        if self.based != self.other:
            raise ValueError
class Model(Base):
    other: str
    late: str
    plain: str
    def __post_init__(self):
        if self.late not in ("a", "b"):
            raise ValueError(self.method)
    def method(self):
        return self.late
class Schema(web.Schema):
    host = web.Field()
    named = web.Field()
    plain = web.Field()
    @web.checks(order=1)
    def whole(self, data, **kwargs):
        if data["host"] not in ("a", "b"):
            raise ValueError
    @web.checks_field("named")
    def one(self, value):
        if value not in ("a", "b"):
            raise ValueError
def f():
    model = Model(web.data)
    data = Schema().load(web.data)
    return {read}
"""


def checks(program: Labelled, read: str) -> list[tuple[str, list[str], list[str]]]:
    """(function, what the field is in it, what others are) of the checks of the reads with this text."""
    of_reads = program.labels.checks.field_checks
    found = [check for value in sorted(of_reads) if program.text(value) == read for check in of_reads[value]]
    names = program.program.tables["functions"]["name"]
    return [
        (program.program.strings[names[each.function]], program.texts(each.texts), program.texts(each.others))
        for each in found
    ]


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        ("model.based", [("whole", ["self.based"], [])]),
        ("model.late", [("__post_init__", ["self.late"], [])]),
        ("model.plain", []),
        ("model.method", []),
        ('data["host"]', [("whole", ['data["host"]'], [])]),
        ('data["named"]', [("one", ["value"], [])]),
        ('data["plain"]', []),
    ],
)
def test_the_functions_that_check_a_field(read: str, expected: list[tuple[str, list[str], list[str]]]) -> None:
    program = labelled(PROGRAM.replace("{read}", read), RULES)
    found = checks(program, read)
    assert [(name, texts) for name, texts, _ in found] == [(name, texts) for name, texts, _ in expected]


def test_other_fields_are_named_beside_the_one_that_is_checked() -> None:
    program = labelled(PROGRAM.replace("{read}", "model.based"), RULES)
    assert [others for _, _, others in checks(program, "model.based")] == [["self.other"]]
