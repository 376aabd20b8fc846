"""A check of what a loop gets says nothing of what the program reads from a table by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.analysis.label.programs import labelled
from tests.scanner.analysis.label.test_subset_checks import is_found

from pyrograph.scanner.analysis.label.table_uses import is_read_by_name


@pytest.mark.parametrize(
    "check",
    ["if set(data) - ALLOWED:\n        return", "for key in data:\n        if key not in ALLOWED:\n            return"],
)
@pytest.mark.parametrize("used", ['data["name"]', '", ".join(data.values())', '"{name}".format(**data)'])
def test_a_check_of_the_keys_says_nothing_of_the_values(check: str, used: str, tmp_path: Path) -> None:
    assert is_found("python", check, used, tmp_path)


def test_a_function_that_gets_the_collection_may_use_it_as_a_table(tmp_path: Path) -> None:
    check = """def named(table):
        return table["name"]
    for key in data:
        if key not in ALLOWED:
            return"""
    assert is_found("python", check, "named(data)", tmp_path)
    assert not is_found("python", check.replace("data", "columns"), '", ".join(columns)', tmp_path)


def test_a_key_of_the_loop_reads_a_value(tmp_path: Path) -> None:
    check = "for key in data:\n        if key not in ALLOWED:\n            return"
    assert is_found("python", check, "[data[key] for key in data][0]", tmp_path)
    assert not is_found("python", check, "[key for key in data][0]", tmp_path)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("web.show(**table)", True),
        ("web.show(table, **other)", False),
        ("web.show(table)", False),
        ("table['name']", True),
        ("table.keys()", False),
    ],
)
def test_what_reads_a_table_by_name(code: str, expected: bool) -> None:
    found = labelled(f"import web\ndef f(table, other):\n    {code}\n", everywhere=True)
    (table,) = [value for value in found.program.tables["parameters"]["value"].tolist() if found.text(value) == "table"]
    assert is_read_by_name(found.facts, found.facts.rep[table]) is expected
