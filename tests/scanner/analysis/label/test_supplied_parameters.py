"""Which parameters of an entry point its decorators fill."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

RULES = """
[source]
http = ["@web.fields"]
"""


def from_requests(decorators: str, passed: str, parameters: str = "*args, **kwargs") -> set[str]:
    """The parameters of ``run(user, tool)`` that come from the request, with a decorator that passes ``passed``."""
    text = f"""
import web

def supplied(function):
    def inner({parameters}):
        return function({passed})
    return inner

{decorators}
def run(user, tool):
    web.run(user, tool)
"""
    found = labelled(text, RULES, "python")
    rows = found.program.tables["parameters"]
    names = {
        int(value): found.program.strings[int(name)]
        for value, name in zip(rows["value"], rows["name"], strict=True)
        if name >= 0
    }
    return {names[role.value] for role in found.labels.sources}


@pytest.mark.parametrize(
    ("passed", "found"),
    [
        ("*args, **kwargs", {"user", "tool"}),
        ("*args, **kwargs, user=web.account()", {"tool"}),
        ("*args, user=None, **kwargs", {"tool"}),
        ("*args, user=web.account(), tool=None, **kwargs", set()),
        ("*args, user=kwargs.pop('user'), **kwargs", {"user", "tool"}),  # reads the request's own
    ],
)
def test_what_a_wrapper_passes_by_name_is_no_part_of_the_request(passed: str, found: set[str]) -> None:
    assert from_requests("@web.fields()\n@supplied", passed) == found


def test_a_parameter_that_a_wrapper_hands_on_is_the_requests() -> None:
    assert from_requests("@web.fields()\n@supplied", "user=user, **kwargs", "user, **kwargs") == {"user", "tool"}


def test_a_wrapper_outside_of_the_one_that_reads_the_request_fills_nothing() -> None:
    assert from_requests("@supplied\n@web.fields()", "*args, user=web.account(), **kwargs") == {"user", "tool"}


def test_a_decorator_that_is_not_known_fills_nothing() -> None:
    assert from_requests("@web.fields()\n@web.other", "*args, **kwargs") == {"user", "tool"}
    found = from_requests("@web.fields()\n@web.other\n@supplied", "*args, user=web.account(), **kwargs")
    assert found == {"tool"}


def test_what_is_registered_by_a_call_is_filled_by_its_decorators() -> None:
    code = """
import web

def supplied(function):
    def inner(*args, **kwargs):
        return function(*args, user=web.account(), **kwargs)
    return inner

@supplied
def run(user, tool):
    web.run(user, tool)

web.add(run)
"""
    found = labelled(code, '[source]\nhttp = ["cb web.add(0)"]\n')
    assert set(found.sources()) & {"user", "tool"} == {"tool"}
