"""Assignments to properties run their setters."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import received, resolved

PYTHON = """
class Job:
    @property
    def command(self):
        return self._command
    @command.setter
    def command(self, text):
        self._command = text
class Plain:
    pass
class Later(Job):
    pass
def f(a, b, job):
    {body}
"""
JAVASCRIPT = """
class Job {{
  get command() {{ return this._command }}
  set command(text) {{ this._command = text }}
}}
class Plain {{}}
class Later extends Job {{}}
function f(a, b, job) {{
  {body}
}}
"""


def code_of(language: str, body: str) -> str:
    if language == "python":
        return PYTHON.format(body=body.replace("; ", "\n    "))
    return JAVASCRIPT.format(body="let x; " + body.replace("Job()", "new Job()").replace("Later()", "new Later()"))


@pytest.mark.parametrize("language", ["python", "javascript"])
@pytest.mark.parametrize("made", ["Job()", "Later()"])
def test_what_is_assigned_is_the_parameter_of_the_setter(language: str, made: str) -> None:
    assert ("a", "text") in received(code_of(language, f"x = {made}; x.command = a"), language)


@pytest.mark.parametrize("language", ["python", "javascript"])
def test_other_names_and_other_objects_run_none(language: str) -> None:
    for body in ("x = Job(); x.other = a", "job.command = a"):
        assert ("a", "text") not in received(code_of(language, body), language)


@pytest.mark.parametrize(("body", "replaced"), [("x = Job(); x.command = a", 1), ("x = Job(); x.other = a", 0)])
def test_an_assignment_to_instances_with_a_setter_stores_nothing_itself(body: str, replaced: int) -> None:
    program, resolution = resolved({"app.py": code_of("python", body)}, "python")
    stores, strings = program.tables["stores"], program.strings
    names = [strings[stores["key"][row]] for row in resolution.flows.replaced_stores]
    assert len(names) == replaced
    assert set(names) <= {"command"}
