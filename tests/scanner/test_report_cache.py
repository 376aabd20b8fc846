"""Reports from the cache: the same bytes as a fresh scan, whatever changed since, and nothing that others wrote."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pyrograph import userfolder
from pyrograph.cli import run
from pyrograph.cli.supervise import Attempt
from pyrograph.model.finding import Statistics
from pyrograph.report import FORMATS
from pyrograph.scanner import report_cache
from pyrograph.scanner.inputs import read_inputs
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.report_cache import ReportCache, key_of

FLOW = "from flask import request\nimport subprocess\nsubprocess.run(request.args['q'], shell=True)\n"


@pytest.fixture(autouse=True)
def _reports(monkeypatch: pytest.MonkeyPatch) -> None:
    """Undo what conftest does for all other tests."""
    monkeypatch.setattr("pyrograph.cli.scan.report_cache_folder", userfolder.cache_folder)


class Tree:
    """A directory to scan, and two ways to scan it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "tree"
        self.cache = folder / "cache"
        self.out = folder / "out"
        self.root.mkdir(parents=True)
        self.out.mkdir()

    def write(self, name: str, text: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def scan(self, *arguments: str) -> tuple[int, dict[str, bytes]]:
        """Exit code and report of each format."""
        for old in self.out.iterdir():
            old.unlink()
        outputs = [word for form in FORMATS for word in ("--format", f"{form}:{self.out / form}")]
        code = run(
            ["scan", str(self.root), "--root", str(self.root), "--jobs", "1", "--quiet", *outputs, *arguments],
            Attempt(),
        )
        return code, {file.name: file.read_bytes() for file in sorted(self.out.iterdir())}

    def cached(self, *arguments: str) -> tuple[int, dict[str, bytes]]:
        return self.scan("--cache", str(self.cache), *arguments)

    def fresh(self, *arguments: str) -> tuple[int, dict[str, bytes]]:
        return self.scan("--no-cache", *arguments)

    def entries(self) -> list[Path]:
        return sorted((self.cache / "reports").glob("*"))


@pytest.fixture
def tree(tmp_path: Path) -> Tree:
    made = Tree(tmp_path)
    made.write("app.py", FLOW)
    return made


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Grows by one with each scan that runs its stages."""
    from pyrograph.scanner import pipeline

    ran: list[str] = []
    before = pipeline.label_program

    def label_program(*arguments: Any, **named: Any) -> Any:
        ran.append("ran")
        return before(*arguments, **named)

    monkeypatch.setattr(pipeline, "label_program", label_program)
    return ran


def test_a_second_scan_runs_no_stage_and_writes_the_same_bytes(tree: Tree, counted: list[str]) -> None:
    first = tree.cached()
    second = tree.cached()
    assert counted == ["ran"]
    assert first == second == tree.fresh()
    assert first[0] == 1
    assert b"command-injection" in first[1]["json"]


def test_verbose_says_where_the_report_comes_from(tree: Tree, capsys: pytest.CaptureFixture[str]) -> None:
    tree.cached("--verbose")
    assert "from the cache" not in capsys.readouterr().err
    tree.cached("--verbose")
    assert "report: from the cache" in capsys.readouterr().err


def test_a_checkout_in_another_place_has_the_same_report(tree: Tree, counted: list[str]) -> None:
    first = tree.cached()
    tree.root = tree.root.rename(tree.root.with_name("elsewhere"))
    assert tree.cached() == first
    assert counted == ["ran"]


# What changes is seen

TEXTS = {
    "app.py": [
        FLOW,
        FLOW.replace("\nsubprocess", "\n# pyrograph: ignore[command-injection] known\nsubprocess"),
        FLOW.replace("request.args['q']", "'ls'"),
        "from b.help import go\nfrom flask import request\ngo(request.args['q'])\n",
        "def f(:\n",
    ],
    "b/help.py": ["import os\ndef go(x):\n    os.system(x)\n", "def go(x):\n    pass\n", "\ufeffx = 1\n"],
    "b/page.py": ["from flask import render_template, request\nrender_template('p.html', x=request.args['x'])\n"],
    "b/templates/p.html": ["<p>{{ x | safe }}</p>", "<p>{{ x }}</p>", "{% include 'q.html' %}"],
    "b/templates/q.html": ["{{ x | safe }}"],
    "web/main.ts": ["import {run} from '@lib/run';\nimport express from 'express';\n"
                    "express().get('/', (req, res) => { run(req.query.q as string); });\n"],
    "web/src/run.ts": ["import {exec} from 'child_process';\nexport function run(x: string) { exec(x); }\n"],
    "web/tsconfig.json": ['{"compilerOptions": {"baseUrl": ".", "paths": {"@lib/*": ["src/*"]}}}', "{}"],
    "web/package.json": ['{"name": "web", "private": true}', '{"name": "web", "main": "src/run.ts"}'],
    ".gitignore": ["b/\n", "*.ts\n", ""],
    "b/.pyrographignore": ["help.py\n"],
    "pyrograph.toml": ['ignore = ["command-injection"]\n', 'exclude = ["web"]\n', "nonsense"],
}  # fmt: skip


def _write(tree: Tree, name: str, number: int) -> None:
    if (tree.root / name).parent.is_dir() or not (tree.root / name).parent.exists():
        texts = TEXTS[name]
        path = tree.root / name
        if path.is_symlink():
            path.unlink()
        tree.write(name, texts[number % len(texts)])


def _remove(tree: Tree, name: str, number: int) -> None:
    (tree.root / name).unlink(missing_ok=True)


def _rename(tree: Tree, name: str, number: int) -> None:
    path = tree.root / name
    if path.is_file() and not path.is_symlink():
        path.rename(path.with_name(f"other{number}{path.suffix}"))


def _touch(tree: Tree, name: str, number: int) -> None:
    if (tree.root / name).exists():
        os.utime(tree.root / name, (number, number))


def _link(tree: Tree, name: str, number: int) -> None:
    """Another name for a file, in its place where it exists."""
    path = tree.root / name
    target = tree.root / sorted(TEXTS)[number % len(TEXTS)]
    if path != target and path.parent.is_dir():
        path.unlink(missing_ok=True)
        path.symlink_to(target)


def _mode(tree: Tree, name: str, number: int) -> None:
    path = tree.root / name
    if path.exists():
        path.chmod((0o644, 0o755, 0o000)[number % 3])


def _hide_edit(tree: Tree, name: str, number: int) -> None:
    """Another text of the same size, with the times that the file had."""
    path = tree.root / name
    if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
        return
    status = path.stat()
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("args", "path").replace("exec", "eval").replace("safe", "trim"), encoding="utf-8")
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def _remark(tree: Tree, name: str, number: int) -> None:
    """A comment, a blank line or a further space somewhere: what stages see changes only if they read the text."""
    path = tree.root / name
    if path.is_file() and os.access(path, os.R_OK | os.W_OK):
        lines = path.read_text(encoding="utf-8").split("\n")
        mark = "# " if path.suffix == ".py" else "// "
        lines.insert(number % len(lines), ("", f"{mark}known", f"{mark}pyrograph: ignore", f"{mark}staff")[number % 4])
        path.write_text("\n".join(lines), encoding="utf-8")


EDITS = (_write, _write, _write, _remark, _remark, _remove, _rename, _touch, _link, _mode, _hide_edit)
OPTIONS = (
    (),
    ("--profile", "audit"),
    ("--confidence", "low"),
    ("--isolated",),
    ("--no-gitignore",),
    ("--exclude", "b"),
)
steps = st.lists(
    st.tuples(st.sampled_from(EDITS), st.sampled_from(sorted(TEXTS)), st.integers(0, 9), st.sampled_from(OPTIONS)),
    min_size=1,
    max_size=4,
)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(start=st.sets(st.sampled_from(sorted(TEXTS))), steps=steps)
def test_whatever_changes_the_cache_gives_the_report_of_a_fresh_scan(
    tmp_path_factory: pytest.TempPathFactory,
    start: set[str],
    steps: list[tuple[Callable[[Tree, str, int], None], str, int, tuple[str, ...]]],
) -> None:
    folder = tmp_path_factory.mktemp("edits")
    tree = Tree(folder)
    for name in sorted(start):
        tree.write(name, TEXTS[name][0])
    for edit, name, number, options in [(_touch, "app.py", 0, ()), *steps]:
        edit(tree, name, number)
        expected = tree.fresh("--allow-empty", *options)
        assert tree.cached("--allow-empty", *options) == expected, "after the edit"
        assert tree.cached("--allow-empty", *options) == expected, "from the cache"
    shutil.rmtree(folder, ignore_errors=True)


def test_an_edit_that_keeps_size_and_times_is_seen(tree: Tree, counted: list[str]) -> None:
    before = tree.cached()
    _hide_edit(tree, "app.py", 0)
    after = tree.cached()
    assert len(counted) == 2
    assert after != before
    assert after == tree.fresh()


def test_a_baseline_and_its_change_are_seen(tree: Tree) -> None:
    known = tree.root.parent / "known.json"
    tree.scan("--cache", str(tree.cache), "--write-baseline", str(known))
    assert tree.cached("--baseline", str(known))[0] == 0
    known.write_text('{"version": 1, "findings": []}', encoding="utf-8")
    assert tree.cached("--baseline", str(known)) == tree.fresh("--baseline", str(known))
    assert tree.cached("--baseline", str(known))[0] == 1


def test_a_changed_rule_file_is_seen(tree: Tree) -> None:
    tree.write("app.py", "import mine\nfrom flask import request\nmine.run(request.args['q'])\n")
    rules = tree.root.parent / "mine.toml"
    codes = []
    for argument in (0, 1):
        sinks = f'[sink]\nsql-injection = ["mine.run({argument})"]\n'
        rules.write_text(f'language = "python"\nlibrary = "mine"\n{sinks}', encoding="utf-8")
        cached = tree.cached("--rules", str(rules))
        assert cached == tree.fresh("--rules", str(rules))
        codes.append(cached[0])
    assert codes == [1, 0]


def test_the_states_of_a_comparison_come_from_the_cache(tree: Tree, counted: list[str]) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=a", "-c", "user.email=a@b")
        subprocess.run(["git", *identity, *words], cwd=tree.root, check=True, capture_output=True)

    git("init", "--quiet")
    git("add", ".")
    git("commit", "--quiet", "--message", "x")
    assert tree.cached()[0] == 1
    assert tree.cached("--changed-since", "HEAD")[0] == 0
    assert counted == ["ran"]
    git("rm", "--quiet", "--cached", "app.py")
    git("commit", "--quiet", "--message", "y")
    assert tree.cached("--changed-since", "HEAD") == tree.fresh("--changed-since", "HEAD")
    assert tree.cached("--changed-since", "HEAD")[0] == 1
    assert counted == ["ran", "ran"]  # the fresh one; the earlier state is empty


# Edits that no stage sees

APP = """from flask import Flask, request, session
import util
import subprocess
app = Flask("app")

@app.route("/run")
def run():
    if util.is_known(session):
        subprocess.run(request.args["q"], shell=True)
"""
UTIL = """import os

NAMES = ["a"]  # all


def is_known(session):
    # of the user
    if session["name"] in NAMES:
        return True
    return os.environ.get("NAME") == session["name"]
"""


def test_an_edit_that_no_stage_sees_runs_no_stage(tree: Tree, counted: list[str]) -> None:
    tree.write("app.py", APP)
    tree.write("util.py", UTIL)
    tree.cached()
    for text in ("# pyrograph: ignore[xss]\n\n" + UTIL, UTIL.replace("# of", "# not of"), UTIL):
        tree.write("util.py", text)
        after = tree.cached()
        assert counted == ["ran"]
        assert after == tree.fresh()
        counted.pop()


def test_an_edit_in_a_file_with_a_path_runs_the_stages(tree: Tree, counted: list[str]) -> None:
    tree.write("app.py", APP)
    tree.write("util.py", UTIL)
    before = tree.cached()
    tree.write("app.py", "# moved\n" + APP)
    after = tree.cached()
    assert len(counted) == 2
    assert after != before


def test_a_text_that_stages_read_in_part_may_change_elsewhere(tree: Tree) -> None:
    path = tree.write("util.py", UTIL)
    tree.cached()
    options = options_of(tree)
    start, end = UTIL.index('session["name"] in NAMES'), UTIL.index(":\n        return True")
    report = replace(_report(), searched={"(?i)staff": {"util.py": False}}, pieces={"util.py": {(start, end)}})
    assert ReportCache(tree.cache, options, read_inputs(options)).write(report)
    for before, after, is_known in (
        ("# of the user", "# of others", True),
        ("# of the user", "# of the Staff", False),
        ('session["name"] in', 'session["name"]  in', False),
        ('if session["name"] in', 'if  session["name"] in', True),
    ):
        path.write_text(UTIL.replace(before, after), encoding="utf-8")
        assert (ReportCache(tree.cache, options, read_inputs(options)).read() is not None) == is_known


@pytest.mark.parametrize("body", [b"nonsense", b'["a",["b"],[0],[],[]]', b'["a",["b"],[],[["x","00"]],[]]'])
def test_a_state_of_another_form_is_ignored(tree: Tree, counted: list[str], body: bytes) -> None:
    tree.write("util.py", UTIL)
    tree.cached()
    (entry,) = (tree.cache / "states").iterdir()
    entry.write_bytes(report_cache._checksum(entry.name, body) + b"\n" + body)
    tree.write("util.py", "# one\n" + UTIL)
    tree.cached()
    assert len(counted) == 2


# What the key holds


def options_of(tree: Tree, **changed: Any) -> ScanOptions:
    return replace(ScanOptions((tree.root,), tree.root, jobs=1), **changed)


OTHER: dict[str, Any] = {
    "include": ("a*",), "exclude": ("b",), "gitignore": False, "default_excludes": False, "max_file_size": 7_000,
    "select": ("xss",), "ignore": ("xss",), "profile": "audit", "severity": "high", "confidence": "low",
    "threat_models": frozenset({"file"}), "libraries": False, "unverified": True, "max_depth": 3,
    "unknown_calls": "block", "max_traces": 9, "dependencies": "infer", "surface": True,
    "rule_texts": (("a.toml", "a", b""),),
}  # fmt: skip


def test_each_option_is_in_the_key_or_known_to_decide_nothing(tree: Tree) -> None:
    assert {each.name for each in fields(ScanOptions)} == OTHER.keys() | report_cache.NO_PART_OF_THE_KEY
    inputs = read_inputs(options_of(tree))
    keys = {key_of(options_of(tree, **{name: value}), inputs) for name, value in OTHER.items()}
    assert len(keys | {key_of(options_of(tree), inputs)}) == len(OTHER) + 1


def test_each_count_of_the_statistics_is_kept() -> None:
    others = {"files_by_language", "skipped", "stages", "launches"}
    assert {each.name for each in fields(Statistics)} == {*report_cache.COUNTS, *others}


def test_the_program_itself_is_in_the_key(tree: Tree, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inputs = read_inputs(options_of(tree))
    before = key_of(options_of(tree), inputs)
    copy = shutil.copytree(report_cache.PACKAGE, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(report_cache, "PACKAGE", copy)
    assert key_of(options_of(tree), inputs, again=True) == before
    pack = next((copy / "rules" / "python").glob("*.toml"))
    pack.write_bytes(pack.read_bytes() + b"\n")
    assert key_of(options_of(tree), inputs, again=True) != before
    monkeypatch.undo()
    report_cache._program.cache_clear()


def test_a_rule_file_that_changes_during_the_scan_keeps_its_report_out(tree: Tree, tmp_path: Path) -> None:
    rules = tmp_path / "mine.toml"
    rules.write_text('language = "python"\nlibrary = "mine"\n', encoding="utf-8")
    options = options_of(tree, rule_paths=(rules,))
    inputs = read_inputs(options)
    cache = ReportCache(tree.cache, options, inputs)
    rules.write_text('language = "python"\nlibrary = "other"\n', encoding="utf-8")
    assert not cache.write(_report())
    assert tree.entries() == []


# What is not kept, or not trusted


def _report(kind: str = "limit") -> Any:
    from pyrograph.model.finding import Report
    from pyrograph.model.problem import Problem

    return Report((), (Problem(kind, "app.py", 1, "x"),), {}, Statistics(files=1))  # type: ignore[arg-type]


def test_a_report_with_an_internal_error_is_not_kept(tree: Tree) -> None:
    options = options_of(tree)
    cache = ReportCache(tree.cache, options, read_inputs(options))
    assert not cache.write(_report("internal-error"))
    assert cache.read() is None
    assert cache.write(_report())
    assert cache.read() == _report()


@pytest.mark.parametrize("attempt", [Attempt(isolated_files=True), Attempt(in_parts=True)])
def test_a_scan_that_was_started_again_is_not_kept(tree: Tree, attempt: Attempt) -> None:
    run(["scan", str(tree.root), "--cache", str(tree.cache), "--quiet", "--format", "json:" + os.devnull], attempt)
    assert tree.entries() == []


@pytest.mark.parametrize("option", ["--stats", "--debug"])
def test_what_measures_or_checks_the_stages_runs_them(tree: Tree, counted: list[str], option: str) -> None:
    tree.cached()
    tree.cached(option)
    assert len(counted) == 2


def test_without_a_cache_nothing_is_read_or_written(tree: Tree, counted: list[str]) -> None:
    tree.cached()
    before = {path: path.stat().st_mtime_ns for path in tree.cache.rglob("*")}
    tree.fresh()
    assert len(counted) == 2
    assert {path: path.stat().st_mtime_ns for path in tree.cache.rglob("*")} == before


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut": lambda data: data[: len(data) // 2],
    "one bit": lambda data: data[:-9] + bytes([data[-9] ^ 1]) + data[-8:],
    "noise": lambda data: b"\x80" * 5_000,
    "another report, under its own checksum": lambda data: _entry("0" * 48, data.partition(b"\n")[2]),
}


def _entry(key: str, body: bytes) -> bytes:
    return report_cache._checksum(key, body) + b"\n" + body


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_entry_is_ignored_and_written_again(
    tree: Tree, counted: list[str], damage: Callable[[bytes], bytes]
) -> None:
    first = tree.cached()
    (entry,) = tree.entries()
    good = entry.read_bytes()
    entry.write_bytes(damage(good))
    assert tree.cached() == first
    assert len(counted) == 2
    assert entry.read_bytes() == good


@given(body=st.recursive(st.none() | st.integers() | st.text(max_size=3), lambda inner: st.lists(inner, max_size=3)))
@settings(max_examples=50, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_an_entry_of_another_form_is_ignored(tmp_path_factory: pytest.TempPathFactory, body: Any) -> None:
    tree = Tree(tmp_path_factory.mktemp("form"))
    options = options_of(tree)
    cache = ReportCache(tree.cache, options, read_inputs(options))
    for wrong in (body, {"root": body}):
        report_cache._write(tree.cache, cache.key, json.dumps(wrong).encode())
        assert cache.read() is None


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners there")
@pytest.mark.parametrize("mode", [0o620, 0o602])
def test_an_entry_that_others_can_write_is_ignored(tree: Tree, counted: list[str], mode: int) -> None:
    tree.cached()
    (entry,) = tree.entries()
    entry.chmod(mode)
    tree.cached()
    assert len(counted) == 2


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners there")
def test_an_entry_of_another_user_is_ignored(tree: Tree, counted: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    tree.cached()
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    tree.cached()
    assert len(counted) == 2


@pytest.mark.skipif(not hasattr(os, "symlink") or os.name == "nt", reason="needs links")
def test_an_entry_that_is_a_link_is_ignored(tree: Tree, counted: list[str]) -> None:
    tree.cached()
    (entry,) = tree.entries()
    moved = entry.rename(tree.root.parent / "moved")
    entry.symlink_to(moved)
    tree.cached()
    assert len(counted) == 2


def test_the_reports_that_were_not_used_for_longest_are_removed(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tree.cache / "reports"
    for number, key in enumerate("abc"):
        report_cache._write(tree.cache, key * 48, b"x" * 1000)
        os.utime(place / (key * 48), (number, number))
    os.utime(place / ("a" * 48), (9, 9))  # used again
    monkeypatch.setattr(report_cache, "REPORT_CACHE_BYTES", 3_300)
    report_cache._write(tree.cache, "d" * 48, b"x" * 1000)
    assert [path.name[0] for path in tree.entries()] == ["a", "c", "d"]


def test_a_use_makes_a_report_young(tree: Tree) -> None:
    tree.cached()
    (entry,) = tree.entries()
    os.utime(entry, (5, 5))
    tree.cached()
    assert entry.stat().st_mtime > 5


def test_what_a_killed_process_left_is_removed(tree: Tree) -> None:
    report_cache._write(tree.cache, "a" * 48, b"x")
    left = tree.cache / "reports" / ".b-1"
    left.write_bytes(b"half")
    report_cache._write(tree.cache, "c" * 48, b"x")
    assert left.exists()  # it may be another scan's that still writes
    os.utime(left, (0, 0))
    report_cache._write(tree.cache, "d" * 48, b"x")
    assert not left.exists()


def test_a_large_report_is_not_kept(tree: Tree, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_cache, "MAX_KEPT_REPORT", 100)
    tree.cached()
    assert tree.entries() == []


def test_a_template_that_is_read_is_part_of_the_report(tree: Tree, counted: list[str]) -> None:
    tree.write("b/page.py", TEXTS["b/page.py"][0])
    page = tree.write("b/templates/p.html", TEXTS["b/templates/p.html"][0])
    other = tree.write("b/templates/unused.html", "x")
    first = tree.cached()
    assert b"xss" in first[1]["json"]
    other.write_text("y", encoding="utf-8")
    assert tree.cached() == first
    assert len(counted) == 1
    page.write_text(TEXTS["b/templates/p.html"][1], encoding="utf-8")
    assert tree.cached() == tree.fresh() != first


GENERATED = "// Code generated by a tool. DO NOT EDIT.\npackage gen\n\ntype Params struct {\n\tName string\n}\n"
HANDLER = """package app

import (
	"os"

	"github.com/go-openapi/runtime/middleware"

	"example.org/gen"
)

func find(params gen.Params) middleware.Responder {
	os.Remove(params.Name)
	return nil
}
"""


def test_what_a_generated_file_declares_is_part_of_the_report(tree: Tree) -> None:
    tree.write("app/find.go", HANDLER)
    generated = tree.write("gen/params.go", GENERATED)
    first = tree.cached()
    assert b'"line": 12' in first[1]["json"]
    generated.write_text(GENERATED.replace("string", "int64"), encoding="utf-8")
    second = tree.cached()
    assert second == tree.fresh()
    assert b'"line": 12' not in second[1]["json"]
