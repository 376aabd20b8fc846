"""Dataclasses survive JSON, and nothing else comes out of it than instances of the classes that were asked for."""

from __future__ import annotations

import copy
import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyrograph.rules.codec import CodecError, decode, encode


@dataclass(frozen=True, slots=True)
class Leaf:
    name: Literal["a", "b"]
    value: str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Other:
    leaf: Leaf


@dataclass(frozen=True, slots=True)
class Tree:
    first: Leaf
    choice: Leaf | Other | tuple[str, ...] | str
    maybe: Leaf | None = None
    part: tuple[int | None, bool] | None = None
    many: tuple[Leaf | Other, ...] = ()
    below: tuple[Tree, ...] = ()  # of the same class


leaves = st.builds(Leaf, st.sampled_from("ab"), st.none() | st.booleans() | st.integers() | st.text() | st.floats())
others = st.builds(Other, leaves)


def trees(below: st.SearchStrategy[tuple[Tree, ...]]) -> st.SearchStrategy[Tree]:
    return st.builds(
        Tree,
        leaves,
        leaves | others | st.lists(st.text()).map(tuple) | st.text(),
        st.none() | leaves,
        st.none() | st.tuples(st.none() | st.integers(), st.booleans()),
        st.lists(leaves | others, max_size=3).map(tuple),
        below,
    )


nested = st.recursive(trees(st.just(())), lambda inner: trees(st.lists(inner, max_size=2).map(tuple)), max_leaves=5)


def through_json(data: object) -> Any:
    return json.loads(json.dumps(data))


@given(st.lists(nested, max_size=4))
def test_what_was_written_is_read(values: list[Tree]) -> None:
    assert repr(decode(Tree, through_json(encode(Tree, values)))) == repr(values)  # 1, 1.0 and True are not the same


def test_what_is_shared_is_one_object() -> None:
    same = [Other(Leaf("a", 1)), Other(Leaf("a", 1))]
    one, other = decode(Other, through_json(encode(Other, same, shared=[Leaf])))
    assert one == other
    assert one is not other
    assert one.leaf is other.leaf
    whole, truth = decode(Leaf, through_json(encode(Leaf, [Leaf("a", 1), Leaf("a", True)], shared=[Leaf])))
    assert (type(whole.value), type(truth.value)) == (int, bool)


VALUES = [
    Tree(Leaf("a", 1), ("x",), Leaf("b", None), (1, True), (Leaf("a", 2), Other(Leaf("b", "x")))),
    Tree(Leaf("b", 0.5), Other(Leaf("a", "")), below=(Tree(Leaf("a", 1), "text"),)),
]


def paths(data: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of all cells."""
    keys = range(len(data)) if isinstance(data, list) else data if isinstance(data, dict) else ()
    return [path, *(place for key in keys for place in paths(data[key], (*path, key)))]


@given(st.data())
def test_whatever_stands_there_only_the_classes_come_out(data: st.DataObject) -> None:
    written = through_json(encode(Tree, VALUES))
    place = data.draw(st.sampled_from(paths(written)[1:]))
    junk = st.sampled_from([None, True, -1, 0, 1, 99, 0.5, "", "a", "Leaf", "Tree", [], [0], ["Leaf", 0], {}, {"a": 1}])
    at = written
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = data.draw(junk)
    with suppress(CodecError):
        for tree in decode(Tree, written):
            check(tree)


def check(tree: Tree) -> None:
    """Every field is what its hint says."""
    assert type(tree) is Tree
    assert type(tree.first) is Leaf
    assert type(tree.choice) in (Leaf, Other, tuple, str)
    assert type(tree.maybe) in (Leaf, type(None))
    assert tree.part is None or [type(each) for each in tree.part] in ([int, bool], [type(None), bool])
    assert {type(each) for each in tree.many} <= {Leaf, Other}
    for leaf in (tree.first, *(each for each in tree.many if isinstance(each, Leaf))):
        assert leaf.name in ("a", "b")
        assert type(leaf.value) in (str, int, float, bool, type(None))
    for below in tree.below:
        check(below)


@pytest.mark.parametrize("row", [-1, 1, 99, 0.0, True, "0", None, [0]])
def test_a_number_that_is_no_row_is_refused(row: object) -> None:
    written = through_json(encode(Other, [Other(Leaf("a", 1))]))
    for table, column in ((written, "root"), (written["Other"], "leaf")):
        broken = copy.deepcopy(written)
        (broken if table is written else broken["Other"])[column] = [row]
        with pytest.raises(CodecError):
            decode(Other, broken)


def test_a_row_that_holds_itself_is_refused() -> None:
    written = through_json(encode(Tree, [Tree(Leaf("a", 1), "text")]))
    written["Tree"]["below"] = [[0]]
    with pytest.raises(CodecError):
        decode(Tree, written)


@pytest.mark.parametrize("data", [None, [], {}, {"root": [0]}, {"root": [], "Leaf": {}}, {"root": [], "Leaf": []}])
def test_other_data_is_refused(data: object) -> None:
    with pytest.raises(CodecError):
        decode(Leaf, data)


@dataclass
class Nested:
    lists: list[str]


@dataclass
class Unclear:
    either: tuple[str, ...] | tuple[int, ...]


@pytest.mark.parametrize("kind", [Nested, Unclear])
def test_a_type_that_cannot_be_written_is_refused(kind: type[Any]) -> None:
    with pytest.raises(TypeError):
        encode(kind, [kind([])])
