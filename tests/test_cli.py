"""The command line: exit codes, where output goes, and what happens with bad input.

The scan itself is replaced where only its surroundings are the subject; ``scanner/test_pipeline.py`` has it whole.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

import pytest

from pyrograph import scanner
from pyrograph.cli import main
from pyrograph.cli.output import replacing
from pyrograph.model.finding import Finding, Report, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.model.problem import Problem
from pyrograph.model.vulnerability import Severity, Vulnerability
from pyrograph.rules import Rules, proofs
from pyrograph.rules.load import BUILT_IN
from pyrograph.rules.template import TEMPLATES
from pyrograph.scanner.options import NARROWING, ScanOptions

PLACE = Place("app.py", 1, 1, 1, 4)


def a_finding(severity: Severity = "high") -> Finding:
    step = Step(PLACE, "source", "read from the request")
    return Finding(
        rule_id="python/sql-injection",
        vulnerability="sql-injection",
        severity=severity,
        confidence="high",
        message="flask.request.args becomes part of the SQL text.",
        place=PLACE,
        function="view",
        sink="sqlite3.Cursor#execute",
        traces=(Trace("http", "flask.request.args", (step, replace(step, kind="sink"))),),
        num_sources=1,
        fingerprint="0" * 32,
    )


def a_report(*findings: Finding, problems: tuple[Problem, ...] = (), files: int = 1) -> Report:
    vulnerability = Vulnerability(
        "sql-injection", "SQL injection", (89,), "high", 8.8, "high", "{source} reaches {sink}", "Use parameters."
    )
    return Report(findings, problems, {"sql-injection": vulnerability}, Statistics(files=files))


@dataclass
class Run:
    """What a run of the command line did."""

    code: int
    out: str
    err: str
    options: ScanOptions | None = None


@dataclass
class CommandLine:
    """Runs ``pyrograph`` in a directory of its own, with a scan that returns ``report``."""

    folder: Path
    capture: pytest.CaptureFixture[str]
    report: Report | Exception = field(default_factory=a_report)
    options: ScanOptions | None = None

    def scan(
        self, options: ScanOptions, rules: Rules | Callable[[Sequence[str]], Rules], *_: object, **__: object
    ) -> Report:
        self.options = options
        assert (rules if isinstance(rules, Rules) else rules(["python"])).packs
        if isinstance(self.report, BaseException):
            raise self.report
        return self.report

    def __call__(self, *arguments: str | Path, report: Report | BaseException | None = None) -> Run:
        if report is not None:
            self.report = report  # type: ignore[assignment]
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        out, err = self.capture.readouterr()
        assert isinstance(end.value.code, int)
        return Run(end.value.code, out, err, self.options)


@pytest.fixture
def pyrograph(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CommandLine:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text("x=1\n", encoding="utf-8")
    command_line = CommandLine(tmp_path, capsys)
    monkeypatch.setattr(scanner, "scan", command_line.scan, raising=False)
    return command_line


CUT = Problem("limit", "app.py", 0, "something was left out")
UNUSED = Problem("suppression", "app.py", 1, "matches nothing")


@pytest.mark.parametrize(
    ("report", "arguments", "code"),
    [
        (a_report(), "", 0),
        (a_report(a_finding("high")), "", 1),
        (a_report(a_finding("medium")), "", 1),
        (a_report(a_finding("low")), "", 0),
        (a_report(a_finding("low")), "--fail-on low", 1),
        (a_report(a_finding("high")), "--fail-on critical", 0),
        (a_report(a_finding("high")), "--exit-zero", 0),
        (a_report(problems=(CUT,)), "", 0),
        (a_report(problems=(CUT,)), "--strict", 3),
        (a_report(problems=(UNUSED,)), "--strict", 0),
        (a_report(a_finding(), problems=(CUT,)), "--strict", 1),
        (a_report(a_finding(), problems=(CUT,)), "--strict --exit-zero", 3),
        (a_report(files=0), "", 2),
        (a_report(files=0), "--allow-empty", 0),
        (ValueError("a fault"), "", 2),
        (KeyboardInterrupt(), "", 130),
    ],
)
def test_exit_codes(pyrograph: CommandLine, report: Report | BaseException, arguments: str, code: int) -> None:
    assert pyrograph("scan", *arguments.split(), report=report).code == code


@pytest.mark.parametrize(
    ("others", "more"), [((), ""), ((replace(CUT, path="b.py"),), " (and 1 other problem)"), ((UNUSED,), "")]
)
def test_a_scan_that_limits_left_nothing_of_says_which(
    pyrograph: CommandLine, others: tuple[Problem, ...], more: str
) -> None:
    run = pyrograph("scan", ".", "--allow-empty", report=a_report(files=0, problems=(CUT, *others)))
    assert run.code == 2
    assert f"nothing was analysed: app.py: something was left out{more}\n" in run.err


def test_an_internal_error_is_one_line_and_a_traceback_on_request(pyrograph: CommandLine) -> None:
    run = pyrograph("scan", report=ZeroDivisionError("division by zero"))
    assert run.err.count("\n") == 1
    assert "internal error: ZeroDivisionError" in run.err
    assert "--debug" in run.err
    with pytest.raises(ZeroDivisionError):
        main(["scan", "--debug"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("scan nowhere", "does not exist"),
        ("scan --format xml", "unknown format 'xml'"),
        ("scan --format json --format sarif", "two reports for standard output"),
        ("scan --format json:a --format sarif:a", "two reports for one file"),
        ("scan --format json:none/a.json", "there is no directory none"),
        ("scan --format json:a --output b", "--output belongs to the one --format without a file"),
        ("scan --select sqli", "unknown rule 'sqli'"),
        ("scan --ignore python/sql-injektion", "did you mean 'sql-injection'?"),
        ("scan --ignore cobol/sql-injection", "unknown rule 'cobol/sql-injection'"),
        ("scan --threat-model moon", "unknown taint kind or party 'moon'"),
        ("scan --jobs 0", "0 is not in the range"),
        ("scan --root other", "lies outside the root"),
        ("scan --baseline none.json", "does not exist"),
        ("rules show nothing", "unknown rule 'nothing'"),
        ("frobnicate", "No such command"),
    ],
)
def test_wrong_usage_is_told_without_a_traceback(pyrograph: CommandLine, arguments: str, message: str) -> None:
    (pyrograph.folder / "other").mkdir()
    run = pyrograph(*arguments.split())
    assert run.code == 2
    assert not run.out
    assert message in run.err
    assert "Traceback" not in run.err


def test_a_name_cannot_steer_the_terminal(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "pyrograph.toml").write_text('"\\u001b[2J" = 1\n', encoding="utf-8")
    run = pyrograph("scan")
    assert run.code == 2
    assert "\x1b" not in run.err


def test_a_wrong_configuration_stops_and_isolation_helps(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "pyrograph.toml").write_text("\ncolour = 1\n", encoding="utf-8")
    run = pyrograph("scan")
    assert run.code == 2
    assert run.err.startswith("pyrograph: pyrograph.toml:2: colour: unknown key")
    assert pyrograph("scan", "--isolated").code == 0


def test_a_wrong_rule_file_stops(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "own.toml").write_text('library = "x"\nlanguage = "python"\nsinks = []\n', encoding="utf-8")
    run = pyrograph("scan", "--rules", "own.toml")
    assert run.code == 2
    assert "own.toml:3" in run.err


def test_the_command_line_goes_before_the_configuration(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "pyrograph.toml").write_text(
        'select = ["xss"]\nexclude = ["a"]\nignore = ["go/xss"]\nthreat-model = ["cli"]\n'
        'severity = "high"\nmax-depth = 9\n',
        encoding="utf-8",
    )
    plain = pyrograph("scan").options
    assert plain is not None
    assert (plain.select, plain.exclude, plain.severity, plain.max_depth) == (("xss",), ("a",), "high", 9)
    given = pyrograph(
        "scan", "--select", "ssrf,xxe", "--select", "python/xss", "--ignore", "go/xxe", "--exclude", "b",
        "--severity", "low", "--threat-model", "env", "--max-depth", "3", "--jobs", "1", "--unknown-calls", "block",
    ).options  # fmt: skip
    assert given is not None
    assert given.select == ("ssrf", "xxe", "python/xss")
    assert given.ignore == ("go/xss", "go/xxe")
    assert given.exclude == ("a", "b")
    assert (given.severity, given.max_depth, given.jobs, given.unknown_calls) == ("low", 3, 1, "block")
    assert given.threat_models == {"cli", "env"}


def test_what_the_configuration_hides_stands_in_the_report(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "pyrograph.toml").write_text('exclude = ["tests/"]\n', encoding="utf-8")
    assert "pyrograph.toml excludes tests/" in pyrograph("scan").out
    assert "excludes" not in pyrograph("scan", "--isolated").out


def test_standard_output_holds_the_report_alone(pyrograph: CommandLine) -> None:
    run = pyrograph("scan", "--format", "json", "--verbose", report=a_report(a_finding(), problems=(CUT,)))
    json.loads(run.out)
    assert "configuration: none" in run.err
    assert "1 finding, 1 problem in 1 file" in run.err


def test_several_formats_go_to_their_files(pyrograph: CommandLine) -> None:
    run = pyrograph(
        "scan",
        "-f",
        "sarif:out.sarif",
        "-f",
        "json",
        "-f",
        "text:out.txt",
        "-o",
        "out.json",
        report=a_report(a_finding()),
    )
    assert run.out == ""
    assert json.loads((pyrograph.folder / "out.sarif").read_text(encoding="utf-8"))["version"] == "2.1.0"
    json.loads((pyrograph.folder / "out.json").read_text(encoding="utf-8"))
    assert "\x1b" not in (pyrograph.folder / "out.txt").read_text(encoding="utf-8")
    assert sorted(path.name for path in pyrograph.folder.iterdir()) == ["app.py", "out.json", "out.sarif", "out.txt"]


def test_quiet_says_nothing_without_findings(pyrograph: CommandLine) -> None:
    assert pyrograph("scan", "--quiet") == Run(0, "", "", pyrograph.options)
    assert "sql-injection" in pyrograph("scan", "--quiet", report=a_report(a_finding())).out


@pytest.mark.parametrize(("choice", "coloured"), [("always", True), ("never", False), ("auto", False)])
def test_colours_only_where_wanted(
    pyrograph: CommandLine, monkeypatch: pytest.MonkeyPatch, choice: str, coloured: bool
) -> None:
    for name in ("FORCE_COLOR", "GITHUB_ACTIONS", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)
    run = pyrograph("scan", "--color", choice, report=a_report(a_finding()))
    assert ("\x1b[" in run.out) == coloured


def test_a_report_appears_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.write_text("before", encoding="utf-8")

    def fail() -> None:
        with replacing(path) as stream:
            stream.write("half")
            raise RuntimeError("half way")

    with pytest.raises(RuntimeError, match="half way"):
        fail()
    assert path.read_text(encoding="utf-8") == "before"
    with replacing(path) as stream:
        stream.write("after")
    assert path.read_text(encoding="utf-8") == "after"
    assert [entry.name for entry in tmp_path.iterdir()] == ["report"]


@pytest.mark.skipif(os.name == "nt", reason="permissions are different on Windows")
def test_a_report_keeps_the_permissions_of_the_file_it_replaces(tmp_path: Path) -> None:
    path = tmp_path / "report"
    path.touch()
    path.chmod(0o640)
    (tmp_path / "link").symlink_to(path)
    with replacing(tmp_path / "link") as stream:
        stream.write("new")
    assert path.read_text(encoding="utf-8") == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_the_prefix_of_a_narrower_root_stands_in_sarif(pyrograph: CommandLine) -> None:
    (pyrograph.folder / ".git").mkdir()
    (pyrograph.folder / "part").mkdir()
    run = pyrograph("scan", "part", "--root", "part", "--format", "sarif", report=a_report(a_finding()))
    place = json.loads(run.out)["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"]["uri"] == "part/app.py"


def test_a_baseline_leaves_only_new_findings(pyrograph: CommandLine) -> None:
    assert pyrograph("scan", "--write-baseline", "known.json", report=a_report(a_finding())).code == 0
    assert pyrograph("scan", "--baseline", "known.json").code == 0
    new = replace(a_finding(), fingerprint="1" * 32)
    assert pyrograph("scan", "--baseline", "known.json", report=a_report(a_finding(), new)).code == 1
    (pyrograph.folder / "known.json").write_text("{", encoding="utf-8")
    broken = pyrograph("scan", "--baseline", "known.json")
    assert broken.code == 2
    assert "known.json" in broken.err


@pytest.mark.parametrize(
    ("written", "asked", "stale"),
    [
        ((), (), True),
        ((), ("--max-depth", "1"), False),
        ((), ("--unknown-calls", "block"), False),
        ((), ("--threat-model", "operator"), False),
        ((), ("--profile", "audit"), False),
        ((), ("--confidence", "low"), False),
        ((), ("--severity", "critical"), False),
        ((), ("--max-file-size", "10"), False),
        ((), ("--no-default-excludes",), False),
        (("--threat-model", "operator"), (), False),
        (("--threat-model", "operator", "--confidence", "low"), ("--confidence", "low"), False),
        (("--threat-model", "operator,file"), ("--threat-model", "file,operator"), True),
    ],
)
def test_only_a_scan_with_the_options_of_a_baseline_says_what_is_stale(
    written: tuple[str, ...], asked: tuple[str, ...], stale: bool, pyrograph: CommandLine
) -> None:
    assert pyrograph("scan", "--write-baseline", "known.json", *written, report=a_report(a_finding())).code == 0
    run = pyrograph("scan", "--baseline", "known.json", *asked, report=a_report())
    assert ("no longer found" in run.out) == stale


def test_each_option_is_recorded_in_a_baseline_or_decides_no_finding() -> None:
    """A new option has to be put into one of the two."""
    others = {
        "paths",
        "root",
        "rule_paths",
        "rule_texts",
        "environments",
        "max_traces",
        "jobs",
        "device",
        "surface",
        "verify",
    }
    assert {each.name for each in fields(ScanOptions)} == others | set(NARROWING)
    assert others.isdisjoint(NARROWING)


@pytest.mark.parametrize("option", [("--max-depth", "1"), ("--threat-model", "db"), ()])
def test_a_baseline_that_names_no_options_is_compared_with_a_scan_without_any(
    option: tuple[str, ...], pyrograph: CommandLine
) -> None:
    pyrograph("scan", "--write-baseline", "known.json", report=a_report(a_finding()))
    known = pyrograph.folder / "known.json"
    known.write_text(known.read_text(encoding="utf-8").replace('"options": {},\n', ""), encoding="utf-8")
    run = pyrograph("scan", "--baseline", "known.json", *option, report=a_report())
    assert ("no longer found" in run.out) == (not option)


def test_changes_are_asked_of_git_and_its_trouble_is_told(pyrograph: CommandLine) -> None:
    run = pyrograph("scan", "--changed-since", "no-such-revision", report=a_report(a_finding()))
    assert run.code == 2
    assert "Traceback" not in run.err


def test_rules_are_listed_and_shown(pyrograph: CommandLine) -> None:
    listed = pyrograph("rules", "list", "--language", "python")
    assert "python/sql-injection" in listed.out
    assert "go/" not in listed.out
    as_json = json.loads(pyrograph("rules", "list", "--format", "json").out)
    assert {"id", "severity", "cwe", "profile", "title"} == set(as_json[0])
    shown = pyrograph("rules", "show", "python/sql-injection").out
    assert "### Python" in shown
    assert "### Go" not in shown
    assert "### Go" in pyrograph("rules", "show", "sql-injection").out
    whole = pyrograph("rules", "show", "python/sql-injection", "--long").out
    assert "more; --long lists them" in shown
    assert "--long" not in whole
    assert len(shown.splitlines()) < 100 < len(whole.splitlines())
    assert "CWE-89" in shown
    assert "sqlite3" in shown
    packs = pyrograph("rules", "list", "--packs").out
    assert re.search(r"^javascript/lodash .* \d+ off$", packs, re.MULTILINE)
    assert "python/flask" in packs
    assert "Sources: http" in pyrograph("rules", "show", "python/flask").out


def test_rules_test_tells_which_examples_differ(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "own.toml").write_text(
        'library = "x"\nlanguage = "python"\n[sink]\nxss = ["x.show(0)"]\n'
        "[[example]]\nname = \"one\"\ncode = '''\nimport x\nx.show(1)  # expect: xss\n'''\n"
        "[[example]]\nname = \"two\"\ncode = '''\nimport x\n'''\n",
        encoding="utf-8",
    )
    run = pyrograph("rules", "test", "own.toml", report=a_report())
    assert run.code == 1
    assert "own.toml:5: one: line 2: xss is not found" in run.out
    assert "    2 | x.show(1)  # expect: xss" in run.out
    assert "2 examples, 1 difference\n" in run.out


def test_rules_test_does_not_pass_after_an_internal_error(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "own.toml").write_text(
        'library = "x"\nlanguage = "python"\n[sink]\nxss = ["x.show(0)"]\n'
        "[[example]]\nname = \"silent\"\ncode = '''\nimport x\n'''\n",
        encoding="utf-8",
    )
    fault = Problem("internal-error", "", 0, "label failed (a1b2)")
    run = pyrograph("rules", "test", "own.toml", report=a_report(problems=(fault,)))
    assert run.code == 2
    assert "own.toml:5: silent: label failed (a1b2)" in run.err


def test_the_list_of_rules_can_be_narrowed(pyrograph: CommandLine) -> None:
    ids = [row["id"] for row in json.loads(pyrograph("rules", "list", "--cwe", "89", "--format", "json").out)]
    assert ids == ["go/sql-injection", "javascript/sql-injection", "python/sql-injection"]
    severe = json.loads(pyrograph("rules", "list", "--severity", "high", "--format", "json").out)
    assert {row["severity"] for row in severe} == {"high", "critical"}
    packs = json.loads(pyrograph("rules", "list", "--packs", "--library", "django", "--format", "json").out)
    assert [row["name"] for row in packs] == ["python/clients_more", "python/django", "python/drf", "python/slugs"]
    nothing = pyrograph("rules", "list", "--library", "no such library")
    assert nothing.code == 2
    assert "no rule matches" in nothing.err


def test_a_pack_is_shown_with_its_examples_and_where_its_apis_were_found(pyrograph: CommandLine) -> None:
    shown = pyrograph("rules", "show", "python/flask").out
    assert "Found in the libraries" in shown
    assert "Example: " in shown
    assert "  flask: " in shown


@pytest.mark.parametrize("language", ["python", "javascript", "go"])
def test_a_new_pack_passes_its_own_test(pyrograph: CommandLine, language: str) -> None:
    made = pyrograph("rules", "new", f"{language}/shop", "--folder", "mine")
    assert made.code == 0
    assert "mine/shop.toml" in made.out
    linted = pyrograph("rules", "lint", "mine")
    assert (linted.code, linted.out) == (0, "0 complaints\n")
    again = pyrograph("rules", "new", f"{language}/shop", "--folder", "mine")
    assert again.code == 2
    assert "exists" in again.err
    assert pyrograph("rules", "new", "shop").code == 2


def test_a_language_without_a_template_is_refused(pyrograph: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(TEMPLATES, "go")
    refused = pyrograph("rules", "new", "go/shop")
    assert (refused.code, refused.out) == (2, "")
    assert "no template of a pack for go" in refused.err


def test_lint_names_the_lines_of_mistakes(pyrograph: CommandLine) -> None:
    (pyrograph.folder / "own.toml").write_text(
        'library = "x"\nlanguage = "python"\n[sink]\nxss = [\n"x.show(0)",\n"x.show(0)",\n]\n', encoding="utf-8"
    )
    linted = pyrograph("rules", "lint", "own.toml")
    assert linted.code == 1
    assert "own.toml:6: 'x.show' is a duplicate of line 5" in linted.out


def test_the_report_in_the_readme_is_the_one_that_is_printed(repository: Path, tmp_path: Path) -> None:
    readme = (repository / "README.md").read_text(encoding="utf-8")
    shown = readme.partition("pyrograph scan fixtures/demo\n```\n\n```text\n")[2].partition("```")[0]
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONIOENCODING": "utf-8", "COLUMNS": "100"}
    run = subprocess.run(
        [sys.executable, "-m", "pyrograph", "scan", "fixtures/demo"],
        cwd=repository,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    first, ellipsis, last = shown.partition("\n…\n")
    assert ellipsis
    assert run.stdout.strip().startswith(first.strip())
    assert run.stdout.strip().endswith(last.strip())


def test_a_built_in_file_is_linted_and_tested_once(pyrograph: CommandLine) -> None:
    folder = BUILT_IN / "python"
    linted = pyrograph("rules", "lint", str(folder / "process.toml"))
    assert (linted.code, linted.out) == (0, "0 complaints\n")
    tested = pyrograph("rules", "test", str(folder / "process.toml"), report=a_report())
    number = (folder / "process.toml").read_text(encoding="utf-8").count("[[example]]")
    assert number > 0
    assert f"{number} example" in tested.out
    assert pyrograph("rules", "lint", str(BUILT_IN / "vulnerabilities" / "xss.toml")).code == 0
    assert pyrograph("rules", "lint", str(BUILT_IN)).code == 0


def test_a_test_of_a_pack_names_its_entries_that_a_scan_leaves_out(pyrograph: CommandLine) -> None:
    tested = pyrograph("rules", "test", str(BUILT_IN / "javascript" / "lodash.toml"), report=a_report())
    assert re.search(r"^\d+ (entry is|entries are) off in a scan: .*underscore\.set", tested.out, re.MULTILINE)


def test_the_schema_is_printed(pyrograph: CommandLine) -> None:
    assert json.loads(pyrograph("rules", "schema").out)["title"] == "pyrograph rule file"


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_completion_scripts(pyrograph: CommandLine, shell: str) -> None:
    assert "_PYROGRAPH_COMPLETE" in pyrograph("completion", shell).out


def python(*arguments: str, **settings: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *arguments], text=True, check=False, **settings)


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["--version"], ["scan", "--help"], ["doctor", "--help"], ["explain", "--help"], ["rules", "list"]],
)
def test_looking_around_loads_nothing_heavy(arguments: list[str]) -> None:
    answer = python("-X", "importtime", "-m", "pyrograph", *arguments, capture_output=True)
    assert answer.returncode == 0
    loaded = {line.rpartition("|")[2].strip() for line in answer.stderr.splitlines()}
    assert "click" in loaded
    assert loaded.isdisjoint({"numpy", "numba", "rich", "tree_sitter"})


def test_routes_lists_the_entry_points(tmp_path: Path) -> None:
    code = (
        "from flask import Flask, request\nimport os\napp = Flask(__name__)\n\n"
        "@app.post('/run')\ndef run():\n    os.system(request.form['x'])\n    return ''\n"
    )
    (tmp_path / "app.py").write_text(code)
    (tmp_path / "pyrograph.toml").write_text('baseline = "not-there.json"')  # hides findings of a scan, no entry point
    text = python("-m", "pyrograph", "routes", "--no-cache", str(tmp_path), capture_output=True)
    assert text.returncode == 0
    assert "POST    /run" in text.stdout
    assert "body field `x`" in text.stdout
    shown = python("-m", "pyrograph", "routes", "--no-cache", "--format", "json", str(tmp_path), capture_output=True)
    (row,) = json.loads(shown.stdout)["entry_points"]
    assert (row["route"], row["methods"], len(row["findings"])) == ("/run", ["POST"], 1)


def test_a_scan_loads_no_part_of_numpy_that_it_does_not_need(tmp_path: Path) -> None:
    code = "from flask import request\nimport os\n\ndef run(x):\n    return os.system(x)\n\nrun(request.args['q'])\n"
    (tmp_path / "app.py").write_text(code)
    # without a cache: from the second time on, the report would come from there, and NumPy be loaded by nobody
    options = ("--isolated", "--no-cache")
    answer = python("-X", "importtime", "-m", "pyrograph", "scan", str(tmp_path), *options, capture_output=True)
    assert answer.returncode == 1, answer.stderr
    loaded = {line.rpartition("|")[2].strip() for line in answer.stderr.splitlines()}
    assert "numpy" in loaded
    assert "numpy.ma" not in loaded  # which np.unique and np.isin import


@pytest.mark.skipif(os.name == "nt", reason="no broken pipes on Windows")
def test_a_reader_that_leaves_is_no_error() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        answer = python("-m", "pyrograph", "rules", "list", stdout=closed, stderr=subprocess.PIPE)
    assert answer.stderr == ""
    assert answer.returncode == 0


def test_help_names_every_exit_code(pyrograph: CommandLine) -> None:
    text = pyrograph("--help").out
    assert all(f"{code} " in text for code in (0, 1, 2, 3))


def test_an_api_that_nobody_looked_for_yet_is_on(pyrograph: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    row = {"version": "", "verified": [], "elsewhere": {}, "unverified": {"flask.redirect": proofs.NOT_YET}}
    monkeypatch.setattr(proofs, "load", lambda _: {"flask": row})
    out = pyrograph("rules", "show", "python/flask").out
    assert "on, not looked at yet: flask.redirect" in out
    assert "off" not in out.partition("Found in the libraries")[2].partition("Example")[0]
