"""A message that a function of another language handles brings its data, by the name of the event and the position."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

SERVER = """
from flask import Flask, request
from flask_socketio import SocketIO

app = Flask(__name__)
sockets = SocketIO(app)


@app.route("/", methods=["POST"])
def index():
    sockets.emit("saved", {})
    return ""
"""
PAGE = """
import io from "socket.io-client";
const socket = io();
socket.on("saved", {});
"""
TEXT = '{"text": request.form["text"], "kind": "note"}'


def found(folder: Path, sent: str, handler: str) -> list[str]:
    (folder / "app.py").write_text(SERVER.replace("{}", sent))
    (folder / "page.js").write_text(PAGE.replace("{}", handler))
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", confidence="high")
    report = scanner.scan(options, load_rules(["python", "javascript"], cache_folder=folder / "cache"))
    return [each.rule_id for each in report.findings]


@pytest.mark.parametrize(
    ("sent", "handler", "is_found"),
    [
        (TEXT, "(data) => { document.body.innerHTML = data.text; }", True),
        (TEXT, "(data) => { document.body.innerHTML = data.kind; }", False),
        (TEXT, "(data, other) => { document.body.innerHTML = other; }", False),
        ('request.form["text"]', "function (text) { document.body.innerHTML = text; }", True),
        ('request.form["text"]', "function (text) { document.body.textContent = text; }", False),
        ('"fixed"', "(text) => { document.body.innerHTML = text; }", False),
    ],
)
def test_data_goes_to_the_handler(tmp_path: Path, sent: str, handler: str, is_found: bool) -> None:
    assert found(tmp_path, sent, handler) == (["javascript/dom-xss"] if is_found else [])
