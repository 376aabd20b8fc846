"""A route that stores what clients send lets the server name the files."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

CODE = """
const fs = require("fs");
const Hapi = require("@hapi/hapi");
const server = Hapi.server({{ port: 80 }});
const contents = (request) => fs.readFileSync({read});
const handler = (request, h) => contents(request);
server.route({{ method: "POST", path: "/a", handler, options: {{ payload: {{ output: "file", parse: true }} }} }});
{more}
"""
OTHER = 'server.route({{ method: "POST", path: "/b", handler, options: {{ payload: {{ output: {} }} }} }});'


@pytest.mark.parametrize(
    ("read", "more", "is_clean"),
    [
        ("request.payload.file.path", "", True),
        ("request.payload.files[0].path", "", True),
        ("request.payload.file.path", OTHER.format('"file"'), True),
        ("request.payload.path", "", False),  # a field of the form
        ("request.payload.file.filename", "", False),
        ("request.query.file.path", "", False),
        ("request.payload.file.path", OTHER.format('"data"'), False),
        ("request.payload.file.path", OTHER.format("process.env.OUTPUT"), False),
        ("request.payload.file.path", 'server.route({ method: "PUT", path: "/c", handler });', False),
        (
            "request.payload.file.path",
            'server.route({ method: "PUT", path: "/d", handler: (request, h) => handler(request, h) });',
            False,
        ),
        (
            "request.payload.file.path",
            'server.route({ method: "PUT", path: "/e", handler: contents });',
            False,
        ),
        (
            "request.payload.file.path",
            'server.route({ method: "PUT", path: "/f", options: { payload: { output: "file" } }, handler: contents });',
            True,
        ),
        ("request.payload.file.path", "exports.read = (query) => contents({ payload: query });", False),
        ("request.payload.file.path", 'server.ext("onPreHandler", (request, h) => contents(request));', False),
    ],
)
def test_the_server_names_what_it_stores(read: str, more: str, is_clean: bool, tmp_path: Path) -> None:
    (tmp_path / "app.js").write_text(CODE.format(read=read, more=more), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    found = scanner.scan(options, load_rules(["javascript"], ())).findings
    assert {each.rule_id for each in found} == (set() if is_clean else {"javascript/path-traversal"})


def test_what_a_test_passes_is_from_nobody(tmp_path: Path) -> None:
    code = CODE.format(read="request.payload.file.path", more="module.exports = { contents, handler };")
    (tmp_path / "app.js").write_text(code, encoding="utf-8")
    (tmp_path / "test").mkdir()
    call = 'const { contents } = require("../app");\ncontents({ payload: { file: { path: "a" } } });\n'
    (tmp_path / "test" / "app.test.js").write_text(call, encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu", confidence="low")
    assert not scanner.scan(options, load_rules(["javascript"], ())).findings
