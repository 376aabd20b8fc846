"""Uses of parameters: called, passed on, used as a key."""

from __future__ import annotations

import pytest

from pyrograph.parsers import lower
from pyrograph.policy.limits.resolution import MAX_COPY_SIZE
from pyrograph.scanner.analysis.link import link
from pyrograph.scanner.analysis.resolve.clone_facts import CALLED, FORWARDED, KEY, PASSED, CloneFacts
from pyrograph.scanner.analysis.resolve.representatives import representatives


def facts(code: str) -> CloneFacts:
    program = link(["app.py"], [lower(code.encode(), "python")], {})
    return CloneFacts(program, representatives(program))


@pytest.mark.parametrize(
    ("body", "use"),
    [
        ("a()", CALLED),
        ("g(a)", PASSED),
        ("t[a]()", KEY),
        ("return lambda: a()", CALLED),
        ("return a + 1", 0),
        ("return g(a)", PASSED | FORWARDED),
    ],
)
def test_uses_of_a_parameter(body: str, use: int) -> None:
    found = int(facts(f"t = {{}}\ndef f(a): {body}\n").uses[0])
    assert found & use == use
    assert bool(found) == bool(use)


def test_a_function_that_declares_a_class_is_never_cloned() -> None:
    found = facts("def f(a): a()\ndef g(a):\n    class C: pass\n    a()\n")
    names = [found.program.strings[name] for name in found.program.tables["functions"]["name"]]
    assert found.size[names.index("f")] < MAX_COPY_SIZE < found.size[names.index("g")]


@pytest.mark.parametrize(
    "body", ["g(a)", "return [g(a)]", "return g(*a)", "x = 1\n" + "    x = x + h(x)\n" * 20 + "    return g(a)"]
)
def test_nothing_is_forwarded_whose_result_is_not_returned_and_nothing_by_a_large_function(body: str) -> None:
    found = facts(f"def f(a):\n    {body}\n")
    assert not int(found.uses[0]) & FORWARDED
