"""Programs that are deployed to workers of a content network: they have no files, and reach public addresses only."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import rated

from pyrograph.policy import doubts

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
    files = {**manifests, "api/src/index.js": FETCHING, "other/a.js": ""}
    assert rated(tmp_path, files, "ssrf") == ("medium" if doubt else "high", doubt)
