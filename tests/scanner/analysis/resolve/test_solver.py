"""Listeners run for every state of their node; parts are added to the program's rows only where they own them."""

from __future__ import annotations

import gc
import weakref

import pytest
from tests.scanner.analysis.resolve.programs import called, parts, used

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.resolution import CLASS, INSTANCE_OF, OBJECT
from pyrograph.scanner.analysis.resolve.solver import KeyPath, Listener, Solver


def test_a_chain_of_prototypes_is_as_long_as_one_likes() -> None:
    length = 1_500
    code = "function F0() {}\nF0.prototype.run = function (x) { return x }\n" + "".join(
        f"function F{i + 1}() {{ F{i}.call(this) }}\nF{i + 1}.prototype = new F{i}()\n" for i in range(length)
    )
    assert called(f"{code}new F{length}().run(1)\n", "javascript")[f"new F{length}().run(1)"] == ["run"]


class Heard(Listener):
    def __init__(self) -> None:
        self.states: list[int] = []

    def on_state(self, solver: Solver, call: int, state: int) -> None:
        self.states.append(state)


@pytest.mark.plain  # a compiled class has no subclasses that are not
def test_a_listener_runs_for_states_of_now_and_later_once_each() -> None:
    solver = parts("x = 1", "python")
    heard = Heard()
    node = solver.points.reps[0]
    solver.points.add(node, OBJECT)
    solver.listen(0, heard)
    solver.points.add(node, CLASS)
    solver.points.add(node, OBJECT)
    assert heard.states == [OBJECT]
    solver.points.queue_nodes.clear()
    solver.points.queue.clear()
    solver.points.add(node, INSTANCE_OF)
    run_to_fixpoint(solver)
    assert heard.states == [OBJECT, INSTANCE_OF]


@pytest.mark.plain  # a compiled class has no subclasses that are not
def test_equal_listeners_of_one_call_listen_once() -> None:
    solver = parts("x = 1", "python")
    heard = Heard()
    solver.points.add(0, OBJECT)
    for call in (1, 1, 2):
        solver.listen_node(0, KeyPath((5,), heard), call)
    assert len(solver.listeners[0]) == 2


@pytest.mark.plain  # a compiled class has no subclasses that are not
def test_a_key_path_listens_to_cells_of_a_known_and_of_any_key() -> None:
    solver = parts("x = 1", "python")
    heard = Heard()
    solver.listen_node(0, KeyPath((UNKNOWN_KEY,), heard), 0)
    solver.points.add(0, OBJECT)
    solver.points.add(solver.cell(OBJECT, 3), CLASS)
    run_to_fixpoint(solver)
    solver.points.add(solver.cell(OBJECT, 4), INSTANCE_OF)
    run_to_fixpoint(solver)
    assert sorted(set(heard.states)) == [CLASS, INSTANCE_OF]


@pytest.mark.plain
def test_a_solver_is_freed_without_garbage_collection() -> None:
    gc.disable()
    try:
        solver = parts("def f(x): return x\nf(f)\n", "python")
        points = weakref.ref(solver.points)
        del solver
        assert points() is None
    finally:
        gc.enable()


@pytest.mark.parametrize(("entry", "functions"), [("0[a]", {"a"}), ("0[]", {"a", "b"})])
@pytest.mark.parametrize("given", ["new C()", "C"])
def test_keys_of_a_path_lead_to_members_of_classes_and_their_instances(
    entry: str, functions: set[str], given: str
) -> None:
    static = "static " if given == "C" else ""
    code = f"import s from 's'; class C {{ {static}a(x) {{}} {static}b(x) {{}} }} s.add({given})"
    assert used({"a.js": code}, f"cb s.add({entry}):0") == functions
