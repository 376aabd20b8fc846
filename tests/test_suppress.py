from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.reports import SQL_INJECTION, sql_injection

from pyrograph import scanner
from pyrograph.model.comment import Comment
from pyrograph.model.finding import Finding, Report, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.parsers import front_end
from pyrograph.parsers.bounded import parse
from pyrograph.parsers.comments import marked_comments
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.files.classify import language_of_name
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.triage.suppress import apply_suppressions

RULE = "python/sql-injection"


def finding(path: str, line: int, *, rule: str = RULE, column: int = 1, end_line: int = 0) -> Finding:
    place = Place(path, line, column, end_line or line, column + 4)
    trace = Trace("http", "x", (Step(place, "source", "read"), Step(place, "sink", "reaches")))
    name = rule.rpartition("/")[2]
    return replace(sql_injection(), rule_id=rule, vulnerability=name, place=place, traces=(trace,))


def commented(code: str, path: str, *findings: Finding) -> Report:
    """A report with ``findings`` and the comments that the front end finds in ``code``."""
    front = front_end(language_of_name(path) or "")
    front.prepare()
    source = code.encode("utf-8", "surrogateescape")
    tree = parse(front._parser, source)
    found = [] if tree is None else marked_comments(source, tree.root_node, front.bodies)
    return Report(findings, (), {}, Statistics(), comments={path: tuple(Comment(*each) for each in found)})


def applied(code: str, *lines: int, path: str = "a.py", **given: object) -> Report:
    report = commented(code, path, *(finding(path, line) for line in lines))
    return apply_suppressions(report, **given)  # type: ignore[arg-type]


def hidden(code: str, path: str = "a.py", **given: object) -> list[int]:
    """The lines whose finding is hidden, if every line has one."""
    report = applied(code, *range(1, code.count("\n") + 2), path=path, **given)
    return [entry.finding.place.line for entry in report.suppressed]


def complaints(code: str, *lines: int, path: str = "a.py", **given: object) -> list[tuple[int, str]]:
    return [(problem.line, problem.message) for problem in applied(code, *lines, path=path, **given).problems]


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("a.py", "f(x)  # pyrograph: ignore\nf(x)\n", [1]),
        ("a.py", "f(x)\n# pyrograph: ignore\nf(x)\nf(x)", [3]),
        ("a.py", "    # pyrograph: ignore[sql-injection]\n\n    # why\n    f(x)", [4]),
        ("a.py", "f(x)  # noqa  # pyrograph: ignore[python/sql-injection] fine", [1]),
        ("a.py", "f(x) #pyrograph:ignore[ xss , sql-injection ]", [1]),
        ("a.py", "f(x) # PyroGraph: Ignore", [1]),
        ("a.py", "f(x)  # pyrograph: ignore[xss]", []),
        ("a.py", "f(x)  # pyrograph: ignore[go/sql-injection]", []),
        ("a.py", "f(x)  # please do not pyrograph: ignore", []),
        ("a.py", "f(x)  # pyrograph: ignored", []),
        ("a.py", "f(x)  # pyrograph: a scanner", []),
        ("a.py", "f(x)\r\n# pyrograph: ignore why\r\nf(x)\r\n", [3]),
        ("a.py", "s = 'größe'; f(x)  # pyrograph: ignore", [1]),
        ("a.py", "\udcff\udcfe = f(x)  # pyrograph: ignore", [1]),
        ("a.js", "f(x) // pyrograph: ignore\nf(x)", [1]),
        ("a.ts", "// pyrograph: ignore\nf(x)", [2]),
        ("a.go", "/* pyrograph: ignore */ f(x)\nf(x)", [1]),
        ("a.go", "/*\n pyrograph: ignore */\nf(x)", [3]),
        ("a.go", "/*\n * pyrograph: ignore\n */\nf(x)", []),
        ("a.go", "/* pyrograph: ignore[sql-injection]\n why */\n\nf(x)", [4]),
        ("a.tsx", "<a>\n  {/* pyrograph: ignore */}\n  <b dangerouslySetInnerHTML={x} />\n</a>", [3]),
        ("a.js", "f(x) # pyrograph: ignore", []),
    ],
)
def test_a_comment_speaks_for_its_line_or_the_next_one_with_code(path: str, code: str, expected: list[int]) -> None:
    assert hidden(code, path) == expected


@pytest.mark.parametrize(
    ("path", "code", "expected"),
    [
        ("a.py", "# pyrograph: ignore\nf(\n    a,\n    b,\n)\nf(c)", [2, 3, 4, 5]),
        ("a.py", "f(\n    a,  # pyrograph: ignore\n    b,\n)\nf(c)", [1, 2, 3, 4]),
        ("a.py", "f(a)\nf(\n    a,\n    b,\n)  # pyrograph: ignore\nf(c)", [2, 3, 4, 5]),
        ("a.py", "# pyrograph: ignore\nif f(\n    a\n):\n    f(b)\n", [2, 3, 4, 5]),
        ("a.py", "if f(a):  # pyrograph: ignore\n    f(b)\nf(c)", [1, 2]),
        ("a.py", "# pyrograph: ignore\n@d(\n    1)\ndef f(a):\n    g(\n        a)\n    g(a)", [2, 3, 4, 5]),
        ("a.py", "x = [\n    # pyrograph: ignore\n    f(\n        a),\n    f(b),\n]", [3, 4]),
        ("a.py", "def f():\n    # pyrograph: ignore\n    g(\n        a)\n    g(b)", [3, 4]),
        ("a.js", "// pyrograph: ignore\nf(\n  a,\n  b);\nf(c)", [2, 3, 4]),
        ("a.js", "// pyrograph: ignore\nf(a, () => {\n  g(b)\n  g(c)\n}, d)\nf(e)", [2]),
        ("a.js", "f(a, () => {\n  g(b)\n  g(c)\n},\n d) // pyrograph: ignore\nf(e)", [4, 5]),
        ("a.js", "f(() => {\n  g(\n    b // pyrograph: ignore\n  )\n  g(c)\n})", [2, 3, 4]),
        ("a.tsx", "x = <a>\n  {/* pyrograph: ignore */}\n  <b\n    c={d}>\n    <e f={g} />\n  </b>\n</a>", [3, 4]),
        ("a.go", "func f() {\n\t// pyrograph: ignore\n\tg(\n\t\ta,\n\t)\n\tg(b)\n}", [3, 4, 5]),
        ("a.go", "func f() {\n\tx, err := g(\n\t\ta, // pyrograph: ignore\n\t)\n\tg(b)\n}", [2, 3, 4]),
    ],
)
def test_a_comment_speaks_for_its_statement_but_not_for_those_inside_it(
    path: str, code: str, expected: list[int]
) -> None:
    assert hidden(code, path) == expected


def test_where_the_steps_are_used_up_a_comment_speaks_for_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    code = "# pyrograph: ignore\nf(\n    a,\n)\n"
    assert hidden(code) == [2, 3, 4]
    monkeypatch.setattr("pyrograph.parsers.statements.MAX_STATEMENT_STEPS", 2)
    assert hidden(code) == [2]


def test_a_misspelt_rule_is_corrected_in_the_complaint() -> None:
    code = "\n".join(
        f"f(x)  # pyrograph: ignore[{rule}]"
        for rule in ("sql-injektion", "python/sqlinjection", "pyton/sql-injection", "sql-injection", "nonsense")
    )
    report = replace(commented(code, "a.py"), vulnerabilities={"sql-injection": SQL_INJECTION})
    remedies = [problem.message.partition("; ")[2] for problem in apply_suppressions(report).problems]
    assert remedies == [
        "did you mean `sql-injection`?",
        "did you mean `python/sql-injection`?",
        "did you mean `python/sql-injection`?",
        "remove it",
        "remove it",
    ]


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("a.py", "f('# pyrograph: ignore', x)"),
        ("a.py", 'f("""\n# pyrograph: ignore\n""", x)'),
        ("a.py", "f(f'{x} # pyrograph: ignore')"),
        ("a.py", "f('it\\'s # pyrograph: ignore')"),
        ("a.py", "f(r'\\' # pyrograph: ignore')"),
        ("a.js", "f('// pyrograph: ignore', x)"),
        ("a.js", "f(`\n// pyrograph: ignore\n${x}`)"),
        ("a.js", "f(`${a ? `// pyrograph: ignore` : {b: `${c}`}} // pyrograph: ignore`)"),
        ("a.js", "f(/[/'\"`]/, '// pyrograph: ignore')"),
        ("a.js", "return /`/.test(x) && f('// pyrograph: ignore')"),
        ("a.js", "f(a / b, '// pyrograph: ignore', c / d)"),
        ("a.js", "const url = 'http://x // pyrograph: ignore'"),
        ("a.go", "f(`C:\\`, `// pyrograph: ignore`)"),
        ("a.go", 'f("\\"// pyrograph: ignore", \'"\')'),
    ],
)
def test_a_string_hides_nothing(path: str, code: str) -> None:
    report = applied(code, *range(1, code.count("\n") + 2), path=path)
    assert (report.suppressed, report.problems) == ((), ())


@pytest.mark.parametrize(
    "code",
    [
        "`${`a`}`; f(x) // pyrograph: ignore",
        "`${ {a: `}`} }`; f(x) // pyrograph: ignore",
        "a = b / c; d = e / f(x) // pyrograph: ignore",
        "x => /[/]`/; f(x) // pyrograph: ignore",
        "<p>Don't</p>\nf(x) // pyrograph: ignore",
        "<b></b>; f(x) // pyrograph: ignore",
    ],
)
def test_comments_behind_odd_code_count(code: str) -> None:
    last = code.count("\n") + 1
    assert hidden(code, "a.jsx") == [last]


def test_the_reason_stands_with_the_suppressed_finding() -> None:
    for comment in ("# pyrograph: ignore[sql-injection] only digits", "# pyrograph: ignore -- only digits "):
        (entry,) = applied(f"f(x)  {comment}", 1).suppressed
        assert (entry.by, entry.reason) == ("comment", "only digits")
    (entry,) = applied("f(x) /* pyrograph: ignore: only digits */", 1, path="a.go").suppressed
    assert entry.reason == "only digits"


def test_comments_without_effect_are_reported() -> None:
    code = "f(x)  # pyrograph: ignore[sql-injection, xss]\ng()  # pyrograph: ignore\nh()  # pyrograph: ignore[ssrf]\n"
    assert complaints(code, 1) == [
        (1, "`pyrograph: ignore[xss]` matches no finding; remove it"),
        (2, "`pyrograph: ignore` matches no finding; remove it"),
        (3, "`pyrograph: ignore[ssrf]` matches no finding; remove it"),
    ]
    assert all(problem.kind == "suppression" for problem in applied(code, 1).problems)


@pytest.mark.parametrize(
    ("comment", "message"),
    [
        ("ignore[sql-injection", "without `]`"),
        ("ignore[]", "names no rule"),
        ("ignore[ , ]", "names no rule"),
        ("ignore[SQL injection!]", "names no rule"),
        ("ignore-next-line", "`pyrograph: ignore-next-line` is not known"),
        ("disable=sql-injection", "`pyrograph: disable` is not known"),
    ],
)
def test_a_comment_that_cannot_be_read_hides_nothing_and_is_reported(comment: str, message: str) -> None:
    report = applied(f"f(x)  # pyrograph: {comment}", 1)
    assert len(report.findings) == 1
    (problem,) = report.problems
    assert message in problem.message


def test_reasons_can_be_required() -> None:
    code = "f(x)  # pyrograph: ignore[sql-injection]\nf(x)  # pyrograph: ignore checked\n"
    assert hidden(code, require_reason=True) == [2]
    assert "without a reason" in complaints(code, 1, 2, require_reason=True)[0][1]
    assert hidden(code) == [1, 2]


def test_comments_of_other_scanners_count_only_when_asked_for() -> None:
    code = "f(x)  # nosec B608 -- fixed\nf(x)  # nosemgrep: some.rule\nf(x)  # nosecurity\n"
    assert hidden(code) == []
    assert hidden(code, hints=("nosec",)) == [1]
    assert hidden(code, hints=("nosec", "nosemgrep"), require_reason=True) == [1, 2]
    assert [entry.reason for entry in applied(code, 1, hints=("nosec",)).suppressed] == ["nosec B608 -- fixed"]
    assert complaints("g()  # nosec", hints=("nosec",)) == []
    with pytest.raises(ValueError, match="unknown suppression hint 'noqa'; known are nosec, nosemgrep"):
        applied("", hints=("noqa",))


def test_comments_for_rules_that_did_not_run_are_not_called_unused() -> None:
    code = "f(x)  # pyrograph: ignore[xss, sql-injection]\ng()  # pyrograph: ignore\n"
    assert complaints(code, rules={"python/ssrf"}) == []
    assert complaints(code, rules={"python/xss", "python/ssrf"}) == [
        (1, "`pyrograph: ignore[xss]` matches no finding; remove it")
    ]


def test_a_call_of_several_lines_is_meant_at_its_argument_and_where_the_path_ends() -> None:
    place = Place("a.py", 3, 5, 5, 8)
    call = Place("a.py", 2, 1, 2, 8)
    trace = Trace("http", "x", (Step(place, "source", "read"), Step(call, "sink", "reaches")))
    spread = replace(sql_injection(), place=place, traces=(trace,))
    for line in (2, 3, 5):
        lines = ["#", "execute(", "    a", "    + b", "    + c", ")"]
        lines[line - 1] = "x  # pyrograph: ignore"
        report = commented("\n".join(lines), "a.py", spread)
        assert len(apply_suppressions(report).suppressed) == 1, line


def test_files_without_content_and_reports_without_findings_are_left_alone() -> None:
    report = Report((finding("gone.py", 1),), (), {}, Statistics())
    assert apply_suppressions(report) == report
    assert hidden("") == []


def test_suppressions_add_to_what_was_suppressed_and_reported_before() -> None:
    first = applied("f(x)  # pyrograph: ignore\ng()  # pyrograph: ignore", 1)
    again = apply_suppressions(replace(first, findings=(finding("a.py", 1),)))
    assert (len(again.findings), len(again.suppressed), len(again.problems)) == (0, 2, 1)


@settings(deadline=None)
@given(st.text(st.sampled_from("'\"`/\\*#${}[]<>()\n\r ax=")), st.sampled_from(["a.py", "a.js", "a.tsx", "a.go"]))
def test_no_file_breaks_the_reading_of_comments(code: str, path: str) -> None:
    applied(f"{code}\n// pyrograph: ignore\n# pyrograph: ignore[\n{code}", 1, 2, 3, path=path)


@pytest.mark.parametrize(
    "part", ["/[", "`${", "'", '"', "/*", "{", "# pyrograph: ignore\n", "// pyrograph: ignore\n", "\\"]
)
@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go"])
def test_hostile_files_are_read_in_linear_time(part: str, path: str) -> None:
    # Quadratic work would take minutes here.
    applied(f"{part * 50_000}\n// pyrograph: ignore\n# pyrograph: ignore\n", 1, path=path)


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.go"])
@pytest.mark.parametrize("quote", ['\\"', "\\'", "\\`", "`${"])
def test_a_comment_above_quotation_marks_without_end_is_read(path: str, quote: str) -> None:
    comment = "# pyrograph: ignore\n" if path == "a.py" else "// pyrograph: ignore\n"
    code = comment + quote * 20_000 + "\\"  # quadratic time would be minutes
    assert [line for line, _ in complaints(code, path=path)] == [1]


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("tool", "#!/usr/bin/env node\nconst { exec } = require('child_process')\n{call}\n", 3),
        ("tool", "#!/usr/bin/env python3\nimport os, sys\n{call}\n", 3),
        ("tool.js", "const { exec } = require('child_process')\n{call}\n", 2),
    ],
)
def test_a_script_is_read_in_the_language_that_it_is_scanned_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, code: str, line: int
) -> None:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: None)
    python = "python3" in code
    call = "os.system(sys.argv[1])" if python else "exec(process.argv[2])"
    comment = f"{'#' if python else '//'} pyrograph: ignore[command-injection] a tool"
    path = tmp_path / name
    options = ScanOptions(
        paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", threat_models=frozenset({"cli"}), confidence="low"
    )
    for written, suppressed in ((call, False), (f"{call}  {comment}", True)):
        path.write_text(code.replace("{call}", written), encoding="utf-8")
        path.chmod(0o755)
        report = apply_suppressions(scanner.scan(options, load_rules(["python", "javascript"])))
        found = [each.finding for each in report.suppressed] if suppressed else report.findings
        assert [each.place.line for each in found] == [line]
        assert not [problem for problem in report.problems if problem.kind == "suppression"]


def test_comments_count_in_files_without_findings_whatever_their_case() -> None:
    assert complaints("x = 1  # PyroGraph: Ignore\n") == [(1, "`pyrograph: ignore` matches no finding; remove it")]
