"""``pyrograph fix`` and ``scan --fixes``: from files to edits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pyrograph.cli import run
from pyrograph.cli.supervise import Attempt
from pyrograph.scanner.fix import apply

PYTHON = """\
import os
import sqlite3
import subprocess
from flask import Flask, render_template, request

app = Flask(__name__)


@app.route("/users", methods=["POST"])
def users():
    name = request.args["name"]
    sort = request.args["sort"]
    db = sqlite3.connect("x")
    db.execute(f"select * from t where name = '{name}'")
    db.execute(f"select * from t order by {sort}")
    subprocess.run(f"convert images/{name} -resize 100", shell=True)
    file = request.files["f"]
    file.save(os.path.join("uploads", file.filename))
    return render_template("a.html", name=name)
"""
FIXED = (
    PYTHON.replace("f\"select * from t where name = '{name}'\"", '"select * from t where name = ?", (name,)')
    .replace('f"convert images/{name} -resize 100", shell=True', '["convert", f"images/{name}", "-resize", "100"]')
    .replace("file.filename)", "secure_filename(file.filename))")
    .replace("request\n\napp", "request\nfrom werkzeug.utils import secure_filename\n\napp")
)


def program(folder: Path) -> None:
    (folder / "templates").mkdir()
    (folder / "app.py").write_bytes(PYTHON.replace("\n", "\r\n").encode())
    (folder / "templates" / "a.html").write_text("<p>{{ name|safe }}</p>\n", encoding="utf-8")


def command(*arguments: str) -> int:
    return run([*arguments, "--isolated", "--no-cache", "--jobs", "1"], Attempt())


def test_what_a_scan_verifies_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """One finding has no fix: the order of results is no value."""
    program(tmp_path)
    monkeypatch.chdir(tmp_path)
    assert command("fix", "--confidence", "medium") == 1
    assert (tmp_path / "app.py").read_bytes() == FIXED.replace("\n", "\r\n").encode()
    assert (tmp_path / "templates" / "a.html").read_text(encoding="utf-8") == "<p>{{ name }}</p>\n"
    said = capsys.readouterr()
    assert said.out == "fixed app.py\nfixed templates/a.html\n"
    assert "4 findings fixed in 2 files; 1 finding without a verified fix" in said.err


def test_reports_hold_the_fixes_that_a_diff_shows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "app.py").write_text(PYTHON.replace('"a.html"', '"b.html"'), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    command("scan", "--fixes", "-f", "json:a.json", "-f", "sarif:a.sarif", "--select", "sql-injection")
    found = json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["findings"]
    assert [each["line"] for each in found if "fix" in each] == [14]
    place = {"path": "app.py", "line": 14, "column": 16, "end_line": 14, "end_column": 17}
    assert found[0]["fix"]["title"] == "pass the values as parameters of the statement"
    assert {**place, "text": ""} in found[0]["fix"]["replacements"]
    results = json.loads((tmp_path / "a.sarif").read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [len(each.get("fixes", ())) for each in results] == [1, 0]
    assert results[0]["fixes"][0]["artifactChanges"][0]["replacements"][0]["deletedRegion"]["startLine"] == 14
    capsys.readouterr()
    assert command("fix", "--diff", "--select", "sql-injection") == 1
    assert "-    db.execute(f\"select * from t where name = '{name}'\")\n" in capsys.readouterr().out
    assert (tmp_path / "app.py").read_text(encoding="utf-8") == PYTHON.replace('"a.html"', '"b.html"')


def test_a_file_that_changed_since_the_scan_is_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "app.py"
    path.write_bytes("# coding: latin-1\nname = 'ü'\n".encode("latin-1"))
    from pyrograph.model.edit import Edit
    from pyrograph.scanner.fix.propose import Proposal
    from pyrograph.scanner.fix.verify import Verified
    from pyrograph.scanner.inputs import read_inputs
    from pyrograph.scanner.options import ScanOptions

    inputs = read_inputs(ScanOptions((tmp_path,), tmp_path.resolve(), jobs=1))
    text = inputs.texts[0][0] or b""
    at = text.index(b"'")
    proposal = Proposal({}, {"app.py": [Edit(at, at, b"str(")]}, {"app.py": text}, Verified())
    apply.write(proposal, "app.py", inputs)
    assert path.read_bytes() == "# coding: latin-1\nname = str('ü'\n".encode("latin-1")
    with pytest.raises(apply.NotWritten, match="changed since it was scanned"):
        apply.write(proposal, "app.py", inputs)
    assert list(tmp_path.iterdir()) == [path]
    path.write_bytes("# coding: latin-1\nname = 'ü'\n".encode("latin-1"))
    proposal.edits["app.py"] = [Edit(at, at, "€".encode())]
    with pytest.raises(apply.NotWritten, match="encoding"):
        apply.write(proposal, "app.py", inputs)
