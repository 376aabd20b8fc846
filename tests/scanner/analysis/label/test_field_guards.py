"""Fields that are loaded again after a check are clean until something is stored there."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph.ir.codes import Op
from pyrograph.scanner.analysis.label import field_masks

GUARD = RULES.replace("web.get()", "web.Request#a") + '[guard]\ndanger = ["eq"]\n[type]\n'
GUARD += 'parameters = ["@web.on:0 : web.Request"]\n'
HEAD = "import web\n"


def is_clean(body: str, *, more: str = "") -> bool:
    """Whether the load of ``r.a`` in ``web.run(r.a)`` is clean."""
    code = f"{HEAD}{more}@web.on\ndef f(r, c):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    found = labelled(code, GUARD)
    (sink,) = {role.value for role in found.labels.sinks}
    return bool(found.labels.clean.get(sink, 0) & 1)


CHECK = "if r.a != 'x':\n    return\n"


@pytest.mark.parametrize(
    "between",
    [
        "",
        "log(r)\n",
        "r.log()\n",
        "log(r)\nlog(r)\n",
        "r.b = c\n",
        "log(r)\nr.b = c\n",
        "if c:\n    log(r)\n",
        "g(r.a)\nlog(r)\n",
    ],
)
def test_a_field_that_was_checked_is_clean_when_it_is_loaded_again(between: str) -> None:
    assert is_clean(f"{CHECK}{between}web.run(r.a)")


@pytest.mark.parametrize(
    "between", ["r.a = web.get()\n", "r.a = c\nlog(r)\n", "r[c] = c\nlog(r)\n", "if c:\n    r.a = c\nlog(r)\n"]
)
def test_a_store_under_the_key_ends_it(between: str) -> None:
    assert not is_clean(f"{CHECK}{between}web.run(r.a)")


def test_without_a_check_nothing_is_clean() -> None:
    assert not is_clean("log(r)\nweb.run(r.a)")
    assert not is_clean("if r.b != 'x':\n    return\nlog(r)\nweb.run(r.a)"), "another field"
    assert not is_clean("if c.a != 'x':\n    return\nlog(r)\nweb.run(r.a)"), "another object"
    assert not is_clean("if r.a == 'x':\n    return\nlog(r)\nweb.run(r.a)"), "the other side"


def test_a_check_on_one_arm_alone_does_not_count() -> None:
    assert not is_clean("if c:\n    if r.a != 'x':\n        return\nlog(r)\nweb.run(r.a)")


def test_a_function_of_the_program_that_stores_under_the_key_ends_it() -> None:
    assert is_clean(f"{CHECK}g(r)\nweb.run(r.a)", more="def g(q):\n    q.b = 1\n")
    assert not is_clean(f"{CHECK}g(r)\nweb.run(r.a)", more="def g(q):\n    q.a = source()\n")


def test_deeper_fields_and_closures() -> None:
    rules = GUARD.replace("web.Request#a", "web.Request#a.b")
    code = f"{HEAD}@web.on\ndef f(r):\n    if r.a.b != 'x':\n        return\n    log(r)\n    web.run(r.a.b)\n"
    found = labelled(code, rules)
    assert "r.a.b" in found.clean(op=Op.LOAD)
    check = "    if r.a != 'x':\n        return\n"
    closure = f"{HEAD}@web.on\ndef f(r):\n{check}    def g():\n        web.run(r.a)\n    g()\n"
    assert labelled(closure, GUARD).clean(op=Op.LOAD) == ["r.a"]


DEEP = GUARD.replace("web.Request#a", "web.Request#a.b")


@pytest.mark.parametrize(
    ("body", "clean"),
    [
        ("if r.a.b != 'x':\n    return\nlog(r)\nweb.run(r.a.b)", True),
        ("if r.a.b != 'x':\n    return\nlog(r)\nr.a = c\nweb.run(r.a.b)", False),
        ("if r.a.b != 'x':\n    return\nlog(r)\nr.a.b = c\nweb.run(r.a.b)", False),
        ("if r.a.b != 'x':\n    return\nlog(r)\nr.b = c\nweb.run(r.a.b)", True),
        ("if r.a.a != 'x':\n    return\nlog(r)\nweb.run(r.a.b)", False),
        ("if r.a.z != 'x':\n    return\nlog(r)\nweb.run(r.a.b)", False),
    ],
)
def test_a_field_of_a_field(body: str, clean: bool) -> None:
    code = f"{HEAD}@web.on\ndef f(r, c):\n" + "".join(f"    {line}\n" for line in body.split("\n"))
    found = labelled(code, DEEP)
    sinks = {role.value for role in found.labels.sinks}
    assert [bool(found.labels.clean.get(value, 0) & 1) for value in sinks] == [clean]


@pytest.mark.parametrize(("checked", "used"), [("a", "z"), ("z", "a")])
def test_the_same_key_of_another_field_is_not_checked(checked: str, used: str) -> None:
    rules = GUARD.replace("web.Request#a", f"web.Request#{used}.b")
    code = f"@web.on\ndef f(r):\n    if r.{checked}.b != 'x':\n        return\n    log(r)\n    web.run(r.{used}.b)\n"
    found = labelled(HEAD + code, rules)
    assert [found.labels.clean.get(role.value, 0) for role in found.labels.sinks] == [0]


def test_a_function_that_stores_through_another_name_ends_it() -> None:
    code = "def g(q):\n    p = q.a\n    p.b = source()\n@web.on\ndef f(r):\n    if r.a.b != 'x':\n        return\n"
    found = labelled(f"{HEAD}{code}    g(r)\n    web.run(r.a.b)\n", DEEP)
    assert [found.labels.clean.get(role.value, 0) for role in found.labels.sinks] == [0]


def test_a_field_is_clean_for_what_the_check_was_about_alone() -> None:
    found = labelled(
        f"{HEAD}@web.on\ndef f(r):\n    if r.a != 'x':\n        return\n    log(r)\n    web.run(r.a)\n", GUARD
    )
    (sink,) = {role.value for role in found.labels.sinks}
    assert found.labels.clean[sink] == 1


@pytest.mark.parametrize(("checked", "used"), [("a", "b"), ("b", "a")])
def test_another_field_is_not_clean_whatever_its_name(checked: str, used: str) -> None:
    rules = GUARD.replace("web.Request#a", f"web.Request#{used}")
    code = f"@web.on\ndef f(r):\n    if r.{checked} != 'x':\n        return\n    log(r)\n    web.run(r.{used})\n"
    assert labelled(HEAD + code, rules).clean(op=Op.LOAD) == []


@pytest.mark.plain
def test_the_search_back_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    body = CHECK + "log(r)\n" * 5 + "web.run(r.a)"
    assert is_clean(body)
    monkeypatch.setattr(field_masks, "MAX_VERSIONS_BACK", 3)
    assert not is_clean(body)


def test_the_search_back_through_callers_is_bounded() -> None:
    """Each function alone is within the bound of one question; all of them together are more than the stack holds."""

    def is_clean_behind(functions: int) -> bool:
        passed_on = "    log(r)\n" * 60
        code = "".join(f"def g{i}(r):\n{passed_on}    g{i + 1}(r)\n" for i in range(1, functions))
        code += f"def g{functions}(r):\n    web.run(r.a)\n"
        code += "@web.on\ndef f(r):\n    if r.a != 'x':\n        return\n    g1(r)\n"
        found = labelled(HEAD + code, GUARD)
        (sink,) = {role.value for role in found.labels.sinks}
        return bool(found.labels.clean.get(sink, 0) & 1)

    assert is_clean_behind(2)
    assert not is_clean_behind(8)
