"""``pyrograph cache``, ``--cache`` and ``--no-cache``."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from pyrograph import parsers, userfolder
from pyrograph.cli import run
from pyrograph.cli.supervise import Attempt
from pyrograph.scanner import background

pytestmark = pytest.mark.usefixtures("rules_from_files")  # they count what is kept of them

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def pyrograph(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Exit code, standard output and standard error of a command in a folder with one file."""
    monkeypatch.setattr("pyrograph.cli.scan.report_cache_folder", userfolder.cache_folder)
    monkeypatch.setattr("pyrograph.scanner.pipeline.cache_folder", userfolder.cache_folder)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "app.py").write_text("x = 1\n", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "project")

    def command(*words: str) -> tuple[int, str, str]:
        code = run([*words], Attempt())
        background.finish()
        return code, *capsys.readouterr()

    return command


def kept(folder: Path) -> dict[str, int]:
    """Number of files of each kind, as the folder has them."""
    return {
        name: len([*(folder / name).iterdir()]) if (folder / name).is_dir() else 0 for name in ("reports", "rules")
    } | {"units": int((folder / "units-2.sqlite").is_file())}


def test_a_scan_fills_the_cache_that_it_names(pyrograph: Run, tmp_path: Path) -> None:
    assert pyrograph("scan", "--cache", "../here", "--jobs", "1")[0] == 0
    found = kept(tmp_path / "here")
    assert (found["reports"], found["units"], found["rules"] > 0) == (1, 1, True)
    assert not (tmp_path / "home").exists()
    code, out, _ = pyrograph("cache", "info", "--cache", "../here", "--format", "json")
    shown = json.loads(out)
    assert (code, shown["directory"]) == (0, str(tmp_path / "here"))
    counts = {each["what"]: each["files"] for each in shown["kept"]}
    assert (counts["reports"], counts["rules"]) == (1, found["rules"])
    (entry,) = (tmp_path / "here" / "reports").iterdir()
    assert {"what": "reports", "files": 1, "bytes": entry.stat().st_size, "bound": 200_000_000} in shown["kept"]
    size = f"{entry.stat().st_size / 1e6:.1f}"
    assert f"reports  1 file, {size} MB of at most 200.0 MB" in pyrograph("cache", "info", "--cache", "../here")[1]


def test_clear_removes_what_pyrograph_keeps_and_nothing_else(pyrograph: Run, tmp_path: Path) -> None:
    pyrograph("scan", "--cache", "../here", "--jobs", "1")
    folder = tmp_path / "here"
    for former in ("units.sqlite", "numba/x.nbi", "kernels/x.nbi"):
        (folder / former).parent.mkdir(exist_ok=True)
        (folder / former).write_bytes(b"x" * 1_000_000)
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and path.parent != folder)
    size += sum(path.stat().st_size for path in folder.glob("units*"))
    code, out, _ = pyrograph("cache", "clear", "--cache", "../here")
    assert (code, out) == (0, f"{folder}: {size / 1e6:.1f} MB removed\n")
    assert size > 3_000_000
    assert sorted(path.name for path in folder.iterdir()) == ["CACHEDIR.TAG", "notes.txt"]
    assert pyrograph("cache", "clear", "--cache", "../here")[1] == f"{folder}: 0.0 MB removed\n"
    assert pyrograph("scan", "--cache", "../here", "--jobs", "1")[0] == 0


@pytest.mark.parametrize("command", [("scan",), ("cache", "clear"), ("cache", "info")])
def test_a_directory_with_other_files_is_refused(pyrograph: Run, tmp_path: Path, command: tuple[str, ...]) -> None:
    """A cache loses its oldest entries: a typing error must not make one of a directory with work in it."""
    for name in ("reports", "rules"):
        (tmp_path / "work" / name).mkdir(parents=True)
        (tmp_path / "work" / name / "mine").write_text("x", encoding="utf-8")
    code, _, err = pyrograph(*command, "--cache", "../work")
    assert (code, "name a new or an empty one" in err) == (2, True)
    assert len([*(tmp_path / "work").rglob("mine")]) == 2


def test_cache_and_no_cache_contradict_each_other(pyrograph: Run) -> None:
    code, _, err = pyrograph("scan", "--cache", "../here", "--no-cache")
    assert (code, "contradict" in err) == (2, True)


def test_without_a_cache_no_directory_is_made(pyrograph: Run, tmp_path: Path) -> None:
    assert pyrograph("scan", "--no-cache", "--jobs", "1")[0] == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["project"]


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners there")
def test_a_cache_that_others_can_write_is_not_used_and_the_scan_says_so(pyrograph: Run, tmp_path: Path) -> None:
    pyrograph("scan", "--cache", "../here", "--jobs", "1")
    (tmp_path / "here").chmod(0o777)
    code, _, err = pyrograph("scan", "--verbose", "--cache", "../here", "--jobs", "1")
    assert code == 0
    assert "others can write to it" in err
    assert "from the cache" not in err
    assert pyrograph("cache", "info", "--cache", "../here")[0] == 2


def test_a_program_that_registers_a_language_gets_fresh_reports(
    pyrograph: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parsers._registry(), "from_outside", True)
    assert pyrograph("scan", "--cache", "../here", "--jobs", "1")[0] == 0
    assert kept(tmp_path / "here")["reports"] == 0


def test_the_environment_sets_the_size_of_the_cache(pyrograph: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYROGRAPH_CACHE_SIZE", "122GB")
    shown = json.loads(pyrograph("cache", "info", "--cache", "../here", "--format", "json")[1])
    bounds = {each["what"]: each["bound"] for each in shown["kept"] if each["bound"]}
    assert bounds == {"reports": 20_000_000_000, "states": 2_000_000_000, "units": 100_000_000_000}
    monkeypatch.setenv("PYROGRAPH_CACHE_SIZE", "0MB")
    assert pyrograph("scan", "--cache", "../here", "--jobs", "1")[0] == 0
    assert kept(Path("../here"))["reports"] == 0  # no room for one
    monkeypatch.setenv("PYROGRAPH_CACHE_SIZE", "much")
    code, _, complaint = pyrograph("scan", "--cache", "../here")
    assert (code, "PYROGRAPH_CACHE_SIZE is 'much'" in complaint, "such as 20GB" in complaint) == (2, True, True)
    monkeypatch.delenv("PYROGRAPH_CACHE_SIZE")
    assert "of at most 200.0 MB" in pyrograph("cache", "info", "--cache", "../here")[1]
