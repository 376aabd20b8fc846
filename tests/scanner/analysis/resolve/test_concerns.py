"""What is done with the states of a node, as the tables of the program say."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import parts

from pyrograph.scanner.analysis.resolve.concerns import BASES, CALLS, LOADS, MEMBERS, STORES, TYPES, concerned

CODE = """
class Base:
    size = 1

class Part(Base):
    pass

def use(item: Part, other):
    other.name = item.value
    item.value()
"""


def test_each_table_concerns_the_nodes_that_it_names() -> None:
    solver = parts(CODE, "python")
    tables, reps = solver.program.tables, solver.points.reps
    found = concerned(solver.program, solver.points.rep)
    for what, table, column in (
        (MEMBERS, "members", "owner"),
        (BASES, "bases", "base"),
        (LOADS, "loads", "object"),
        (CALLS, "calls", "callee"),
        (STORES, "stores", "object"),
        (TYPES, "types", "type"),
    ):
        named = {reps[value] for value in tables[table][column].tolist()}
        assert named, table
        assert {node for node, sum_ in enumerate(found) if sum_ & what} == named, table
