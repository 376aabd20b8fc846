"""Why, or why not: each reason for which data does not arrive, at the place where it stops."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from pyrograph.model.vulnerability import CONFIDENCES
from pyrograph.rules import Rules, load_rules
from pyrograph.rules.kinds import OPTIONAL_KINDS
from pyrograph.scanner import scan
from pyrograph.scanner.clock import Clock
from pyrograph.scanner.diagnose import Answer, Line, Unanswerable, Verdict, why
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.pipeline import analyse_to_labels
from pyrograph.scanner.stages import LabelledProgram, NoFiles

SUFFIXES = {"python": ".py", "javascript": ".js", "go": ".go"}


@pytest.fixture(scope="module")
def rules() -> Rules:
    return load_rules(("python", "javascript", "go"))


@dataclass(frozen=True)
class Case:
    """Code with FROM and TO in comments of the two lines, and STOP in that of the line where it stops."""

    name: str
    language: str
    code: str
    reason: str  # "" where the data arrives
    words: str = ""  # in the message
    vulnerability: str | None = None
    unknown_calls: str = "pass"

    def __str__(self) -> str:
        return f"{self.language}-{self.name}"


FLASK = """
import os, base64, html
from flask import Flask, request, redirect, abort
app = Flask(__name__)
"""
PYTHON = [
    Case("arrives", "python", "x = request.args['q'] # FROM\nos.system('ls ' + x) # TO", ""),
    Case(
        "sanitizer",
        "python",
        "import shlex\nx = request.args['q'] # FROM\ny = shlex.quote(x) # STOP\nos.system('ls ' + y) # TO",
        "sanitizer",
        "`shlex.quote` makes the data clean for command-injection",
    ),
    Case(
        "guard",
        "python",
        "x = request.args['q'] # FROM\nif x in ('a', 'b'): # STOP\n    os.system(x) # TO",
        "guard",
        "is true here",
    ),
    Case(
        "guard-in-a-function",
        "python",
        "def ok(v):\n    return v in ('a', 'b')\nx = request.args['q'] # FROM\nif ok(x):\n    os.system(x) # TO",
        "guard",
    ),
    Case(
        "guard-of-what-is-empty",
        "python",
        "x = request.args['q'] # FROM\nif not x: # STOP\n    os.system(x) # TO",
        "guard",
        "a false value contains no text",
    ),
    Case(
        "model",
        "python",
        "x = request.args['q'] # FROM\nn = len(x) # STOP\nos.system('head -' + str(n)) # TO",
        "model",
        "builtins.len",
    ),
    Case(
        "unknown-call-blocked",
        "python",
        "from nowhere import change\nx = request.args['q'] # FROM\ny = change(x) # STOP\nos.system(y) # TO",
        "unknown-call",
        "`change`",
        unknown_calls="block",
    ),
    Case(
        "unknown-call-assumed",
        "python",
        "from nowhere import change\nx = request.args['q'] # FROM\ny = change(x)\nos.system(y) # TO",
        "",
    ),
    Case(
        "function",
        "python",
        "def told(v):\n    print(v)\n    return open('f').read()\n"
        "x = request.args['q'] # FROM\ny = told(x) # STOP\nos.system(y) # TO",
        "function",
        "`told`",
    ),
    Case("constant", "python", "x = request.args['q'] # FROM\nos.system('ls') # TO STOP", "constant", "'ls'"),
    Case("constant-source", "python", "x = 'ls' # FROM STOP\nos.system(x + request.args['q']) # TO", "constant"),
    Case(
        "comparison",
        "python",
        "x = request.args['q'] # FROM\ny = x == 'a' # STOP\nos.system('ls %s' % y) # TO",
        "comparison",
    ),
    Case(
        "chosen-from-a-table",
        "python",
        "x = request.args['q'] # FROM\nnames = {'a': 'ls', 'b': 'df'}\nos.system(names[x]) # TO STOP",
        "comparison",
    ),
    Case(
        "field",
        "python",
        "def run(d):\n    os.system(d['b']) # TO STOP\n"
        "x = request.args['q'] # FROM\nrun({'a': x, 'b': open('f').read()})",
        "field",
        "`a`",
    ),
    Case(
        "overwritten",
        "python",
        "def clear(d):\n    d['a'] = open('f').read() # STOP\n"
        "x = request.args['q'] # FROM\nd = {'a': x}\nclear(d)\nos.system(d['a']) # TO",
        "overwritten",
    ),
    Case("branch", "python", "x = request.args['q'] # FROM\nif False:\n    os.system(x) # TO STOP", "branch"),
    Case(
        "branch-that-ends",
        "python",
        "x = request.args['q'] # FROM\ny = open('f').read()\nif y == 'b':\n    y = x\n    abort(404)\n"
        "os.system(y) # TO",
        "branch",
    ),
    Case(
        "no-sink",
        "python",
        "x = request.args['q'] # FROM\nprint(x) # TO STOP",
        "no-sink",
        "no rule names it as a sink",
    ),
    Case(
        "no-sink-for-this",
        "python",
        "x = request.args['q'] # FROM\nos.system(x) # TO STOP",
        "no-sink",
        "it is a sink for command-injection",
        vulnerability="sql-injection",
    ),
    Case(
        "encoding",
        "python",
        "x = request.args['q'] # FROM\ny = base64.b64encode(x.encode()).decode()\nos.system('ls ' + y) # TO",
        "encoding",
    ),
    Case(
        "safe-text",
        "python",
        "x = request.args['q'] # FROM\nurl = 'https://a.example/' + x # STOP\nredirect(url) # TO",
        "safe-text",
        "for open-redirect",
    ),
    Case(
        "no-way",
        "python",
        "x = request.args['q'] # FROM\ny = open('f').read()\nos.system(y) # TO STOP",
        "no-way",
        "open",
    ),
    Case("no-rule-for-the-source", "python", "x = open('f').fileno() # FROM\nos.system('kill %s' % x) # TO", ""),
    Case(
        "calls",
        "python",
        "def same(v):\n    return v\nx = request.args['q'] # FROM\nsame(x)\n"
        "y = same(open('f').read()) # STOP\nos.system(y) # TO",
        "calls",
    ),
]
EXPRESS = """
const express = require('express'); const fs = require('fs'); const cp = require('child_process');
const app = express();
app.get('/', (req, res) => {
"""
JAVASCRIPT = [
    Case("arrives", "javascript", "const x = req.query.q; // FROM\ncp.exec('ls ' + x); // TO", ""),
    Case(
        "sanitizer",
        "javascript",
        "const x = req.query.q; // FROM\nconst y = encodeURIComponent(x); // STOP\nres.send('<b>' + y + '</b>'); // TO",
        "sanitizer",
        "encodeURIComponent",
    ),
    Case(
        "guard",
        "javascript",
        "const x = req.query.q; // FROM\nif (['a', 'b'].includes(x)) { // STOP\n  cp.exec(x); // TO\n}",
        "guard",
    ),
    Case(
        "model",
        "javascript",
        "const x = req.query.q; // FROM\nconst n = parseInt(x, 10); // STOP\ncp.exec('head -' + n); // TO",
        "sanitizer|model",
        "parseInt",
    ),
    Case(
        "field",
        "javascript",
        "function run(d) {\n  cp.exec(d.b); // TO STOP\n}\n"
        "const x = req.query.q; // FROM\nrun({a: x, b: fs.readFileSync('f')});",
        "field",
    ),
    Case("constant", "javascript", "const x = req.query.q; // FROM\ncp.exec('ls'); // TO STOP", "constant"),
    Case("no-sink", "javascript", "const x = req.query.q; // FROM\nconsole.warn(x); // TO STOP", "no-sink|"),
    Case(
        "branch",
        "javascript",
        "const x = req.query.q; // FROM\nreturn;\ncp.exec(x); // TO STOP",
        "branch",
    ),
]
HTTP = """package main
import ("net/http"; "os/exec"; "strconv"; "html"; "fmt")
var _ = strconv.Itoa
var _ = html.EscapeString
var _ = fmt.Sprint
func handle(w http.ResponseWriter, r *http.Request) {
"""
GO = [
    Case("arrives", "go", 'x := r.FormValue("q") // FROM\nexec.Command("sh", "-c", x).Run() // TO', ""),
    Case(
        "sanitizer",
        "go",
        'x := r.FormValue("q") // FROM\ny := html.EscapeString(x) // STOP\nfmt.Fprintf(w, "<b>"+y) // TO',
        "sanitizer",
        "html.EscapeString",
        vulnerability="xss",
    ),
    Case(
        "guard",
        "go",
        'x := r.FormValue("q") // FROM\nif x == "a" { // STOP\nexec.Command("sh", "-c", x).Run() // TO\n}',
        "guard",
    ),
    Case(
        "number",
        "go",
        'x := r.FormValue("q") // FROM\nn, _ := strconv.Atoi(x) // STOP\n'
        'exec.Command("sh", "-c", "head -"+fmt.Sprint(n)).Run() // TO',
        "model|sanitizer",
        "strconv.Atoi",
    ),
    Case(
        "type",
        "go",
        'x := r.FormValue("q") // FROM\nrun(x)\n}\nfunc run(n int) { // STOP\n'
        'exec.Command("sh", "-c", "head -"+fmt.Sprint(n)).Run() // TO',
        "type",
    ),
    Case("constant", "go", 'x := r.FormValue("q") // FROM\nexec.Command("ls").Run() // TO STOP', "constant"),
]
AROUND = {
    "python": (FLASK, "@app.get('/')\ndef f():\n", ""),
    "javascript": (EXPRESS, "", "\n});"),
    "go": (HTTP, "", "\n}\n"),
}


def written(case: Case) -> str:
    before, function, after = AROUND[case.language]
    code = case.code
    if case.language == "python":
        code = "\n".join("    " + line for line in code.split("\n"))
    return before + function + code + after


def known(root: Path, rules: Rules, unknown_calls: str = "pass") -> LabelledProgram:
    options = ScanOptions(
        paths=(root,), root=root.resolve(), jobs=1, unknown_calls="block" if unknown_calls == "block" else "pass"
    ).asking_everything(frozenset(OPTIONAL_KINDS))
    found = analyse_to_labels(options, rules, Clock(None), everywhere=True)
    assert not isinstance(found, NoFiles)
    return found


def marked(code: str, word: str) -> int:
    lines = [number for number, line in enumerate(code.split("\n"), 1) if re.search(rf"(#|//).*\b{word}\b", line)]
    return lines[0] if lines else 0


def asked(case: Case, folder: Path, rules: Rules) -> tuple[Answer, str]:
    code = written(case)
    name = f"app{SUFFIXES[case.language]}"
    (folder / name).write_text(code, encoding="utf-8")
    source, sink = Line(name, marked(code, "FROM")), Line(name, marked(code, "TO"))
    return why(known(folder, rules, case.unknown_calls), source, sink, vulnerability=case.vulnerability), code


@pytest.mark.parametrize("case", PYTHON + JAVASCRIPT + GO, ids=str)
def test_what_stops_the_data_is_named_where_it_does(case: Case, tmp_path: Path, rules: Rules) -> None:
    answer, code = asked(case, tmp_path, rules)
    verdict: Verdict = answer.verdicts[0]
    reason = verdict.stop.reason if verdict.stop is not None else ""
    assert reason in case.reason.split("|"), verdict
    assert verdict.reaches == (not reason)
    if verdict.stop is not None:
        assert case.words in verdict.stop.message
        if stop := marked(code, "STOP"):
            assert verdict.stop.place.line == stop
    if case.name == "arrives":
        assert [step.kind for step in verdict.steps][:: len(verdict.steps) - 1] == ["source", "sink"]


def test_the_last_step_names_the_data_that_a_check_tested_not_the_check(tmp_path: Path, rules: Rules) -> None:
    case = Case(
        "after-a-check",
        "python",
        "x, t = request.args['q'], request.args['t'] # FROM\nif x in t:\n    y = str(int(x))\n    os.system(y) # TO",
        "",
    )
    answer, _ = asked(case, tmp_path, rules)
    assert answer.verdicts[0].steps[-1].message == "reaches `request.args['q']`"


def test_the_way_leads_through_files_and_shows_how_far_it_gets(tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "views.py").write_text(
        "from flask import Flask, request\nfrom db import find\napp = Flask(__name__)\n\n"
        "@app.get('/')\ndef f():\n    return find(request.args['q'])\n",
        encoding="utf-8",
    )
    (tmp_path / "db.py").write_text(
        "import os\nimport shlex\n\ndef find(name):\n    return run(shlex.quote(name))\n\n"
        "def run(name):\n    os.system('grep ' + name)\n",
        encoding="utf-8",
    )
    found = known(tmp_path, rules)
    (verdict,) = why(found, Line("views.py", 7), Line("db.py", 8)).verdicts
    assert verdict.stop is not None
    assert (verdict.stop.reason, verdict.stop.place.path, verdict.stop.place.line) == ("sanitizer", "db.py", 5)
    assert [step.place.path for step in verdict.steps][:1] == ["views.py"]
    assert verdict.steps[-1].kind != "sink"
    (verdict,) = why(found, Line("views.py", 7), Line("db.py", 8), vulnerability="xss").verdicts
    assert verdict.stop is not None
    assert verdict.stop.reason == "no-sink"


def test_what_a_scan_reports_only_with_an_option_is_said(tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "a.py").write_text("import os\nimport sys\nx = sys.argv[1]\nos.system(x)\n", encoding="utf-8")
    found = known(tmp_path, rules)
    answer = why(found, Line("a.py", 3), Line("a.py", 4))
    assert answer.reaches
    assert answer.verdicts[0].notes == ("a scan reports it only with --threat-model cli",)
    assert not why(found, Line("a.py", 3), Line("a.py", 4), default_kinds=("http", "cli")).verdicts[0].notes
    (verdict,) = why(found, Line("a.py", 3), Line("a.py", 4), max_depth=1).verdicts
    assert verdict.stop is None or verdict.stop.reason == "limit"


def test_a_way_that_is_longer_than_the_scan_may_go_stops_at_a_limit(tmp_path: Path, rules: Rules) -> None:
    lines = ["import os, sys", "x = sys.argv[1]", *("x = x + 'a'" for _ in range(9)), "os.system(x)"]
    (tmp_path / "a.py").write_text("\n".join(lines), encoding="utf-8")
    found = known(tmp_path, rules)
    assert why(found, Line("a.py", 2), Line("a.py", len(lines)), max_depth=100).reaches
    (verdict,) = why(found, Line("a.py", 2), Line("a.py", len(lines)), max_depth=3).verdicts
    assert verdict.stop is not None
    assert verdict.stop.reason == "limit"
    assert "--max-depth is 3" in verdict.stop.message


@pytest.mark.parametrize(
    ("path", "line", "words"),
    [
        ("b.py", 1, "was not scanned"),
        ("a.py", 0, "the file has 5 lines"),
        ("a.py", 6, "the file has 5 lines"),
        ("a.py", 2, "empty or a comment"),
        ("a.py", 3, "empty or a comment"),
        ("a.py", 5, "no value begins on this line"),
    ],
)
def test_a_place_of_which_nothing_can_be_said(path: str, line: int, words: str, tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "a.py").write_text("import os\n\n# nothing\nos.system(os.name)\npass\n", encoding="utf-8")
    found = known(tmp_path, rules)
    with pytest.raises(Unanswerable, match=words):
        why(found, Line(path, line), Line("a.py", 4))
    with pytest.raises(Unanswerable, match=words):
        why(found, Line("a.py", 4), Line(path, line))


def test_every_answer_is_the_same_again(tmp_path: Path, rules: Rules) -> None:
    case = PYTHON[1]
    assert asked(case, tmp_path, rules)[0] == asked(case, tmp_path, rules)[0]


def test_an_assumed_step_is_shown_where_the_call_is_the_sinks_argument(tmp_path: Path, rules: Rules) -> None:
    (tmp_path / "a.py").write_text(
        "import os, nowhere\nfrom flask import request\ndef f():\n    os.system(nowhere.change(request.args['q']))\n",
        encoding="utf-8",
    )
    report = scan(ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), jobs=1, confidence="medium"), rules)
    (finding,) = report.findings
    assert finding.confidence == "medium"
    assert "assumed" in [step.kind for step in finding.trace.steps]


TWO_ON_A_LINE = {  # the shorter path passes a check that nobody knows
    "sources": "run(request.args['q'], change(request.args['r'].strip().lower().title().upper()), True)",
    "sinks": "x = request.args['q']; is_allowed(x) and os.system(x); os.system(request.args['r'].strip().lower())",
}


@pytest.mark.parametrize("line", TWO_ON_A_LINE.values(), ids=TWO_ON_A_LINE)
def test_of_several_paths_between_two_lines_the_one_decides_that_decides_in_a_scan(
    line: str, tmp_path: Path, rules: Rules
) -> None:
    code = f"import os\nfrom nowhere import change, known\nfrom flask import request\ndef f():\n    {line}\n"
    code += "def run(a, b, c):\n    if not is_allowed(a):\n        return\n    os.system(a + b)\n"
    code += "def is_allowed(text):\n    return known(text)\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    report = scan(ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), jobs=1, confidence="low"), rules)
    best = max(report.findings, key=lambda finding: CONFIDENCES.index(finding.confidence))
    (verdict,) = why(known(tmp_path, rules), Line("a.py", 5), Line("a.py", best.place.line)).verdicts
    assert verdict.reaches
    option = f"a scan reports it only with --confidence {best.confidence}"
    assert [note for note in verdict.notes if "--confidence" in note] == (
        [f"{option}: {best.doubt.words}"] if best.doubt else []
    )
    assert verdict.steps == best.trace.steps


def test_a_source_that_a_scan_has_on_comes_before_one_that_it_has_off(tmp_path: Path, rules: Rules) -> None:
    code = (
        "import os\nimport sys\nfrom flask import request\ndef f():\n    run(sys.argv[1], request.args['q'].strip())\n"
    )
    code += "def run(a, b):\n    os.system(a + b)\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    (verdict,) = why(known(tmp_path, rules), Line("a.py", 5), Line("a.py", 7)).verdicts
    assert verdict.notes == ()


@pytest.mark.parametrize(("kinds", "options"), [((), ["--threat-model account"]), (("account",), [])])
def test_a_path_that_needs_an_account_names_the_option(
    kinds: tuple[str, ...], options: list[str], tmp_path: Path, rules: Rules
) -> None:
    code = "import requests\nfrom flask import Flask, request\nfrom flask_login import login_required\n"
    code += "app = Flask(__name__)\n@app.route('/a')\n@login_required\ndef fetched():\n"
    code += "    return {'text': requests.get(request.args['a']).text}\n"
    (tmp_path / "a.py").write_text(code, encoding="utf-8")
    found = why(known(tmp_path, rules), Line("a.py", 8), Line("a.py", 8), default_kinds=("http", *kinds))
    (verdict,) = (each for each in found.verdicts if each.vulnerability == "ssrf")
    assert [note.removeprefix("a scan reports it only with ") for note in verdict.notes] == options


def test_assumed_steps_are_counted_and_too_many_of_them_said_to_hide_the_finding(tmp_path: Path, rules: Rules) -> None:
    calls = ("x = one(x)", "x = two(x)", "x = three(x)")
    for count in (1, 2, 3):
        lines = ["import os", "from nowhere import one, two, three", "from flask import request", "def f():"]
        lines += ["    x = request.args['q']", *(f"    {call}" for call in calls[:count]), "    os.system(x)"]
        (tmp_path / "a.py").write_text("\n".join(lines), encoding="utf-8")
        (verdict,) = why(known(tmp_path, rules), Line("a.py", 5), Line("a.py", len(lines))).verdicts
        told = "step is" if count == 1 else "steps are"
        assert verdict.reaches
        assert any(note.startswith(f"{count} {told} assumed") for note in verdict.notes)
        report = scan(ScanOptions(paths=(tmp_path,), root=tmp_path.resolve(), jobs=1, confidence="low"), rules)
        (finding,) = report.findings
        option = f"a scan reports it only with --confidence {finding.confidence}"
        assert finding.doubt is not None
        assert f"{option}: {finding.doubt.words}" in verdict.notes


@pytest.mark.parametrize(
    ("name", "code", "line"),
    [
        ("a.py", 'x = """\ncreate table t (\n)"""\n', 2),
        ("a.js", "const x = z\n  .string()\n  .refine(\n    1\n  );\n", 3),
        ("a.go", "package a\n\nvar x = `\ncreate table t (\n)`\n", 4),
        ("a.go", "package a\n\ntype T interface {\n}\nfunc (t *S) f() {\n}\n", 5),
    ],
)
def test_a_line_inside_something_longer_is_not_said_never_to_run(
    name: str, code: str, line: int, tmp_path: Path, rules: Rules
) -> None:
    (tmp_path / name).write_text(code, encoding="utf-8")
    (tmp_path / "other.py").write_text("print(open('f').read())\n", encoding="utf-8")
    found = known(tmp_path, rules)
    try:
        verdicts = why(found, Line("other.py", 1), Line(name, line)).verdicts
    except Unanswerable:
        return
    assert all(verdict.stop is None or verdict.stop.reason != "branch" for verdict in verdicts)
