"""Small programs in a folder, and how sure the scanner is of what it finds in them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions


def rated(folder: Path, files: Mapping[str, str], vulnerability: str) -> tuple[str, str]:
    """The confidence in the one finding of a vulnerability in a program in JavaScript, and its doubt ("" for none)."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    options = ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["javascript"]))
    (finding,) = [each for each in found.findings if each.vulnerability == vulnerability]
    return finding.confidence, finding.doubt.name if finding.doubt else ""
