"""``--dependencies infer``: libraries beside the program are inferred once, and used."""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Literal

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.infer import dependencies
from pyrograph.scanner.options import ScanOptions

LIBRARIES = Path(__file__).resolve().parents[3] / "fixtures" / "libraries"
PLACES = {
    "python": ("shop", ".venv/lib/python3.11/site-packages/shop"),
    "javascript": ("", "node_modules/shop"),
    "go": ("", "vendor/example.org/shop/v2"),
}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pipeline, "cache_folder", lambda: tmp_path / "cache")
    return tmp_path / "cache"


def program(language: str, folder: Path) -> Path:
    """The program of a fixture, with its library where a package manager puts it."""
    below, place = PLACES[language]
    root = folder / language
    shutil.copytree(LIBRARIES / language / "program", root)
    shutil.copytree(LIBRARIES / language / "library" / below, root / place)
    if language == "python":
        (root / ".venv" / "pyvenv.cfg").write_text("home = /usr/bin\n", encoding="utf-8")
        (root / place).with_name("shop-1.2.0.dist-info").mkdir()
    if language == "go":
        (root / place / "go.mod").unlink()
        (root / "vendor" / "modules.txt").write_text(
            "# example.org/shop/v2 v2.3.0\n## explicit\nexample.org/shop/v2\n", encoding="utf-8"
        )
    return root


def scanned(
    root: Path, language: str, mode: Literal["packs", "infer"] = "infer", environments: tuple[Path, ...] = ()
) -> Report:
    options = ScanOptions((root,), root, jobs=1, device="cpu", dependencies=mode, environments=environments)
    return scanner.scan(options, load_rules([language]))


def messages(report: Report) -> str:
    return "\n".join(step.message for each in report.findings for trace in each.traces for step in trace.steps)


@pytest.mark.parametrize(
    ("language", "version", "count"), [("python", "1.2.0", 12), ("javascript", "2.1.0", 8), ("go", "2.3.0", 6)]
)
def test_libraries_beside_the_program_are_inferred(
    language: str, version: str, count: int, tmp_path: Path, cache: Path
) -> None:
    root = program(language, tmp_path)
    assert not scanned(root, language, "packs").findings
    assert not cache.joinpath(dependencies.FOLDER).exists()
    report = scanned(root, language)
    assert len(report.findings) == count
    assert re.search(rf"inferred from \S*shop\S* {re.escape(version)}, ", messages(report))
    assert not report.problems


def test_an_environment_may_lie_elsewhere(tmp_path: Path, cache: Path) -> None:
    root = program("python", tmp_path)
    (root / ".venv").rename(tmp_path / "environment")
    assert not scanned(root, "python").findings
    assert len(scanned(root, "python", environments=(tmp_path / "environment",)).findings) == 12


def test_a_model_is_kept_until_the_library_changes(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = program("javascript", tmp_path)
    first = scanned(root, "javascript")
    kept = sorted(cache.joinpath(dependencies.FOLDER).iterdir())
    assert len(kept) == 1
    with monkeypatch.context() as patch:
        patch.setattr(dependencies, "infer", None)
        assert scanned(root, "javascript").findings == first.findings
    main = root / "node_modules" / "shop" / "lib" / "index.js"
    main.write_text(main.read_text(encoding="utf-8").replace('exec("nice " + command', "exec(options.nice"), "utf-8")
    assert len(scanned(root, "javascript").findings) == len(first.findings) - 1
    assert len(list(cache.joinpath(dependencies.FOLDER).iterdir())) == 2
    kept[0].write_bytes(b"damaged")
    main.write_text(main.read_text(encoding="utf-8").replace("exec(options.nice", 'exec("nice " + command'), "utf-8")
    assert scanned(root, "javascript").findings == first.findings


def test_a_library_that_a_pack_describes_is_not_read(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = program("python", tmp_path)
    own = tmp_path / "shop.toml"
    own.write_text('library = "shop"\nlanguage = "python"\n[propagator]\nflow = ["shop.run:"]\n', encoding="utf-8")
    monkeypatch.setattr(dependencies, "infer", None)
    options = ScanOptions((root,), root, jobs=1, device="cpu", dependencies="infer", rule_paths=(own,))
    report = scanner.scan(options, load_rules(["python"], (own,)))
    assert not report.problems


def test_a_fault_costs_the_model_alone(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = program("python", tmp_path)
    monkeypatch.setattr(dependencies, "infer", None)
    report = scanned(root, "python")
    assert [each.kind for each in report.problems] == ["internal-error"]
    assert "this library has no model" in report.problems[0].message
    assert report.statistics.files == 1


def test_a_library_that_is_too_large_is_reported(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = program("python", tmp_path)
    monkeypatch.setattr(dependencies, "MAX_LIBRARY_BYTES", 100)
    report = scanned(root, "python")
    assert [(each.kind, each.path) for each in report.problems] == [
        ("limit", ".venv/lib/python3.11/site-packages/shop")
    ]
    assert not report.findings
