"""Which comments a unit keeps, and the line each speaks for."""

from __future__ import annotations

import pytest

from pyrograph.ir.stored import dump, load
from pyrograph.parsers import bounded, lower


@pytest.mark.parametrize(
    ("language", "code", "expected"),
    [
        ("python", "f(x)  # nosec\n", [(1, 1, 1, "# nosec")]),
        ("python", "# NOSEC\n\n# why\nf(x)\n", [(1, 4, 4, "# NOSEC")]),
        ("python", "f(x)\n# nosec\n# why\n", [(2, 2, 2, "# nosec")]),
        ("python", "f(  # nosec\n    x,\n    # nosec\n)\n", [(1, 1, 4, "# nosec"), (3, 4, 4, "# nosec")]),
        ("python", '\'# nosec\'\n"""\n# nosec\n"""\n# plain\n', []),
        ("python", "f'{x}# nosec'  # nosec ä\n", [(1, 1, 1, "# nosec ä")]),
        ("javascript", "/* nosec\n why */\n\nf(x)", [(1, 4, 4, "/* nosec\n why */")]),
        ("javascript", "f(`${a}// nosec`) // nosec", [(1, 1, 1, "// nosec")]),
        ("javascript", "x = /[/]\\/\\/ nosec/ // nosec\n", [(1, 1, 1, "// nosec")]),
        ("javascript", "#!/usr/bin/node\n// nosec\nf(x)", [(2, 3, 3, "// nosec")]),
        ("tsx", "a = <p>// nosec</p>;", []),
        ("tsx", "a = <p>\n{/* nosec */}\n<b c={x} />\n</p>", [(2, 3, 3, "/* nosec */")]),
        ("go", "package p\n// pyrograph: ignore\nvar x = `// nosec`", [(2, 3, 3, "// pyrograph: ignore")]),
    ],
)
def test_a_comment_with_a_marker_is_kept_with_the_lines_of_its_code(
    language: str, code: str, expected: list[tuple[int, int, int, str]]
) -> None:
    unit = lower(code.encode(), language)
    assert unit.comments == expected
    assert load(dump(unit)) == unit


@pytest.mark.parametrize("language", ["python", "javascript", "tsx", "go"])
def test_a_file_that_is_not_parsed_says_that_its_suppressions_are_not_read(
    language: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bounded, "UNBOUNDED_PARSE", 0)
    monkeypatch.setattr(bounded, "PARSE_STEPS", -100)
    for text, kinds in (("x pyrograph: ignore", ["not-parsed", "suppression"]), ("x nosec", ["not-parsed"])):
        assert [kind for kind, _, _ in lower(text.encode(), language).problems] == kinds
