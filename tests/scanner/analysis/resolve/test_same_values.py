"""What a value is another name for is what the flows and the captures of the program say."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts

from pyrograph.ir.codes import Flow, Op
from pyrograph.scanner.analysis.resolve.same_values import SameValues

JOINED = """\
def f(a, b, c):
    if c:
        a = b
    def g():
        return a
    return a, g
"""


@pytest.mark.parametrize("code", ["x = 1", JOINED], ids=["no flow", "a merge and a capture"])
def test_the_answers_are_the_rows_of_the_tables(code: str) -> None:
    solver = parts(code, "python")
    same = SameValues(solver.program, solver.points.rep)
    flows, captures = solver.program.tables["flows"], solver.program.tables["captures"]
    rows = [row for row, kind in enumerate(flows["kind"].tolist()) if kind == int(Flow.SAME)]
    for node in range(solver.program.num_values):
        expected = [int(flows["origin"][row]) for row in rows if solver.points.reps[int(flows["target"][row])] == node]
        assert same.before(node) == expected
    assert same.outer == dict(zip(captures["inner"].tolist(), captures["outer"].tolist(), strict=True))


def test_a_merge_has_its_inputs() -> None:
    solver = parts(JOINED, "python")
    same = SameValues(solver.program, solver.points.rep)
    merge = solver.points.reps[solver.op.index(int(Op.PHI))]
    assert len(same.before(merge)) == 2
    assert same.outer
