"""Names in an archive are doubted where no request leads to the code that reads it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PYTHON = """
import os, sys, zipfile
from flask import Flask, request

app = Flask(__name__)

def unpack(path):
    for name in zipfile.ZipFile(path).namelist():
        open(os.path.join("/srv/data", name), "w")

@app.route("/theme", methods=["POST"])
def theme():
    request.files["theme"].save("/srv/theme.zip")
    %s

if __name__ == "__main__":
    unpack(sys.argv[1])
"""
JAVASCRIPT = """
const AdmZip = require("adm-zip"), fs = require("fs"), app = require("express")()

function unpack(path) {
  for (const entry of new AdmZip(path).getEntries()) fs.writeFileSync("/srv/data/" + entry.entryName, "")
}
app.post("/theme", (req, res) => {
  save(req.body.theme)
  %s
})
if (require.main === module) unpack(process.argv[2])
"""
GO = """
package main

import ("archive/zip"; "net/http"; "os")

func unpack(path string) {
	archive, _ := zip.OpenReader(path)
	for _, file := range archive.File {
		os.Create("/srv/data/" + file.Name)
	}
}
func theme(w http.ResponseWriter, r *http.Request) {
	save(r.FormValue("theme"))
	%s
}
func main() {
	http.HandleFunc("/theme", theme)
	unpack(os.Args[1])
	http.ListenAndServe(":80", nil)
}
"""


@pytest.mark.parametrize(
    ("file", "code"),
    [("app.py", PYTHON), ("app.js", JAVASCRIPT), ("main.go", GO)],
    ids=["python", "javascript", "go"],
)
def test_an_archive_that_no_request_brings_is_doubted(file: str, code: str, tmp_path: Path) -> None:
    found = []
    for called in ('unpack("/srv/theme.zip")', 'print("later")' if file == "app.py" else ""):
        (tmp_path / file).write_text(code % called, encoding="utf-8")
        options = ScanOptions(paths=(tmp_path,), root=tmp_path, confidence="low", jobs=1, device="cpu")
        report = scanner.scan(options, load_rules())
        found.append([(each.confidence, each.doubt and each.doubt.name) for each in report.findings])
    assert found == [[("high", None)], [("medium", doubts.UNREQUESTED)]]
