"""Programs that are deployed to workers of a content network: they have no files, and reach public addresses only."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

FETCHING = """
export default {
  async fetch(request) {
    const to = new URL(request.url).searchParams.get("url");
    return fetch(to);
  },
};
"""
PACKAGE = '{"name": "preview"}'
WORKER = 'name = "preview"\nmain = "src/index.js"\n'


@pytest.mark.parametrize(
    ("manifests", "doubt"),
    [
        ({}, ""),
        ({"package.json": PACKAGE}, ""),
        ({"package.json": PACKAGE, "wrangler.toml": WORKER}, doubts.WORKER),
        ({"package.json": PACKAGE, "api/wrangler.jsonc": "{}"}, doubts.WORKER),  # nearer than the package
        ({"wrangler.toml": WORKER, "api/package.json": PACKAGE}, ""),  # a package of its own beside the worker
        ({"wrangler.toml": WORKER, "api/tsconfig.json": "{}"}, doubts.WORKER),  # which makes no package
        ({"other/wrangler.toml": WORKER}, ""),
    ],
)
def test_a_request_of_a_worker_reaches_public_addresses_only(
    tmp_path: Path, manifests: dict[str, str], doubt: str
) -> None:
    for path, text in {**manifests, "api/src/index.js": FETCHING, "other/a.js": ""}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["javascript"]))
    (finding,) = [each for each in found.findings if each.vulnerability == "ssrf"]
    name = finding.doubt.name if finding.doubt else ""
    assert (finding.confidence, name) == ("medium" if doubt else "high", doubt)
