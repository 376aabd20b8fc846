"""Commands of small programs, for tests of guards: how sure a scan is that they are untrusted."""

from __future__ import annotations

from pathlib import Path

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os
import re
from flask import request
NAMES = ["a", "b"]
{}
def view(x=None):
    x = request.args["x"]
"""


def confidence(code: str, folder: Path) -> str:
    """How sure the finding is of ``code``, the body of a view that runs ``x`` as a command at its end; "" without one.

    What stands before a line ``--`` in it are the functions of the module.
    """
    functions, _, body = code.rpartition("--\n")
    lines = "".join(f"    {line}\n" for line in (*body.splitlines(), "os.system(x)"))
    (folder / "views.py").write_text(PYTHON.format(functions) + lines, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="low")
    report = scanner.scan(options, load_rules(["python"], ()))
    found = [each.confidence for each in report.findings if each.rule_id == "python/command-injection"]
    assert len(found) <= 1
    return found[0] if found else ""
