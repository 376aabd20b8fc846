"""Functions that are registered by the name of a method alone are doubted, unless the call or the object says more."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

JAVASCRIPT = """
const net = require("net"), { exec } = require("child_process")

exports.watch = (%s) => {
  %s.on("data", (text) => exec("echo " + text))
}
"""
PYTHON = """
import os, socketio

def watch(%s):
    @%s.on("data")
    def data(sid, text):
        os.system("echo " + text)
"""


@pytest.mark.parametrize(
    ("file", "program", "name", "doubt"),
    [
        ("watch.js", JAVASCRIPT, "bus", doubts.GUESSED),
        ("watch.js", JAVASCRIPT, "clientSocket", ""),
        ("watch.py", PYTHON, "bus", doubts.GUESSED),
        ("watch.py", PYTHON, "socketio_server", ""),
    ],
)
def test_only_the_name_of_the_object_says_what_a_method_registers(
    file: str, program: str, name: str, doubt: str, tmp_path: Path
) -> None:
    (tmp_path / file).write_text(program % (name, name), encoding="utf-8")
    root = tmp_path.resolve()
    options = ScanOptions(paths=(root,), root=root, confidence="medium", jobs=1, device="cpu")
    found = [each for each in scanner.scan(options, load_rules()).findings if each.vulnerability == "command-injection"]
    assert [each.doubt.name if each.doubt else "" for each in found] == [doubt]
