"""A method that is read by a computed name may be each whose name begins as the text does."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, modelled, resolved, targets

from pyrograph.policy.limits.resolution import MAX_HANDLERS

FEW = "class C {{ constructor() {{}} doA(x) {{}} doB(x) {{}} other(x) {{}} start(n) {{ {} }} }} new C().start(q)"
METHODS = " ".join(f"m{number}(x) {{}}" for number in range(MAX_HANDLERS + 1))
MANY = f"class C {{ constructor() {{}} {METHODS} start(n) {{ this[n](1) }} }}"


@pytest.mark.parametrize(
    ("code", "call", "functions"),
    [
        (FEW, 'this["do" + n](1)', ["doA", "doB"]),
        (FEW, "this[n](1)", ["doA", "doB", "other", "start"]),
        (FEW, 'this["no" + n](1)', []),
    ],
)
def test_the_beginning_of_a_computed_name_chooses_the_methods(code: str, call: str, functions: list[str]) -> None:
    found = called(code.format(call), "javascript").get(call, [])
    assert sorted(name for name in found if name) == functions


def test_a_name_that_may_be_more_methods_than_a_value_can_hold_means_none() -> None:
    assert called(f"{MANY} new C().start(q)", "javascript").get("this[n](1)", []) == []


@pytest.mark.parametrize(
    ("code", "call", "functions"),
    [
        ("jobs[n](1)", "jobs[n](1)", ["doA", "doB", "other"]),
        ('jobs["do" + n](1)', 'jobs["do" + n](1)', ["doA", "doB"]),
        ("g(jobs[n])", "g(jobs[n])", ["g"]),  # nothing is called that is read
    ],
)
def test_so_it_is_with_functions_of_a_module(code: str, call: str, functions: list[str]) -> None:
    text = f"import * as jobs from './jobs';\nfunction g(x) {{}}\nfunction f(n) {{ {code} }}\n"
    jobs = "import { gone } from 'lib';\nexport function doA(x) {}\nexport function doB(x) {}\n"
    jobs += "export function other(x) {}\nexport function _own(x) {}\nexport const text = 'x';\nexport { gone };\n"
    program, resolution = resolved({"app.js": text, "jobs.js": jobs}, "javascript")
    found = targets(program, resolution, text.encode())
    assert [name for name in found.get(call, []) if name] == functions


def test_fields_of_other_names_do_not_hide_the_methods() -> None:
    fields = "\n".join(f"        self.f{number} = C{number}()" for number in range(12))
    classes = "\n".join(f"class C{number}: pass" for number in range(12))
    code = (
        f"import lib\n{classes}\nclass C(lib.Base):\n    def __init__(self):\n{fields}\n    def do_a(self, x): pass\n"
        "    def start(self, n): getattr(self, 'do_' + n)(1)\n"
    )
    program, resolution = modelled(code, "python", ["builtins.getattr: 0[$1] => ret"])
    assert targets(program, resolution, code.encode())["getattr(self, 'do_' + n)(1)"] == ["do_a"]


SUBCLASS = """
class Base:
    def start(self, n): getattr(self, "do_" + n)(1)
class One(Base):
    def do_a(self, x): pass
    def other(self, x): pass
class Made(Base):
    def do_b(self, x): pass
Made()
"""


def test_so_are_methods_of_subclasses_of_which_no_code_makes_an_instance() -> None:
    program, resolution = modelled(SUBCLASS, "python", ["builtins.getattr: 0[$1] => ret"])
    assert targets(program, resolution, SUBCLASS.encode())['getattr(self, "do_" + n)(1)'] == ["do_a"]
