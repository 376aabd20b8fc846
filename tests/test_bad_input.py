"""Bad input costs itself alone: a clear line, the right exit code, and everything else is found."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from tests.warm import warm

from pyrograph.report import FORMATS

CLEAN, FINDINGS, REFUSED, INCOMPLETE = range(4)

GOOD = """\
import os
from flask import request

def view():
    os.system(request.args["c"])
"""
HARMLESS = "print('hello')\n"


def scan(folder: Path, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    """Run ``pyrograph scan`` in ``folder`` as a user would."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "NO_COLOR", "FORCE_"))},
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": str(warm(folder.parent / "cache")),
    }
    command = [sys.executable, "-m", "pyrograph", "scan", ".", "--root", ".", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False, timeout=300)


def report(folder: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit code and JSON report."""
    done = scan(folder, "--format", "json", *arguments)
    assert b"Traceback" not in done.stderr, done.stderr.decode()
    return done.returncode, json.loads(done.stdout)


def problems(document: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(problem["kind"], problem["path"]) for problem in document["problems"]]


def found(document: Mapping[str, Any]) -> list[tuple[str, int]]:
    return [(finding["path"], finding["line"]) for finding in document["findings"]]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A project with one file that has a finding."""
    project = tmp_path / "project"
    project.mkdir()
    (project / "good.py").write_text(GOOD, encoding="utf-8")
    return project


def test_an_empty_file_is_no_problem(folder: Path) -> None:
    (folder / "empty.py").write_bytes(b"")
    code, document = report(folder, "--strict")
    assert (code, problems(document), found(document)) == (FINDINGS, [], [("good.py", 5)])
    assert document["statistics"]["files"] == 2


def test_a_binary_file_with_the_name_of_a_source_file_is_told(folder: Path) -> None:
    (folder / "picture.py").write_bytes(bytes(range(256)) * 20)
    code, document = report(folder)
    assert (code, problems(document)) == (FINDINGS, [("not-parsed", "picture.py")])
    assert found(document) == [("good.py", 5)]


def test_what_was_left_out_makes_a_strict_scan_incomplete(folder: Path) -> None:
    (folder / "good.py").write_text(HARMLESS, encoding="utf-8")
    (folder / "picture.py").write_bytes(bytes(range(256)) * 20)
    assert report(folder)[0] == CLEAN
    assert report(folder, "--strict")[0] == INCOMPLETE


def test_a_minified_file_of_five_megabytes_is_counted_and_costs_nothing(folder: Path) -> None:
    (folder / "bundle.js").write_text("var a=function(b){return b+1};" * 170_000, encoding="utf-8")
    code, document = report(folder)
    assert (code, found(document)) == (FINDINGS, [("good.py", 5)])
    assert document["statistics"]["skipped"] == {"minified files": 1}


def test_a_file_of_five_megabytes_that_is_asked_for_is_told(folder: Path) -> None:
    (folder / "bundle.js").write_text("var a=function(b){return b+1};\n" * 170_000, encoding="utf-8")
    code, document = report(folder, "--no-default-excludes")
    assert (code, problems(document)) == (FINDINGS, [("not-parsed", "bundle.js")])
    assert found(document) == [("good.py", 5)]


@pytest.mark.parametrize(
    ("name", "head"),
    [("deep.py", "x = "), ("deep.js", "x = "), ("deep.ts", "let x = "), ("deep.go", "package p\nvar x = ")],
)
@pytest.mark.parametrize("brackets", ["()", "[]"])
def test_a_hundred_thousand_nested_brackets_do_not_end_the_scan(
    folder: Path, name: str, head: str, brackets: str
) -> None:
    opened, closed = ((bracket * 100 + "\n") * 1000 for bracket in brackets)
    (folder / name).write_text(f"{head}{opened}1{closed}\n", encoding="utf-8")
    code, document = report(folder)
    assert (code, found(document)) == (FINDINGS, [("good.py", 5)])
    assert document["statistics"]["files"] == 2


def test_bytes_that_are_no_text_are_told_and_the_rest_of_the_file_counts(folder: Path) -> None:
    (folder / "good.py").write_bytes(b"# caf\xe9 \xff\xfe\n" + GOOD.encode())
    code, document = report(folder)
    assert (code, found(document)) == (FINDINGS, [("good.py", 6)])
    assert "UTF-8" in document["problems"][0]["message"]


def test_a_syntax_error_costs_its_own_lines(folder: Path) -> None:
    (folder / "good.py").write_text(GOOD + "\ndef broken(:\n    pass ]\n", encoding="utf-8")
    code, document = report(folder)
    assert (code, found(document)) == (FINDINGS, [("good.py", 5)])
    assert {kind for kind, _ in problems(document)} == {"syntax-error"}


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="nothing is unreadable for this user")
def test_an_unreadable_directory_is_told(folder: Path) -> None:
    closed = folder / "closed"
    closed.mkdir()
    (closed / "more.py").write_text(GOOD, encoding="utf-8")
    closed.chmod(0)
    try:
        code, document = report(folder)
    finally:
        closed.chmod(0o700)
    assert (code, problems(document), found(document)) == (FINDINGS, [("unreadable", "closed")], [("good.py", 5)])


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege there")
def test_a_loop_of_links_ends(folder: Path) -> None:
    (folder / "self").symlink_to(folder)
    (folder / "a").symlink_to(folder / "b")
    (folder / "b").symlink_to(folder / "a")
    code, document = report(folder)
    assert (code, found(document)) == (FINDINGS, [("good.py", 5)])


@pytest.mark.skipif(sys.platform == "win32", reason="such names do not exist there")
@pytest.mark.parametrize("form", ["text", "github", "markdown"])
def test_a_name_with_terminal_escapes_does_not_reach_the_terminal(folder: Path, form: str) -> None:
    (folder / "good.py").rename(folder / "a\x1b[31m\x1b]0;title\x07\nb.py")
    done = scan(folder, "--format", form, "--color", "always" if form != "text" else "never")
    assert done.returncode == FINDINGS
    assert b"\x1b" not in done.stdout + done.stderr
    assert b"\x07" not in done.stdout + done.stderr


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names do not exist there")
@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_finding_below_a_path_that_is_no_utf_8_is_reported(folder: Path, form: str) -> None:
    below = os.path.join(os.fsencode(folder), b"s\xff")
    os.mkdir(below)
    with open(os.path.join(below, b"caf\xe9.py"), "w", encoding="utf-8") as file:
        file.write(GOOD)
    done = scan(folder, "--format", form)
    assert (done.returncode, b"internal error" in done.stderr) == (FINDINGS, False)
    text = done.stdout.decode()  # nothing but UTF-8 is written
    assert "s%FF/caf%E9.py" in text or "s\\xff/caf\\xe9.py" in text.replace("\\\\", "\\")


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="such names do not exist there")
def test_a_baseline_knows_a_finding_below_a_path_that_is_no_utf_8(folder: Path) -> None:
    (folder / "good.py").unlink()
    with open(os.path.join(os.fsencode(folder), b"caf\xe9.py"), "w", encoding="utf-8") as file:
        file.write(GOOD)
    baseline = str(folder.parent / "known.json")
    assert scan(folder, "--write-baseline", baseline).returncode == CLEAN
    assert scan(folder, "--baseline", baseline).returncode == CLEAN
    assert scan(folder).returncode == FINDINGS


def test_a_rule_file_with_a_wrong_key_stops_the_scan_and_says_where(folder: Path) -> None:
    rules = 'library = "own"\nlanguage = "python"\n\n[sinks]\nxss = ["a.b(0)"]\n'
    (folder / "own.toml").write_text(rules, encoding="utf-8")
    done = scan(folder, "--rules", "own.toml")
    assert (done.returncode, done.stdout) == (REFUSED, b"")
    assert b"own.toml:4:" in done.stderr
    assert b"did you mean 'sink'?" in done.stderr


@pytest.mark.parametrize(
    "arguments", [["--format", "unknown"], ["--fail-on", "never"], ["--select", "python/no-such-rule"]]
)
def test_a_wrong_option_is_refused(folder: Path, arguments: list[str]) -> None:
    done = scan(folder, *arguments)
    assert (done.returncode, done.stdout) == (REFUSED, b"")
    assert b"Traceback" not in done.stderr


def test_nothing_to_analyse_is_refused_unless_allowed(folder: Path) -> None:
    (folder / "good.py").rename(folder / "readme.txt")
    assert scan(folder).returncode == REFUSED
    assert scan(folder, "--allow-empty").returncode == CLEAN


def test_nothing_that_is_scanned_is_imported_or_run(folder: Path) -> None:
    (folder / "conftest.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    (folder / "pyrograph.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    (folder / "setup.py").write_text("open('ran', 'w').close()\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONSAFEPATH": "1"}
    command = [sys.executable, "-m", "pyrograph", "scan", "."]
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, check=False)
    assert not (folder / "ran").exists()


def test_a_scan_leaves_nothing_behind(folder: Path) -> None:
    before = sorted(folder.rglob("*"))
    report(folder)
    assert sorted(folder.rglob("*")) == before
