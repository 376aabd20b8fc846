"""Reads of fields that a function of the program validates: doubtful where it asks more, or returns something else.

``fixtures/flows`` has the questions of the language.
"""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

RULES = """
[source]
http = ["web.data"]
[propagator]
flow = ["web.Model(): * -> ret"]
[type]
validates = ["web.{checks_field,Checked}"]
"""
PROGRAM = """
import web
from typing import Annotated

def of_type(value):
    if value not in web.names():
        raise ValueError
    return value

class Model(web.Model):
    field: str
    other: str
    typed: Annotated[str, web.Checked(of_type)]

    @web.checks_field("field")
    def check(cls, value):
        {body}

def f():
    model = Model(web.data)
    return {read}
"""


@pytest.mark.parametrize(
    ("body", "doubtful"),
    [
        ("if not value: raise ValueError\n        return value", False),
        ("if value not in web.names(): raise ValueError\n        return value", True),
        ("if not web.knows(value): raise ValueError\n        return value", True),
        ("if not value: raise ValueError\n        return web.changed(value)", True),
        ("return web.changed(value)", False),  # it refuses nothing
    ],
)
def test_a_validator_that_asks_for_the_form_alone_leaves_no_doubt(body: str, doubtful: bool) -> None:
    program = labelled(PROGRAM.replace("{body}", body).replace("{read}", "model.field"), RULES)
    found = {program.text(value) for value in program.labels.checks.validated_fields}
    assert ("model.field" in found) is doubtful


@pytest.mark.parametrize(("read", "doubtful"), [("model.other", False), ("model.typed", True)])
def test_only_the_field_that_is_named_or_declared_so_is_validated(read: str, doubtful: bool) -> None:
    body = "if value not in web.names(): raise ValueError\n        return value"
    program = labelled(PROGRAM.replace("{body}", body).replace("{read}", read), RULES)
    found = {program.text(value) for value in program.labels.checks.validated_fields}
    assert (read in found) is doubtful
    asked = [check.function for checks in program.labels.checks.field_checks.values() for check in checks]
    assert bool(asked) is doubtful
