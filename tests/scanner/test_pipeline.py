"""A scan as a whole: rules that are loaded only once the languages are known."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

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
