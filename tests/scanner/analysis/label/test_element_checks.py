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


INNER = "for x in xs:\n    for y in x:\n        if y != 'a':\n            "
NESTED = {
    "a loop in a loop": INNER + "return",
    "all of them": "for x in xs:\n    if not all(y == 'a' for y in x):\n        return",
    "beside another condition": "for x in xs:\n    if i in x or not all(y == 'a' for y in x):\n        return",
    "a flag of each round": "for x in xs:\n    bad = False\n    for y in x:\n        if y != 'a':\n"
    "            bad = True\n    if bad:\n        return",
}
NOT_NESTED = {
    "the inner loop is left": INNER + "break",
    "it runs for some": "for x in xs:\n    if c:\n        for y in x:\n            if y != 'a':\n"
    "                return",
    "one of them": "for x in xs:\n    if not any(y == 'a' for y in x):\n        return",
    "the outer element": "for x in xs:\n    for y in c:\n        if x != 'a':\n            return",
    "a flag that is asked for first": "bad = False\nfor x in xs:\n    if bad:\n        return\n    for y in x:\n"
    "        if y != 'a':\n            bad = True",
    "a flag of some rounds": "bad = False\nfor x in xs:\n    if c:\n        for y in x:\n            if y != 'a':\n"
    "                bad = True\n    if bad:\n        return",
}


@pytest.mark.parametrize(
    "use", ["web.run(xs[i][c])", "web.run(xs[0][1])", "for x in xs:\n    web.run(x[i])", "for x in xs:\n    web.run(x)"]
)
@pytest.mark.parametrize("loop", NESTED.values(), ids=NESTED)
def test_elements_of_each_element_are_clean_behind_such_loops_in_one_another(loop: str, use: str) -> None:
    assert is_clean(loop, use)


@pytest.mark.parametrize("loop", NOT_NESTED.values(), ids=NOT_NESTED)
def test_other_loops_in_one_another_say_nothing_of_the_elements(loop: str) -> None:
    assert not is_clean(loop, "web.run(xs[i][c])")


def test_the_element_at_a_constant_position_is_one_of_all() -> None:
    assert is_clean("for x in xs:\n    if x.a != 'a':\n        return", "web.run(xs[0].a)")
    assert not is_clean("for x in xs:\n    if x.a != 'a':\n        return", "xs[0].a = web.get()\nweb.run(xs[0].a)")
    assert not is_clean("if xs[1].a != 'a':\n    return", "web.run(xs[0].a)")
