"""What functions of the program in a schema say of its fields; ``fixtures/flows/javascript/guards.md`` has the flow."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const { exec } = require("child_process");
const { z } = require("zod");
const app = require("express")();
const schema = z.object({
  checked: z.string().refine((x) => x === process.env.NAME),
  listed: z.string().refine((x) => ["a", "b"].includes(x)),
  long: z.string().refine((x) => x.length > 3),
});
app.get("/", (req, res) => {
  const query = schema.parse(req.query);
  exec(query.checked);
  exec(query.listed);
  exec(query.long);
});
"""


def test_a_check_that_is_not_understood_leaves_doubt_and_one_of_the_length_nothing(tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    findings = scanner.scan(options, load_rules(["javascript"], ())).findings
    found = {(each.place.line, each.confidence) for each in findings}
    assert found == {(12, "low"), (14, "high")}
