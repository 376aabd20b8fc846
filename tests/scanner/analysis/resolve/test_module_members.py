"""A module that is passed to a library is an object with what it exports: ``server.register(plugin)``."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PLUGIN = """
import fs from "node:fs";

export const name = "files";

export async function register(server) {{
  server.route([
    {{ method: "GET", path: "/", handler: (request, h) => "" }},
    {{ method: "PUT", path: "/a", options: {{ payload: {{ output: "{output}", multipart: true }} }}, handler: read }},
  ]);
}}

async function read(request, h) {{
  return fs.createReadStream(request.payload.file.path);
}}
"""
SERVER = """
import Hapi from "@hapi/hapi";
import * as files from "./files.js";

const plugins = [{plugin}];
const server = Hapi.server({{ port: 80 }});
server.register(plugins);
"""


@pytest.mark.parametrize("plugin", ["files", "{ plugin: files }", "files, files"])
@pytest.mark.parametrize(("output", "findings"), [("file", 0), ("data", 1)])
def test_a_module_is_a_plugin(plugin: str, output: str, findings: int, tmp_path: Path) -> None:
    (tmp_path / "files.js").write_text(PLUGIN.format(output=output), encoding="utf-8")
    (tmp_path / "server.js").write_text(SERVER.format(plugin=plugin), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    rules = [found.rule_id for found in scanner.scan(options, load_rules(None, ())).findings]
    assert rules == ["javascript/path-traversal"] * findings
