"""What a page reads as a blob is mostly its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize("use", ["box.innerHTML = reader.result", "eval(reader.result)"])
def test_text_of_a_blob_is_doubted(tmp_path: Path, use: str) -> None:
    text = f"""
    function show(blob, box) {{
      const reader = new FileReader()
      reader.onload = () => {{ {use} }}
      reader.readAsText(blob)
    }}
    """
    (tmp_path / "page.js").write_text(text)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    (finding,) = scanner.scan(options, load_rules(["javascript"])).findings
    assert finding.doubt is not None
    assert (finding.confidence, finding.doubt.name) == ("medium", doubts.RARE_SOURCE)
