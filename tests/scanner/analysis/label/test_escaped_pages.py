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
    assert templates.escapes is said
