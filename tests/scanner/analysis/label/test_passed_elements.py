"""Elements of lists that a schema has checked keep what is known of their fields where libraries hand them on."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.ir.codes import UNKNOWN_KEY
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.passed_elements import fields_under
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const {{ z }} = require("zod");
const schema = z.object({{ jobs: z.array(z.object({{ id: z.number(), name: z.string() }})) }});
require("express")().post("/", (req, res) => {{
  const {{ jobs }} = schema.parse(req.body);
  {body}
}});
"""
NAME, PLACE = 7, 8  # keys


@pytest.mark.parametrize("field", ["id", "name"])
@pytest.mark.parametrize(
    "body",
    [
        "jobs.forEach((job) => exec('list ' + job.{field}));",
        "for (const job of jobs) exec('list ' + job.{field});",
        "jobs.filter((job) => job.open).forEach((job) => exec('list ' + job.{field}));",
    ],
)
def test_a_number_of_an_element_is_clean_and_a_text_is_not(body: str, field: str, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(body=body.format(field=field)), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == ({"javascript/command-injection"} if field == "name" else set())


def test_below_any_key_are_the_fields_of_each_element() -> None:
    fields = {(UNKNOWN_KEY, NAME): 1, (PLACE, NAME): 2, (PLACE,): 4, (): 8}
    assert fields_under(fields, PLACE) == {(NAME,): 2, (): 4}
    assert fields_under({(UNKNOWN_KEY, NAME): 1, (): 8}, PLACE) == {(NAME,): 1}
