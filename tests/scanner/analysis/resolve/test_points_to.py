"""Points-to sets and copy edges: limits, shared edges, cells."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import parts, resolved

from pyrograph.ir.packed import KIND_BITS
from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_STATES
from pyrograph.scanner.analysis.resolve import capacity, points_to
from pyrograph.scanner.analysis.resolve import solver as solver_module
from pyrograph.scanner.analysis.resolve.propagation import run_to_fixpoint
from pyrograph.scanner.analysis.resolve.resolution import INSTANCE_OF, OBJECT


def heap_of_a_shared_list(functions: int, monkeypatch: pytest.MonkeyPatch, limit: int) -> set[tuple[int, int]]:
    """The heap edges of a program whose functions append to one list and read it, and all that they lead to."""
    monkeypatch.setattr(points_to, "MAX_JOIN_EDGES", limit)
    code = "seen = []\n" + "".join(f"def f{i}(x):\n  seen.append(x)\n  return seen\n" for i in range(functions))
    _, resolution = resolved({"app.py": code}, "python")
    return set(resolution.flows.context_free_edges)


def closed(pairs: set[tuple[int, int]]) -> set[tuple[int, int]]:
    following: dict[int, set[int]] = {}
    for origin, target in pairs:
        following.setdefault(origin, set()).add(target)
    found = set()
    for origin in following:
        work = [origin]
        seen: set[int] = set()
        while work:
            for each in following.get(work.pop(), ()):
                if each not in seen:
                    seen.add(each)
                    work.append(each)
        found |= {(origin, each) for each in seen if each != origin}
    return found


@pytest.mark.plain
def test_names_that_much_is_assigned_to_have_few_edges_and_reach_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    functions = 40
    every = heap_of_a_shared_list(functions, monkeypatch, 1 << 30)
    few = heap_of_a_shared_list(functions, monkeypatch, 100)
    assert len(every) > functions * functions > 8 * len(few)
    assert closed(every) <= closed(few)
    readers = {target for _, target in every}
    assert closed(few) - closed(every) <= {(origin, target) for origin in readers for target in readers}


@pytest.mark.plain
def test_loads_of_before_and_after_a_collecting_node_get_what_is_stored_later(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(points_to, "MAX_JOIN_EDGES", 1)
    solver = parts("a = b", "python")
    points, held = solver.points, 1 << KIND_BITS | OBJECT
    before, after = points.new_node(), points.new_node()
    points.take_any(held, before)
    for key in (1, 2):
        solver.cell(held, key)
    points.take_any(held, after)
    assert held in points.contents
    points.add(solver.cell(held, 3), 2 << KIND_BITS | OBJECT)
    run_to_fixpoint(solver)
    assert points.states[before] == points.states[after] == (2 << KIND_BITS | OBJECT,)


@pytest.mark.plain
def test_copies_of_a_wide_object_call_the_same_whether_they_listen_to_each_cell_or_to_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stores = "".join(f"def f{i}():\n  pass\ntable['k{i}'] = f{i}\n" for i in range(3))
    copies = "".join(f"c{i} = list(table.values())\nc{i}[n]()\n" for i in range(4))
    found = []
    for limit in (0, 5, 1 << 30):
        monkeypatch.setattr(solver_module, "MAX_CELL_COPIES", limit)
        _, resolution = resolved({"app.py": "table = {}\n" + stores + copies}, "python")
        found.append(sorted(map(tuple, resolution.rows("targets").tolist())))
    assert len(found[0]) == 4 * 3
    assert found[0] == found[1] == found[2]


def test_an_edge_carries_what_the_origin_has_and_gets() -> None:
    points = parts("a = b", "python").points
    origin, target = points.new_node(), points.new_node()
    points.add(origin, 1)
    points.edge(origin, target)
    points.edge(origin, target)
    assert points.states[target] == (1,)
    assert points.successors[origin] == [target]


def test_a_full_set_keeps_its_first_states_and_is_reported() -> None:
    points = parts("", "python").points
    node = points.new_node()
    for state in [*range(MAX_STATES), 0, 1]:
        points.add(node, state)
    assert not points.overflown
    points.add(node, MAX_STATES)
    assert points.states[node] == tuple(range(MAX_STATES))
    assert points.overflown == {node}


def test_a_receiver_takes_no_instances_of_other_classes() -> None:
    points = parts("", "python").points
    node = points.new_node()
    points.receivers[node] = 1
    points.classes.bases[2] = [1]
    points.add(node, 1 << KIND_BITS | INSTANCE_OF)
    points.add(node, 2 << KIND_BITS | INSTANCE_OF)
    points.add(node, 3 << KIND_BITS | INSTANCE_OF)
    assert points.states[node] == (1 << KIND_BITS | INSTANCE_OF, 2 << KIND_BITS | INSTANCE_OF)
    assert points.filtered == {(node, 3 << KIND_BITS | INSTANCE_OF)}


def test_a_receiver_takes_what_it_refused_once_a_base_of_its_class_is_known() -> None:
    points = parts("class A: pass\nclass B: pass", "python").points
    node = points.new_node()
    points.receivers[node] = 0
    own, other = 0 << KIND_BITS | INSTANCE_OF, 1 << KIND_BITS | INSTANCE_OF
    points.add(node, own)
    points.add(node, other)
    points.retry_filtered()
    assert points.states[node] == (own,)
    points.classes.add_base(1, 0, 0)
    points.retry_filtered()
    assert points.states[node] == (own, other)
    assert not points.filtered


def test_nodes_without_edges_share_no_list_that_grows() -> None:
    points = parts("", "python").points
    first, second, third = points.new_node(), points.new_node(), points.new_node()
    points.edge(first, second)
    assert points.successors[third] == []


def test_a_load_with_an_unknown_key_sees_cells_of_now_and_later() -> None:
    solver = parts("", "python")
    before = solver.cell(OBJECT, 1)
    result = solver.points.new_node()
    solver.points.take_any(OBJECT, result)
    solver.points.add(before, 8)
    assert result in solver.points.successors[before]
    assert result in solver.points.successors[solver.cell(OBJECT, 2)]


def family(classes: int) -> str:
    """One of several subclasses of a base, whose method is called."""
    subclasses = "".join(f"class C{i}(Base):\n    def run(self): pass\n" for i in range(classes))
    choices = "".join(f"if x == {i}: g = C{i}()\n" for i in range(classes))
    return f"class Base: pass\n{subclasses}{choices}g.run()\n"


@pytest.mark.plain
def test_sets_of_relatives_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    def largest() -> int:
        return max(map(len, resolved({"app.py": family(MAX_STATES + 4)}, "python")[1].states))

    assert largest() == MAX_STATES + 4
    monkeypatch.setattr(capacity, "MAX_RELATED_STATES", 2)
    assert MAX_STATES <= largest() <= MAX_STATES + 2


@pytest.mark.plain
def test_registered_values_share_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """The states above ``MAX_HANDLERS`` of all of them together; each may hold as many as a table of handlers."""
    monkeypatch.setattr(capacity, "MAX_REGISTERED_STATES", 3)
    points = parts("", "python").points
    nodes = [points.new_node(), points.new_node()]
    for node in nodes:
        points.register(node)
        for state in range(MAX_HANDLERS + 2):
            points.add(node, state << KIND_BITS | OBJECT)
    assert [len(points.states[node]) for node in nodes] == [MAX_HANDLERS + 2, MAX_HANDLERS + 1]
    assert points.overflown == {nodes[1]}
