"""What a call only hands on makes no path longer."""

from __future__ import annotations

import pytest

from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.policy.confidence import MAX_STEPS_APART
from pyrograph.scanner.explain.brief import brief, module_of
from pyrograph.scanner.explain.confidence import calls_entered, calls_open, is_far


def steps(text: str) -> list[Step]:
    """Steps from ``kind`` or ``kind:depth``."""
    found = []
    for line, word in enumerate(text.split(), start=1):
        kind, _, depth = word.partition(":")
        found.append(Step(Place("a.go", line, 1, line, 2), kind, "", int(depth or 0)))  # type: ignore[arg-type]
    return found


@pytest.mark.parametrize(
    ("path", "kept"),
    [
        ("source call return sink", "source sink"),
        ("source call return call return sink", "source sink"),
        ("source call load return sink", "source load sink"),
        ("source call load store return load sink", "source load sink"),
        ("source call:0 load:1 call:1 load:2 return:1 return:0 sink", "source load sink"),
        ("source call flow return sink", "source call flow return sink"),
        ("source call flow store return load sink", "source call flow return sink"),
        ("source call store return sink", "source call store return sink"),  # it writes to its argument
        ("source call load sink", "source call load sink"),
        ("source load return sink", "source load return sink"),
        ("source store return load sink", "source return sink"),
        ("source load return return return sink", "source load return sink"),  # each hands on what the one before found
        (
            "source load return store return load sink",
            "source load return return sink",
        ),  # it may return an error instead
    ],
)
def test_calls_that_only_hand_a_value_on_are_left_out(path: str, kept: str) -> None:
    assert " ".join(step.kind for step in brief(steps(path))) == kept


def test_the_files_of_a_folder_are_one_module_where_they_share_their_scope() -> None:
    assert module_of("a/b.go") == module_of("a/c.go") == "a"
    assert module_of("a/b.py") != module_of("a/c.py")


def test_a_path_is_no_longer_for_what_it_packs_and_unpacks() -> None:
    def in_turns(text: str) -> list[Step]:
        return [
            Step(Place(f"{at % 3}.go", 1, 1, 1, 2), step.kind, "", step.depth) for at, step in enumerate(steps(text))
        ]

    packed = in_turns("source" + " call load store return load" * 3 + " load" * 6 + " sink")
    assert len(packed) > MAX_STEPS_APART
    assert is_far(packed, packed, calls_entered(packed))
    assert not is_far(packed, brief(packed), calls_entered(packed))
    called = in_turns("source" + " call return" * 7 + " sink")
    assert is_far(called, brief(called), calls_entered(called))
    assert not is_far(called, brief(called), calls_open(called))
