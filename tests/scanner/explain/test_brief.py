"""What a call only hands on makes no path longer."""

from __future__ import annotations

import pytest

from pyrograph.model.finding import Step
from pyrograph.model.place import Place
from pyrograph.scanner.explain.brief import brief, module_of
from pyrograph.scanner.explain.confidence import is_far


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
    ],
)
def test_calls_that_only_hand_a_value_on_are_left_out(path: str, kept: str) -> None:
    assert " ".join(step.kind for step in brief(steps(path))) == kept


def test_the_files_of_a_folder_are_one_module_where_they_share_their_scope() -> None:
    assert module_of("a/b.go") == module_of("a/c.go") == "a"
    assert module_of("a/b.py") != module_of("a/c.py")


def test_calls_that_only_hand_a_value_on_lead_to_nothing_far() -> None:
    def in_turns(text: str) -> list[Step]:
        return [
            Step(Place(f"{at % 2}.go", 1, 1, 1, 2), step.kind, "", step.depth) for at, step in enumerate(steps(text))
        ]

    handed_on = in_turns("source" + " call load store return load" * 5 + " sink")
    assert is_far(handed_on)
    assert not is_far(brief(handed_on))
    assert is_far(brief(in_turns("source" + " call flow" * 5 + " sink")))
