"""Lists in tables that only calls of methods fill: what is called is all that was added."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.resolve.handler_lists import containers_of_handlers, opened
from pyrograph.scanner.analysis.resolve.handler_tables import handler_nodes

FILLED = """\
handlers = {}

def on(event, handler):
    handlers.setdefault(event, []).append(handler)

def send(event, x):
    for each in handlers[event]:
        each(x)
"""
LATE = """\
class Bus:
    def on(self, handler):
        self.handlers = self.handlers or []
        self.handlers.append(handler)

    def send(self, x):
        for each in self.handlers:
            each(x)
"""
NOT_CALLED = FILLED.replace("each(x)", "print(each)")


@pytest.mark.parametrize(
    ("code", "expected"), [(FILLED, 2), (LATE, 1), (NOT_CALLED, 0)], ids=["called", "made late", "read"]
)
def test_literals_are_found_backwards_from_calls(code: str, expected: int) -> None:
    solver = parts(code, "python")
    rep = solver.points.rep
    containers, _ = containers_of_handlers(solver.program, rep, *handler_nodes(solver.program, rep, []))
    operations = solver.program.tables["values"]["op"][containers]
    assert int((operations == Op.NEW).sum()) == expected


RETURNED = """\
def first():
    found = []
    for each in (f, g):
        found.append((1, each))
    return found

def send(x):
    for number, each in first() + second():
        each(x)
"""


@pytest.mark.parametrize(
    ("code", "literals", "operands"),
    [(RETURNED, 2, 2), (RETURNED.replace("each(x)", "print(each)"), 0, 0), (RETURNED.replace("first() +", ""), 0, 0)],
    ids=["called", "read", "another"],
)
def test_a_list_that_a_function_returns_is_found_by_the_name_of_the_function(
    code: str, literals: int, operands: int
) -> None:
    solver = parts(code, "python")
    rep = solver.points.rep
    containers, (joined, _) = containers_of_handlers(solver.program, rep, *handler_nodes(solver.program, rep, []))
    operations = solver.program.tables["values"]["op"][containers]
    assert int((operations == Op.NEW).sum()) == literals
    assert len(joined) == operands


def test_a_call_opens_its_receiver_or_its_first_argument() -> None:
    solver = parts("def f(a, b):\n    x = a.values()\n    y = sorted(b, key=1)\n    z = g()\n", "python")
    inner, outer = opened(solver.program, solver.points.rep)
    assert len(inner) == len(outer) == 2
