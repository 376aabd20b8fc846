"""Requests of who has the key that the operator set are the operator's."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import os, subprocess
from flask import Flask, abort, request

app = Flask(__name__)

@app.route("/run")
def run():
    CHECK
    subprocess.run("ls " + request.args["a"], shell=True)

@app.route("/hello")
def hello():
    CHECK
    return "<b>" + request.args["name"]
"""


def found(code: str, root: Path, *parties: str) -> list[str]:
    (root / "app.py").write_text(code, encoding="utf-8")
    root = root.resolve()
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", threat_models=frozenset(parties))
    return sorted(each.vulnerability for each in scanner.scan(options, load_rules(None, ())).findings)


@pytest.mark.parametrize(
    "check",
    [
        'if request.headers["X-Key"] != os.environ["API_KEY"]: abort(401)',
        'if request.args.get("token") != app.config["SERVICE_TOKEN"]: abort(401)',
    ],
)
def test_only_a_browser_is_harmed_behind_a_key(check: str, tmp_path: Path) -> None:
    assert found(CODE.replace("CHECK", check), tmp_path) == ["xss"]
    assert found(CODE.replace("CHECK", check), tmp_path, "operator") == ["command-injection", "xss"]


@pytest.mark.parametrize(
    "check",
    [
        'if request.headers["X-Key"] != os.environ["API_KEY"]: print("unknown")',
        'if request.headers["X-Key"] != os.environ["API_KEY_HEADER"]: abort(401)',
        'if request.headers["X-Key"] != os.environ["GITLAB_TOKEN"]: abort(401)',
        'if request.headers["X-Key"] != request.args["token"]: abort(401)',
        'if os.environ.get("API_KEY") and request.headers["X-Key"] != os.environ.get("API_KEY"): abort(401)',
        'if request.headers["X-Key"] != os.environ["API_KEY"] and request.args["debug"] != "1": abort(401)',
    ],
)
def test_anybody_passes_these(check: str, tmp_path: Path) -> None:
    assert found(CODE.replace("CHECK", check), tmp_path) == ["command-injection", "xss"]
