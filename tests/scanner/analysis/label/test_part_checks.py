"""A part of a text that is kept where it differs from a constant is as clean as a text without such a part."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import RULES, labelled

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.part_checks import lists_with
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
from flask import request

def view():
    path = request.args["path"]
    CHECK
    os.remove("/srv/" + "/".join(kept))
"""
LOOP = "kept = []\n    for part in path.split('/'):\n        {}\n        kept.append(part)"


@pytest.mark.parametrize(
    ("check", "is_clean"),
    [
        ("kept = [part for part in path.split('/') if part != '..']", True),
        ("kept = [part for part in path.split('/') if part not in ('.', '..')]", True),
        ("kept = [part for part in path.split('/') if part != '.']", False),
        ("kept = [part for part in path.split(',') if part != '..']", False),
        (LOOP.format("if part == '..': continue"), True),
        (LOOP.format("if part == '.': continue"), False),
        (LOOP.format("print(part)"), False),
    ],
)
def test_parts_that_are_kept(check: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(CODE.replace("CHECK", check), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(None, ())).findings
    assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})


@pytest.mark.parametrize(
    ("call", "lists"),
    [
        ("parts.forEach(keep);", ["parts"]),
        ("parts.forEach(keep); keep(other);", []),
        ("keep(other);", []),
        ("parts.forEach((each) => keep(each));", []),
    ],
)
def test_the_parameter_of_a_function_that_is_given_each_part(call: str, lists: list[str]) -> None:
    rules = RULES + '[propagator]\nflow = ["globalThis.Array#forEach: call 0(this[])"]\n'
    rules += '[type]\nbuiltin = ["globalThis.Array"]\n'
    code = f"function f(parts, other) {{\n  const keep = (part) => use(part);\n  {call}\n  use(parts.length);\n}}\n"
    found = labelled(code, rules, "javascript", everywhere=True)
    (part,) = [value for value in found.program.tables["parameters"]["value"].tolist() if found.text(value) == "part"]
    assert found.texts(set(lists_with(found.facts, found.facts.rep[part]))) == lists
    assert lists_with(found.facts, found.facts.rep[found.value("parts.length")]) == []
