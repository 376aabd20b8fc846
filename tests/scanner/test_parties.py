"""Who may call: findings of code that runs for administrators only are left to a threat model."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.scanner.explain.administrators import asks, demands
from pyrograph.scanner.options import ScanOptions

CODE = """
import os
from flask import Flask, redirect, request
from flask_login import current_user
from elsewhere import admin_required

app = Flask(__name__)

@app.route("/a")
def shown():
    if not current_user.is_admin:
        return "no", 403
    os.system(request.args["a"])

@app.route("/b")
@admin_required
def named():
    os.system(request.args["b"])

@app.route("/c")
@admin_required
def lured():
    return redirect(request.args["c"])
"""


def scanned(folder: Path, **settings: object) -> Report:
    (folder / "app.py").write_text(CODE)
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", **settings)  # type: ignore[arg-type]
    return scanner.scan(options, load_rules(["python"], cache_folder=folder / "cache"))


@pytest.mark.parametrize(
    ("settings", "reported", "withheld"),
    [
        ({}, [("lured", "high")], [("--confidence low",), ("--threat-model operator",)]),
        ({"confidence": "low"}, [("named", "low"), ("lured", "high")], [("--threat-model operator",)]),
        (
            {"threat_models": frozenset({"operator"})},
            [("shown", "high"), ("named", "high"), ("lured", "high")],
            [],
        ),
    ],
    ids=str,
)
def test_a_shown_check_changes_the_party_and_a_named_one_the_confidence(
    settings: dict[str, object], reported: list[tuple[str, str]], withheld: list[tuple[str, ...]], tmp_path: Path
) -> None:
    report = scanned(tmp_path, **settings)
    assert [(finding.function, finding.confidence) for finding in report.findings] == reported
    assert [each.options for each in report.withheld] == withheld


@pytest.mark.parametrize(
    "code",
    [
        "user.is_admin",
        "!req.user?.isAdmin",
        "current_user.role.name not in ['Administrator', 'Operator']",
        'c.GetString("role") != "admin"',
        "t.Role == AdministratorRole",
        "session.get('is_admin')",
        "user.has_perm(Permission.ADMIN)",
        "requireRole('admin')",
        "user.is_staff",
    ],
)
def test_a_condition_asks_for_an_administrator(code: str) -> None:
    assert asks(code)


@pytest.mark.parametrize(
    "code",
    [
        "path == '/admin'",
        "config.admin_url",
        "settings.ADMIN_ENABLED",
        "role in ('admin', 'editor')",
        "user.is_authenticated",
        "user.id == item.owner_id",
        "operator == '+'",
        "!admin",
        "name == 'admin'",
        "user.is_not_admin",
    ],
)
def test_a_condition_asks_for_something_else(code: str) -> None:
    assert not asks(code)


@pytest.mark.parametrize(
    ("code", "is_demand"), [("requireAdmin(r)", True), ("isAdmin(r)", False), ("user.admin", False)]
)
def test_a_function_that_demands_returns_an_error_to_others(code: str, is_demand: bool) -> None:
    assert demands(code) == is_demand
