"""Doubts about an upload are about its name: what it holds is as free as any body."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.explain.programs import doubt_of, findings, rated

from pyrograph.policy import doubts

SERVER = """
const app = require("express")(), fs = require("fs"), path = require("path");
app.use(require("express-fileupload")());
app.post("/sets", (req, res) => fs.readFileSync("/srv/" + {path}));
"""
VIEWS = """
import csv, io, json
from flask import Flask, request

app = Flask(__name__)

@app.post("/sets")
def sets():
    return open("/srv/" + {path}).read()
"""


@pytest.mark.parametrize(
    ("read", "doubt"),
    [
        ("req.files.set.name", doubts.RARE_SOURCE),
        ("req.files.data.name", doubts.RARE_SOURCE),
        ("JSON.parse(req.files.set.name).code", doubts.RARE_SOURCE),
        ("JSON.parse(req.files.set.data.toString()).code", ""),
        ("JSON.parse(req.files.name.data).name", ""),
        ("req.file.buffer.toString()", ""),
    ],
)
def test_in_javascript(tmp_path: Path, read: str, doubt: str) -> None:
    files = {"app.js": SERVER.replace("{path}", read)}
    assert rated(tmp_path, files, "path-traversal") == ("medium" if doubt else "high", doubt)


@pytest.mark.parametrize(
    ("read", "doubt"),
    [
        ('request.files["set"].filename', ""),  # Werkzeug hands out the name as it was sent
        ('request.files["data"].filename', ""),
        ('json.load(request.files["set"])["name"]', ""),
        ('json.loads(request.files["set"].read())["code"]', ""),
        ('next(csv.reader(io.StringIO(request.files["set"].stream.read().decode())))[0]', ""),
    ],
)
def test_in_flask(tmp_path: Path, read: str, doubt: str) -> None:
    (finding,) = findings(tmp_path, {"app.py": VIEWS.replace("{path}", read)}, "path-traversal", "python")
    assert doubt_of(finding) == doubt


def test_django_keeps_the_last_part_of_a_name(tmp_path: Path) -> None:
    text = """
from django.http import HttpResponse
from django.urls import path

def sets(request):
    return HttpResponse(open("/srv/" + request.FILES["set"].name).read())

urlpatterns = [path("sets", sets)]
"""
    assert not findings(tmp_path, {"app.py": text}, "path-traversal", "python")
