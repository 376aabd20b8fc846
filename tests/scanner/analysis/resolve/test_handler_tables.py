"""Look-ups in tables of handlers: more functions than elsewhere, up to a bound."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.resolve.programs import called, modelled, parts, targets

from pyrograph.policy.limits.resolution import MAX_HANDLERS, MAX_NAMESAKES, MAX_STATES, MAX_TABLE_STEPS
from pyrograph.scanner.analysis.resolve.handler_tables import (
    called_by_name,
    handler_nodes,
    look_ups,
    passed_by_name,
    returned_by_name,
)

USES = {
    "looked up": "TABLE[k](x)",
    "with a default": "(TABLE[k] if k else f0)(x)",
    "a variable": "h = TABLE[k]\nh(x)",
}


def functions(count: int) -> str:
    return "".join(f"def f{each}(x): pass\n" for each in range(count))


def table(count: int, use: str) -> str:
    entries = ", ".join(f"'{each}': f{each}" for each in range(count))
    body = use.replace("\n", "\n    ")
    return f"{functions(count)}TABLE = {{{entries}}}\ndef run(k, x):\n    {body}\n"


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("count", [MAX_STATES, MAX_STATES + 1, MAX_HANDLERS])
def test_a_call_of_what_was_looked_up_means_all_handlers(count: int, use: str) -> None:
    found = called(table(count, USES[use]), "python")
    assert sum(map(len, found.values())) == count


def test_more_handlers_than_the_bound_are_no_targets() -> None:
    assert not called(table(MAX_HANDLERS + 1, USES["looked up"]), "python")


def test_what_is_not_called_has_the_usual_bound() -> None:
    solver = parts("def run(k, x):\n    h = TABLE[k]\n    return h\n", "python")
    assert handler_nodes(solver.program, solver.points.rep, []) == (set(), set())


def test_a_look_up_further_away_than_the_bound_does_not_count() -> None:
    def nodes(steps: int) -> set[int]:
        solver = parts(f"def run(k, x):\n    TABLE[k]{'.a' * steps}(x)\n", "python")
        return handler_nodes(solver.program, solver.points.rep, [])[0]

    assert nodes(1)
    assert not nodes(2 * MAX_TABLE_STEPS + 2)


def test_methods_that_look_up_a_key_are_found_by_what_packs_say() -> None:
    code = table(MAX_STATES + 1, "registry.find(TABLE, k)(x)").replace("TABLE = ", "import registry\nTABLE = ")
    program, resolution = modelled(code, "python", ["registry.find: 0[$1] => ret"])
    assert look_ups(resolution.keep_alive.apis.values()) == ["find"]
    found = targets(program, resolution, code.encode())
    assert len(found["registry.find(TABLE, k)(x)"]) == MAX_STATES + 1


def test_results_of_functions_are_joined_with_calls_of_their_names() -> None:
    def joined(code: str) -> int:
        solver = parts(code, "python")
        meant, meaning = called_by_name(solver.program, solver.points.rep)
        return len(returned_by_name(solver.program, solver.points.rep, meant, meaning)[0])

    function = "def f(x): return x\n"
    method = "class {0}:\n  def get(self): return 1\n"
    assert joined(function + "def g(): f(1)\n") == 1
    assert joined(function + "f(1)\n") == 1
    assert joined(function + "def g(): h(1)\n") == 0
    assert joined(method.format("A") + "def g(a): a.get()\n") == 1
    few = "".join(method.format(f"C{each}") for each in range(MAX_NAMESAKES))
    assert joined(few + "def g(a): a.get()\n") == MAX_NAMESAKES
    assert joined(few + method.format("One") + "def g(a): a.get()\n") == 0


def test_arguments_are_joined_with_parameters_that_a_closure_captures() -> None:
    def joined(code: str) -> int:
        solver = parts(code, "python")
        meant, meaning = called_by_name(solver.program, solver.points.rep)
        return len(passed_by_name(solver.program, solver.points.rep, meant, meaning)[0])

    wrapper = "def wrapped(f, name):\n  def inner(x): return f(x)\n  return inner\n"
    assert joined(wrapper + "def g(h): wrapped(h, 1)\n") == 1
    assert joined(wrapper + "def g(h): wrapped(1)\n") == 1
    assert joined(wrapper + "def g(h): wrapped(*h)\n") <= 1
    assert joined(wrapper + "def g(h): other(h, 1)\n") == 0
    assert joined("def plain(f, name): return f(name)\ndef g(h): plain(h, 1)\n") == 0
    assert joined("def g(h): h(1)\n") == 0
