"""What a group of a constant pattern captures is as harmless as the texts that the group admits."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os, re
from flask import request

def view():
    found = re.{}(r"{}", request.args["q"])
    os.system("list " + found.{})
"""
JAVASCRIPT = """
const {{ exec }} = require("child_process");
require("express")().get("/", (req, res) => {{
  const found = {};
  exec("list " + found[{}]);
}});
"""


@pytest.mark.parametrize(
    ("name", "code", "is_clean"),
    [
        ("a.py", PYTHON.format("match", r"/item/(\\d+)", "group(1)"), True),
        ("a.py", PYTHON.format("match", r"/item/(\\d+)", "group(0)"), True),
        ("a.py", PYTHON.format("match", r"/item/(.+)", "group(1)"), False),
        ("a.py", PYTHON.format("match", r"(?P<key>\\w+)=(?P<value>.*)", "group('key')"), True),
        ("a.py", PYTHON.format("match", r"(?P<key>\\w+)=(?P<value>.*)", "group('value')"), False),
        ("a.py", PYTHON.format("match", r"(\\w+)=(.*)", "groups()[0]"), True),
        ("a.py", PYTHON.format("match", r"(\\w+)=(.*)", "groups()[1]"), False),
        ("a.js", JAVASCRIPT.format(r"/^(\d+):(.*)$/.exec(req.query.q)", 1), True),
        ("a.js", JAVASCRIPT.format(r"/^(\d+):(.*)$/.exec(req.query.q)", 2), False),
        ("a.js", JAVASCRIPT.format(r"req.query.q.match(/^(\d+):(.*)$/)", 1), True),
        ("a.js", JAVASCRIPT.format(r"req.query.q.match(/^(\d+):(.*)$/)", 2), False),
    ],
)
def test_what_a_group_admits_decides(name: str, code: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / name).write_text(code.replace("\\\\", "\\"), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"command-injection"})
