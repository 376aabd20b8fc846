"""A forked process ends with the result of its work, and nothing of the parent runs in it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from pyrograph.scanner import background
from pyrograph.scanner.forked import fork

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system cannot fork")


def fails() -> int:
    raise ValueError


def exits() -> int:
    sys.exit(5)


@pytest.mark.parametrize(("work", "code"), [(lambda: 0, 0), (lambda: 7, 7), (lambda: 256, 0), (fails, 1), (exits, 1)])
def test_the_result_is_the_exit_code_and_an_exception_is_one(work: Callable[[], int], code: int) -> None:
    pid = fork(work)
    _, status = os.waitpid(pid, 0)
    assert os.waitstatus_to_exitcode(status) == code


def test_buffered_output_is_written_once_and_no_handler_of_the_parent_runs() -> None:
    script = (
        "import atexit, os\n"
        "from pyrograph.scanner.forked import fork\n"
        "print('before')\n"
        "atexit.register(print, 'at exit')\n"
        "try:\n"
        "    os.waitpid(fork(lambda: 0), 0)\n"
        "finally:\n"
        "    print('finally')\n"
    )
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n") == ["before", "finally", "at exit", ""]


def test_what_goes_on_in_the_background_ends_before_a_fork_and_before_a_child() -> None:
    reading, writing = os.pipe()

    def slowly(text: bytes) -> None:
        time.sleep(0.1)
        os.write(writing, text)

    def work() -> int:
        background.begin(lambda: slowly(b"child"))
        return 0

    background.begin(lambda: slowly(b"parent "))
    _, status = os.waitpid(fork(work), 0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        assert pipe.read() == b"parent child"
    assert os.waitstatus_to_exitcode(status) == 0


IMPORTS = """\
import os, sys
from pathlib import Path
from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.forked import fork, import_stages
from pyrograph.scanner.options import ScanOptions

rules = load_rules(None, ())
import_stages()
before = set(sys.modules)
folder = Path(sys.argv[1])

def scan():
    report = scanner.scan(ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu"), rules)
    late = sorted(set(sys.modules) - before)
    print(len(report.findings), *(name for name in late if name.startswith("pyrograph.scanner") or "syntax" in name))
    sys.stdout.flush()
    return 0

os.waitpid(fork(scan), 0)
"""
FLOWS = {
    "app.py": "import os\nfrom flask import request\nos.system(request.args['q'])\n",
    "app.js": "require('express')().get('/', (q, r) => { require('child_process').exec(q.query.a) })\n",
    "app.go": 'package a\nimport ("net/http"; "os/exec")\n'
    'func F(w http.ResponseWriter, r *http.Request) { exec.Command(r.FormValue("a")).Run() }\n',
    "app.ts": "const a: number = 1\n",
}


def test_stages_and_front_ends_are_imported_before_the_fork(tmp_path: Path) -> None:
    for name, text in FLOWS.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = [sys.executable, "-c", IMPORTS, str(tmp_path.resolve())]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    assert ran.stdout == "3\n"
