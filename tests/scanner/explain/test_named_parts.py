"""The name of a part of a request that a call takes out of it, in the function that reads the request and in others."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

HANDED_ON = """
import requests
from flask import Flask, request

app = Flask(__name__)

def one(options):
    found = {"address": options["address"], "name": "one"}
    return {"options": {**found, "two": 2}}

def two(options):
    found = one({"address": options["address"], "name": "two"})
    return {"options": {**found["options"], "three": 3}}

def ask(options):
    found = two({"address": options["address"]})
    return requests.get(found["options"]["address"]).text

def chosen(data):
    return ask({"address": data.get(PART, ""), "name": "chosen"})

@app.post("/ask")
def asked():
    return chosen(request.get_json())

@app.post("/later")
def later():
    data = request.get_json()

    def run():
        return ask({"address": data.get(PART, "")})

    return run()
"""

CAPTURED = """
import { useSearchParams } from "next/navigation";

export function Login() {
  const parameters = useSearchParams();
  const done = () => {
    window.location.href = PART;
  };
  return <button onClick={done} />;
}
"""


def doubts(file: Path, code: str, language: str) -> list[str]:
    file.write_text(code, encoding="utf-8")
    options = ScanOptions(paths=(file.parent,), root=file.parent, jobs=1, device="cpu", confidence="low")
    report = scanner.scan(options, load_rules([language], ()))
    return [found.doubt.name if found.doubt else "" for found in report.findings]


@pytest.mark.parametrize(("part", "expected"), [('"server_url"', ""), ('"title"', "long"), ("data['key']", "long")])
def test_a_part_is_named_where_a_function_takes_it_out_of_what_it_is_given(
    part: str, expected: str, tmp_path: Path
) -> None:
    assert doubts(tmp_path / "app.py", HANDED_ON.replace("PART", part), "python") == [expected]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ('parameters.get("callbackUrl")', ""),
        ("parameters.get(window.name)", "seldom-source"),
        ("parameters.toString()", "seldom-source"),
    ],
)
def test_a_part_is_named_where_a_closure_takes_it_out_of_what_it_captures(
    part: str, expected: str, tmp_path: Path
) -> None:
    found = doubts(tmp_path / "login.tsx", CAPTURED.replace("PART", part), "javascript")
    assert set(found) == {expected}
