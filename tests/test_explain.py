"""``pyrograph explain`` as a user runs it: places, exit codes, and bad input."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from pyrograph import rules
from pyrograph.cli import main
from pyrograph.scanner.analysis import verify
from pyrograph.scanner.clock import StageCheck

APP = """\
import os
import shlex
from flask import request

def view():
    name = request.args["c"]
    os.system("ls " + name)
    os.system("ls " + shlex.quote(name))
"""
Explain = Callable[..., tuple[int, str, str]]


@pytest.fixture
def explain(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Explain:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "app.py").write_text(APP, encoding="utf-8")

    def run(*arguments: str) -> tuple[int, str, str]:
        with pytest.raises(SystemExit) as end:
            main(["explain", *arguments])
        told = capsys.readouterr()
        assert "Traceback" not in told.err
        assert isinstance(end.value.code, int)
        return end.value.code, told.out, told.err

    return run


def test_data_that_arrives_is_shown_with_its_way(explain: Explain) -> None:
    code, out, _ = explain("app.py:6", "app.py:7")
    assert code == 1
    assert "command-injection at `os.system`: reached" in out
    assert "app.py:7:15" in out


def test_data_that_does_not_arrive_is_shown_with_what_stops_it(explain: Explain) -> None:
    code, out, _ = explain("app.py:6", "app.py:8:15", ".", "--vulnerability", "command-injection")
    assert code == 0
    assert "command-injection at `os.system`: not reached" in out
    assert "stopped (sanitizer): `shlex.quote` makes the data clean for command-injection" in out


def test_the_common_directory_of_both_files_is_named(explain: Explain, monkeypatch: pytest.MonkeyPatch) -> None:
    inner = Path("inner")
    inner.mkdir()
    monkeypatch.chdir(inner)
    code, out, err = explain("../app.py:6", "../app.py:7")
    assert code == 1
    assert str(Path("..").resolve()) in err
    assert "name PATHS for another one" in err
    assert "analysing" not in out


def test_a_named_directory_is_not_repeated(explain: Explain) -> None:
    assert explain("app.py:6", "app.py:7")[2] == ""
    assert explain("app.py:6", "app.py:7", ".")[2] == ""


def test_unknown_calls_are_blocked_on_request(explain: Explain, tmp_path: Path) -> None:
    (tmp_path / "other.py").write_text("import os, nowhere\nx = input()\nos.system(nowhere.f(x))\n", encoding="utf-8")
    assert explain("other.py:2", "other.py:3")[0] == 1
    code, out, _ = explain("other.py:2", "other.py:3", "--unknown-calls", "block")
    assert code == 0
    assert "stopped (unknown-call)" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("app.py", "app.py:7"), "is not FILE:LINE"),
        (("app.py:x", "app.py:7"), "is not FILE:LINE"),
        (("gone.py:1", "app.py:7"), "there is no such file"),
        (("app.py:6", "app.py:99"), "the file has 8 lines"),
        (("app.py:4", "app.py:7"), "empty or a comment"),
        (("notes.txt:1", "app.py:7"), "was not scanned"),
        (("empty.py:1", "app.py:7"), "the file has 0 lines"),
        (("app.py:6", "app.py:7", "--vulnerability", "sql-injektion"), "did you mean 'sql-injection'?"),
        (("app.py:6", "app.py:7", "gone"), "does not exist"),
        (("app.py:6", "app.py:7", "--root", "inner"), "outside the root"),
        (("notes.txt:1", "notes.txt:1", "notes.txt"), "neither file is in Python"),
        (("app.py:6",), "a second FILE:LINE is missing"),
        (("sql-injection", "app.py:6"), "is a rule and takes no line"),
        (("sql-injektion",), "did you mean 'sql-injection'?"),
        (("python/sql_injection",), "did you mean 'sql-injection'?"),
        (("Xss",), "did you mean 'xss'?"),
        (("xss", "--vulnerability", "xss"), "is a rule and takes no --vulnerability"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_a_sentence(
    arguments: tuple[str, ...], words: str, explain: Explain, tmp_path: Path
) -> None:
    (tmp_path / "notes.txt").write_text("nothing\n", encoding="utf-8")
    (tmp_path / "empty.py").write_text("", encoding="utf-8")
    (tmp_path / "inner").mkdir()
    code, out, err = explain(*arguments)
    assert (code, out) == (2, "")
    assert words in err


def test_files_elsewhere_are_found_without_paths(
    explain: Explain, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inner").mkdir()
    monkeypatch.chdir(tmp_path / "inner")
    assert explain("../app.py:6", str(tmp_path / "app.py") + ":7")[0] == 1


def test_a_rule_is_explained_with_its_weakness_its_remedy_and_an_example(explain: Explain) -> None:
    code, out, _ = explain("python/sql-injection")
    assert code == 0
    assert all(part in out for part in ("CWE-89", "## Why it matters", "## How to fix it", "# reported", "--select"))
    assert "### Go" not in out
    assert "### Go" in explain("sql-injection")[1]


def test_a_rule_of_the_configuration_is_explained(explain: Explain, tmp_path: Path) -> None:
    text = (Path(rules.__file__).parent / "vulnerabilities" / "xpath-injection.toml").read_text(encoding="utf-8")
    (tmp_path / "own" / "vulnerabilities").mkdir(parents=True)
    (tmp_path / "own" / "vulnerabilities" / "level2.toml").write_text(text, encoding="utf-8")
    (tmp_path / "pyrograph.toml").write_text('rules = ["own"]\n', encoding="utf-8")
    code, out, _ = explain("level2")
    assert code == 0
    assert out.startswith("XPath injection (level2)")


def test_every_exit_code_is_explained(explain: Explain) -> None:
    assert "Exit codes: 0 the data reaches no sink; 1 it reaches a sink; 2" in " ".join(explain("--help")[1].split())


def test_debug_verifies_the_stages_as_in_a_scan(explain: Explain, monkeypatch: pytest.MonkeyPatch) -> None:
    verified: list[object] = []

    def labels(*tables: object) -> list[str]:
        verified.append(tables)
        return []

    monkeypatch.setattr(StageCheck, "always", False)
    monkeypatch.setattr(verify, "labels", labels)
    explain("app.py:6", "app.py:7")
    assert not verified
    explain("--debug", "app.py:6", "app.py:7")
    assert verified
