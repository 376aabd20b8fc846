"""Values that become cells of tables stand behind all others and are found by nothing."""

from __future__ import annotations

from pyrograph.ir.codes import Op
from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_RECORD_TABLES
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.representatives import representatives
from pyrograph.scanner.analysis.resolve.table_cells import reserve_cells
from pyrograph.scanner.analysis.verify import linked


def test_cells_are_values_behind_all_others() -> None:
    program = link(["app.py"], [lower(b"class A: pass\nx = A()\n", "python")], {})
    before = program.num_values
    rep, cells = reserve_cells(program, representatives(program))
    assert 0 < len(cells) <= MAX_RECORD_TABLES
    assert (cells.start, cells.stop) == (before, program.num_values)
    assert rep[before:].tolist() == list(cells)
    assert set(program.tables["values"]["op"][before:].tolist()) == {Op.CELL}
    assert linked.program(program) == []


def test_a_program_without_values_has_no_cells() -> None:
    program = link([], [], {})
    rep, cells = reserve_cells(program, representatives(program))
    assert (len(rep), len(cells)) == (0, 0)
