"""The phases of the graph compiler that need no device, each by itself, on named topologies and on random programs."""

from __future__ import annotations

import math
import random
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.kernels import topologies as t
from tests.kernels.topologies import I4, I8

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cudagraph import buffers, lower, schedule, shapes, steps
from pyrograph.kernels.cudagraph.liveness import Range, live_ranges, peak
from pyrograph.kernels.cudagraph.program import TOP, blocks, touched
from pyrograph.kernels.errors import LimitError

SIZES = {"n": 8}


def errors(program: cg.Program, sizes: dict[str, int] | None = None) -> list[str]:
    return [str(problem) for problem in cg.validate(program, sizes) if problem.severity == "error"]


# ---- validation


@pytest.mark.parametrize("name", t.GOOD)
def test_a_good_topology_has_no_errors(name: str) -> None:
    assert errors(t.GOOD[name](), SIZES) == []


def test_a_node_that_nobody_reads_is_warned_of() -> None:
    (problem,) = cg.validate(t.dead_node(), SIZES)
    assert str(problem) == "warning: dead: is dead: nothing reads unread"


def test_a_circle_is_shown_node_by_node() -> None:
    (problem,) = errors(t.in_a_circle())
    assert "waits for itself: first -> second -> first" in problem


def test_missing_inputs_are_told_all_at_once() -> None:
    found = errors(t.missing_input(), SIZES)
    assert "error: sum.y: nothing is connected; sum needs it" in found
    assert any(problem.startswith("error: sum: reads 'empty', which nothing has written before") for problem in found)


def test_shapes_that_do_not_fit_are_errors_once_sizes_are_known() -> None:
    assert errors(t.shape_mismatch()) == []
    assert errors(t.shape_mismatch(), SIZES) == ["error: sum.out: [8] and [10] do not broadcast"]


def test_types_names_launches_and_scopes_are_checked_together() -> None:
    build = cg.Builder("wrong")
    x, wide = build.external("x", I4, "[n]"), build.external("wide", I8, "[n]")
    flag = build.external("flag", I8, "[1]")
    build.launch(t.ADD, x=wide, out=x, step=2**40, threads=2048, blocks=0, shared=1 << 20)
    build.launch(t.ADD, x=7, out="nowhere", step=x, more=1, name="add")
    build.fill(wide, 5)
    build.copy(x, wide)
    with build.when(flag):
        inner = build.buffer("inner", I4, "[1]")
        build.fill(inner)
    build.launch(t.GROW, x=inner, step=1)
    with build.loop(flag, name="hollow"):
        pass
    build.launch(t.SUM, x=x, y=x, out=x, name="alias", after=("nobody",))
    found = "\n".join(errors(build.program()))
    for expected in (
        "add.x: is an array of int32 and gets 'wide' of int64",
        "add.step: 1099511627776 does not fit int32",
        "add: 2,048 threads a block, expected 1 to 1,024",
        "add: 0 blocks, expected 1 to",
        "add: 1,048,576 bytes of shared memory",
        "add 2.x: is an array of int32 and gets the number 7",
        "add 2.out: names 'nowhere', which is no buffer",
        "add 2.step: is a number of type int32 and gets the buffer 'x'",
        "add 2: has an argument 'more', but add takes x, out, step",
        "fill wide: a fill cannot set int64 to 5, whose halves differ; use a kernel",
        "copy: copies 'x' of int32 to 'wide' of int64",
        "if: 'flag' is int64, expected int32",
        "grow.x: names 'inner', which is declared in another region",
        "hollow: its body is empty",
        "alias: gives 'x' to several parameters, one of which writes it",
        "alias: is to run after 'nobody', which is no node of its block",
    ):
        assert expected in found, expected


def test_names_are_used_once_and_have_no_colon() -> None:
    build = cg.Builder("colon")
    build.fill(build.external("x", I4, "[n]"), name="loop:begin")
    assert errors(build.program()) == [
        "error: loop:begin: has a colon, with which the compiler makes names of its own; leave it out"
    ]
    node = cg.Fill("twice", "x")
    block = cg.Block((cg.Buffer("x", I4, "[n]", "external"),) * 2, (node, node))
    assert [problem.split(";")[0] for problem in errors(cg.Program("names", block))] == [
        "error: twice: 2 times the name of a node",
        "error: x: 2 times the name of a buffer",
    ]


def test_a_kernel_whose_function_takes_something_else_is_refused() -> None:
    kernel = cg.Kernel("odd", lambda x: None, t.GROW.parameters)
    build = cg.Builder("odd")
    build.launch(kernel, x=build.external("x", I4, "[n]"), step=1)
    assert errors(build.program()) == [
        "error: odd: kernel 'odd' describes 2 parameters, its function has 1",
    ]


def test_what_a_round_leaves_in_a_region_buffer_is_no_input_of_the_next() -> None:
    build = cg.Builder("stale")
    flag = build.external("flag", I4, "[1]")
    with build.loop(flag):
        inner = build.buffer("inner", I4, "[4]")
        build.launch(t.GROW, x=inner, step=1)
    assert any("reads 'inner', which nothing has written before" in problem for problem in errors(build.program()))


def test_an_arena_beyond_the_memory_is_refused_with_need_and_limit() -> None:
    with pytest.raises(LimitError, match=r"arena of 'chain': 1,024 needed, 1,000 available") as caught:
        cg.plan(t.chain(), {"n": 100}, cg.Limits(memory=1000))
    assert caught.value.need == 1024


def test_all_problems_stand_in_the_error() -> None:
    with pytest.raises(cg.ProgramError) as caught:
        cg.plan(t.missing_input(), SIZES)
    assert len([problem for problem in caught.value.problems if problem.severity == "error"]) == 2


# ---- zero fills


def test_outputs_of_regions_are_zeroed_before_them() -> None:
    lowered = lower.lower(t.skipped())
    assert [node.name for node in lowered.block.nodes] == ["zero inside for maybe", "maybe", "end"]
    assert lower.lower(lowered) == lowered


def test_what_was_written_before_a_region_is_kept() -> None:
    names = [node.name for node in lower.lower(t.counting()).block.nodes]
    assert names == ["start", "first look", "loop", "end"]


# ---- order


def test_the_levels_of_a_diamond() -> None:
    order = schedule.schedule(t.diamond())[TOP]
    assert order.levels == (("add",), ("left", "right"), ("join",))
    assert order.edges == (("add", "left"), ("add", "right"), ("left", "join"), ("right", "join"))


def test_a_writer_waits_for_the_readers_before_it() -> None:
    build = cg.Builder("war")
    x, y = build.external("x", I4, "[n]"), build.external("y", I4, "[n]")
    build.copy(x, y, name="read")
    build.fill(x, name="write")
    assert schedule.schedule(build.program())[TOP].levels == (("read",), ("write",))


def test_a_circle_has_no_schedule() -> None:
    with pytest.raises(cg.ProgramError, match="waits for itself"):
        schedule.schedule(t.in_a_circle())


def test_a_fill_stands_right_before_the_first_that_needs_it() -> None:
    build = cg.Builder("late")
    last = build.external("x", I4, "[n]")
    zero = build.buffer("zero", I4, "[n]")
    build.fill(zero)
    for name in ("a", "b"):
        last, before = build.buffer(name, I4), last
        build.launch(t.ADD, x=before, out=last, step=1, name=f"to {name}")
    build.launch(t.SUM, x=last, y=zero, out=build.external("result", I4, "[n]"))
    order = schedule.schedule(build.program())[TOP]
    assert order.levels == (("to a",), ("fill zero", "to b"), ("sum",))


def test_every_block_has_an_order_of_its_own() -> None:
    orders = schedule.schedule(t.nested())
    assert set(orders) == {TOP, "outer", "inner", "if small"}
    assert orders["outer"].sequence() == ["ten", "inner", "below", "if small"]


@given(t.programs())
@settings(deadline=None)
def test_the_schedule_respects_every_edge_and_names_every_node_once(program: cg.Program) -> None:
    orders = schedule.schedule(program)
    for region, block in blocks(program):
        level = orders[region].level_of()
        assert sorted(orders[region].sequence()) == sorted(node.name for node in block.nodes)
        for first, second in orders[region].edges:
            assert level[first] < level[second]
        for i, one in enumerate(block.nodes):
            for other in block.nodes[i + 1 :]:
                a, b = touched(one), touched(other)
                if a.writes & (b.reads | b.writes) or b.writes & a.reads:
                    assert level[one.name] < level[other.name]


# ---- shapes


def test_rules_give_shapes() -> None:
    build = cg.Builder("rules")
    x, row = build.external("x", I4, "[n]"), build.external("row", I4, "[k, n]")
    wide, same, both = (build.buffer(name, I4) for name in ("wide", "same", "both"))
    build.launch(t.WIDEN, x=x, y=x, out=wide)
    build.launch(t.ADD, x=wide, out=same, step=0)
    build.launch(t.SUM, x=row, y=x, out=both)
    found, problems = shapes.infer(build.program(), {"n": 5, "k": 3})
    assert problems == []
    assert (found["wide"], found["same"], found["both"]) == ((5, 16), (5, 16), (3, 5))


def test_sizes_are_read_off_arrays_and_checked() -> None:
    build = cg.Builder("graph")
    for name, shape in (("offsets", "[n + 1]"), ("targets", "[m]"), ("bits", "[(n + 31) // 32]"), ("data", "[n]")):
        build.external(name, I4, shape)
    program = build.program()
    good = {"offsets": (65,), "targets": (7,), "bits": (2,), "data": (64,)}
    assert shapes.bind(program, good) == {"m": 7, "n": 64}
    with pytest.raises(cg.ProgramError) as caught:
        shapes.bind(program, {"offsets": (64,), "targets": (7, 1), "bits": (3,)})
    told = "\n".join(map(str, caught.value.problems))
    assert "data: no array was given" in told
    assert "targets: an array of shape [7, 1] was given for [m]" in told
    assert "bits: (n + 31) // 32 of [(n + 31) // 32] is 3 here and 2 elsewhere" in told
    build.external("lost", I4, "[2 * k]")
    with pytest.raises(cg.ProgramError, match=r"lost.*: no external buffer has k"):
        shapes.bind(build.program(), {**good, "lost": (4,)})


@pytest.mark.parametrize(
    ("rule", "what"),
    [
        ("same(4)", "names input 4, but k has 1"),
        ("sane", "is no rule"),
        ("[N, M]", "nothing says what M is"),
        ("[N ** 2]", "is no sum, product or whole quotient"),
        ("[N - 9]", "N - 9 is -1"),
        ("(N)", "is no rule"),
    ],
)
def test_rules_that_mean_nothing_are_told(rule: str, what: str) -> None:
    kernel = cg.Kernel("k", None, (cg.Pin("x", I4, "read"), cg.Pin("out", I4, "write", rule)))
    build = cg.Builder("rules")
    build.launch(kernel, x=build.external("x", I4, "[n]"), out=build.buffer("out", I4))
    _, problems = shapes.infer(build.program(), SIZES)
    assert any(what in problem.what for problem in problems)


def test_a_pattern_must_hold() -> None:
    square = cg.Kernel("square", None, (cg.Pin("x", I4, "read", "[N, N]"), cg.Pin("y", I4, "read", "[N, 16]")))
    build = cg.Builder("patterns")
    x, y = build.external("x", I4, "[n, m]"), build.external("y", I4, "[n]")
    build.launch(square, x=x, y=y)
    _, problems = shapes.infer(build.program(), {"n": 2, "m": 3})
    assert [problem.where for problem in problems] == ["square.x", "square.y"]


# ---- live ranges and places


def test_a_buffer_lives_from_its_first_to_its_last_level() -> None:
    program = t.diamond()
    ranges = live_ranges(program, schedule.schedule(program))[TOP]
    assert ranges == {"top": Range(0, 1), "left": Range(1, 2), "right": Range(1, 2)}


def test_a_region_is_one_step_and_what_it_carries_lives_through_it() -> None:
    program = t.counting()
    ranges = live_ranges(program, schedule.schedule(program))
    assert ranges[TOP]["carried"] == Range(0, 3)
    assert ranges[TOP]["more"] == Range(1, 2)
    assert ranges["loop"] == {"step": Range(0, 1)}


def test_the_arena_of_a_chain_is_its_peak() -> None:
    made = cg.plan(t.chain(12), {"n": 1000})
    assert made.placement.size == 2 * 4096
    assert made.placement.reuse[TOP]


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=12))
def test_on_chains_the_arena_is_the_peak_of_what_lives(sizes: list[int]) -> None:
    live = {f"b{i:02}": Range(i, i + 1) for i in range(len(sizes))}
    need = {f"b{i:02}": buffers.aligned(size) for i, size in enumerate(sizes)}
    _, size = buffers.arrange(need, live, lambda one, other: live[one].overlaps(live[other]))
    assert size == peak(need, live)


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), st.integers(0, 3000)), min_size=1, max_size=14))
def test_no_two_live_buffers_overlap_and_the_arena_is_between_peak_and_sum(rows: list[tuple[int, int, int]]) -> None:
    live = {f"b{i}": Range(first, first + more) for i, (first, more, _) in enumerate(rows)}
    need = {f"b{i}": buffers.aligned(size) for i, (_, _, size) in enumerate(rows)}
    offsets, size = buffers.arrange(need, live, lambda one, other: live[one].overlaps(live[other]))
    assert peak(need, live) <= size <= sum(need.values())
    assert all(at % buffers.ALIGNMENT == 0 for at in offsets.values())
    for one in need:
        for other in need:
            if one < other and live[one].overlaps(live[other]):
                assert offsets[one] + need[one] <= offsets[other] or offsets[other] + need[other] <= offsets[one]


# ---- running


def run(made: cg.Plan, x: np.ndarray, flag: int = 0) -> np.ndarray:
    arrays = {"x": x, "result": np.zeros_like(x), "flag": np.array([flag], np.int32)}
    loop = cg.HostLoop(made, arrays, cg.Plain())
    loop.launch()
    return arrays["result"]


@pytest.mark.parametrize("first", [0, 7, 30])
@pytest.mark.parametrize("name", t.GOOD)
def test_the_host_loop_computes_what_a_program_says(name: str, first: int) -> None:
    x = np.arange(first, first + 8, dtype=np.int32)
    for flag in (0, 1):
        assert np.array_equal(run(cg.plan(t.GOOD[name](), SIZES), x, flag), t.expected(name, x, flag))


def in_text_order(program: cg.Program) -> cg.Plan:
    """A plan that runs nodes as they stand in the program: what the program means."""
    made = cg.plan(program, {})
    order = {
        region: schedule.Order(tuple((node.name,) for node in block.nodes), ())
        for region, block in blocks(made.program)
    }
    return replace(made, orders=order)


def in_some_order(made: cg.Plan, seed: int) -> cg.Plan:
    """A plan with any order that its edges allow, as a device may choose it."""
    pick = random.Random(seed)
    orders = {}
    for region, block in blocks(made.program):
        edges = {*made.orders[region].edges, *made.placement.reuse[region]}
        left, done = [node.name for node in block.nodes], []
        while left:
            ready = [name for name in left if not any(second == name and first in left for first, second in edges)]
            done.append(pick.choice(ready))
            left.remove(done[-1])
        orders[region] = schedule.Order(tuple((name,) for name in done), ())
    return replace(made, orders=orders)


def in_arena(made: cg.Plan) -> dict[str, np.ndarray]:
    """Every buffer of the program at its place in one piece of memory, full of nonsense."""
    arena = np.full(made.placement.size, 0xA5, np.uint8)
    found = {}
    for name, shape in made.shapes.items():
        if name in made.placement.offsets:
            at = made.placement.offsets[name]
            found[name] = arena[at : at + 4 * math.prod(shape)].view(np.int32).reshape(shape)
    return found


@given(t.programs(), st.integers(0, 2**16))
@settings(deadline=None, max_examples=200)
def test_sharing_memory_changes_no_answer_in_any_order_that_the_edges_allow(program: cg.Program, seed: int) -> None:
    source = np.arange(3, 11, dtype=np.int32)
    plain, shared = ({"source": source.copy(), "result": np.zeros(1, np.int32)} for _ in range(2))
    meaning = in_text_order(program)
    cg.HostLoop(meaning, plain, cg.Plain()).launch()
    made = cg.plan(program, {})
    cg.HostLoop(in_some_order(made, seed), shared, cg.Plain(), own=in_arena(made)).launch()
    assert shared["result"] == plain["result"]
    assert np.array_equal(shared["source"], plain["source"])
    assert made.placement.size <= sum(
        buffers.aligned(made.nbytes(name)) for name in made.placement.offsets if name in made.shapes
    )


# ---- steps


def step_names(graph: tuple[steps.Step, ...]) -> list[str]:
    return [step.name for step in steps.walk(graph)]


def test_a_loop_is_a_kernel_that_looks_a_conditional_node_and_a_kernel_that_looks_again() -> None:
    made = cg.plan(t.counting(), SIZES)
    graph = steps.steps(made, {"": 1 << 20, "x": 256, "result": 512})
    assert step_names(graph) == [
        "start",
        "first look",
        "loop:begin",
        "loop",
        "add",
        "carry",
        "look",
        "loop:again",
        "end",
    ]
    by_name = {step.name: step for step in steps.walk(graph)}
    assert by_name["loop:again"].after == ("look",)
    assert by_name["end"].after == ("loop",)
    more = (1 << 20) + made.placement.offsets["more"]
    assert by_name["loop:begin"].what == steps.System("set_condition", (steps.Condition("loop"), more))
    carried = (1 << 20) + made.placement.offsets["carried"]
    assert by_name["start"].what == steps.Memcpy(carried, 256, 32)
    call = by_name["add"].what
    assert isinstance(call, steps.Call)
    assert call.arguments[:7] == (0, 0, 8, 4, carried, 8, 4)
    assert call.arguments[-1] == np.int32(3)
    assert isinstance(call.arguments[-1], np.int32)


def test_a_for_counts_and_zero_fills_are_fills() -> None:
    names = step_names(steps.steps(cg.plan(t.nested(), SIZES), {"": 0, "x": 0, "result": 0}))
    assert names[1:5] == ["outer:begin", "outer", "ten", "inner:begin"]
    graph = steps.steps(cg.plan(t.skipped(), SIZES), {"": 0, "x": 0, "result": 0, "flag": 0})
    assert graph[0].what == steps.Memset(0, b"\0\0\0\0", 8)
    assert graph[1].after == ("zero inside for maybe",)


def test_profiling_puts_events_at_the_top_and_clock_kernels_inside() -> None:
    made = cg.plan(t.counting(), SIZES)
    marks = steps.Markers(4096, steps.marked(made.program))
    graph = steps.steps(made, {"": 0, "x": 0, "result": 0}, "kernel", marks)
    inside = next(step.what for step in graph if step.name == "loop")
    assert isinstance(inside, steps.Conditional)
    assert not any(isinstance(step.what, steps.Event) for step in steps.walk(inside.body))
    assert [step.name for step in inside.body][:3] == ["add:start", "add", "add:stop"]
    assert inside.body[3].what == steps.System("mark_begin", (4096 + 8, np.int32(3)))
    assert [step.name for step in graph if isinstance(step.what, steps.Event)][:2] == ["start:start", "start:stop"]


@given(t.programs())
@settings(deadline=None)
def test_the_parameters_of_nodes_are_those_of_the_whole_graph(program: cg.Program) -> None:
    made = cg.plan(program, {})
    address = {"": 1 << 20, "result": 256, "source": 512}
    whole = {step.name: step.what for step in steps.walk(steps.steps(made, address))}
    names = {node.name for _, block in blocks(made.program) for node in block.nodes}
    some = {step.name: step.what for step in steps.parameters(made, address, names)}
    assert some == {name: what for name, what in whole.items() if not isinstance(what, steps.Conditional)}
    assert list(steps.parameters(made, address, set())) == []


@given(t.programs())
@settings(deadline=None)
def test_leaving_out_edges_keeps_what_comes_before_what(program: cg.Program) -> None:
    made = cg.plan(program, {})
    for region, _ in blocks(made.program):
        order = made.orders[region].sequence()
        edges = [*made.orders[region].edges, *made.placement.reuse[region]]
        assert closure(steps.reduced(edges, order), order) == closure(edges, order)


def closure(edges: list[tuple[str, str]], order: list[str]) -> dict[str, set[str]]:
    above: dict[str, set[str]] = {}
    for name in order:
        near = {first for first, second in edges if second == name}
        above[name] = near.union(*(above[other] for other in near))
    return above


# ---- pictures


def test_the_text_shows_levels_places_and_ranges() -> None:
    text = cg.to_text(cg.plan(t.counting(), SIZES))
    assert (
        text
        == """\
program counting: arena of 768 bytes
  level 0
    start: x -> carried
  level 1
    first look: below[1, 1](x=carried, flag=more, limit=20) -> more
  level 2
    loop: while more[0] != 0
      level 0
        add: add[1, 1](x=carried, out=step, step=3) -> step
      level 1
        carry: step -> carried
      level 2
        look: below[1, 1](x=carried, flag=more, limit=20) -> more
  level 3
    end: carried -> result
buffers
  x: int32 8, external
  result: int32 8, external
  carried: int32 8, graph, bytes 0..32, levels 0..3
  more: int32 1, graph, bytes 256..260, levels 1..2
  step: int32 8, region, bytes 512..544, levels 0..1 of loop
"""
    )


def test_the_picture_has_every_node_and_dashes_for_shared_memory() -> None:
    picture = cg.to_dot(cg.plan(t.chain(6), SIZES))
    assert picture.startswith('digraph "chain" {')
    assert '"add" -> "add 2";' in picture
    assert "style=dashed" in picture
    assert 'subgraph "cluster if small"' in cg.to_dot(cg.plan(t.nested(), SIZES))


def test_the_example_of_the_documentation_can_be_planned(repository: Path) -> None:
    text = (repository / "docs" / "cuda-graphs.md").read_text("utf-8")
    code = text.split("```python\n")[1].split("executable = ")[0]
    names: dict[str, Any] = {"cg": cg, "np": np, "ADD": t.ADD, "BELOW": t.BELOW}
    exec(code, names)
    made = cg.plan(names["build"].program(), {"n": 1000})
    assert made.shapes["step"] == (1000,)
    assert [problem.severity for problem in made.warnings] == []
