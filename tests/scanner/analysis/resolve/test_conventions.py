"""Handlers that nothing registers are known by the names of their parameters."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import used


@pytest.mark.parametrize(
    ("path", "code", "entry", "functions"),
    [
        (
            "a.js",
            "function f(req, res, next) {} function g(res, req) {} class C { h(req, res) {} }",
            "function (req, res)",
            {"f", "h"},
        ),
        (
            "a.py",
            "import django.http\ndef f(request, name): pass\ndef g(name): pass",
            "function (request) of django",
            {"f"},
        ),
        ("a.py", "import other\ndef f(request, name): pass", "function (request) of django", set()),
    ],
)
def test_names_of_parameters_make_a_handler(path: str, code: str, entry: str, functions: set[str]) -> None:
    assert used({path: code}, entry) == functions


@pytest.mark.parametrize(
    ("imported", "base", "functions"),
    [
        ("from shared import BaseHandler\nimport web", "BaseHandler", {"get"}),  # shared is not scanned
        ("from shared import BaseHandler", "BaseHandler", set()),  # the file does not import the library
        ("from shared import Other\nimport web", "Other", set()),
        ("import web\nclass BaseHandler: pass", "BaseHandler", set()),  # a class of the program
    ],
)
def test_a_base_that_is_not_seen_is_known_by_its_name(imported: str, base: str, functions: set[str]) -> None:
    before = "class First: pass\nclass Second(First): pass\n"
    code = f"{imported}\n{before}class C({base}):\n    def get(self, name): pass\n"
    types = [("extends", "`*Handler` : web.Handler")]
    assert used({"a.py": code}, "web.Handler!get", types=types) == functions
