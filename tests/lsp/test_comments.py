"""A suppression comment lands where the parser takes it for one, and where it hides the finding."""

from __future__ import annotations

import pytest
from tests.lsp.findings import finding_at, place_of

from pyrograph.lsp.comments import place_comment
from pyrograph.lsp.jobs import CommentJob

COMMENT = "pyrograph: ignore[sql-injection] why"


def suppressed(text: str, *parts: str, path: str = "app.py", call: str = "", reason: str = "why") -> str | None:
    """The text with the comment."""
    around = place_of(text, call, path) if call else None
    finding = finding_at(*(place_of(text, part, path) for part in parts), call=around)
    found = place_comment(CommentJob(path, text, finding, reason))
    if found is None:
        return None
    lines = text.split("\n")
    at = lines[found.line - 1]
    lines[found.line - 1] = at[: found.column - 1] + found.text + at[found.column - 1 :]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        ("a.py", "def f():\n    run(SINK)\n", "def f():\n    # C\n    run(SINK)\n"),
        ("a.py", "if a:\n\trun(SINK)\n", "if a:\n\t# C\n\trun(SINK)\n"),
        ("a.py", "def f():\r\n    run(SINK)\r\n", "def f():\r\n    # C\r\n    run(SINK)\r\n"),
        ("a.py", "run(\n    1,\n    SINK,\n)\n", "run(\n    1,\n    # C\n    SINK,\n)\n"),
        ("a.py", "x = 1 + \\\n  run(SINK)\n", "x = 1 + \\\n  run(SINK)  # C\n"),
        ("a.py", "x = run(SINK) + \\\n  1\n", "# C\nx = run(SINK) + \\\n  1\n"),
        ("a.py", "x = 1 + \\\n  run(SINK) + \\\n  2\n", "# C\nx = 1 + \\\n  run(SINK) + \\\n  2\n"),
        ("a.py", 'run(f"""\nselect {SINK}\n""")\n', '# C\nrun(f"""\nselect {SINK}\n""")\n'),
        ("a.py", "if a:\n    pass\nelif run(SINK):\n    pass\n", "if a:\n    pass\n# C\nelif run(SINK):\n    pass\n"),
        ("a.js", "function f() {\n  run(SINK);\n}\n", "function f() {\n  // C\n  run(SINK);\n}\n"),
        ("a.js", "run(`\n${SINK}\n`);\n", "// C\nrun(`\n${SINK}\n`);\n"),
        ("a.tsx", "a = (\n  <p>\n    {SINK}\n  </p>\n);\n", "a = (\n  <p>\n    {/* C */}\n    {SINK}\n  </p>\n);\n"),
        ("a.go", "package a\n\nfunc f() {\n\trun(SINK)\n}\n", "package a\n\nfunc f() {\n\t// C\n\trun(SINK)\n}\n"),
    ],
)  # fmt: skip
def test_the_comment_stands_in_the_right_place(path: str, text: str, wanted: str) -> None:
    call = text[text.index("run(") :].partition("SINK")[0].partition("\n")[0] if "run(" in text else ""
    assert suppressed(text, "SINK", path=path, call=call) == wanted.replace("C", COMMENT, 1)


def test_one_comment_hides_all_arguments_of_a_call() -> None:
    text = "run(\n    ONE,\n    TWO,\n)\n"
    assert suppressed(text, "ONE", "TWO", call="run(") == text.replace("ONE,", f"ONE,  # {COMMENT}")


def test_a_reason_stays_on_one_line_and_ends_no_comment() -> None:
    text = "const a = <p>{SINK}</p>;\n"
    found = suppressed(text, "SINK", path="a.tsx", reason="so */ what\nnow")
    assert found is not None
    assert "so * / what now" in found.split("\n")[0]


def test_text_that_no_parser_reads_gets_no_comment() -> None:
    assert suppressed("run(SINK)\n", "SINK", path="a.txt") is None


def test_a_finding_that_no_comment_can_reach_gets_none() -> None:
    """The sink stands in the middle of a text of many lines."""
    middle = "\n".join(["x"] * 30)
    assert suppressed(f'a = f"""\n{middle}\n{{SINK}}\n{middle}\n"""\n', "SINK") is None
