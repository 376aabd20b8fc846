"""Tests of membership, and who may have filled the collection."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.commands import confidence
from tests.scanner.analysis.label.guarded import clean_sides
from tests.scanner.analysis.label.programs import labelled

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.analysis.label.member_checks import is_constant_element
from pyrograph.scanner.options import ScanOptions


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("x in NAMES", (True, False)),
        ("x not in NAMES", (False, True)),
        ("x in y", (False, False)),
        ("x in 'abc'", (False, False)),  # any part of the text is in it
    ],
)
def test_a_member_of_a_constant_collection_is_clean(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "in") == clean


@pytest.mark.parametrize(
    ("test", "clean"),
    [
        ("TABLE[x]", (True, False)),
        ("TABLE[x] === undefined", (False, True)),
        ("web.names[x]", (False, False)),
    ],
)
def test_a_key_under_which_a_constant_table_has_an_element_is_clean(test: str, clean: tuple[bool, bool]) -> None:
    assert clean_sides(test, "in", language="javascript") == clean


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("if x not in NAMES: return", ""),
        ("if x in NAMES: return", "high"),
        ("if x.strip() not in NAMES: return", ""),
        ("row = {'a': 1}.get(x)\nif not row: return", ""),
        ("row = {'a': 1}.get(x)\nif row: return", "high"),
        ("row = request.args.get(x)\nif not row: return", "high"),  # whoever sends the key sends the row
    ],
)
def test_a_command_is_clean_where_the_program_holds_it(code: str, expected: str, tmp_path: Path) -> None:
    assert confidence(code, tmp_path) == expected


def test_each_element_of_a_constant_collection_is_constant() -> None:
    code = "NAMES = ['a', 'b']\ndef f(some, i):\n    for each in NAMES:\n        use(each)\n"
    code += "    for other in some:\n        use(other)\n    use(NAMES[i])\n    use(some[i])\n"
    found = labelled(code, everywhere=True)
    facts = found.facts
    used = [facts.arg_value[row] for row in range(len(facts.arg_value))]
    assert {found.text(value): is_constant_element(facts, value) for value in used} == {
        "each": True,
        "other": False,
        "NAMES[i]": True,
        "some[i]": False,
    }


def test_a_part_that_is_none_of_some_texts_keeps_nothing_of_them(tmp_path: Path) -> None:
    """``part_checks`` gets the texts of the collection without the mark of a text."""
    code = """
import os
from flask import request

def view():
    kept = [part for part in request.args["path"].split("/") if part not in ({})]
    os.remove("/srv/" + "/".join(kept))
"""
    for texts, is_clean in (("'..',", True), ("'.',", False), ("'.', '..'", True)):
        (tmp_path / "a.py").write_text(code.format(texts), encoding="utf-8")
        options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
        found = scanner.scan(options, load_rules(None, ())).findings
        assert {each.vulnerability for each in found} == (set() if is_clean else {"path-traversal"})
