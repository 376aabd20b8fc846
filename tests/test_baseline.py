from __future__ import annotations

import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.reports import empty, hostile, many, open_redirect, realistic, sql_injection

from pyrograph.model.finding import Report
from pyrograph.scanner.config import Config
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.triage.baseline import BaselineError, add_to_baseline, apply_baseline, write_baseline
from pyrograph.scanner.triage.decisions import _Below, decided, decisions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "baseline.json"


def only(*indexes: int) -> Report:
    return replace(realistic(), findings=tuple(realistic().findings[i] for i in indexes), problems=(), suppressed=())


def test_a_baseline_has_one_sorted_finding_a_line_and_no_line_numbers(path: Path) -> None:
    assert write_baseline(path, only(1, 0)) == 2
    assert path.read_text() == (
        '{\n"version": 1,\n"findings": [\n'
        '{"path": "app/db.py", "rule": "python/sql-injection", "fingerprint": "5f0e8a9d3b7c41e2a6d0f1b2c3d4e5f6"},\n'
        '{"path": "app/views.py", "rule": "python/open-redirect", "fingerprint": "00d1c2b3a4958677e8f9a0b1c2d3e4f5"}\n'
        "]\n}\n"
    )


@pytest.mark.parametrize("report", [realistic(), empty(), hostile(), many(300)], ids=str)
def test_what_was_written_hides_everything_and_is_never_stale(report: Report, path: Path) -> None:
    write_baseline(path, report)
    applied = apply_baseline(report, path)
    assert applied.findings == ()
    assert [entry.finding for entry in applied.suppressed if entry.by == "baseline"][-len(report.findings) or 1 :] == [
        *report.findings
    ]
    assert applied.problems == report.problems


def test_only_new_findings_remain(path: Path) -> None:
    write_baseline(path, only(0))
    applied = apply_baseline(only(0, 1), path)
    assert applied.findings == (open_redirect(),)
    assert [(entry.by, entry.finding) for entry in applied.suppressed] == [("baseline", sql_injection())]


def test_a_finding_that_moved_is_still_known(path: Path) -> None:
    write_baseline(path, only(0))
    moved = replace(sql_injection(), place=replace(sql_injection().place, line=90, end_line=90))
    assert apply_baseline(replace(only(), findings=(moved,)), path).findings == ()


def test_entries_that_match_nothing_are_reported(path: Path) -> None:
    write_baseline(path, only(0, 1))
    (problem,) = apply_baseline(only(1), path).problems
    assert (problem.kind, problem.path, problem.line) == ("baseline", "app/db.py", 0)
    assert "python/sql-injection (5f0e8a9d3b7c41e2a6d0f1b2c3d4e5f6)" in problem.message
    assert apply_baseline(only(1), path, scanned={"app/views.py"}).problems == ()
    assert apply_baseline(only(1), path, rules={"python/open-redirect"}).problems == ()
    assert len(apply_baseline(only(1), path, rules={"python/sql-injection"}, scanned={"app/db.py"}).problems) == 1


def test_what_a_comment_hides_is_not_stale_and_not_written(path: Path) -> None:
    hidden = realistic().suppressed[0].finding
    write_baseline(path, replace(realistic(), findings=(hidden,), suppressed=()))
    assert apply_baseline(replace(only(), suppressed=realistic().suppressed), path).problems == ()
    assert write_baseline(path, replace(only(), suppressed=realistic().suppressed)) == 0


def test_writing_again_keeps_what_is_known_and_what_people_added(path: Path) -> None:
    write_baseline(path, only(0))
    document = json.loads(path.read_text())
    document["findings"][0]["reason"] = "internal tool"
    path.write_text(json.dumps(document))
    applied = apply_baseline(only(0, 1), path)
    assert applied.suppressed[0].reason == "internal tool"
    assert write_baseline(path, applied) == 2
    assert json.loads(path.read_text())["findings"][0]["reason"] == "internal tool"


def test_adding_a_finding_keeps_all_others_even_stale_ones(path: Path) -> None:
    first, second = realistic().findings[:2]
    assert add_to_baseline(path, [first], {"confidence": "low"}) == 1
    document = json.loads(path.read_text())
    document["findings"][0]["reason"] = "internal tool"
    path.write_text(json.dumps(document))
    assert add_to_baseline(path, [second], {"severity": "high"}) == 2
    assert add_to_baseline(path, [first]) == 2
    written = json.loads(path.read_text())
    assert written["options"] == {"confidence": "low"}
    assert [entry.get("reason") for entry in written["findings"]].count("internal tool") == 1
    assert apply_baseline(only(0, 1), path).findings == ()


def test_a_file_listed_twice_after_a_merge_does_no_harm(path: Path) -> None:
    write_baseline(path, only(0))
    document = json.loads(path.read_text())
    document["findings"] *= 2
    path.write_text(json.dumps(document))
    assert apply_baseline(only(0), path).findings == ()
    assert write_baseline(path, only(0)) == 1


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"<<<<<<< ours", "baseline.json:1: the baseline is not valid JSON .* keep the lines of both sides"),
        (b"\xff\xfe\x00", "the baseline is not valid JSON"),
        (b"[" * 100_000, "the baseline is not valid JSON"),
        (b"[]", "not a baseline"),
        (b'{"version": 1}', "not a baseline"),
        (b'{"version": 2, "findings": []}', "version 2 is not 1; write it again with --write-baseline"),
        (b'{"version": 1, "findings": [{"rule": "a", "path": "b"}]}', "finding 1 of the baseline lacks"),
        (b'{"version": 1, "findings": [7]}', "finding 1 of the baseline lacks"),
    ],
)
def test_a_file_that_is_no_baseline_is_refused_and_kept(content: bytes, message: str, path: Path) -> None:
    path.write_bytes(content)
    with pytest.raises(BaselineError, match=message):
        apply_baseline(realistic(), path)
    with pytest.raises(BaselineError):
        write_baseline(path, realistic())
    assert path.read_bytes() == content


def test_a_missing_file_or_directory_is_told_with_the_remedy(path: Path) -> None:
    with pytest.raises(BaselineError, match="No such file or directory; --write-baseline writes one"):
        apply_baseline(realistic(), path)
    with pytest.raises(BaselineError, match="cannot write the baseline"):
        write_baseline(path / "deeper.json", realistic())


def test_writing_leaves_nothing_behind_and_keeps_permissions(path: Path) -> None:
    write_baseline(path, only(0))
    assert os.listdir(path.parent) == [path.name]
    if os.name == "posix":
        path.chmod(0o640)
        write_baseline(path, only(0, 1))
        assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_configuration_names_the_baseline_where_the_command_line_names_none(path: Path) -> None:
    write_baseline(path, realistic())
    options, config = ScanOptions(paths=(path.parent,), root=path.parent), Config(baseline=path)
    assert decided(realistic(), decisions(options, config), options).findings == ()
    assert decisions(options, config, baseline=path.parent).baseline == path.parent


def test_entries_below_the_scanned_paths_can_be_stale(tmp_path: Path) -> None:
    below = _Below(tmp_path, (tmp_path / "app", tmp_path / "one.py"))
    assert [each in below for each in ("app/views.py", "one.py", "apple/views.py", "two.py")] == [
        True,
        True,
        False,
        False,
    ]
