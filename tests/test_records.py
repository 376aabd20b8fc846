"""``records.dataclass`` makes classes that answer as those of the standard library do."""

import dataclasses
import pickle
from collections.abc import Callable
from dataclasses import field
from typing import Any

import pytest

from pyrograph.records import dataclass
from pyrograph.rules.entries import Port

Decorator = Callable[..., Callable[[type], type]]


def empty(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True)
    class Empty:
        pass

    return Empty


def single(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True)
    class Single:
        name: str

    return Single


def several(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True)
    class Several:
        name: str
        parts: tuple[int, ...] = ()
        cost: int = field(default=0, compare=False, repr=False)

    return Several


def ordered(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True, order=True)
    class Ordered:
        line: int
        column: int = 1

    return Ordered


def changing(decorator: Decorator) -> type:
    @decorator(slots=True)
    class Changing:
        name: str
        seen: list[int] = field(default_factory=list)

    return Changing


def identical(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True, eq=False)
    class Identical:
        name: str

    return Identical


def described(decorator: Decorator) -> type:
    @decorator(frozen=True, slots=True, kw_only=True)
    class Described:
        name: str

        def __repr__(self) -> str:
            return f"<{self.name}>"

    return Described


CASES: list[tuple[Callable[[Decorator], type], list[dict[str, Any]]]] = [
    (empty, [{}, {}]),
    (single, [{"name": "a"}, {"name": "a"}, {"name": "b"}]),
    (several, [{"name": "a"}, {"name": "a", "cost": 3}, {"name": "a", "parts": (1,)}, {"name": "b", "parts": (1,)}]),
    (ordered, [{"line": 1}, {"line": 1, "column": 1}, {"line": 1, "column": 2}, {"line": 2}]),
    (changing, [{"name": "a"}, {"name": "a", "seen": []}, {"name": "a", "seen": [1]}]),
    (identical, [{"name": "a"}, {"name": "a"}]),
    (described, [{"name": "a"}, {"name": "b"}]),
]


@pytest.mark.parametrize(("make", "calls"), CASES, ids=[make.__name__ for make, _ in CASES])
def test_instances_answer_as_those_of_the_standard_library(
    make: Callable[[Decorator], type], calls: list[dict[str, Any]]
) -> None:
    own, other = make(dataclass), make(dataclasses.dataclass)
    ours, theirs = [own(**call) for call in calls], [other(**call) for call in calls]
    assert [[a == b for b in ours] for a in ours] == [[a == b for b in theirs] for a in theirs]
    assert [each != other() if other is empty else each != 1 for each in ours] == [True] * len(ours)
    if make not in (identical,):
        assert [repr(each) for each in ours] == [repr(each) for each in theirs]
    assert (own.__hash__ is None) == (other.__hash__ is None)
    if make not in (identical, changing):
        assert [hash(each) for each in ours] == [hash(each) for each in theirs]
        assert len(set(ours)) == len(set(theirs))
    assert own.__match_args__ == other.__match_args__  # type: ignore[attr-defined]
    assert [each.name for each in dataclasses.fields(own)] == [each.name for each in dataclasses.fields(other)]
    assert not hasattr(ours[0], "__dict__")


def test_an_instance_that_holds_itself_has_a_text() -> None:
    kind = changing(dataclass)
    each = kind(name="a")
    each.seen.append(each)
    assert "[...]" in repr(each)


def test_instances_are_copied_replaced_and_pickled() -> None:
    port = Port("position", 1)
    assert dataclasses.replace(port, kind="ret").kind == "ret"
    assert pickle.loads(pickle.dumps(port)) == port
