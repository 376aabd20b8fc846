"""Values under a key: in a literal, and in an object that a constructor made with a keyword."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import GO_RULES, applies, labelled, vulnerability

from pyrograph.scanner.analysis.label import literals
from pyrograph.scanner.analysis.label.definitions import objects_before
from pyrograph.scanner.analysis.label.facts import Facts


@pytest.mark.parametrize(
    ("condition", "first", "holds"),
    [
        ("when 0[a] == 'b'", "{'a': 'b'}", True),
        ("when 0[a] == 'b'", "{'a': 'c'}", False),
        ("when 0[a] == 'b'", "{'b': 'b'}", False),
        ("when 0[a] present", "{'a': x}", True),
        ("when 0[a] absent", "{'a': x}", False),
    ],
)
def test_a_member_of_a_literal(condition: str, first: str, holds: bool) -> None:
    assert applies(condition, f"import web\nx = web.get()\nweb.run({first}, x)\n") is holds


@pytest.mark.parametrize(
    ("last", "holds"), [("web.Own(setting='on')", True), ("web.Own(setting='off')", False), ("web.Own()", False)]
)
def test_a_member_of_what_a_call_made_is_its_keyword(last: str, holds: bool) -> None:
    code = f"import web\nx = web.get()\nc = {last}\nweb.run(c, x)\nweb.run(c.child(), x)\n"
    assert applies("when 0[setting] == 'on'", code) is holds


def test_a_member_is_found_through_merges_parameters_and_names() -> None:
    merged = "import web\nx = web.get()\nif x:\n    o = {'a': 'b'}\nelse:\n    o = {'a': 'b', 'c': 1}\nweb.run(o, x)\n"
    assert applies("when 0[a] present", merged)
    assert not applies("when 0[c] present", merged), "one of them lacks it"
    passed = "import web\ndef f(o):\n    web.run(o, web.get())\nf({'a': 'b'})\n"
    assert applies("when 0[a] == 'b'", passed)
    named = "import web\nO = {'a': 'b'}\ndef f():\n    web.run(O, web.get())\n"
    assert applies("when 0[a] == 'b'", named)


@pytest.mark.plain
def test_each_object_is_asked_once_for_each_step_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each parameter of each function may be any of the twelve of its caller: 20,736 ways lead back to the literal."""
    many, names = 12, [f"p{each}" for each in range(12)]
    rotated = [", ".join(names[each:] + names[:each]) for each in range(many)]
    code = f"import web\ndef f0({rotated[0]}):\n    web.run(p0, web.get())\n"
    for level in range(1, 4):
        calls = "".join(f"    f{level - 1}({each})\n" for each in rotated)
        code += f"def f{level}({rotated[0]}):\n{calls}"
    code += "f3(" + ", ".join(["{'a': 'b'}"] * many) + ")\n"
    asked: list[int] = []

    def counting(facts: Facts, rep: int) -> list[int]:
        asked.append(rep)
        return objects_before(facts, rep)

    monkeypatch.setattr(literals, "objects_before", counting)
    assert applies("when 0[a] == 'b'", code)
    assert 0 < len(asked) < 10 * many * 4, "a few questions, each of at most twelve objects in four steps"


@pytest.mark.parametrize(
    ("written", "given", "text", "filled"),
    [
        ("{a}/b/{c}", "a=x, c=y", "\0/b/\0", ["x", "y"]),
        ("{}/b/{}", "x, y", "\0/b/\0", ["x", "y"]),
        ("{1}/{0}/{1}", "x, y", "\0/\0/\0", ["y", "x", "y"]),
        ("{{a}}/{a.b}/{c[0]!r:>{w}}", "a=x, c=y, w=1", None, []),
        ("{{a}}/{a.b}/{c[0]!r:>5}", "a=x, c=y", "{a}/\0/\0", ["x", "y"]),
        ("{a}/b/{d}", "a=x, c=y", None, []),
        ("{a}/b", "**x", None, []),
        ("no hole", "x, y", None, []),
    ],
)
def test_a_format_that_is_written_elsewhere(written: str, given: str, text: str | None, filled: list[str]) -> None:
    body = f"    x = web.get()\n    y = web.other()\n    web.run(F.format({given}))\n"
    code = f"import web\nF = {written!r}\ndef f():\n{body}"
    found = labelled(code)
    (call,) = (value for value in found.facts.call_result if found.text(value).startswith("F.format"))
    assert found.facts.constants.texts.get(call) == text
    names = {"web.get()": "x", "web.other()": "y"}
    assert [names[found.text(each)] for each in found.facts.constants.fillings.get(call, [])] == filled


def test_each_format_with_a_name_is_filled_whatever_the_others_are() -> None:
    code = """
package main

import (
	"fmt"
	"web"
)

func f(other string) {
	x := web.Get()
	web.Run(fmt.Sprintf(other, x))
	web.Run(fmt.Sprintf(pattern, x))
	web.Run(fmt.Sprintf(pattern, x, x))
	web.Run(fmt.Sprintf(other, x, x))
}
"""
    files = {"a.go": code, "b.go": 'package main\n\nconst pattern = "https://a.example/%s"\n'}
    harmless = (vulnerability(safe_text="https://[^/]+/"),)
    found = labelled(files, GO_RULES, "go", vulnerabilities=harmless)
    assert found.sinks() == ["fmt.Sprintf(other, x)", "fmt.Sprintf(other, x, x)", "fmt.Sprintf(pattern, x, x)"]
