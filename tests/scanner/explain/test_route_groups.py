"""A check on a router holds for all that is registered after it, however much that is."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy.limits.explanation import MAX_GUARD_STEPS
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CHECK = """
function isAdmin(req, res, next) {
  if (!req.user.isAdmin) return res.status(403).end()
  next()
}
"""


@pytest.mark.parametrize("between", [0, 1, MAX_GUARD_STEPS, 5 * MAX_GUARD_STEPS])
@pytest.mark.parametrize("check", ["router.use(isAdmin)", "", "router.use('/other', isAdmin)"])
def test_routes_between_a_check_and_a_handler_hide_nothing(check: str, between: int, tmp_path: Path) -> None:
    routes = [f"router.get('/page/{each}', (req, res) => res.send('page'))" for each in range(between)]
    handlers = [f"router.get('/{name}', (req, res) => {{ exec(req.query.{name}) }})" for name in "ab"]
    lines = [
        "const express = require('express')",
        "const { exec } = require('child_process')",
        CHECK,
        "const router = express.Router()",
        check,
        *routes[: between // 2],
        handlers[0],
        *routes[between // 2 :],
        handlers[1],
        "express().use(router)",
    ]
    (tmp_path / "app.js").write_text("\n".join(lines), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, gitignore=False)
    found = scanner.scan(options, load_rules(None, [])).findings
    assert len(found) == (0 if check == "router.use(isAdmin)" else 2)
