"""Decorated functions are known before anything is propagated."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts


def test_only_arguments_of_decorators_are_decorated() -> None:
    solver = parts("@d\ndef f(): pass\ndef g(): pass\nd(g)\n", "python")
    assert [solver.strings[solver.functions.name[each]] for each in solver.calls.decorated] == ["f"]


def test_each_call_is_found_by_its_callee() -> None:
    solver = parts("f()\nf()\n", "python")
    assert sorted(row for rows in solver.calls.of_callee.values() for row in rows) == [0, 1]
