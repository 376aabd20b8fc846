"""Instances of classes whose constructor nobody wrote."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import modelled, resolved

FIELDS = """
import dataclasses
@dataclasses.dataclass
class Job:
    name: str
    place: str
    def __post_init__(self):
        use(self.name)
def f(a, b):
    {body}
"""


def filled(body: str) -> set[tuple[str, str]]:
    """(argument's text, field) of all fields that calls fill."""
    code = FIELDS.format(body=body)
    program, resolution = resolved({"app.py": code}, "python")
    values = program.tables["values"]
    return {
        (code[values["start"][value] : values["end"][value]], program.strings[key])
        for _, value, _, key in resolution.fields
    }


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("Job(a, b)", {("a", "name"), ("b", "place")}),
        ("Job(a, place=b)", {("a", "name"), ("b", "place")}),
        ("Job(place=a, name=b)", {("a", "place"), ("b", "name")}),
    ],
)
def test_arguments_are_the_declared_fields_in_their_order(body: str, found: set[tuple[str, str]]) -> None:
    assert filled(body) == found


@pytest.mark.parametrize("body", ["Job(a, b)", "list(map(Job, [a], [b]))"])
def test_the_method_that_finishes_an_instance_runs_wherever_the_class_is_called(body: str) -> None:
    code = "from functools import partial\n" + FIELDS.format(body=body)
    program, resolution = modelled(code, "python", ["builtins.map: call 0(1[],2[]) -> ret[]"])
    names = program.tables["functions"]["name"]
    assert "__post_init__" in {program.strings[names[target.function]] for target in resolution.targets}
