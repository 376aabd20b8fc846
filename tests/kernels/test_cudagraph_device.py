"""The graph compiler on a device (``-m gpu``): equal to the host loop, whatever changes, and nothing gets lost."""

from __future__ import annotations

import gc
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from tests.kernels import topologies as t
from tests.kernels.device_kernels import exchanged, kernels
from tests.kernels.test_cudagraph_update import sample

from pyrograph.kernels import cudagraph as cg
from pyrograph.kernels.cudagraph.update import Level
from pyrograph.kernels.errors import BackendError, LimitError

pytestmark = [pytest.mark.gpu, pytest.mark.filterwarnings("ignore:.*Grid size:Warning")]


def cuda() -> Any:
    from numba import cuda as untyped

    return untyped


def on_device(
    program: cg.Program, arrays: dict[str, np.ndarray], **options: Any
) -> tuple[cg.Executable, dict[str, Any]]:
    there = {name: cuda().to_device(array) for name, array in arrays.items()}
    return cg.compile(exchanged(program, kernels()), there, **options), there


def launched(executable: cg.Executable) -> None:
    executable.launch()
    executable.synchronize()


@pytest.mark.parametrize("how", ["graph", "stream"])
@pytest.mark.parametrize("name", t.GOOD)
def test_a_topology_computes_what_it_says(name: str, how: cg.How) -> None:
    for first in (0, 7, 30):
        for flag in (0, 1):
            x = np.arange(first, first + 8, dtype=np.int32)
            arrays = {"x": x, "result": np.zeros_like(x), "flag": np.array([flag], np.int32)}
            executable, there = on_device(t.GOOD[name](), arrays, how=how)
            for _ in range(2):
                launched(executable)
                assert np.array_equal(there["result"].copy_to_host(), t.expected(name, x, flag))
            executable.close()


@given(t.programs())
@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
def test_a_random_program_gives_the_same_as_a_graph_as_a_stream_and_on_the_host(program: cg.Program) -> None:
    source = np.arange(3, 11, dtype=np.int32)
    plain = {"source": source.copy(), "result": np.zeros(1, np.int32)}
    cg.HostLoop(cg.plan(program, {}), plain, cg.Plain()).launch()
    for options in ({"how": "graph"}, {"how": "stream"}, {"how": "graph", "profiling": "kernel"}):
        executable, there = on_device(program, {"source": source, "result": np.zeros(1, np.int32)}, **options)
        launched(executable)
        assert there["result"].copy_to_host()[0] == plain["result"][0]
        assert np.array_equal(there["source"].copy_to_host(), plain["source"])
        executable.close()


def value(x: np.ndarray, y: np.ndarray, program_options: dict[str, Any]) -> tuple[np.ndarray, np.ndarray]:
    """What ``sample`` does to x and y, by NumPy."""
    y = y + program_options.get("rounds", 3) + (1 if program_options.get("extra") else 0)
    if program_options.get("target") == "y":
        return x, y + program_options.get("step", 1)
    return x + program_options.get("step", 1), y


@pytest.mark.parametrize(
    ("options", "level"),
    [
        ({}, Level.NONE),
        ({"step": 5}, Level.HOT),
        ({"rounds": 7}, Level.HOT),
        ({"rounds": 0}, Level.HOT),
        ({"value": -1}, Level.HOT),
        ({"blocks": 1, "threads": 1}, Level.NONE),
        ({"threads": 1, "blocks": cg.Cover("x", 1)}, Level.WARM),
        ({"extra": True}, Level.COLD),
        ({"after": ("fill",)}, Level.COLD),
        ({"region": True}, Level.COLD),
        ({"target": "y"}, Level.COLD),
    ],
    ids=str,
)
def test_an_update_takes_its_path_and_gives_the_right_values(options: dict[str, Any], level: Level) -> None:
    base: dict[str, Any] = {"threads": 1, "blocks": 1}
    x, y = np.arange(8, dtype=np.int32), np.arange(8, dtype=np.int32) * 3
    executable, there = on_device(sample(**base), {"x": x, "y": y})
    launched(executable)
    before = executable.made.run
    update = cg.apply(executable, exchanged(sample(**{**base, **options}), kernels()), there)
    assert update.level == level
    assert (executable.made.run is before) == (level < Level.COLD)
    old = [there[name].copy_to_host() for name in "xy"]
    launched(executable)
    for name, wanted in zip("xy", value(old[0], old[1], options), strict=True):
        assert np.array_equal(there[name].copy_to_host(), wanted)
    executable.close()


def test_rebinding_and_resizing_are_warm_and_a_larger_arena_is_found() -> None:
    program = exchanged(t.chain(5), kernels())
    executable, _ = on_device(t.chain(5), {"x": np.zeros(8, np.int32), "result": np.zeros(8, np.int32)})
    run, arena = executable.made.run, executable.made.arena
    for n in (8, 5000, 100, 200_000):
        x = np.arange(n, dtype=np.int32)
        there = {"x": cuda().to_device(x), "result": cuda().device_array(n, np.int32)}
        assert cg.apply(executable, program, there).level == Level.WARM
        launched(executable)
        assert np.array_equal(there["result"].copy_to_host(), x + 5)
        assert executable.made.run is run
    assert executable.made.arena is not arena
    executable.close()


def test_what_does_not_compile_is_told_and_the_last_good_graph_runs_on() -> None:
    def broken(x, step):  # type: ignore[no-untyped-def]
        x.no_such_thing(step)

    bad = cg.Kernel("broken", cuda().jit(broken), t.GROW.parameters)
    x = np.zeros(8, np.int32)
    executable, there = on_device(sample(threads=1, blocks=1), {"x": x, "y": x})
    launched(executable)
    with pytest.raises(cg.CompileError, match="kernel 'broken' does not compile") as caught:
        cg.apply(executable, sample(threads=1, blocks=1, kernel=bad), there)
    assert "no_such_thing" in caught.value.diagnostics
    launched(executable)
    assert there["x"].copy_to_host().tolist() == [2] * 8
    with pytest.raises(cg.ProgramError):
        cg.apply(executable, t.missing_input(), there)
    launched(executable)
    assert there["x"].copy_to_host().tolist() == [3] * 8
    executable.close()


def test_too_little_memory_is_told_before_anything_is_changed() -> None:
    build = cg.Builder("huge")
    x = build.external("x", t.I4, "[n]")
    huge = build.buffer("huge", t.I4, f"[{1 << 40}]")
    build.fill(huge)
    build.launch(t.GROW, x=x, step=1)
    arrays = {"x": np.zeros(4, np.int32)}
    with pytest.raises(LimitError, match="bytes of the arena of 'huge'"):
        on_device(build.program(), arrays)
    executable, there = on_device(sample(threads=1, blocks=1), {"x": np.zeros(4, np.int32), "y": np.zeros(4, np.int32)})
    with pytest.raises(LimitError):
        cg.apply(executable, exchanged(build.program(), kernels()), there)
    launched(executable)
    assert there["x"].copy_to_host().tolist() == [1] * 4
    executable.close()


def test_an_old_driver_means_a_stream_that_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    from pyrograph.kernels.cudagraph.device import Toolkit

    monkeypatch.setattr(Toolkit, "driver_version", lambda self: 12030)
    x = np.arange(8, dtype=np.int32)
    arrays = {"x": x, "result": np.zeros_like(x)}
    executable, there = on_device(t.counting(), arrays)
    assert executable.how == "stream"
    assert "need a driver for CUDA 12.4" in executable.why
    launched(executable)
    assert np.array_equal(there["result"].copy_to_host(), t.expected("counting", x))
    with pytest.raises(BackendError, match=r"this one is for 12\.3"):
        on_device(t.counting(), arrays, how="graph")


def test_a_thousand_launches_and_a_hundred_graphs_leave_no_memory_behind() -> None:
    x = np.arange(8, dtype=np.int32)
    arrays = {"x": x, "result": np.zeros_like(x)}

    def free() -> int:
        gc.collect()
        cuda().current_context().deallocations.clear()
        return int(cuda().current_context().get_memory_info().free)

    executable, there = on_device(t.counting(), arrays)
    launched(executable)
    before = free()
    for _ in range(1000):
        executable.launch()
    executable.synchronize()
    assert free() == before
    assert np.array_equal(there["result"].copy_to_host(), t.expected("counting", x))
    executable.close()
    for _ in range(10):
        on_device(t.nested(), arrays)[0].close()
    before = free()
    for _ in range(100):
        on_device(t.nested(), arrays)[0].close()
    assert free() == before


def test_the_profile_names_every_node_and_counts_its_rounds() -> None:
    x = np.arange(8, dtype=np.int32)
    executable, _ = on_device(t.nested(), {"x": x, "result": np.zeros_like(x)}, profiling="kernel")
    launched(executable)
    found = {node.name: node for node in executable.profile().nodes}
    assert set(found) == {"start", "outer", "end", "ten", "inner", "below", "if small", "one", "hundred"} | {
        name for name in found if name.startswith("zero")
    }
    assert found["one"].rounds == 6
    assert found["hundred"].rounds == 1
    assert found["outer"].by == "events"
    assert all(node.milliseconds >= 0 for node in found.values())
    assert "6 x" in executable.profile().table()
    executable.close()
    total, _ = on_device(t.nested(), {"x": x, "result": np.zeros_like(x)}, profiling="total")
    launched(total)
    assert total.profile().milliseconds > 0
    assert total.profile().nodes == ()
    total.close()
