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
