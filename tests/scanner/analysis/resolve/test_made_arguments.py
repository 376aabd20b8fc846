"""A method that a framework calls gets an instance of the class that the body of its class names."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import pack

from pyrograph.ir.packed import subjects
from pyrograph.parsers import lower
from pyrograph.scanner.analysis.apis import Apis
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import resolve
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF

RULES = '[type]\nparameters = ["web.View!done:0 : web.Form made by this[form]"]\n'
FORMS = """
import web

class Own(web.Form): pass
class Other(web.Form): pass
"""


def made(code: str) -> list[str]:
    """The classes of which the parameters called ``form`` are instances."""
    program = link(["app.py"], [lower(code.encode(), "python")], {})
    resolution = resolve(program, {"python": Apis([pack(RULES, "python")], low=True)})
    parameters, owners = program.tables["parameters"], program.tables["owners"]
    named = [
        int(value)
        for value, name in zip(parameters["value"], parameters["name"], strict=True)
        if name >= 0 and program.strings[name] == "form"
    ]
    classes = {owner for value in named for owner in subjects(resolution.states_of(value), INSTANCE_OF)}
    return sorted(program.strings[owners["name"][owner]] for owner in classes)


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ("class A(web.View):\n    form = Own\n    def done(self, form): pass\n", ["Own"]),
        ("class A(web.View):\n    form = Own\n    def done(self, other, form): pass\n", []),
        ("class A(web.View):\n    form = Own\n    def other(self, form): pass\n", []),
        ("class A(web.View):\n    def done(self, form): pass\nclass B(A):\n    form = Other\n", ["Other"]),
        (
            "class A(web.View):\n    form = Own\n    def done(self, form): pass\nclass B(A):\n    form = Other\n",
            ["Other", "Own"],
        ),
        ("class M:\n    form = Own\nclass A(M, web.View):\n    def done(self, form): pass\n", ["Own"]),
        ("class A(web.View):\n    def done(self, form): pass\n", []),
    ],
)
def test_the_parameter_is_an_instance_of_the_class_that_the_body_names(views: str, expected: list[str]) -> None:
    assert made(FORMS + views) == expected
