"""Loops that check each element of a collection: what is known of it where they were left, and what is not."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

GUARD = RULES + '[guard]\ndanger = ["eq"]\n[propagator]\nflow = ["builtins.enumerate: 0[] => ret[][1]"]\n'


def is_clean(loop: str, use: str = "web.run(xs[i])") -> bool:
    """Whether what ``use`` runs is clean behind ``loop``."""
    body = f"xs = web.get()\n{loop}\n{use}\n"
    code = "import web\ndef f(i, c):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    found = labelled(code, GUARD)
    return all(found.labels.clean.get(role.value, 0) & 1 for role in found.labels.sinks)


CHECKED = {
    "the element": "for x in xs:\n    if x != 'a':\n        return",
    "an exception": "for x in xs:\n    if x != 'a':\n        raise c",
    "its position is counted": "for j, x in enumerate(xs):\n    if x != 'a':\n        return",
    "it goes on for what is checked": "for x in xs:\n    if x == 'a':\n        continue\n    return",
    "an exception that is raised again": "try:\n    for x in xs:\n        if x != 'a':\n            raise c\n"
    "except c:\n    return",
}
UNCHECKED = {
    "it goes on": "for x in xs:\n    if x != 'a':\n        log(x)",
    "it is left early": "for x in xs:\n    if x != 'a':\n        break",
    "it is left for another reason": "for x in xs:\n    if c:\n        break\n    if x != 'a':\n        return",
    "some elements are not asked": "for x in xs:\n    if c:\n        continue\n    if x != 'a':\n        return",
    "another collection": "for x in c:\n    if x != 'a':\n        return",
    "a field": "for x in xs:\n    if x.a != 'a':\n        return",
    "the other answer": "for x in xs:\n    if x == 'a':\n        return",
    "an exception that is handled": "try:\n    for x in xs:\n        if x != 'a':\n            raise c\n"
    "except c:\n    pass",
    "another one is added": "for x in xs:\n    if x != 'a':\n        return\nxs[c] = web.get()",
}


@pytest.mark.parametrize("loop", CHECKED.values(), ids=CHECKED)
def test_each_element_is_clean_behind_a_loop_that_refuses_others(loop: str) -> None:
    assert is_clean(loop)


@pytest.mark.parametrize("loop", UNCHECKED.values(), ids=UNCHECKED)
def test_other_loops_say_nothing_of_the_elements(loop: str) -> None:
    assert not is_clean(loop)


def test_a_field_of_each_element_is_clean_and_no_other() -> None:
    loop = "for x in xs:\n    if x.a != 'a':\n        return"
    assert is_clean(loop, "web.run(xs[i].a)")
    assert not is_clean(loop, "web.run(xs[i].b)")


def test_inside_the_loop_the_check_must_come_first() -> None:
    assert not is_clean("for x in xs:\n    web.run(x)\n    if x != 'a':\n        return", "")
    assert is_clean("for x in xs:\n    if x != 'a':\n        return\n    web.run(x)", "")


def test_the_collection_is_clean_as_a_whole() -> None:
    assert is_clean("for x in xs:\n    if x != 'a':\n        return", "web.run(xs)")
