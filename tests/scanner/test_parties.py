"""Who may call: findings of code that runs for administrators only are left to a threat model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import load_rules
from pyrograph.scanner.explain.accounts import asks as asks_for_login
from pyrograph.scanner.explain.accounts import refuses, registers
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


BEHIND_A_LOGIN = """
import requests
from flask import Flask, abort, request
from flask_login import current_user, login_required

app = Flask(__name__)

@app.route("/a")
@login_required
def fetched():
    return {"text": requests.get(request.args["a"]).text}
"""
COMPLETED = BEHIND_A_LOGIN.replace('request.args["a"])', '"https://" + request.args["a"] + ".example.org/status")')
STRIPPED = BEHIND_A_LOGIN.replace('request.args["a"])', 'str(request.args["a"].strip()))')
FOLDER = BEHIND_A_LOGIN.replace('requests.get(request.args["a"]).text', 'open(ROOT.joinpath(request.args["a"])).read()')
FOLDER += "\nfrom pathlib import Path\nROOT = Path('/srv')\n"
LEVELS = """
def remove(user):
    if current_user.is_admin:
        user.delete()
    else:
        abort(403)
"""
ANOTHER_USER = """
def start():
    if not find_administrator(is_admin=True):
        create_user("admin", is_admin=True)
"""


def scanned(folder: Path, code: str = CODE, **settings: Any) -> Report:
    (folder / "app.py").write_text(code)
    options = ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu", **settings)
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
    settings: dict[str, Any], reported: list[tuple[str, str]], withheld: list[tuple[str, ...]], tmp_path: Path
) -> None:
    report = scanned(tmp_path, **settings)
    assert [(finding.function, finding.confidence) for finding in report.findings] == reported
    assert [each.options for each in report.withheld] == withheld


@pytest.mark.parametrize(
    ("code", "settings", "reported", "withheld"),
    [
        (BEHIND_A_LOGIN, {}, [], [("--threat-model account",)]),
        (BEHIND_A_LOGIN, {"threat_models": frozenset({"account"})}, ["high"], []),
        (BEHIND_A_LOGIN, {"threat_models": frozenset({"account", "operator"})}, ["high"], []),
        (COMPLETED, {}, ["high"], []),
        (FOLDER, {}, ["high"], []),
        (STRIPPED, {}, [], [("--threat-model account",)]),
        (BEHIND_A_LOGIN + LEVELS, {}, ["high"], []),
        (BEHIND_A_LOGIN + "require_role('editor')", {}, ["high"], []),
        (BEHIND_A_LOGIN + ANOTHER_USER, {}, [], [("--threat-model account",)]),
        (BEHIND_A_LOGIN.replace("@login_required", ""), {}, ["high"], []),
        (BEHIND_A_LOGIN + 'REGISTER = "/register"', {}, ["high"], []),
    ],
    ids=[
        "login",
        "account",
        "operator",
        "completed",
        "below a folder",
        "in another form",
        "levels",
        "roles",
        "the first account",
        "no login",
        "registration",
    ],
)
def test_a_login_changes_the_party_where_nobody_can_register(
    code: str, settings: dict[str, Any], reported: list[str], withheld: list[tuple[str, ...]], tmp_path: Path
) -> None:
    report = scanned(tmp_path, code, **settings)
    assert [finding.confidence for finding in report.findings] == reported
    assert [each.options for each in report.withheld] == withheld


@pytest.mark.parametrize(
    ("code", "is_login"),
    [
        ("current_user.is_authenticated", True),
        ("!req.session.userId", True),
        ("request.session.get('user_id')", True),
        ("isAuthenticated(req)", True),
        ("user.name == other", False),
        ("verifyCsrfToken(req)", False),
        ("optionalAuth(req)", False),
    ],
)
def test_a_condition_asks_who_the_user_is(code: str, is_login: bool) -> None:
    assert asks_for_login(code) == is_login


@pytest.mark.parametrize(
    ("condition", "code", "is_refusal"),
    [
        ("err != nil", "c.AbortWithStatus(http.StatusUnauthorized)", True),
        ("!user", "res.redirect('/login')", True),
        ("!user", "res.status(404)", False),
        ("!enabled", "abort(403)", False),
        ("!checkCsrf(token)", "abort(401)", False),
        ("error.status === 401", "res.redirect('/login')", False),
    ],
)
def test_what_follows_a_condition_refuses_strangers(condition: str, code: str, is_refusal: bool) -> None:
    assert refuses(condition, code) == is_refusal


@pytest.mark.parametrize(
    ("text", "is_registration"),
    [
        ("/register", True),
        ("/api/v1/users/register/", True),
        ("accounts/signup", True),
        ("RegistrationForm", True),
        ("/devices/register", False),
        ("https://example.com/register", False),
        ("register", False),
        ("registerHandler", False),
    ],
)
def test_a_name_says_that_visitors_make_accounts(text: str, is_registration: bool) -> None:
    assert registers(text) == is_registration


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
