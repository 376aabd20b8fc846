"""What a column of SQLAlchemy keeps went through the method that validates it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
import bleach
from flask import Flask, request
from flask_sqlalchemy import SQLAlchemy
from sqlalchemy.orm import validates

app = Flask(__name__)
db = SQLAlchemy(app)


def clean(text):
    return bleach.clean(text, tags=[], strip=True)


class Comment(db.Model):
    id = db.Column(db.Integer, primary_key=True)
    title = db.Column(db.String())
    text = db.Column(db.String())
    name = db.Column(db.String())

    @validates("title")
    def clean_title(self, key, value):
        assert len(value) < 256
        return clean(value.strip())

    @validates("name")
    def check_name(self, key, value):
        if len(value) > 5:
            raise ValueError()
        return value


@app.post("/new")
def new():
    {kept}
    db.session.commit()
    return "ok"


@app.get("/<int:at>")
def show(at):
    return Comment.query.filter(Comment.id == at).first().{read}
"""
SPREAD = "db.session.add(Comment(**request.json))"
BESIDE = "db.session.add(Comment(**request.json, id=5))"
NAMED = "db.session.add(Comment(title=request.json['a'], text=request.json['b'], name=request.json['c']))"
STORED = "c = Comment.query.get(1); c.title = c.text = c.name = request.json['a']"
UPDATED = "Comment.query.filter(Comment.id == 1).update({'title': request.json['a'], 'text': request.json['b']})"


@pytest.mark.parametrize(
    ("kept", "read", "found"),
    [
        (SPREAD, "title", False),
        (SPREAD, "text", True),
        (SPREAD, "name", True),
        (BESIDE, "title", False),
        (BESIDE, "text", True),
        (NAMED, "title", False),
        (NAMED, "text", True),
        (NAMED, "name", True),
        (STORED, "title", False),
        (STORED, "text", True),
        (STORED, "name", True),
        (UPDATED, "title", True),  # a statement calls no method of the class
        (UPDATED, "text", True),
    ],
)
def test_a_column_holds_what_its_method_returns(kept: str, read: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(CODE.replace("{kept}", kept).replace("{read}", read), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], ()))
    assert bool([each for each in report.findings if each.rule_id == "python/xss"]) is found


def test_a_method_of_a_base_class_converts_too(tmp_path: Path) -> None:
    derived = "class Comment(Base):\n    kind = db.Column(db.String())\n\n\n"
    code = CODE.replace("{kept}", SPREAD).replace("{read}", "title")
    code = code.replace("class Comment(db.Model)", "class Base(db.Model)").replace("@app.post", derived + "@app.post")
    (tmp_path / "app.py").write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], ()))
    assert [each.rule_id for each in report.findings if each.rule_id == "python/xss"] == []
