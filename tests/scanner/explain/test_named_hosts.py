"""A check that refuses hosts by name is none of where a request goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy import doubts
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain import named_hosts
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import ipaddress
import socket
from urllib.parse import urlparse

import requests
from flask import Flask, request
from elsewhere import is_valid_host

app = Flask(__name__)


def assert_public(url):
    host = urlparse(url).hostname
    if REFUSED:
        raise ValueError("refused")


def is_internal(host):
    return host == "localhost" or host.startswith("192.168.")


@app.route("/")
def view():
    url = request.args["url"]
    assert_public(url)
    return requests.get(url).text
"""


def found(folder: Path, refused: str) -> list[str]:
    (folder / "app.py").write_text(PROGRAM.replace("REFUSED", refused), encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.doubt.name if each.doubt else "" for each in report.findings if each.vulnerability == "ssrf"]


@pytest.mark.parametrize("refused", ["host == 'localhost'", "is_internal(host)"])
def test_what_is_refused_by_name_alone_is_no_check(tmp_path: Path, refused: str) -> None:
    assert found(tmp_path, refused) == [""]


@pytest.mark.parametrize(
    "refused",
    [
        "is_internal(socket.gethostbyname(host))",
        "host == 'localhost' or not is_valid_host(host)",
        "host == 'localhost' or host not in app.config['allowed_hosts']",
        "host not in ('a.example', 'b.example')",
        "host == 'localhost' or ipaddress.ip_address(host).is_private",
    ],
)
def test_other_checks_stay_doubts(tmp_path: Path, refused: str) -> None:
    assert found(tmp_path, refused) in ([doubts.CHECK], [])


def test_the_functions_that_are_read_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(named_hosts, "MAX_NAMED_HOSTS", 1)
    assert found(tmp_path, "is_internal(host)") == [doubts.CHECK]
