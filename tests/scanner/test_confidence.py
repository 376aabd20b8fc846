"""How sure a finding is: each step that was assumed may be wrong."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
import unknown
from flask import request

def view():
    os.system({})
"""


LONG = (
    CODE
    + """
def first(a):
    return second(a + "")

def second(a):
    return third(a + "")

def third(a):
    return fourth(a + "")

def fourth(a):
    return a + ""
"""
)

LOG = """
import logging
from flask import request

def view():
    logging.info({})
"""


def confidences(code: str, rule: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Sequence[str]:
    """How sure the findings of ``rule`` in ``code`` are; what is of low confidence is reported on request only."""
    monkeypatch.setattr(pipeline, "cache_folder", lambda: folder / "cache")
    root = folder / "code"
    root.mkdir()
    (root / "views.py").write_text(code)
    options = ScanOptions(paths=(root,), root=root, jobs=1, device="cpu", confidence="low")
    report = scanner.scan(options, load_rules(None, ()))
    found = [f.confidence for f in report.findings if f.rule_id == rule]
    at_default = scanner.scan(ScanOptions(paths=(root,), root=root, jobs=1, device="cpu"), load_rules(None, ()))
    assert len(at_default.findings) == sum(confidence != "low" for confidence in found)
    return found


@pytest.mark.parametrize(
    ("command", "confidence"),
    [
        ("request.args['c']", "high"),
        ("unknown.a(request.args['c']) + ''", "medium"),
        ("unknown.a(unknown.b(request.args['c'])) + ''", "medium"),
        ("unknown.a(unknown.b(unknown.c(request.args['c']))) + ''", "low"),
    ],
)
def test_more_than_two_assumed_steps_make_low_confidence(
    command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(CODE.format(command), "python/command-injection", tmp_path, monkeypatch) == [confidence]


@pytest.mark.parametrize(
    ("command", "confidence"),
    [("first(request.args['c'])", "high"), ("first(unknown.a(request.args['c']))", "low")],
)
def test_an_assumed_step_on_a_long_way_makes_low_confidence(
    command: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(LONG.format(command), "python/command-injection", tmp_path, monkeypatch) == [confidence]


@pytest.mark.parametrize(
    ("values", "confidence"),
    [
        ("request.args['a']", "high"),
        ("request.headers['a']", "low"),
        ("request.headers['a'] + request.args['a']", "high"),
    ],
)
def test_a_kind_of_source_that_seldom_does_the_harm_makes_low_confidence(
    values: str, confidence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert confidences(LOG.format(values), "python/log-injection", tmp_path, monkeypatch) == [confidence]
