"""Small programs in a folder, and how sure the scanner is of what it finds in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions


def rated(folder: Path, files: Mapping[str, str], vulnerability: str) -> tuple[str, str]:
    """The confidence in the one finding of a vulnerability in a program in JavaScript, and its doubt ("" for none)."""
    (finding,) = findings(folder, files, vulnerability, "javascript")
    return finding.confidence, doubt_of(finding)


def findings(folder: Path, files: Mapping[str, str], vulnerability: str, language: str) -> list[Finding]:
    """The findings of a vulnerability in a program, of any confidence."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    options = ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1, device="cpu")
    found = scanner.scan(options, load_rules([language]))
    return [each for each in found.findings if each.vulnerability == vulnerability]


def doubt_of(finding: Finding) -> str:
    return finding.doubt.name if finding.doubt else ""
