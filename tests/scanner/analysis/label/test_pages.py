"""Calls that render a template: which arguments its unescaped writes make sinks, and in which part."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import Labelled, labelled, vulnerability

from pyrograph.policy.limits.labels import MAX_TEMPLATE_NAMES
from pyrograph.scanner.analysis.templates import Templates

XSS = (vulnerability("xss"),)
RULES = """
[template]
jinja = [
    "web.render(0|name) with 1, *",
    "web.text(text 0) with *",
    "@web.page(0) with return",
    "web.load()(this[0]) with *",
]
"""
Render = Callable[..., Labelled]


@pytest.fixture
def rendered(tmp_path: Path) -> Render:
    """Label a program beside the templates ``a.html`` and ``b.html``."""

    def label_with(code: str, a: str = "<p>{{ x | safe }}</p>", b: str = "<p>{{ x }}</p>", **given: object) -> Labelled:
        (tmp_path / "a.html").write_text(a, encoding="utf-8")
        (tmp_path / "b.html").write_text(b, encoding="utf-8")
        templates = Templates({f"templates/{name}": str(tmp_path / name) for name in ("a.html", "b.html")})
        return labelled(f"import web\n{code}\n", RULES, vulnerabilities=XSS, templates=templates)

    return label_with


def sinks(found: Labelled) -> list[tuple[str, list[str]]]:
    names = found.program.strings
    return sorted((found.text(role.value), [names[key] for key in role.keys]) for role in found.labels.sinks)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("web.render('a.html', x=v)", [("v", [])]),
        ("web.render('a.html', {'x': v})", [("{'x': v}", ["x"])]),
        ("web.render(name='a.html', x=v)", [("v", [])]),
        ("web.render('a.html', y=v)", []),
        ("web.render('b.html', x=v)", []),
        ("web.render('missing.html', x=v)", []),
        ("web.render('a.html', x='constant')", []),
        ("web.load('a.html')(x=v)", [("v", [])]),
        ("web.render(name_of(), x=v)", []),
    ],
)
def test_values_that_a_template_writes_as_they_are(rendered: Render, code: str, expected: list[object]) -> None:
    assert sinks(rendered(code)) == expected


def test_a_part_of_a_value_is_written(rendered: Render) -> None:
    found = rendered("web.render('a.html', user=v)", "{{ user.name | safe }}")
    assert sinks(found) == [("v", ["name"])]


def test_the_place_in_the_template_is_kept(rendered: Render) -> None:
    (role,) = rendered("web.render('a.html', x=v)").labels.sinks
    text = "<p>{{ x | safe }}</p>"
    assert role.template.path == "templates/a.html"
    assert "x" in text[role.template.start : role.template.end]


def test_a_text_in_the_program_is_a_template_too(rendered: Render) -> None:
    found = rendered("web.text('{{ x | safe }}', x=v)\nweb.text('{{ x }}', x=v)\n")
    (role,) = found.labels.sinks
    assert role.template.path == "app.py"
    assert found.codes[0][role.template.start : role.template.end] == b"{{ x | safe }}"


def test_a_returned_table_goes_to_the_template_of_the_decorator(rendered: Render) -> None:
    found = rendered("@web.page('a.html')\ndef f(v):\n    return {'x': v}\n")
    assert sinks(found) == [("{'x': v}", ["x"])]
    assert sinks(rendered("@web.page('b.html')\ndef f(v):\n    return {'x': v}\n")) == []


@pytest.mark.parametrize(
    ("calls", "low"), [("f('a.html')", [False]), ("f('a.html')\nf('b.html')", [True]), ("f(unknown())", [])]
)
def test_a_helper_gets_the_name_from_its_callers(rendered: Render, calls: str, low: list[bool]) -> None:
    found = rendered(f"def f(name):\n    web.render(name, x=v)\n{calls}\n")
    assert [role.low for role in found.labels.sinks] == low


def test_a_name_behind_a_folder_is_found(rendered: Render) -> None:
    assert sinks(rendered("web.render(f'{theme}/a.html', x=v)")) == [("v", [])]


def test_without_templates_or_the_vulnerability_there_are_no_sinks(rendered: Render) -> None:
    assert labelled("import web\nweb.render('a.html', x=v)\n", RULES, vulnerabilities=XSS).labels.sinks == []
    assert labelled("import web\nweb.text('{{ x | safe }}', x=v)\n", RULES, templates=Templates({})).labels.sinks == []


@pytest.mark.parametrize("count", [MAX_TEMPLATE_NAMES, MAX_TEMPLATE_NAMES + 1])
def test_a_helper_that_renders_too_many_templates_is_reported(rendered: Render, count: int) -> None:
    """What the caller passes as well is looked at caller by caller: ``test_passed_templates.py``."""
    calls = "".join(f"show('{name}.html')\n" for name in ["a", *(f"page{i}" for i in range(count - 1))])
    found = rendered(f"def show(name):\n    return web.render(name, x=v)\n{calls}")
    assert bool(found.resolution.reached.reported) == (count > MAX_TEMPLATE_NAMES)
    assert bool(sinks(found)) != bool(found.resolution.reached.reported)
