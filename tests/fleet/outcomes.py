"""Reports and outcomes as tests want them, without a scan."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

from pyrograph.fleet.outcome import Outcome, Task

DAY = 86_400
MONDAY = 20_000 * DAY  # some time


def task(name: str = "shop", revision: str = "", source: str = "", **others: Any) -> Task:
    return Task(name, source or f"/src/{name}", False, revision, 1 << 30, 60, **others)


def finding(number: int, **others: Any) -> dict[str, Any]:
    """A finding of a JSON report: what the store reads of it."""
    return {
        "rule": "python/sql-injection",
        "severity": "high",
        "confidence": "high",
        "message": f"message {number}",
        "path": f"src/{number}.py",
        "line": number,
        "column": 1,
        "fingerprint": f"{number:032x}",
        "likeness": f"{number:032x}",
        **others,
    }


def report(*findings: dict[str, Any], suppressed: Any = (), problems: Any = (), files: int = 1) -> bytes:
    document = {
        "complete": not any(each["incomplete"] for each in problems),
        "findings": findings,
        "suppressed": suppressed,
        "problems": problems,
        "statistics": {"files": files, "lines": 100},
    }
    return gzip.compress(json.dumps(document).encode(), mtime=0)


def done(*findings: dict[str, Any], owners: dict[str, str] | None = None, **others: Any) -> Outcome:
    return Outcome(
        "done",
        commit="c0ffee",
        version="0.1.0",
        findings=len(findings),
        json=report(*findings, **others),
        html=gzip.compress(b"<!doctype html><p>page</p>", mtime=0),
        owners=owners or {},
    )


VULNERABLE = """\
import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def find():
    return str(sqlite3.connect("a").execute("select * from t where n = '" + request.args["n"] + "'").fetchall())
"""


def write_program(folder: Path) -> Path:
    folder.mkdir(parents=True)
    (folder / "app.py").write_text(VULNERABLE, encoding="utf-8")
    return folder
