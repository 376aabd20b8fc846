"""Expansion: what each kind of edge does to access paths and masks, and what happens at the bounds."""

from __future__ import annotations

import sys
from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest

from pyrograph.ir.codes import KEYS, OPEN, UNKNOWN_KEY
from pyrograph.policy.limits.flow_graph import MAX_PATHS, MAX_PATHS_BELOW
from pyrograph.scanner.analysis.assemble import Edges, FlowGraph, Kind, expand
from pyrograph.scanner.analysis.assemble.edges import OWN_KEYS, REJECTED
from pyrograph.scanner.analysis.label import Labels, SinkRole, SourceRole
from pyrograph.scanner.analysis.link import Program

STRINGS = [str(number) for number in range(40)] + ["name", "other", "encoded"]
NAME, OTHER, ENCODED = 40, 41, 42
VULNERABILITIES = ("first", "second")


class Graph:
    """Edges between numbered values; value 0 is the source, the last one the sink."""

    def __init__(self) -> None:
        self.edges = Edges()
        self.labels = Labels(VULNERABILITIES)
        self.labels.sources = [SourceRole(0, "http", "s")]
        self.slices: list[tuple[int, int]] = []
        self.last = 0

    def then(self, kind: Kind, *, key: int = -1, origin: int | None = None) -> Graph:
        """An edge from the last value, or ``origin``, to a new one."""
        start = self.last if origin is None else origin
        self.last += 1
        self.edges.add([start], [self.last], kind, key=key)
        return self

    def sliced(self, start: int, end: int) -> Graph:
        self.slices.append((start, end))
        return self.then(Kind.SLICE, key=len(self.slices) - 1)

    def moved(self, take: tuple[int, ...], put: tuple[int, ...], harmless: int = 0) -> Graph:
        self.edges.transfers.append((take, put))
        row = len(self.edges.transfers) - 1
        if harmless:
            self.edges.harmless_transfers[row] = harmless
        return self.then(Kind.MOVE, key=row)

    def expanded(self, *keys: int, exact: bool = False) -> FlowGraph:
        """With a sink that uses the part ``keys`` of the last value."""
        strings = [*STRINGS]
        program = SimpleNamespace(
            num_values=self.last + 1,
            tables={
                "values": {"function": np.zeros(self.last + 1, np.int32), "op": np.zeros(self.last + 1, np.int32)},
                "slices": {
                    "start": np.array([start for start, _ in self.slices], np.int32),
                    "end": np.array([end for _, end in self.slices], np.int32),
                },
            },
            strings=strings,
            string_ids={text: number for number, text in enumerate(strings)},
            intern=strings.index,
        )
        self.labels.sinks = [SinkRole(self.last, 0, "t", 0, 0, 0, keys, False, exact)]
        return expand(cast(Program, program), self.labels, self.edges)

    def reaches(self, *keys: int, exact: bool = False) -> bool:
        return bool(self.expanded(*keys, exact=exact).sinks)


def test_a_sink_of_keys_is_reached_by_keys_alone_and_one_of_elements_by_elements(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert Graph().then(Kind.STORE, key=UNKNOWN_KEY).reaches(UNKNOWN_KEY)  # no string stands for the keys
    monkeypatch.setattr(sys.modules[__name__], "STRINGS", [*STRINGS, KEYS])
    asked = len(STRINGS) - 1
    assert Graph().then(Kind.STORE, key=OWN_KEYS).reaches(asked)
    assert not Graph().then(Kind.STORE, key=NAME).reaches(asked)
    assert not Graph().then(Kind.STORE, key=OWN_KEYS).reaches(NAME)


def test_a_load_finds_what_was_stored_under_the_key_alone() -> None:
    stored = Graph().then(Kind.STORE, key=NAME)
    assert stored.reaches(NAME)
    assert not stored.reaches(OTHER)
    assert Graph().then(Kind.STORE, key=NAME).then(Kind.LOAD, key=NAME).reaches()
    assert not Graph().then(Kind.STORE, key=NAME).then(Kind.LOAD, key=OTHER).reaches()
    assert Graph().then(Kind.STORE, key=NAME).then(Kind.LOAD, key=UNKNOWN_KEY).reaches()


def test_a_kill_removes_its_key_and_a_derived_value_has_all_keys() -> None:
    assert not Graph().then(Kind.STORE, key=NAME).then(Kind.KILL, key=NAME).reaches()
    assert Graph().then(Kind.STORE, key=NAME).then(Kind.KILL, key=OTHER).reaches(NAME)
    assert not Graph().then(Kind.KILL, key=NAME).reaches(NAME)
    assert Graph().then(Kind.STORE, key=NAME).then(Kind.DERIVED).reaches(OTHER)


def test_an_exact_sink_needs_the_value_itself() -> None:
    assert Graph().then(Kind.SAME).reaches(exact=True)
    assert not Graph().then(Kind.STORE, key=NAME).reaches(exact=True)
    assert Graph().then(Kind.STORE, key=NAME).reaches(NAME, exact=True)


def test_a_transfer_takes_and_puts_several_keys() -> None:
    graph = Graph().then(Kind.STORE, key=NAME).moved((NAME,), (OTHER, 3))
    assert graph.reaches(OTHER, 3)
    assert not Graph().then(Kind.STORE, key=NAME).moved((NAME,), (OTHER, 3)).reaches(NAME)
    assert not Graph().then(Kind.STORE, key=NAME).moved((OTHER,), ()).reaches()


def test_an_unknown_callee_that_needs_the_whole_gets_no_part() -> None:
    assert Graph().then(Kind.IF_WHOLE).reaches()
    assert not Graph().then(Kind.STORE, key=NAME).then(Kind.IF_WHOLE).reaches()


@pytest.mark.parametrize(
    ("start", "end", "index", "found"),
    [
        (1, OPEN, 3, [2]),
        (1, OPEN, 0, []),
        (OPEN, 2, 1, [1]),
        (OPEN, 2, 2, []),
        (2, 5, 4, [2]),
        (-1, OPEN, 3, [0, 1, 2, 3]),
    ],
)
def test_a_slice_moves_elements_to_the_left(start: int, end: int, index: int, found: list[int]) -> None:
    reached = [key for key in range(4) if Graph().then(Kind.STORE, key=index).sliced(start, end).reaches(key)]
    assert reached == found


def test_a_slice_keeps_what_is_no_element_and_what_is_tainted_as_a_whole() -> None:
    assert Graph().then(Kind.STORE, key=NAME).sliced(1, 2).reaches(NAME)
    assert Graph().sliced(1, 2).reaches(7)


def test_text_shows_elements_and_not_named_fields() -> None:
    assert Graph().then(Kind.TEXT).reaches()
    assert Graph().then(Kind.STORE, key=3).then(Kind.TEXT).reaches()
    assert not Graph().then(Kind.STORE, key=NAME).then(Kind.TEXT).reaches()
    assert Graph().then(Kind.STORE, key=NAME).then(Kind.SHOWN).reaches()
    assert not Graph().then(Kind.STORE, key=NAME).then(Kind.SHOWN_TEXT).reaches()


def test_hidden_keys_are_found_by_their_name_alone() -> None:
    for hidden in (OWN_KEYS, REJECTED):
        assert not Graph().then(Kind.STORE, key=hidden).then(Kind.LOAD, key=UNKNOWN_KEY).reaches()
        assert Graph().then(Kind.STORE, key=hidden).then(Kind.LOAD, key=hidden).reaches()
    assert not Graph().then(Kind.STORE, key=REJECTED).then(Kind.DERIVED).reaches()
    assert not Graph().then(Kind.STORE, key=REJECTED).reaches()


def test_encoded_text_is_harmless_until_it_is_decoded() -> None:
    def graph() -> Graph:
        found = Graph().then(Kind.STORE, key=ENCODED)
        found.labels.encoded.keys = {ENCODED}
        return found

    assert not graph().reaches()
    assert not graph().then(Kind.DERIVED).reaches()
    assert not graph().then(Kind.TEXT).then(Kind.LOAD, key=UNKNOWN_KEY).reaches()
    assert graph().then(Kind.DERIVED).then(Kind.LOAD, key=ENCODED).reaches()
    assert graph().then(Kind.IF_WHOLE).then(Kind.LOAD, key=ENCODED).reaches()


def test_a_keyed_source_has_untrusted_values_and_no_untrusted_keys() -> None:
    def graph(kind: Kind, key: int) -> Graph:
        found = Graph().then(kind, key=key)
        found.labels.sources = [SourceRole(0, "http", "s", keyed=True)]
        found.labels.keys.clean = {0: frozenset({OTHER})}
        return found

    assert graph(Kind.LOAD, NAME).reaches()
    assert not graph(Kind.LOAD, OTHER).reaches(), "declared with a clean type"
    assert not graph(Kind.LOAD, OWN_KEYS).reaches()


def test_masks_lose_what_a_clean_value_a_harmless_part_or_transfer_takes() -> None:
    clean = Graph().then(Kind.SAME).then(Kind.SAME)
    clean.labels.clean = {1: 1}
    assert clean.expanded().mask.tolist() == [2, 3]
    clean.labels.clean = {1: 3}
    assert not clean.reaches(), "clean for all"
    part = Graph().then(Kind.SAME).then(Kind.SAME)
    part.labels.harmless_parts = {(0, 1): 2}
    assert part.expanded().mask.tolist() == [1, 3]
    assert Graph().then(Kind.SAME).moved((), (), harmless=1).expanded().mask.tolist() == [3, 2]


def test_masks_lose_what_quoting_makes_harmless() -> None:
    def masks(*kinds: Kind) -> list[int]:
        graph = Graph()
        for kind in kinds:
            graph.then(kind, key=3)
        graph.labels.quoted.harmless = 1
        return cast("list[int]", graph.expanded().mask.tolist())

    assert masks(Kind.SHOWN) == [3], "the value itself is not quoted"
    assert masks(Kind.STORE, Kind.SHOWN) == [3, 2], "an element is"
    assert masks(Kind.QUOTED) == [2]
    assert masks(Kind.STORE, Kind.DERIVED) == [3, 3]


def wide(count: int, keys: tuple[int, ...] = ()) -> Graph:
    """``count`` values, each stored under two keys of one object."""
    graph = Graph()
    for number in range(count):
        graph.then(Kind.STORE, key=number % len(STRINGS), origin=0)
        graph.then(Kind.STORE, key=number // len(STRINGS) + NAME)
    parts = list(range(2, graph.last + 1, 2))
    graph.last += 1
    graph.edges.add(parts, [graph.last] * len(parts), Kind.SAME)
    return graph


def test_an_object_with_very_many_tainted_paths_is_widened_and_reported() -> None:
    few = wide(MAX_PATHS).expanded()
    assert few.bounds_reached == []
    assert few.widened == frozenset()
    many = wide(3 * MAX_PATHS // 2).expanded()
    (bound,) = many.bounds_reached
    assert bound.occurrences == 1
    assert many.widened
    assert all(many.assumed[edge] for edge in many.widened)
    assert many.sinks, "widening misses nothing"


def test_further_parts_of_a_value_that_is_tainted_as_a_whole_are_not_followed_apart() -> None:
    def joined(parts: int) -> FlowGraph:
        graph = Graph().then(Kind.SAME)
        for number in range(parts):
            graph.then(Kind.STORE, key=number, origin=0)
        graph.last += 1
        graph.edges.add(range(1, graph.last), [graph.last] * (graph.last - 1), Kind.SAME)
        return graph.expanded()

    few, many = joined(MAX_PATHS_BELOW - 1), joined(MAX_PATHS_BELOW + 1)
    assert few.widened == frozenset()
    assert len(many.widened) == 2
    whole = {node for node, path in enumerate(many.access_path) if not path}
    assert {int(many.target[edge]) for edge in many.widened} <= whole
    assert few.bounds_reached == many.bounds_reached == []


def test_only_what_reaches_a_sink_is_left() -> None:
    graph = Graph().then(Kind.SAME).then(Kind.STORE, key=NAME, origin=0).then(Kind.SAME, origin=1)
    flow = graph.expanded()
    ends = {(flow.value[u], flow.value[v]) for u, v in zip(flow.origin.tolist(), flow.target.tolist(), strict=True)}
    assert ends == {(0, 1), (1, 3)}
