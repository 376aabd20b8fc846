"""Guesses from names stand in one package, and say how they err and what was measured."""

from __future__ import annotations

import ast
import re
from copy import copy
from importlib import import_module
from pathlib import Path

import pytest

import pyrograph
from pyrograph.policy import names
from pyrograph.policy.late import _Late, late
from pyrograph.policy.names import files, functions, requests

ROOT = Path(pyrograph.__file__).parent
GUESSED = re.compile(r"(?i)valid|sanit|verif|allow|forbid|tests\?|lookup")  # words that such an expression is made of

FOLDER = Path(str(names.__file__)).parent
MODULES = sorted(set(FOLDER.glob("*.py")) - {FOLDER / "__init__.py"})


@pytest.mark.parametrize("module", MODULES, ids=lambda each: each.stem)
def test_every_guess_says_what_it_means_how_it_errs_and_what_was_measured(module: Path) -> None:
    body = ast.parse(module.read_text(encoding="utf-8")).body
    guesses = [each for each in body if isinstance(each, ast.AnnAssign)]
    assert len(guesses) > 2
    for guess in guesses:
        after = body[body.index(guess) + 1]
        assert isinstance(after, ast.Expr), ast.unparse(guess.target)
        assert isinstance(after.value, ast.Constant)
        for field in ("Means", "Errs", "Measured"):
            assert f"\n{field}: " in str(after.value.value), (ast.unparse(guess.target), field)


def test_the_package_lists_its_modules() -> None:
    assert set(re.findall(r"^\| ``(\w+)`` \|", str(names.__doc__), re.M)) == {each.stem for each in MODULES}


def test_no_expression_over_names_stands_elsewhere() -> None:
    found = [
        (file.relative_to(ROOT).as_posix(), ast.unparse(call.args[0]))
        for file in ROOT.rglob("*.py")
        if FOLDER not in file.parents
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(call, ast.Call) and ast.unparse(call.func) in ("re.compile", "late")
        if GUESSED.search(ast.unparse(call.args[0]))
    ]
    assert found == []


def test_an_expression_is_compiled_when_it_is_asked() -> None:
    broken = late(r"(")
    with pytest.raises(re.error):
        broken.search("")
    flagged = late(r"a(b)", re.I)
    assert flagged.pattern == "a(b)"
    assert [flagged.sub(r"\1", each) for each in ("AB", "xab", "c")] == ["B", "xb", "c"]
    assert copy(flagged).fullmatch("AB")


@pytest.mark.parametrize("module", [*MODULES, FOLDER.parent / "routes.py"], ids=lambda each: each.stem)
def test_every_expression_that_is_compiled_late_compiles(module: Path) -> None:
    content = vars(import_module(".".join(("pyrograph", *module.relative_to(ROOT).with_suffix("").parts))))
    for each in content.values():
        if isinstance(each, _Late):
            assert isinstance(each.flags, int)


@pytest.mark.parametrize(
    ("path", "is_for_development"),
    [
        ("devtools/gettool/extract.go", True),
        ("src/dev-tools/build.py", True),
        ("hack/update/main.go", True),
        ("mocks/server.ts", True),
        ("lib/testfs/server.go", True),
        ("pkg/test_utils/http.py", True),
        ("fakes/registry.go", True),
        ("platform_mock/app.py", True),
        ("etc/oauth2-server-mock/src/index.mjs", True),
        ("exporter/mock_sso/views.py", True),
        ("tester/http/server.go", True),
        ("app/hammocks/main.py", False),
        ("console/mock.js", False),
        ("app/testimonials/main.py", False),
        ("internal/shack/main.go", False),
        ("app/hacks.py", False),
        ("tools/import.py", False),
        ("web/src/upload.spec.ts", True),
        ("web/src/upload.test.mjs", True),
        ("web/src/speed-test.js", False),
        ("web/src/test.js", False),
        ("web/src/app/api/hooks/test/route.ts", False),
        ("src/routes/(site)/demo/[id]/+page.server.ts", False),
        ("app/api/hooks/test/sample.ts", True),
        ("examples/web/app/api/hooks/route.ts", True),
        ("lib/mocks/route.ts", True),
    ],
)
def test_folders_of_programs_that_developers_run(path: str, is_for_development: bool) -> None:
    assert (files.DEVELOPMENT_PATHS.search(path) is not None) == is_for_development


@pytest.mark.parametrize(
    ("path", "is_test"),
    [
        ("scripts/setups/vitest-setup-server.ts", True),
        ("jest.setup.js", True),
        ("web/user.spec.ts", True),
        ("app/api/hooks/test/route.ts", False),
        ("app/api/hooks/test/hooks.ts", True),
        ("tests/site/app/hooks/route.ts", True),
        ("src/vitest/runner.ts", False),
        ("src/jester.ts", False),
    ],
)
def test_what_prepares_tests_is_a_file_of_tests(path: str, is_test: bool) -> None:
    assert (files.TEST_PATHS.search(path) is not None) == is_test


@pytest.mark.parametrize(
    ("name", "runs_later"),
    [
        ("after_request", True),
        ("teardown_appcontext", True),
        ("app_errorhandler", True),
        ("exception_handler", True),
        ("before_request", False),
        ("error_if_not_admin", False),
    ],
)
def test_hooks_that_run_behind_the_handler(name: str, runs_later: bool) -> None:
    assert bool(requests.LATER_HOOKS.search(name)) == runs_later


@pytest.mark.parametrize(
    ("code", "reports"),
    [
        ("self.logger.warning", True),
        ("console.error", True),
        ("log.Printf", True),
        ("print", True),
        ("logrus.Fatal", False),
        ("log.Panicln", False),
        ("parser.error", False),
        ("errors.append", False),
        ("login", False),
    ],
)
def test_calls_that_only_report(code: str, reports: bool) -> None:
    assert bool(functions.REPORTING_CALLS.fullmatch(code)) == reports
