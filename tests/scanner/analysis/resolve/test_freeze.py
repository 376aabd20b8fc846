"""The frozen call graph: exceptions, overflown callees, fully resolved calls."""

from __future__ import annotations

from tests.scanner.analysis.resolve.programs import called, resolved, used

from pyrograph.ir.codes import Op
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_STATES


def overflowing(functions: int) -> str:
    names = [f"f{i}" for i in range(functions)]
    return "".join(f"def {name}(): pass\n" for name in names) + f"for g in [{', '.join(names)}]:\n    g()\n"


def chosen(functions: int) -> str:
    """One of several functions, which are taken out of nothing."""
    names = [f"f{i}" for i in range(functions)]
    choices = "".join(f"if x == {i}: g = {name}\n" for i, name in enumerate(names))
    return "".join(f"def {name}(): pass\n" for name in names) + f"{choices}g()\n"


def test_a_callee_with_too_many_functions_has_no_targets() -> None:
    assert len(called(chosen(MAX_STATES), "python")["g()"]) == MAX_STATES
    assert "g()" not in called(chosen(MAX_STATES + 1), "python")
    assert resolved({"app.py": chosen(MAX_STATES + 1)}, "python")[1].reached.overflown


def test_a_handler_from_a_table_is_called_though_it_may_be_many() -> None:
    assert len(called(overflowing(MAX_HANDLERS), "python")["g()"]) == MAX_HANDLERS
    assert "g()" not in called(overflowing(MAX_HANDLERS + 1), "python")


def raised(code: str) -> int:
    """The number of returns from one function's exceptions to another's."""
    program, resolution = resolved({"app.py": code}, "python")
    op = program.tables["values"]["op"]
    return sum(op[origin] == Op.RAISED and op[target] == Op.RAISED for _, origin, target in resolution.returns)


def test_exceptions_pass_to_callers_below_a_handler_alone() -> None:
    inner = "def f(x): raise E(x)\ndef g(x): f(x)\n"
    assert raised(f"{inner}try:\n    g(1)\nexcept E: pass\n") == 1
    assert raised(f"{inner}g(1)\n") == 0


def test_a_call_of_the_program_alone_is_fully_resolved() -> None:
    program, resolution = resolved({"app.py": "import lib\ndef f(): pass\nf()\nlib.g()\n"}, "python")
    assert len(resolution.fully_resolved) == 1
    assert resolution.external.isdisjoint(resolution.fully_resolved)
    assert len(program.tables["calls"]["result"]) == 2


def test_the_nearest_method_of_the_program_is_the_entry_point() -> None:
    library = "import web\nclass Base(web.View):\n    def get(self, a): pass\n    def put(self, a): pass\n"
    assert used({"a.py": library + "class View(Base):\n    def get(self, a): pass\n"}, "web.View!get") == {"get"}
    assert used({"a.py": library}, "web.View!put") == {"put"}
    assert used({"a.py": library}, "web.Other!get") == set()


def test_a_base_known_by_its_name_makes_its_methods_entry_points() -> None:
    code = "from generated import {0}\nclass A({0}):\n    def ask(self, request): pass\n"
    assert used({"a.py": code.format("AServicer")}, "`*Servicer`!*") == {"ask"}
    assert used({"a.py": code.format("AStub")}, "`*Servicer`!*") == set()
