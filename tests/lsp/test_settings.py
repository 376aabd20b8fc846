"""Settings of an editor are read with care: a wrong one is named, and the others hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pyrograph.lsp.analysis import Warm, _baseline, options_of, scan_for_editor
from pyrograph.lsp.jobs import Refused, ScanJob, Scanned
from pyrograph.lsp.settings import Settings, read_settings
from pyrograph.model.refusal import Refusal


def test_known_settings_are_taken() -> None:
    given = {"run": "onSave", "debounce": 20, "threatModel": ["cli"], "severity": "", "jobs": 0, "path": ["x"]}
    found, faults = read_settings({"pyrograph": given})
    assert found == Settings(run="onSave", debounce=0.02, threat_model=("cli",))
    assert faults == []


@pytest.mark.parametrize(
    "given",
    [
        {"enabled": 1}, {"run": "always"}, {"debounce": -1}, {"debounce": True}, {"jobs": -1}, {"threatModel": "cli"},
        {"threatModel": [""]}, {"baseline": 3}, {"severity": ["low"]}, {"unknown": 1},
    ],
)  # fmt: skip
def test_a_wrong_setting_is_named_and_changes_nothing(given: dict[str, object]) -> None:
    found, faults = read_settings(given)
    assert found == Settings()
    assert len(faults) == 1
    assert faults[0].startswith(f"pyrograph.{next(iter(given))}: ")


def test_no_settings_are_none() -> None:
    assert read_settings(None) == read_settings({}) == read_settings([]) == (Settings(), [])
    assert read_settings([1])[1] == ["pyrograph: an object with settings is wanted"]


def test_settings_lie_over_the_configuration_of_the_project(tmp_path: Path) -> None:
    (tmp_path / "pyrograph.toml").write_text('severity = "high"\nprofile = "audit"\nthreat-model = ["env"]\n')
    options, _ = options_of(ScanJob(str(tmp_path), Settings(severity="low", threat_model=("cli",))))
    assert (options.severity, options.profile) == ("low", "audit")
    assert {"cli", "env"} <= options.threat_models


def test_the_repository_is_the_root_so_fingerprints_are_those_of_a_scan(tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    (tmp_path / "part").mkdir()
    options, _ = options_of(ScanJob(str(tmp_path / "part"), Settings()))
    assert (options.root, options.paths) == (tmp_path.resolve(), ((tmp_path / "part").resolve(),))


def test_a_configuration_that_cannot_be_used_is_an_answer(tmp_path: Path) -> None:
    (tmp_path / "pyrograph.toml").write_text("colour = 1\n")
    answers: list[Scanned | Refused] = []
    scan_for_editor(ScanJob(str(tmp_path), Settings()), Warm(), lambda *_: None, answers.append)
    (refused,) = answers
    assert isinstance(refused, Refused)
    assert "pyrograph.toml:1: colour: unknown key" in refused.message


def test_a_baseline_does_not_lead_out_of_the_project(tmp_path: Path) -> None:
    with pytest.raises(Refusal, match="leads out of"):
        _baseline(ScanJob(str(tmp_path), Settings(baseline="../known.json")), tmp_path.resolve())


def test_a_configuration_does_not_choose_the_file_that_is_made(tmp_path: Path) -> None:
    root, named = tmp_path.resolve(), tmp_path.resolve() / "known.json"
    job = ScanJob(str(root), Settings())
    assert _baseline(job, root, named) == root / ".pyrograph-baseline.json"
    named.write_text("{}")
    assert _baseline(job, root, named) == named
    assert _baseline(ScanJob(str(root), Settings(baseline="mine.json")), root, named) == root / "mine.json"
