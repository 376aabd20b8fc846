"""A function stands for what it is given if it returns a function that gives its own first argument on first."""

from __future__ import annotations

import pytest

from pyrograph.parsers import lower
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve import cloning
from pyrograph.scanner.analysis.resolve.clone_facts import CloneFacts
from pyrograph.scanner.analysis.resolve.representatives import representatives
from pyrograph.scanner.analysis.resolve.returned_wrappers import returned_wrappers

WRAPPERS = {
    "const wrap = (handler) => async (req, res) => handler(req, res);": True,
    "const wrap = (handler) => (...args) => { count(); return handler(...args); };": True,
    "function wrap(handler) { return logged(async (req) => { await login(req); return handler(req, 1); }); }": True,
    "const wrap = (handler) => (req, res) => handler(res, req);": False,
    "const wrap = (handler) => (...args) => handler(args);": False,
    "function wrap(handler) { on('x', (e) => handler(e)); }": False,
    "function wrap(handler) { return handler(1); }": False,
}


@pytest.mark.parametrize(("code", "stands_for"), WRAPPERS.items())
def test_what_a_returned_function_calls_first(code: str, stands_for: bool) -> None:
    program = link(["a.js"], [lower(code.encode(), "javascript")], {})
    facts = CloneFacts(program, representatives(program))
    functions = set(range(len(program.tables["functions"]["value"])))
    parameters = program.tables["parameters"]
    rows = returned_wrappers(facts, functions)
    assert ["handler"] * stands_for == [program.strings[parameters["name"][row]] for row in sorted(rows)]


@pytest.mark.plain
def test_calls_of_a_wrapper_that_is_not_copied_return_what_they_wrap(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cloning, "MAX_COPIED", 0)
    uses = "".join(f"export const h{number} = wrap(async (req) => req.h{number}());\n" for number in range(9))
    code = f"const wrap = (handler) => async (req, res) => handler(req, res);\n{uses}"
    program = link(["a.js"], [lower(code.encode(), "javascript")], {})
    _, copies = cloning.clone_functions(program, representatives(program), {})
    assert len(copies.passing) == 9
    assert copies.wrapping == set(copies.passing), "the wrapper itself is a result, too"
