"""A scan as a whole: rules that are loaded only once the languages are known."""

from __future__ import annotations

import gc
import sys
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from pyrograph import scanner
from pyrograph.model.languages import rule_languages
from pyrograph.parsers import suffixes
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize("suffix", sorted(suffixes()))
def test_the_rules_that_a_scan_asks_for_are_those_of_its_files(suffix: str, tmp_path: Path) -> None:
    asked: list[str] = []

    def loader(languages: Collection[str]) -> Rules:
        asked.extend(languages)
        return load_rules(languages, cache_folder=tmp_path / "cache")

    (tmp_path / f"a{suffix}").write_text("package a\n" if suffix == ".go" else "f(1)\n")
    scanner.scan(ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu"), loader)
    assert len(asked) == 1
    assert set(asked) <= set(rule_languages())


def test_what_a_function_captures_lies_in_a_slice_of_it_too(tmp_path: Path) -> None:
    code = "import os, flask\ndef run(f):\n    os.system(f[1:]())\n@flask.Flask('a').route('/')\ndef view():\n"
    code += "    a = flask.request.args['q']\n" + "    other(lambda: a)\n" * 1000 + "    run(lambda: a)\n"
    (tmp_path / "a.py").write_text(code)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], cache_folder=tmp_path / "cache"))
    assert [(finding.vulnerability, finding.place.line) for finding in report.findings] == [("command-injection", 3)]


TWO_PROFILES = """
import logging, os, flask
log = logging.getLogger(__name__)
@flask.Flask("a").route("/")
def view():
    log.warning(flask.request.args["q"])
    log.warning(unknown.get_text(flask.request.args["q"]))
    os.system(flask.request.args["q"])
"""


@pytest.mark.parametrize(
    ("settings", "reported", "withheld"),
    [
        (
            {},
            ["command-injection"],
            [(("--profile audit",), 1), (("--profile audit", "--confidence low"), 1)],
        ),
        ({"profile": "audit"}, ["command-injection", "log-injection"], [(("--confidence low",), 1)]),
        ({"confidence": "low"}, ["command-injection"], [(("--profile audit",), 2)]),
        ({"profile": "audit", "confidence": "low"}, ["command-injection", "log-injection", "log-injection"], []),
        ({"select": ("log-injection",)}, ["log-injection"], [(("--confidence low",), 1)]),
        ({"ignore": ("log-injection",)}, ["command-injection"], []),
        ({"severity": "high"}, ["command-injection"], []),
    ],
    ids=str,
)
def test_what_is_not_reported_is_counted_with_the_options_that_report_it(
    settings: dict[str, Any], reported: list[str], withheld: list[tuple[tuple[str, ...], int]], tmp_path: Path
) -> None:
    (tmp_path / "a.py").write_text(TWO_PROFILES)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", **settings)
    report = scanner.scan(options, load_rules(["python"], cache_folder=tmp_path / "cache"))
    assert sorted(finding.vulnerability for finding in report.findings) == reported
    assert [(each.options, each.count) for each in report.withheld] == withheld
    assert {each.rule_id for each in report.withheld} <= {"python/log-injection"}


@pytest.mark.parametrize("counted", [True, False])
def test_a_process_that_scans_often_keeps_the_cycles_of_the_last_scans_only(
    counted: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is collected while a scan runs; what it leaves in cycles is freed when the next ones begin."""
    if not counted:
        monkeypatch.setattr(sys, "getallocatedblocks", lambda: 0)  # as with PYTHONMALLOC=malloc
    monkeypatch.setattr(scanner.pipeline, "EARLIER_BLOCKS", 0)
    (tmp_path / "app.py").write_text("import os\nos.system(input())\n")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1)
    rules = load_rules(["python"], [])

    class Ring:
        def __init__(self) -> None:
            self.itself = self

    def rings() -> int:
        gc.unfreeze()
        found = sum(isinstance(each, Ring) for each in gc.get_objects())
        gc.freeze()
        return found

    left = []
    for _ in range(4):
        monkeypatch.setattr(scanner.pipeline, "_kept", 0)
        for _ in range(10):
            Ring()
        scanner.scan(options, rules)
        left.append(rings())
    assert left[-1] <= 10, "those of one round at most"


@pytest.mark.parametrize("is_small", [True, False])
def test_a_process_that_scans_again_frees_what_a_small_scan_left_in_cycles(
    is_small: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """When the scan ends; a large one, whose objects take long to walk through, keeps them until later."""
    (tmp_path / "app.py").write_text("import os\nos.system(input())\n")
    rules = load_rules(["python"], [])
    freed: list[int] = []

    class Ring:
        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            freed.append(1)

    def loader(languages: Collection[str]) -> Rules:
        Ring()
        return rules

    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    monkeypatch.setattr(scanner.pipeline, "_kept", sys.getallocatedblocks())
    monkeypatch.setattr(scanner.pipeline, "_repeats", False)
    monkeypatch.setattr(scanner.pipeline, "MAX_COLLECTED", 1 << 30 if is_small else 0)
    counts = []
    for _ in range(3):
        scanner.scan(options, loader)
        counts.append(len(freed))
    assert counts == ([0, 1, 2] if is_small else [0, 0, 0]), "the first scan may be the only one"
