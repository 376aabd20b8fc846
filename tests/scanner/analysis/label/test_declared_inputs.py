"""What a table beside a function declares of the inputs that the function gets."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const {{ exec }} = require("child_process");
const words = require("./words");
const inputs = {{ field: {{ type: "number" }} }};
module.exports = {{
  {inputs}
  fn: async function (inputs) {{ exec("list " + inputs.field); }},
}};
"""


@pytest.mark.parametrize(
    ("inputs", "is_clean"),
    [
        ('inputs: { field: { type: "string", regex: /^[0-9]+$/ } },', True),
        ('inputs: { field: { type: "string", regex: /[0-9]+/ } },', False),
        ('inputs: { field: { type: "number" }, other: { type: "string" } },', True),
        ('inputs: { field: { isIn: ["a", "b"] } },', True),
        ('inputs: { field: { type: "string" } },', False),
        ('inputs: { other: { type: "number" } },', True),
        ("inputs,", True),
        ("inputs: words,", False),
        ('inputs: { ...words, field: { type: "number" } },', False),
        ("", False),
    ],
)
def test_the_table_decides(inputs: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "api" / "controllers").mkdir(parents=True)
    (tmp_path / "api" / "controllers" / "list.js").write_text(CODE.format(inputs=inputs), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})
