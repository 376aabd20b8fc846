"""What a program says of all its templates: whether they escape."""

from __future__ import annotations

import pytest
from tests.scanner.analysis.label.programs import labelled

from pyrograph.scanner.analysis.templates import Templates


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("app.pages.escape = True", True),
        ("app.pages.escape = False", False),
        ("app.pages.escape = True\napp.pages.escape = False", None),
        ("app.pages.escape = other", None),
        ("app.others.escape = True", None),
    ],
)
def test_one_constant_decides(code: str, said: bool | None) -> None:
    templates = Templates({})
    labelled(
        f"import web\napp = web.App()\n{code}\n",
        '[type]\nescapes_all = ["web.App#pages.escape"]\n',
        templates=templates,
    )
    assert templates.escapes_by_suffix is said
    assert templates.escapes is None


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("web.App(escape=False)", False),
        ("web.App(escape=None)", False),
        ("web.App(escape=True)", True),
        ("web.App()", True),  # without the option
        ("settings = dict(escape=None)\nweb.App(**settings)", False),
        ("web.App(**{'escape': False})", False),
        ("web.App(escape=False)\nweb.App()", None),
        ("web.App(escape=other())", None),
        ("web.Other(escape=False)", None),
    ],
)
def test_the_option_of_a_call_decides(code: str, said: bool | None) -> None:
    templates = Templates({})
    labelled(f"import web\n{code}\n", '[type]\nescapes_all = ["web.App(escape=)"]\n', templates=templates)
    assert templates.escapes is said
    assert templates.escapes_by_suffix is None


def test_pages_that_were_read_before_are_read_again() -> None:
    templates = Templates({"a.njk": "/nowhere/a.njk"}, {"a.njk": b"{{ name }}"})
    assert templates.writes("a.njk", "nunjucks", "app.js") == ()
    templates.tell(None, False)
    assert [each.path for each in templates.writes("a.njk", "nunjucks", "app.js")] == [("name",)]
    templates.tell(None, True)
    assert templates.writes("a.njk", "nunjucks", "app.js") == ()
