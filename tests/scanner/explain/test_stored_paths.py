"""Paths through tables: each request counts alone, and the column that is read names the part of the request."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Finding
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """\
const express = require("express");
const {{ Sequelize, DataTypes }} = require("sequelize");
const sequelize = new Sequelize("sqlite::memory:");
const Note = sequelize.define("Note", {{ text: DataTypes.TEXT }});
const app = express();
app.post("/", async (req, res) => {{ await Note.create({kept}); res.end(); }});
app.get("/:id", async (req, res) => {{
  const note = await Note.findByPk(req.params.id);
  res.send("<p>" + {read} + "</p>");
}});
"""


def findings(folder: Path, code: str) -> list[Finding]:
    """What a scan with default options reports."""
    (folder / "app.js").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    rules = load_rules(["javascript"], cache_folder=folder / "c")
    return [each for each in scanner.scan(options, rules).findings if each.confidence == "high"]


@pytest.mark.parametrize("kept", ["req.body", "{ text: req.body.text }"])
@pytest.mark.parametrize("read", ["note.text", "note.get({ plain: true }).text"])
def test_what_one_request_stores_another_one_shows(tmp_path: Path, kept: str, read: str) -> None:
    [found] = findings(tmp_path, CODE.format(kept=kept, read=read))
    assert found.rule_id == "javascript/xss"
    [trace] = found.traces[:1]
    assert [step.resumed for step in trace.steps].count(True) == 1


def test_a_whole_record_is_no_column(tmp_path: Path) -> None:
    assert not findings(tmp_path, CODE.format(kept="req.body", read="note"))


FOUR_WRITERS = """\
from django.db import models
from django.http import HttpRequest, HttpResponse
class Note(models.Model):
    text = models.CharField(max_length=100)
    owner = models.CharField(max_length=100)
{writers}
def show(request: HttpRequest, pk: int):
    note = Note.objects.get(pk=pk)
    return HttpResponse("<p>" + {read} + "</p>")
"""


def test_many_requests_may_write_the_column_that_is_shown(tmp_path: Path) -> None:
    writers = "".join(
        f"def write{each}(request: HttpRequest):\n    Note.objects.create(text=request.POST['text{each}'])\n"
        for each in range(5)
    )
    assert [each.vulnerability for each in python_findings(tmp_path, FOUR_WRITERS, writers, "note.text")] == ["xss"]
    assert not python_findings(tmp_path, FOUR_WRITERS, writers, "note.owner")
    assert not python_findings(tmp_path, FOUR_WRITERS, writers, "__import__('html').escape(note.text)")


def test_a_helper_that_gets_a_column_is_still_a_helper(tmp_path: Path) -> None:
    writers = "".join(
        f"def write{each}(request: HttpRequest):\n    Note.objects.create(text=request.POST['text{each}'])\n"
        for each in range(5)
    )
    code = FOUR_WRITERS.replace('return HttpResponse("<p>" + {read} + "</p>")', "return answer({read})")
    code += 'def answer(text):\n    return HttpResponse("<p>" + text + "</p>")\n'
    assert not python_findings(tmp_path, code, writers, "note.text")


WIDE_TABLE = """\
import os
from django.db import models
from django.http import HttpRequest
class Note(models.Model):
    text = models.CharField(max_length=100)
    folder = models.CharField(max_length=100)
{columns}
def write(request: HttpRequest):
    Note.objects.create(text=request.POST["text"], {stored})
def show(request: HttpRequest, pk: int):
    for note in Note.objects.filter(pk=pk):
        os.system({read})
"""


@pytest.mark.parametrize(("read", "is_found"), [("note.text", True), ("note.column19", True), ("note.folder", False)])
def test_the_columns_of_a_wide_table_are_kept_apart(tmp_path: Path, read: str, *, is_found: bool) -> None:
    columns = "\n".join(f"    column{each} = models.CharField(max_length=100)" for each in range(20))
    stored = ", ".join(f"column{each}=request.POST['{each}']" for each in range(20))
    code = WIDE_TABLE.replace("{stored}", stored).replace("{columns}", columns)
    assert bool(python_findings(tmp_path, code, "", read)) is is_found


def python_findings(folder: Path, code: str, writers: str, read: str) -> list[Finding]:
    (folder / "views.py").write_text(code.replace("{writers}", writers).replace("{read}", read), encoding="utf-8")
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu")
    rules = load_rules(["python"], cache_folder=folder / "c")
    return [each for each in scanner.scan(options, rules).findings if each.confidence == "high"]
