"""The pairs of vulnerable and fixed code, which the documentation shows: the first is reported, the second is not."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SUFFIXES = {"python": "py", "javascript": "js", "go": "go"}


@pytest.mark.parametrize("language", SUFFIXES)
def test_vulnerable_code_is_reported_and_fixed_code_is_not(repository: Path, language: str) -> None:
    """Vulnerable code at any confidence, since some rules are low by nature; fixed code at medium and above."""
    root = repository / "fixtures" / "fixes"
    files = sorted(root.glob(f"*/*/main.{SUFFIXES[language]}"))
    options = ScanOptions(paths=tuple(files), root=root, profile="audit", confidence="low", jobs=1, device="cpu")
    report = scanner.scan(options, load_rules({language}))
    found = {(finding.place.path, finding.vulnerability) for finding in report.findings}
    doubtless = {finding.place.path for finding in report.findings if finding.confidence != "low"}
    assert len(files) > 50
    for file in files:
        path = file.relative_to(root).as_posix()
        vulnerability, state, _ = path.split("/")
        if state == "vulnerable":
            assert (path, vulnerability) in found, path
        else:
            assert path not in doubtless, path
