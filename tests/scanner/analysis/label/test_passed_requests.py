"""What a schema says of a request holds in the functions that the handler passes it on to, and nowhere else."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const express = require("express");
const { celebrate, Joi } = require("celebrate");
const { exec } = require("child_process");
const router = express.Router();
const checked = celebrate({ query: { limit: Joi.number(), zone: Joi.string() } });
const wrapped = (fn) => (req, res, next) => fn(req, res).catch(next);
function cached(seconds, fn) {
  return function (req, res, next) {
    fn(req).then((body) => res.json(body)).catch(next);
  };
}
const controller = { list: async (req) => exec("list " + req.query.limit) };
router.get("/a", checked, wrapped(arrow));
router.get("/b", checked, cached(5, expression));
router.get("/c", checked, (req, res) => controller.list(req));
router.get("/d", checked, wrapped(deep));
router.get("/e", wrapped(unchecked));
router.get("/f", checked, wrapped(both));
router.get("/g", wrapped(both));
router.get("/h", checked, wrapped(direct));
router.get("/i", direct);
async function arrow(req) {
  exec("arrow " + req.query.limit);
  exec("text " + req.query.zone);
}
async function expression(req) { const { limit } = req.query; exec("expression " + limit); }
async function deep(req) { return deeper(req); }
async function deeper(req) { exec("deeper " + req.query.limit); }
async function unchecked(req) { exec("unchecked " + req.query.limit); }
async function both(req) { exec("both " + req.query.limit); }
async function direct(req) { exec("direct " + req.query.limit); }
"""


def test_a_checked_request_stays_checked_where_all_who_pass_it_on_got_it_so(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE)
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["javascript"], cache_folder=tmp_path / "cache"))
    lines = CODE.splitlines()
    ends = [found.end_of(found.traces[0]) for found in report.findings]
    said = [lines[end.line - 1].partition('exec("')[2].partition(" ")[0] for end in ends]
    assert said == ["text", "unchecked", "both", "direct"]
