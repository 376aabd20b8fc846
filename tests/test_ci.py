"""What CI servers run: the action's script, pinned actions, and the files that name commands and options."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.test_revisions import commit, git, write

from pyrograph.cli.diff import diff
from pyrograph.cli.scan import scan

pytestmark = pytest.mark.skipif(os.name != "posix", reason="scripts of the shell")

APP = "import os\nfrom flask import request\nos.system(request.args['a'])\n"


class Job:
    """A job's step in a checkout."""

    def __init__(self, repository: Path, folder: Path) -> None:
        self.script = repository / ".github" / "scripts" / "scan.sh"
        self.folder = folder
        self.checkout = folder / "checkout"
        self.checkout.mkdir()
        self.commands = folder / "commands"
        self.program = folder / "pyrograph"

    def stub(self, *codes: int) -> None:
        """A program that writes down how it is called, writes its reports, and ends with these codes in turn."""
        self.program.write_text(
            f"#!{sys.executable}\n"
            "import json, os, sys\n"
            f"calls = {str(self.commands)!r}\n"
            "count = len(open(calls).readlines()) if os.path.exists(calls) else 0\n"
            "open(calls, 'a').write(json.dumps(sys.argv[1:]) + '\\n')\n"
            "for word in sys.argv:\n"
            "    if ':' in word: open(word.partition(':')[2], 'w').write('report\\n')\n"
            f"sys.exit({codes!r}[count])\n"
        )
        self.program.chmod(0o755)

    def run(self, **given: str) -> int:
        for name in ("output", "summary"):
            (self.folder / name).write_text("")
        defaults = {"BASE": "", "CACHE": "true", "CATEGORY": "c", "FAIL_ON": "medium", "OPTIONS": "", "PATHS": "."}
        variables = {f"GIVEN_{name}": value for name, value in (defaults | given).items() if name != "GITHUB_BASE_REF"}
        done = subprocess.run(
            ["bash", str(self.script)],
            cwd=self.checkout,
            env={
                **{name: value for name, value in os.environ.items() if not name.startswith("GITHUB_")},
                **{name: value for name, value in given.items() if name == "GITHUB_BASE_REF"},
                **variables,
                "GIVEN_FOLDER": str(self.folder / "out"),
                "PYROGRAPH": str(self.program),
                "GITHUB_OUTPUT": str(self.folder / "output"),
                "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
            },
            capture_output=True,
            text=True,
        )
        self.said = done.stdout + done.stderr
        return done.returncode

    def calls(self) -> list[list[str]]:
        return [json.loads(line) for line in self.commands.read_text().splitlines()]


@pytest.fixture
def job(repository: Path, tmp_path: Path) -> Job:
    return Job(repository, tmp_path)


def test_without_a_base_one_scan_decides(job: Job) -> None:
    job.stub(1)
    assert job.run(PATHS="src\nodd name; touch x\n", OPTIONS="--exclude\na b\n\n", CACHE="false") == 1
    (call,) = job.calls()
    assert call[:7] == ["scan", "--exclude", "a b", "--category", "c", "--no-cache", "--fail-on"]
    assert call[-3:] == ["--", "src", "odd name; touch x"]
    out = job.folder / "out"
    assert (job.folder / "output").read_text().splitlines() == [
        f"{name}={out}/pyrograph.{suffix}"
        for name, suffix in (("sarif", "sarif"), ("json", "json"), ("markdown", "md"))
    ]
    assert (job.folder / "summary").read_text() == "report\n"
    assert list(job.checkout.iterdir()) == []


@pytest.mark.parametrize(
    ("given", "base"),
    [
        ({"GITHUB_BASE_REF": "main"}, "origin/main"),
        ({"GITHUB_BASE_REF": "main", "BASE": "v1"}, "v1"),
        ({"GITHUB_BASE_REF": "main", "BASE": "none"}, None),
    ],
)
def test_a_pull_request_is_compared_with_its_target(job: Job, given: dict[str, str], base: str | None) -> None:
    job.stub(0, 1)
    assert job.run(**given) == (0 if base is None else 1)
    scanned, *compared = job.calls()
    assert ("--exit-zero" in scanned) == (base is not None)
    assert [(call[0], call[-4:]) for call in compared] == (
        [] if base is None else [("diff", ["--path", ".", "--", base])]
    )


@pytest.mark.parametrize(("codes", "code"), [((2,), 2), ((3, 1), 1), ((3, 3), 3), ((0, 0), 0)])
def test_the_exit_code_is_that_of_the_comparison_or_of_a_scan_that_was_refused(
    job: Job, codes: tuple[int, ...], code: int
) -> None:
    job.stub(*codes)
    assert job.run(BASE="main", FAIL_ON="never") == code
    assert len(job.calls()) == len(codes)
    assert all("--exit-zero" in call for call in job.calls())


def test_the_script_and_the_program_fit(job: Job) -> None:
    """With the program itself: an old finding, then a new one."""
    job.program.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pyrograph "$@"\n')
    job.program.chmod(0o755)
    git(job.checkout, "init", "--quiet")
    write(job.checkout, old_py=APP)
    commit(job.checkout)
    assert job.run(BASE="HEAD", OPTIONS="--jobs\n1") == 0, job.said
    write(job.checkout, new_py=APP)
    assert job.run(BASE="HEAD", OPTIONS="--jobs\n1") == 1, job.said
    report = json.loads((job.folder / "out" / "pyrograph.json").read_text())
    assert [each["path"] for each in report["findings"]] == ["new.py"]
    log = json.loads((job.folder / "out" / "pyrograph.sarif").read_text())
    assert len(log["runs"][0]["results"]) == 2
    assert "**1 new finding**" in (job.folder / "summary").read_text()


def test_the_action_is_pinned_and_passes_inputs_as_variables(repository: Path) -> None:
    text = (repository / "action.yml").read_text(encoding="utf-8")
    used = re.findall(r"uses: (\S+)", text)
    assert len(used) == 3
    assert [each for each in used if not re.fullmatch(r"[\w-]+(/[\w-]+)+@[0-9a-f]{40}", each)] == []
    assert [line for line in text.splitlines() if "run:" in line and "${{" in line] == []
    inputs = set(re.findall(r"^  ([\w-]+):$", text.partition("outputs:")[0], re.MULTILINE)) - {"icon", "color"}
    assert set(re.findall(r"inputs\.([\w-]+)", text)) == inputs
    passed = set(re.findall(r"^        (GIVEN_\w+):", text, re.MULTILINE))
    script = (repository / ".github" / "scripts" / "scan.sh").read_text(encoding="utf-8")
    assert set(re.findall(r"\$(GIVEN_\w+)", script)) == passed


@pytest.mark.parametrize(
    "name", ["action.yml", ".github/scripts/scan.sh", "templates/pyrograph.yml", ".pre-commit-hooks.yaml"]
)
def test_options_that_ci_uses_exist(repository: Path, name: str) -> None:
    text = (repository / name).read_text(encoding="utf-8")
    known = {option for command in (scan, diff) for parameter in command.params for option in parameter.opts}
    programs = ("pip", "apt-get", "-m venv", "set -euo")
    lines = [line for line in text.splitlines() if not any(each in line for each in programs)]
    used = set(re.findall(r"(?<!\S)\(?(--[a-z][\w-]+)", "\n".join(lines)))
    assert used <= known


def test_the_image_runs_as_a_user_without_rights(repository: Path) -> None:
    text = (repository / "Dockerfile").read_text(encoding="utf-8")
    last = text.rpartition("FROM ")[2]
    assert re.search(r"^USER [1-9]\d*$", last, re.MULTILINE)
    assert 'ENTRYPOINT ["pyrograph"]' in last
