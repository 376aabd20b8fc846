"""Checks in a list hold for the handlers behind it, under whatever name a route is given the list."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

RULES = """
const { query, validationResult } = require("express-validator");
const refuse = (req, res, next) => validationResult(req).isEmpty() ? next() : res.sendStatus(400);
exports.rules = [query("page").isInt(), refuse];
"""
ROUTES = """
const express = require("express");
const { exec } = require("child_process");
const { rules } = require("./rules");
const router = express.Router();
const more = [...rules, (req, res, next) => next()];
router.get("/a", rules, (req, res) => exec("imported " + req.query.page));
router.get("/b", more, (req, res) => exec("spread " + req.query.page));
router.get("/c", (req, res) => exec("before " + req.query.page), rules);
router.get("/d", (req, res) => exec("without " + req.query.page));
router.get("/e", rules, (req, res) => exec("other " + req.query.zone));
module.exports = router;
"""


def test_a_list_is_found_by_its_name_in_another_file_and_in_another_list(tmp_path: Path) -> None:
    (tmp_path / "rules.js").write_text(RULES)
    (tmp_path / "routes.js").write_text(ROUTES)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["javascript"], cache_folder=tmp_path / "cache"))
    lines = ROUTES.splitlines()
    ends = [found.end_of(found.traces[0]) for found in report.findings]
    said = [lines[end.line - 1].partition('exec("')[2].partition(" ")[0] for end in ends]
    assert said == ["before", "without", "other"]
