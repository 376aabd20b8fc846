"""Paths of objects: expansion answers what an interpreter of stores and loads answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.ir.packed import FIRST_CAPTURE_KEY
from pyrograph.policy.limits.flow_graph import MAX_EXCLUDED, MAX_REPEATS
from pyrograph.scanner.analysis.assemble import Edges, FlowGraph, Kind, expand
from pyrograph.scanner.analysis.assemble.access_paths import (
    element,
    is_hidden,
    kill_key,
    load_key,
    reaches_sink,
    repeats,
)
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, REJECTED
from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.link import Program

KEYS = (0, 1, 2)


@dataclass(frozen=True)
class Thing:
    """What a value is: whether its unnamed parts are tainted, and the parts that were named."""

    tainted: bool = False
    parts: Mapping[int, Thing] = field(default_factory=dict)

    def load(self, key: int) -> Thing:
        return self.parts.get(key, Thing(self.tainted))

    def store(self, key: int, value: Thing) -> Thing:
        return Thing(self.tainted, {**self.parts, key: value})

    def join(self, other: Thing) -> Thing:
        keys = {*self.parts, *other.parts}
        return Thing(self.tainted or other.tainted, {k: self.load(k).join(other.load(k)) for k in sorted(keys)})

    def any_part(self) -> bool:
        return self.tainted or any(part.any_part() for part in self.parts.values())


@dataclass(frozen=True)
class Line:
    """One line of a straight program; it defines the next value."""

    word: str  # fresh, copy, join, store, load, derived, move
    a: int = 0
    b: int = 0
    key: int = 0
    other: int = 0
    actual: int = 0  # the key that an unknown key happens to be


@st.composite
def straight_programs(draw: st.DrawFn, *, unknown: bool) -> list[Line]:
    """Value 0 is tainted, value 1 is clean and empty; line i defines value i + 2 from earlier ones."""
    lines: list[Line] = []
    for count in range(2, 2 + draw(st.integers(1, 8))):
        words = ["fresh", "copy", "join", "store", "store", "store", "load", "load", "derived", "move"]
        word = draw(st.sampled_from(words))
        value = st.integers(0, count - 1)
        actual = draw(st.sampled_from(KEYS))
        key = UNKNOWN_KEY if unknown and word in ("store", "load") and draw(st.booleans()) else actual
        lines.append(Line(word, draw(value), draw(value), key, draw(st.sampled_from(KEYS)), actual))
    return lines


def interpret(lines: list[Line]) -> list[Thing]:
    values = [Thing(True), Thing()]
    for line in lines:
        a, b = values[line.a], values[line.b]
        match line.word:
            case "copy":
                result = a
            case "join":
                result = a.join(b)
            case "store":
                result = a.store(line.actual, b)
            case "load":
                result = a.load(line.actual)
            case "derived":
                result = Thing(a.any_part())
            case "move":
                result = Thing().store(line.other, a.load(line.actual))
            case _:
                result = Thing()
        values.append(result)
    return values


def graph(lines: list[Line], sink: int, keys: tuple[int, ...]) -> FlowGraph:
    edges = Edges()
    for target, line in enumerate(lines, 2):
        match line.word:
            case "copy":
                edges.add([line.a], [target], Kind.SAME)
            case "join":
                edges.add([line.a, line.b], [target, target], Kind.SAME)
            case "store":
                edges.add([line.a], [target], Kind.KILL, key=line.key)
                edges.add([line.b], [target], Kind.STORE, key=line.key)
            case "load":
                edges.add([line.a], [target], Kind.LOAD, key=line.key)
            case "derived":
                edges.add([line.a], [target], Kind.DERIVED)
            case "move":
                edges.transfers.append(((line.actual,), (line.other,)))
                edges.add([line.a], [target], Kind.MOVE, key=len(edges.transfers) - 1)
    count = 2 + len(lines)
    tables = {
        "values": {"function": np.zeros(count, np.int32), "op": np.zeros(count, np.int32)},
        "slices": {name: np.empty(0, np.int32) for name in ("result", "object", "start", "end")},
    }
    program = cast(Program, SimpleNamespace(num_values=count, tables=tables, string_ids={}))
    labels = Labels(("one",))
    labels.sources = [SourceRole(0, "http", "s")]
    labels.sinks = [SinkRole(sink, 0, "t", 0, 0, 0, keys, False)]
    return expand(program, labels, edges)


def is_found(flow: FlowGraph) -> bool:
    """Whether a source's node reaches a sink's in the expanded graph."""
    seen = set(flow.sources)
    edges = list(zip(flow.origin.tolist(), flow.target.tolist(), strict=True))
    before = -1
    while before != len(seen):
        before = len(seen)
        seen |= {v for u, v in edges if u in seen}
    return bool(seen & set(flow.sinks))


@settings(max_examples=400)
@given(straight_programs(unknown=False), st.data())
def test_with_constant_keys_the_answer_is_exact(lines: list[Line], data: Any) -> None:
    sink = data.draw(st.integers(0, len(lines) + 1))
    keys = data.draw(st.sampled_from([(), (0,), (1,)]))
    value = interpret(lines)[sink]
    for key in keys:
        value = value.load(key)
    assert is_found(graph(lines, sink, keys)) == value.any_part()


@settings(max_examples=400)
@given(straight_programs(unknown=True), st.data())
def test_with_unknown_keys_nothing_is_missed(lines: list[Line], data: Any) -> None:
    sink = data.draw(st.integers(0, len(lines) + 1))
    if interpret(lines)[sink].any_part():
        assert is_found(graph(lines, sink, ()))


def answers(lines: list[Line], sink: int, keys: tuple[int, ...] = ()) -> bool:
    return is_found(graph(lines, sink, keys))


def test_a_store_feeds_its_own_key_and_no_other() -> None:
    store = [Line("store", 1, 0, 1)]
    assert answers(store, 2)
    assert answers(store, 2, (1,))
    assert not answers(store, 2, (2,))


def test_an_unknown_key_feeds_every_key_and_overwrites_none() -> None:
    assert answers([Line("store", 1, 0, UNKNOWN_KEY)], 2, (1,))
    assert answers([Line("store", 1, 0, 1), Line("store", 2, 1, UNKNOWN_KEY)], 3, (1,))


def test_what_was_overwritten_in_a_tainted_object_is_clean_and_the_rest_is_not() -> None:
    overwritten = [Line("store", 0, 1, 1)]
    assert not answers(overwritten, 2, (1,))
    assert answers(overwritten, 2, (2,))
    assert answers(overwritten, 2)
    assert not answers([*overwritten, Line("load", 2, key=1)], 3)


def test_paths_that_repeat_a_key_are_collapsed_and_still_found() -> None:
    lines = [Line("store", 1, 0, 0)] + [Line("store", 1, i, 0) for i in range(2, 22)]
    lines += [Line("load", i, key=0) for i in range(22, 42)]
    flow = graph(lines, 2 + len(lines) - 1, ())
    assert is_found(flow)
    assert max(len(path) for path in flow.access_path) <= 16


ANY = frozenset[int]()


@pytest.mark.parametrize(
    ("key", "path", "excluded", "expected"),
    [
        (1, (1, 2), {5}, ((2,), {5})),
        (3, (1, 2), (), None),
        (UNKNOWN_KEY, (1, 2), (), ((2,), ())),
        (UNKNOWN_KEY, (0, 2), (), ((2,), ())),
        (UNKNOWN_KEY, (OWN_KEYS, 2), (), None),
        (OWN_KEYS, (OWN_KEYS, 2), (), ((2,), ())),
        (OWN_KEYS, (1, 2), (), None),
        (1, (ANY, 2), (), ((2,), ())),
        (1, (frozenset({1}), 2), (), None),
        (3, (frozenset({1}), 2), (), ((2,), ())),
        (UNKNOWN_KEY, (frozenset({1}), 2), (), ((2,), ())),
        (OWN_KEYS, (ANY, 2), (), None),
        (1, (), (), ((), ())),
        (1, (), {1}, None),
        (1, (), {2}, ((), ())),
        (1, (), {2, OWN_KEYS}, ((), {OWN_KEYS})),
        (OWN_KEYS, (), {OWN_KEYS}, None),
        (REJECTED, (), (), None),
    ],
)
def test_the_part_that_a_load_finds(key: int, path: Any, excluded: Any, expected: Any) -> None:
    found = load_key(key, path, frozenset(excluded))
    assert found == (None if expected is None else (expected[0], frozenset(expected[1])))


@pytest.mark.parametrize(
    ("key", "path", "excluded", "expected"),
    [
        (0, (), (), ((), {0})),
        (1, (), {0}, ((), {0, 1})),
        (9, (), range(MAX_EXCLUDED), ((), set(range(MAX_EXCLUDED)))),
        (9, (), range(MAX_EXCLUDED - 1), ((), {*range(MAX_EXCLUDED - 1), 9})),
        (1, (1, 2), (), None),
        (1, (2, 1), {3}, ((2, 1), {3})),
        (1, (frozenset({2}), 3), (), ((frozenset({1, 2}), 3), ())),
        (UNKNOWN_KEY, (1,), {3}, ((1,), {3})),
        (OWN_KEYS, (), (), ((), ())),
    ],
)
def test_the_part_that_a_strong_update_leaves(key: int, path: Any, excluded: Any, expected: Any) -> None:
    found = kill_key(key, path, frozenset(excluded))
    assert found == (None if expected is None else (expected[0], frozenset(expected[1])))


def test_only_the_unknown_key_stands_for_any_key() -> None:
    assert element(UNKNOWN_KEY) == ANY
    assert [element(key) for key in (0, OWN_KEYS, REJECTED)] == [0, OWN_KEYS, REJECTED]


def test_a_path_repeats_a_key_beyond_the_bound_alone() -> None:
    assert not repeats((1,) * MAX_REPEATS + (2,))
    assert repeats((1,) * (MAX_REPEATS + 1))
    assert repeats((2, *(1, 3) * (MAX_REPEATS + 2)))


def test_rejections_and_captures_are_no_part_of_the_value() -> None:
    assert is_hidden((REJECTED,))
    assert is_hidden((1, FIRST_CAPTURE_KEY))
    assert is_hidden((FIRST_CAPTURE_KEY - 5,))
    assert not is_hidden((1, REJECTED)), "of an element, a promise"
    assert not is_hidden((OWN_KEYS,))
    assert not is_hidden(())


@pytest.mark.parametrize(
    ("keys", "flags", "path", "reached"),
    [
        ((), {}, (), True),
        ((), {}, (1,), True),
        ((), {"exact": True}, (1,), False),
        ((), {"shown": True}, (1,), False),
        ((), {"exact": True}, (), True),
        ((1,), {}, (1, 2), True),
        ((1,), {"exact": True}, (1,), True),
        ((1,), {}, (2,), False),
        ((1, 2), {}, (), True),
        ((), {}, (REJECTED,), False),
    ],
)
def test_taint_reaches_a_sink_at_the_part_that_it_uses(keys: Any, flags: Any, path: Any, reached: bool) -> None:
    sink = SinkRole(0, 0, "t", 0, 0, 0, keys, False, **flags)
    assert reaches_sink(sink, path, frozenset()) is reached


def test_an_overwritten_part_does_not_reach_a_sink() -> None:
    sink = SinkRole(0, 0, "t", 0, 0, 0, (1,), False)
    assert not reaches_sink(sink, (), frozenset({1}))
    assert reaches_sink(sink, (), frozenset({2}))
