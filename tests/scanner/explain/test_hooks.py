"""What a decorator of a group runs before its handlers; a decorator of one handler runs before no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions


def findings_of(folder: Path, text: str) -> int:
    """How many findings a scan of one file has."""
    (folder / "app.py").write_text(text)
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    return len(scanner.scan(options, load_rules(["python"], cache_folder=folder / "cache")).findings)


CODE = """\
import os

from flask import Flask, abort, request, session

app = Flask(__name__)
limiter = make_limiter(app)


%s
def report(*given):
    if not session["user"].is_admin:
        abort(403)


@app.route("/run")
@limiter.limit("6/minute")
def run():
    os.system(request.args["c"])
    return ""
"""


@pytest.mark.parametrize(
    ("decorators", "found"),
    [
        ("@limiter.before_request", 0),
        ("@app.before_request", 0),
        ('@app.route("/report")\n@limiter.exempt', 1),
        ('@limiter.exempt\n@app.route("/report")', 1),
        ('@app.route("/report")\n@logged\n@limiter.exempt', 1),
        ("@limiter.exempt\n@app.post('/report')\n@logged", 1),
    ],
)
def test_a_decorator_of_another_handler_checks_nothing(decorators: str, found: int, tmp_path: Path) -> None:
    assert findings_of(tmp_path, CODE % decorators) == found


STARTED = """\
import os
from contextlib import asynccontextmanager

from fastapi import Depends, FastAPI, HTTPException, Request


@asynccontextmanager
async def prepared(app):
    user = await first_user()
    if not user.is_admin:
        raise RuntimeError("no administrator")
    yield


async def prepare():
    user = await first_user()
    if not user.is_admin:
        raise RuntimeError("no administrator")


def check(user=Depends(current)):
    if not user.is_admin:
        raise HTTPException(403)


app = FastAPI(%s)


@app.get("/run")
def run(c: str):
    os.system(c)
"""


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("", 1),
        ("lifespan=prepared", 1),
        ("on_startup=[prepare]", 1),
        ("exception_handlers={500: prepare}", 1),
        ("dependencies=[Depends(check)]", 0),
        ("lifespan=prepared, dependencies=[Depends(check)]", 0),
    ],
)
def test_code_of_the_start_checks_no_request(given: str, found: int, tmp_path: Path) -> None:
    assert findings_of(tmp_path, STARTED % given) == found
