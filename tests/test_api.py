"""The interface for programs: the same reports as those of the command line, and nothing that outlives a call."""

from __future__ import annotations

import json
import re
import threading
import tomllib
from collections.abc import Callable
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, get_type_hints

import pytest
from tests.report.reports import hostile, many, realistic
from tests.test_revisions import commit, git, write

import pyrograph
from pyrograph import userfolder
from pyrograph.cli import run
from pyrograph.cli.scan import scan as command
from pyrograph.cli.supervise import Attempt
from pyrograph.model.finding import Finding
from pyrograph.pytest_plugin import assert_no_new_findings as fixture
from pyrograph.report.fragment import MAX_ROWS, fragment
from pyrograph.rules.files import parse

assert_no_new_findings = fixture  # pytest finds it here; where pyrograph is installed, in its entry point

APP = """
import subprocess
from flask import request
import shop

subprocess.run(request.args["name"], shell=True)
shop.run(shop.request.args)
"""


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, as the current directory."""
    root = tmp_path / "program"
    write(root, src__app_py=APP)
    git(root, "init", "--quiet")
    commit(root)
    monkeypatch.chdir(root)
    return root


def test_each_option_of_the_command_line_is_an_argument_or_about_printing() -> None:
    printing = {
        *("paths", "formats", "output", "color", "stats", "quiet", "verbose", "debug", "show_paths", "category"),
        *("include_suppressed", "write_baseline", "changed_since", "fail_on", "exit_zero", "strict", "allow_empty"),
        *("fixes", "scheduler", "shared_cache"),
    }
    options = {"triage" if parameter.name == "marks" else parameter.name for parameter in command.params}
    assert set(get_type_hints(pyrograph.Options)) == options - printing
    assert printing <= options


def test_reports_are_those_of_the_command_line(program: Path, tmp_path: Path) -> None:
    result = pyrograph.scan("src", confidence="low")
    formats = [word for name in ("json", "sarif", "html", "csv") for word in ("--format", f"{name}:{tmp_path / name}")]
    assert run(["scan", "src", "--confidence", "low", "--jobs", "1", "--quiet", *formats], Attempt()) == 1
    for name in ("json", "sarif", "html", "csv"):
        assert result.to(name).encode() == (tmp_path / name).read_bytes(), name
    assert result.to_json()["findings"][0]["path"] == "src/app.py"
    assert result.to_sarif(prefix="x")["version"] == "2.1.0"
    for suffix, format in (("json", "json"), ("md", "markdown"), ("sarif", "sarif")):
        result.save(tmp_path / f"saved.{suffix}")
        assert (tmp_path / f"saved.{suffix}").read_text(encoding="utf-8") == result.to(format)
    with pytest.raises(ValueError, match="names no format; give one of text, json"):
        result.save(tmp_path / "saved.pdf")


def test_a_difference_is_that_of_the_command_line(program: Path, tmp_path: Path) -> None:
    write(program, src__app_py=APP.replace("subprocess.run(request.args['name'], shell=True)", ""), src__b_py=APP)
    code = run(["diff", "HEAD", "--jobs", "1", "--quiet", "--format", f"json:{tmp_path / 'out'}"], Attempt())
    result = pyrograph.diff("HEAD")
    assert (code, result.to_json()) == (1, json.loads((tmp_path / "out").read_text()))
    assert pyrograph.scan(changed_since="HEAD").to_json() == result.to_json()
    assert [finding.place.path for finding in result.findings] == ["src/b.py"]
    assert pyrograph.diff("HEAD", "HEAD", "src").findings == ()


def test_the_examples_of_the_reference_run(program: Path, repository: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (repository / "docs" / "python.md").read_text(encoding="utf-8")
    names: dict[str, Any] = {"pyrograph": pyrograph}
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    for block in blocks:
        exec(block, names)
    assert len(blocks) == 5
    assert "critical python/command-injection src/app.py:6" in capsys.readouterr().out
    run(["scan", "src", "--quiet", "--write-baseline", "known.json"], Attempt())
    names["test_no_new_findings"](pyrograph.assert_no_new_findings)
    with pytest.raises(AssertionError, match=r"1 new finding\n\n[^$]*python/command-injection"):
        pyrograph.assert_no_new_findings("src")
    assert pyrograph.assert_no_new_findings("src", changed_since="HEAD").difference is not None


def test_the_fixture_is_there_and_takes_paths_from_the_root(
    assert_no_new_findings: Callable[..., pyrograph.Result], repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tomllib.loads((repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    plugin = EntryPoint("pyrograph", project["entry-points"]["pytest11"]["pyrograph"], "pytest11").load()
    assert plugin.assert_no_new_findings is fixture
    monkeypatch.chdir(repository / "docs")
    with pytest.raises(AssertionError, match=r"4 new findings\n\n[^$]*fixtures/demo/app.py:27:20"):
        assert_no_new_findings("fixtures/demo")
    with pytest.raises(FileNotFoundError, match=r"there is no \S+/none\.json"):
        assert_no_new_findings("fixtures/demo", triage="none.json")


def test_rule_packs_say_what_rule_files_say(program: Path) -> None:
    pack = pyrograph.RulePack(
        language="python",
        library='shop "one"',
        source={"http": ["shop.request.args"]},
        sink={"command-injection": ["shop.run(0)"], "xss": ["shop.show(0)"]},
        replace=True,
    )
    parsed = parse(pack.to_toml().encode(), "a", "a")
    assert (parsed.errors, parsed.replace) == ((), True)
    assert parsed.pack is not None
    assert (parsed.pack.library, [sink.vulnerability for sink in parsed.pack.sinks]) == (
        'shop "one"',
        ["command-injection", "xss"],
    )
    (program / "pack.toml").write_text(pack.to_toml())
    assert pyrograph.scan("src", rules=pack).findings == pyrograph.scan("src", rules=["pack.toml"]).findings
    wrong = pyrograph.RulePack(language="python", library="shop", sink={"nothing": ["shop.run(0)"]})
    with pytest.raises(ValueError, match=r"RulePack\(shop\):5: sink.nothing: unknown vulnerability"):
        pyrograph.scan("src", rules=wrong)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"selekt": "xss"}, TypeError, "unknown option 'selekt'; known are root"),
        ({"select": "xs"}, ValueError, "unknown rule 'xs'.*did you mean 'xss'"),
        ({"severity": "urgent"}, ValueError, "severity='urgent' is not a choice; choose one of critical"),
        ({"jobs": 0}, ValueError, "jobs=0 where a whole number from 1 is wanted"),
        ({"threat_model": "moon"}, ValueError, "unknown taint kind or party 'moon'"),
        ({"config": "none.toml"}, FileNotFoundError, "there is no none.toml"),
        ({"baseline": "none.json"}, ValueError, "cannot read the baseline"),
        ({"changed_since": "nowhere"}, ValueError, "git knows no such revision"),
        ({"cache": "src"}, ValueError, "not a cache but a directory with other files"),
        ({"accept_comment": "noqa"}, ValueError, "unknown suppression hint 'noqa'"),
    ],
    ids=str,
)
def test_options_that_cannot_be_used_raise(
    program: Path, options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        pyrograph.scan("src", **options)


def test_no_setting_outlives_a_call_and_threads_wait_for_each_other(program: Path, tmp_path: Path) -> None:
    before = userfolder.cache_folder()
    found: list[tuple[Finding, ...]] = []
    threads = [
        threading.Thread(
            target=lambda: found.append(pyrograph.scan("src", cache=tmp_path / "cache").findings), daemon=True
        )
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(300)
        assert not thread.is_alive()
    assert found[0] == found[1] != ()
    assert (tmp_path / "cache" / "reports").is_dir()
    assert userfolder.cache_folder() == before


def test_the_package_names_its_interface() -> None:
    assert set(pyrograph.__all__) <= set(dir(pyrograph))
    with pytest.raises(AttributeError, match="has no attribute 'scam'"):
        pyrograph.scam  # type: ignore[attr-defined] # noqa: B018


def test_a_table_for_notebooks_shows_findings_and_can_do_nothing() -> None:
    page = pyrograph.Result(realistic())._repr_html_()
    assert "2 findings in 34 files" in page
    assert "5 steps from the request" in page
    evil = fragment(hostile())
    assert "<script" not in evil
    assert "\x1b" not in evil
    assert f"{300 - MAX_ROWS} more" in fragment(many(300))
