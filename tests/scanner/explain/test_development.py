"""Which handlers count as registered where a program is developed only."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.policy.names.settings import UNDER_DEVELOPMENT
from pyrograph.rules import load_rules
from pyrograph.scanner import pipeline
from pyrograph.scanner.explain.uses import Uses
from pyrograph.scanner.options import ScanOptions

PROGRAM = """
const {{ exec }} = require("child_process");
const {{ createServer }} = require("http");
const app = require("express")();
const api = {{}};
const isLaptop = process.env.NODE_ENV === "development";
function run(req, res) {{ exec(req.query.a); }}
{rest}
"""
REGISTERED = 'if (isLaptop) app.get("/run", run);'


@pytest.mark.parametrize(
    ("rest", "confidence"),
    [
        (REGISTERED, "low"),
        (f'{REGISTERED} if (process.env.NODE_ENV === "test") app.get("/again", run);', "low"),
        ('if (isLaptop) { app.get("/run", run); app.get("/more", run); }', "low"),
        ('if (isLaptop) app.use(function () { app.get("/run", run); });', "low"),
        (f'{REGISTERED} app.get("/more", run);', "high"),
        (f"{REGISTERED} module.exports = run;", "high"),
        (f"{REGISTERED} module.exports = {{ run }};", "high"),
        (f"{REGISTERED} exports.run = run;", "high"),
        (f"{REGISTERED} api.go = run;", "high"),
        (f"{REGISTERED} api.go = api.old || run;", "high"),
        (f"{REGISTERED} module.exports.make = () => run;", "high"),
        (f"{REGISTERED} api.go = run.bind(null);", "high"),
        (f"{REGISTERED} api.all = [run];", "high"),
        (f"{REGISTERED} api.all = {{ ...{{ run }} }};", "high"),
    ],
)
def test_a_handler_is_for_development_if_nothing_else_gets_it(tmp_path: Path, rest: str, confidence: str) -> None:
    assert confidences(tmp_path, PROGRAM.format(rest=rest)) == [confidence]


@pytest.mark.parametrize(
    ("code", "is_development"),
    [
        ('app.config["TESTING"]', True),
        ('current_app.config.get("TESTING", False)', True),
        ("settings.TESTING", True),
        ("testing.Testing()", True),
        ('os.environ.get("PYTEST_CURRENT_TEST")', True),
        ("process.env.VITEST", True),
        ('form.get("TESTING")', False),
        ("order.testing", False),
        ('config["TESTING_URL"]', False),
    ],
)
def test_a_setting_is_true_in_tests_only(code: str, is_development: bool) -> None:
    assert bool(UNDER_DEVELOPMENT.search(code)) == is_development


def test_functions_that_register_one_another_take_no_deep_stack(tmp_path: Path) -> None:
    chain = [f'function f{at}(req, res) {{ app.get("/{at}", f{at + 1}); }}\n' for at in range(1000)]
    last = "function f1000(req, res) { exec(req.query.b); }"
    assert confidences(tmp_path, PROGRAM.format(rest=f"{''.join(chain)}{last}{REGISTERED}")) == ["low", "high"]


@pytest.mark.plain  # a method of a compiled class cannot be replaced
def test_each_of_many_checks_of_a_value_is_asked_about_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    original = Uses.before

    def counted(uses: Uses, value: int) -> int:
        asked.append(value)
        return original(uses, value)

    monkeypatch.setattr(Uses, "before", counted)
    checks = "".join(f'if (req.query.a === "a{each}") return; ' for each in range(100))
    code = PROGRAM.format(rest=f'app.get("/many", (req, res) => {{ const a = req.query.a; {checks} exec(a); }});')
    confidences(tmp_path, code.replace("req.query.a ===", "a ==="))
    assert 0 < len(asked) <= 100


def confidences(folder: Path, code: str) -> list[str]:
    (folder / "app.js").write_text(code, encoding="utf-8")
    report = pipeline.scan(ScanOptions(paths=(folder,), root=folder, confidence="low", jobs=1), load_rules())
    return [each.confidence for each in sorted(report.findings, key=lambda each: each.place.line)]
