"""Decorated functions are known before anything is propagated."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import CallFlag
from pyrograph.scanner.analysis.resolve.calls import binding_decorators


def test_only_arguments_of_decorators_are_decorated() -> None:
    solver = parts("@d\ndef f(): pass\ndef g(): pass\nd(g)\n", "python")
    assert [solver.strings[solver.functions.name[each]] for each in solver.calls.decorated] == ["f"]


def test_each_call_is_found_by_its_callee() -> None:
    solver = parts("f()\nf()\n", "python")
    assert sorted(row for rows in solver.calls.of_callee.values() for row in rows) == [0, 1]


def test_decorators_that_are_asked_for_their_object_are_those_that_decorate() -> None:
    code = """
@app.task(bind=True)
def f(self, x): pass
@app.task(bind=False)
def g(x): pass
@app.task(other=True)
def h(x): pass
async def k(x):
    await app.task(bind=True)(x)
"""
    program = parts(code, "python").program
    flags = program.tables["calls"]["flags"]
    (row,) = binding_decorators(program)
    assert flags[row] & CallFlag.DECORATOR
