"""What callers pass in place of parameters decides whether the conditions of a sink hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy.limits.labels import MAX_PASSED_DEPTH
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import os
from flask import request

def run0(program, *words):
    os.execlp(program, *words)

HELPERS

def view():
    CALL
"""


def at_the_call(helpers: int, call: str, folder: Path) -> list[bool]:
    """For each finding, whether its sink is the call of the last of ``helpers`` helpers."""
    functions = "".join(
        f"def run{each + 1}(program, *words):\n    run{each}(program, *words)\n" for each in range(helpers)
    )
    code = PROGRAM.replace("HELPERS", functions).replace("CALL", call.replace("run", f"run{helpers}"))
    (folder / "views.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    found = scanner.scan(options, load_rules(["python"], ())).findings
    assert all(each.vulnerability == "command-injection" for each in found)
    return [code.splitlines()[each.place.line - 1].strip().startswith(f"run{helpers}(") for each in found]


@pytest.mark.parametrize("helpers", range(MAX_PASSED_DEPTH))
def test_the_sink_is_the_argument_of_the_call_that_passes_the_constants(helpers: int, tmp_path: Path) -> None:
    assert at_the_call(helpers, 'run("sh", "sh", "-c", request.args["x"])', tmp_path) == [True]


@pytest.mark.parametrize(
    ("helpers", "call"),
    [
        (0, 'run("sh", "sh", "list.sh", request.args["x"])'),
        (0, 'run("sh", "sh", "-c", "list"); run("sh", "sh", "list.sh", request.args["x"])'),
        (MAX_PASSED_DEPTH, 'run("sh", "sh", "-c", request.args["x"])'),
    ],
)
def test_other_constants_and_longer_ways_make_no_sink(helpers: int, call: str, tmp_path: Path) -> None:
    assert at_the_call(helpers, call, tmp_path) == []


@pytest.mark.parametrize(
    ("test", "first", "sinks"),
    [("== 'abc'", "abc", 1), ("prefix 'ab'", "abc", 1), ("contains 'b'", "abc", 1), ("prefix 'ab'", "xab", 0)],
)
def test_each_condition_that_a_constant_can_meet_is_asked_of_what_callers_pass(
    test: str, first: str, sinks: int, tmp_path: Path
) -> None:
    rules = tmp_path / "acme.toml"
    rules.write_text(
        f'library = "acme"\nlanguage = "python"\n[sink]\ncommand-injection = ["acme.run(1) when 0 {test}"]\n'
        "[[example]]\nname = 'run'\ncode = '''\nimport acme\nfrom flask import request\n"
        "acme.run('abc', request.args['x'])  # expect: command-injection\n'''\n",
        encoding="utf-8",
    )
    code = "import acme\nfrom flask import request\ndef f(k, x):\n    acme.run(k, x)\ndef view():\n"
    (tmp_path / "views.py").write_text(f"{code}    f('{first}', request.args['x'])\n", encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    assert len(scanner.scan(options, load_rules(["python"], [rules])).findings) == sinks
