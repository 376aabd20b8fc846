"""Which tests the fast check runs for a change."""

from __future__ import annotations

from pathlib import Path

import pytest
from tools import fast
from tools.fast import ALWAYS, EXAMPLES, FLOWS, OF_A_PACK, REPOSITORY, narrowed, near

TESTS = dict.fromkeys((*ALWAYS, FLOWS), "") | {
    "tests/scanner/analysis/label/test_guards.py": "",
    "tests/scanner/test_other.py": "from pyrograph.scanner.analysis.label import guards",
    "tests/scanner/test_label.py": "",
    "tests/scanner/test_whole.py": "from pyrograph.scanner.analysis.label import label",
    "tests/report/test_json.py": "from pyrograph.report import render",
    "tests/report/test_text.py": "def test():\n    import pyrograph.report.text",
    "tests/test_helped.py": "from tests.helpers import run",
    "tests/rules/test_proofs.py": "",
    "tests/test_faults.py": "from pyrograph.report import text",
}


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        (
            "src/pyrograph/scanner/analysis/label/guards.py",
            {
                *("tests/scanner/analysis/label/test_guards.py", "tests/scanner/test_other.py"),
                *("tests/scanner/test_label.py", "tests/scanner/test_whole.py", FLOWS, *ALWAYS),
            },
        ),
        ("src/pyrograph/report/text.py", {"tests/report/test_text.py", *ALWAYS}),
        ("tests/helpers.py", {"tests/test_helped.py"}),
        ("tests/test_faults.py", {"tests/test_faults.py"}),
        ("docs/ci.md", {"tests/test_repository.py"}),
        ("src/pyrograph/rules/go/os.toml", {"tests/rules/test_proofs.py", REPOSITORY}),
        ("src/pyrograph/rules/vulnerabilities/xss.toml", {"tests/rules/test_proofs.py", FLOWS, *ALWAYS}),
        ("fixtures/flows/go/guards.md", {FLOWS, *ALWAYS}),
        ("tests/test_removed.py", set()),
    ],
)
def test_tests_of_its_name_and_those_that_import_it_or_its_package_are_near(changed: str, expected: set[str]) -> None:
    assert set(near([changed], TESTS)) == expected


def test_only_the_examples_of_changed_packs_are_tried() -> None:
    pack, module = "src/pyrograph/rules/go/os.toml", "src/pyrograph/rules/load.py"
    chosen = [EXAMPLES, "tests/rules/test_proofs.py"]
    assert narrowed(chosen, [pack, "CHANGELOG.md"]) == [f"{EXAMPLES}::{OF_A_PACK}[go/os]", "tests/rules/test_proofs.py"]
    assert narrowed(chosen, [pack, module]) == chosen
    assert narrowed(chosen, [pack, EXAMPLES]) == chosen
    assert narrowed(chosen, ["docs/ci.md"]) == chosen


def test_a_subject_with_more_than_72_characters_is_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fast, "_git", lambda *_: ["x" * 72, "y" * 73])
    assert fast.long_subjects() == ["y" * 73]


def test_the_files_that_are_named_exist(repository: Path) -> None:
    from tools.fast import SLOW

    assert all((repository / path).is_file() for path in (*ALWAYS, EXAMPLES, FLOWS, *SLOW))
    assert f"def {OF_A_PACK}(" in (repository / EXAMPLES).read_text(encoding="utf-8")
