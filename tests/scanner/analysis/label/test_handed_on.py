"""What a checked member of a request holds is known where the whole is handed on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SAVE = """
const { exec } = require("child_process");
function save(given) {
  const copy = { ...given, note: "x" };
  exec("a " + copy.count);
  exec("b " + copy.name);
  exec("c " + copy.place.lat);
  for (const key of Object.keys(copy)) exec("d " + key);
}
"""
FASTIFY = """
const app = require("fastify")();
const body = {{ type: "object", properties: {{ count: {{ type: "integer" }}, {more} }} }};
app.post("/a", {{ schema: {{ body }} }}, (request, reply) => save(request.body));
"""
TRPC = """
const { initTRPC } = require("@trpc/server");
const { z } = require("zod");
const place = z.object({ lat: z.number(), lon: z.number() });
const schema = z.object({ count: z.number(), name: z.string(), place });
const t = initTRPC.create();
module.exports = t.router({ add: t.procedure.input(schema).mutation(({ input }) => save(input)) });
"""
CELEBRATE = """
const { celebrate, Joi } = require("celebrate");
const app = require("express")();
const schema = Joi.object({ count: Joi.number(), name: Joi.string(), place: Joi.object() });
app.post("/a", celebrate({ body: schema }), (req, res) => save(req.body));
"""
TWO_ROUTES = """
app.post("/b", celebrate({ body: Joi.object({ count: Joi.string() }) }), handle);
app.post("/c", celebrate({ body: Joi.object({ count: Joi.number(), name: Joi.number() }) }), handle);
function handle(req, res) { save(req.body); }
"""


def reported(code: str, tmp_path: Path) -> list[str]:
    """The commands that a scan reports, by their first letter."""
    (tmp_path / "app.js").write_text(SAVE + code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    lines = (SAVE + code).splitlines()
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    return sorted({lines[each.place.line - 1].partition('"')[2][0] for each in found})


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param(FASTIFY.format(more='name: { type: "string" }'), ["b", "c", "d"], id="other fields pass"),
        pytest.param(FASTIFY.format(more='name: { enum: ["x"] }'), ["c", "d"], id="constants"),
        pytest.param(TRPC, ["b"], id="a closed schema names all fields, and those of objects"),
        pytest.param(CELEBRATE, ["b", "c"], id="an object that says nothing of its fields"),
    ],
)
def test_fields_of_the_whole_are_what_the_schema_declares(code: str, expected: list[str], tmp_path: Path) -> None:
    assert reported(code, tmp_path) == expected


def test_a_field_is_what_all_routes_of_the_handler_declare(tmp_path: Path) -> None:
    code = CELEBRATE.replace("save(req.body)", "res.end()") + TWO_ROUTES
    assert "a" in reported(code, tmp_path)


def test_without_a_schema_all_fields_hold_anything(tmp_path: Path) -> None:
    code = FASTIFY.format(more="").replace(", { schema: { body } }", "")
    assert reported(code, tmp_path) == ["a", "b", "c", "d"]
