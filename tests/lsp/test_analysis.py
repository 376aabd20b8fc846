"""A scan for an editor finds what a scan of the saved texts finds, with what earlier scans left and without it."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph import userfolder
from pyrograph.lsp.analysis import Warm, scan_for_editor
from pyrograph.lsp.jobs import Refused, ScanJob, Scanned, digest_of
from pyrograph.lsp.settings import Settings

APP = """\
from flask import Flask, render_template, request

app = Flask(__name__)


@app.route("/hello")
def hello():
    return render_template("hello.html", name=request.args["name"])
"""
HARMLESS, HARMFUL = "<p>{{ name }}</p>\n", "<p>{{ name|safe }}</p>\n"
RUNS = "import os\n\nfrom flask import request\n\n\ndef run():\n    os.system(request.args['c'])\n"


@pytest.fixture(scope="module")
def cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One for all tests: reading the rules anew takes longer than a scan."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def folder(tmp_path: Path, cache: Path) -> Path:
    userfolder.choose(cache)
    folder = tmp_path.resolve() / "p"
    (folder / "templates").mkdir(parents=True)
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "templates" / "hello.html").write_text(HARMLESS, encoding="utf-8")
    return folder


def scanned(folder: Path, warm: Warm | None = None, **overlay: str) -> Scanned:
    names = {name.replace("__", "/").replace("_", "."): text for name, text in overlay.items()}
    answers: list[Scanned | Refused] = []
    job = ScanJob(str(folder), Settings(jobs=1), overlay={str(folder / name): text for name, text in names.items()})
    scan_for_editor(job, warm or Warm(), lambda *_: None, answers.append)
    (answer,) = answers
    assert isinstance(answer, Scanned), answer
    return answer


def rules(answer: Scanned) -> list[str]:
    return sorted(finding.vulnerability for finding in answer.report.findings)


def test_texts_that_are_not_saved_stand_for_files(folder: Path) -> None:
    assert rules(scanned(folder)) == []
    assert rules(scanned(folder, app_py=RUNS)) == ["command-injection"]
    assert rules(scanned(folder)) == [], "what was not saved is not kept"

    # a template that code renders, in the same way; the cache of reports does not mix them up
    unsaved = scanned(folder, templates__hello_html=HARMFUL)
    assert rules(unsaved) == ["xss"]
    assert unsaved.digests["templates/hello.html"] == digest_of(HARMFUL.encode())
    (folder / "templates" / "hello.html").write_text(HARMFUL, encoding="utf-8")
    saved = scanned(folder)
    assert saved.report.findings == unsaved.report.findings
    assert rules(scanned(folder, templates__hello_html=HARMLESS)) == []


def test_what_earlier_scans_left_changes_nothing(folder: Path) -> None:
    warm = Warm()
    first = scanned(folder, warm, app_py=RUNS)
    left = warm.left(str(folder))
    assert left is not None
    assert left.languages == ("python",)
    warm = Warm()
    warm.keep(left)
    again = scanned(folder, warm, app_py=RUNS)
    assert again.report.findings == first.report.findings
    next_left = warm.left(str(folder))
    assert next_left is not None
    assert (next_left.used, next_left.fresh) == (left.used, []), "the unit was there"

    # the unit of a text that is gone is forgotten
    scanned(folder, warm, app_py=f"{RUNS}\n\nx = 1\n")
    changed = warm.left(str(folder))
    assert changed is not None
    assert len(changed.fresh) == 1
    warm.keep(changed)
    assert list(warm.units[str(folder)].units) == changed.used
    warm.forget(str(folder))
    assert warm.left(str(folder)) is None


def test_entry_points_name_findings_that_are_shown(folder: Path) -> None:
    (folder / "templates" / "hello.html").write_text(HARMFUL, encoding="utf-8")
    found = scanned(folder)
    (row,) = found.report.surface
    assert row.findings == (found.report.findings[0].fingerprint,)
    marked = APP.replace("    return", "    # pyrograph: ignore[xss] why\n    return")
    hidden = scanned(folder, app_py=marked)
    assert [row.findings for row in hidden.report.surface] == [()]


def test_a_text_that_is_too_large_or_not_text_is_left_out(folder: Path) -> None:
    (folder / "pyrograph.toml").write_text("max-file-size = 400\n", encoding="utf-8")
    for text in (RUNS + "#" * 400, RUNS + "\0"):
        answer = scanned(folder, app_py=text)
        assert rules(answer) == []
        assert [problem.kind for problem in answer.report.problems] == ["not-parsed"]
        assert "app.py" not in answer.digests
