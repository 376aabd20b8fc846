"""Pages are programs of their own: what their scripts read says nothing about the program that they lie in."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PAGE = "<script>document.body.innerHTML = location.hash;</script>\n"
LIBRARIES = [
    ("index.js", 'exports.run = (name) => require("child_process").exec("ls " + name);\n'),
    ("pattern.py", "import re\n\ndef check(name):\n    return re.match(r'(a+)+$', name)\n"),
]


def reported(root: Path, **texts: str) -> dict[str, str]:
    """The vulnerability that is found in each file."""
    for name, text in texts.items():
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text(text, encoding="utf-8")
    options = ScanOptions(paths=(root,), root=root.resolve(), jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(None, ()))
    return {finding.place.path: finding.vulnerability for finding in report.findings}


@pytest.mark.parametrize(("name", "text"), LIBRARIES)
@pytest.mark.parametrize("page", [PAGE, "<script>function run(name) { document.write(name); }</script>\n"])
def test_a_library_with_a_page_is_analysed_as_a_library(tmp_path: Path, name: str, text: str, page: str) -> None:
    alone = reported(tmp_path, **{name: text})
    assert list(alone) == [name]
    both = reported(tmp_path, **{name: text, "site/index.html": page})
    assert both == alone | ({"site/index.html": "dom-xss"} if page is PAGE else {})


def test_a_page_alone_is_no_library(tmp_path: Path) -> None:
    assert reported(tmp_path, **{"index.html": "<script>export function run(code) { eval(code); }</script>"}) == {}
