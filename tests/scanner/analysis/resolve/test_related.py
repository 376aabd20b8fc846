"""Attributes that a field of one model gives to another one."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.rules import load_rules
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
import json, os
from django.db import models
from django.urls import path

class Rule(models.Model):
    owner = models.ForeignKey("auth.User", on_delete=models.CASCADE%s)
    text = models.TextField()
%s
def add(request):
    Rule.objects.create(owner=request.user, text=json.loads(request.body)["text"])

def run(request):
    os.system(request.user.%s.text)

urlpatterns = [path("add", add), path("run", run)]
"""
OTHER = """
class Other(models.Model):
    owner = models.ForeignKey("auth.User", on_delete=models.CASCADE, related_name="rules")
"""


@pytest.mark.parametrize(
    ("name", "other", "read", "found"),
    [
        (', related_name="rules"', "", "rules.first()", True),
        ("", "", "rule_set.first()", True),
        (', related_name="rules"', "", "rule_set.first()", False),
        (', related_name="rules"', "", "rules.unknown()", False),
        (', related_name="rules"', "", "others.first()", False),
        (', related_name="rules"', OTHER, "rules.first()", False),
    ],
)
def test_the_name_of_one_field_decides(name: str, other: str, read: str, found: bool, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(PROGRAM % (name, other, read), encoding="utf-8")
    options = ScanOptions(paths=(tmp_path,), root=tmp_path, jobs=1, device="cpu")
    report = scanner.scan(options, load_rules(["python"], ()))
    assert any(each.rule_id == "python/command-injection" for each in report.findings) is found
