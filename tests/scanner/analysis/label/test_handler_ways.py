"""On which ways a handler goes on: through a store, a side of a condition, or past them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import express from "express";
import {{ z }} from "zod";
import {{ exec }} from "child_process";
const app = express();
const valid = (schema) => (req, res, next) => {{ {body} }};
app.post("/a", valid(z.object({{ field: z.number() }})), (req, res) => exec("run " + req.body.field));
"""
STORE = "req.body = schema.parse(req.body);"


@pytest.mark.parametrize(
    ("body", "is_clean"),
    [
        (f"{STORE} next();", True),
        (f"next(); {STORE}", False),
        (f"if (req.query.x) {{ {STORE} }} next();", False),
        (f"if (req.query.x) return next(); {STORE} next();", False),
        (f"if (req.query.x) return res.end(); {STORE} next();", True),
        (f"if (schema) {{ {STORE} }} next();", True),
        (f"try {{ {STORE} next(); }} catch (error) {{ next(error); }}", True),
        (f"try {{ {STORE} }} catch (error) {{ return res.end(); }} next();", True),
        (f"try {{ {STORE} }} catch (error) {{ log(error); }} next();", False),
        (f"try {{ {STORE} next(); }} catch (error) {{ next(); }}", False),
        (STORE, False),  # nobody sees where it goes on
    ],
)
def test_every_way_on_leads_through_the_store(body: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.ts").write_text(CODE.format(body=body), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="medium")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/command-injection"})
