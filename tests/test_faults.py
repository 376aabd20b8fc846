"""An internal error costs what it happened in: a fault is planted in each stage, and the rest must be reported."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Collection, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.warm import warm

from pyrograph import scanner
from pyrograph.model.finding import Report
from pyrograph.rules import Rules, load_rules
from pyrograph.scanner import isolate, pipeline
from pyrograph.scanner.faults import Fault, fault_of
from pyrograph.scanner.faulty import find_faulty
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.stages import FaultPolicy
from pyrograph.scanner.triage import suppress, suppression_comments

FLOW = """\
import os
from flask import request

def {name}():
    os.system(request.args["c"])  # {comment}
"""
NAMES = [f"{letter}{number}.py" for letter in "abc" for number in range(4)]
FAULTY = "b2.py"


@pytest.fixture(scope="module")
def rules(tmp_path_factory: pytest.TempPathFactory) -> Rules:
    return load_rules(["python"], cache_folder=tmp_path_factory.mktemp("rules"))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    project = tmp_path / "project"
    project.mkdir()
    for name in NAMES:
        (project / name).write_text(FLOW.format(name=name[:-3], comment="a call"), encoding="utf-8")
    return project


def scan(folder: Path, rules: Rules) -> Report:
    return scanner.scan(ScanOptions(paths=(folder,), root=folder, jobs=1, device="cpu"), rules, policy=FaultPolicy())


def faults(report: Report) -> list[tuple[str, int]]:
    return [(problem.path, problem.line) for problem in report.problems if problem.kind == "internal-error"]


def failing(function: Callable[..., Any], fails: Callable[[Collection[str]], bool]) -> Callable[..., Any]:
    """``function``, whose first argument is a program or the paths of one, failing on some sets of files."""

    def planted(first: Any, *rest: Any, **named: Any) -> Any:
        paths = [file.path for file in first.files] if hasattr(first, "files") else list(first)
        if fails(paths):
            raise ZeroDivisionError("planted")
        return function(first, *rest, **named)

    return planted


WHOLE_PROGRAM = [
    ("link", "pyrograph.scanner.analysis.link.link"),
    ("resolve", "pyrograph.scanner.analysis.resolve.resolve"),
    ("label", "pyrograph.scanner.analysis.label.label"),
    ("assemble", "pyrograph.scanner.analysis.assemble.assemble"),
    ("explain", "pyrograph.scanner.explain.explain"),
]


def plant(monkeypatch: pytest.MonkeyPatch, target: str, fails: Callable[[Collection[str]], bool]) -> None:
    module, _, name = target.rpartition(".")
    monkeypatch.setattr(target, failing(getattr(sys.modules[module], name), fails))


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize(("stage", "target"), WHOLE_PROGRAM)
def test_a_file_that_breaks_a_stage_over_the_whole_program_costs_itself_alone(
    stage: str, target: str, large: bool, folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    """``large``: the units of the program were released when the stage failed."""
    scan(folder, rules)  # imports all stages
    if large:
        monkeypatch.setattr(pipeline, "MAX_KEPT", 0)
    plant(monkeypatch, target, lambda paths: FAULTY in paths)
    report = scan(folder, rules)
    assert [finding.place.path for finding in report.findings] == [name for name in NAMES if name != FAULTY]
    assert faults(report) == [(FAULTY, 0)]
    (problem,) = report.problems
    assert f"in stage {stage} (ZeroDivisionError: planted)" in problem.message
    assert problem.incomplete
    assert report.statistics.files == len(NAMES) - 1


def test_an_error_of_the_search_costs_the_file_it_needs(
    folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyrograph.scanner.analysis.search as module

    search = module.search
    sources = scan(folder, rules).statistics.sources

    def planted(flow: Any, labels: Any, **named: Any) -> Any:
        if len(labels.sources) == sources:  # all files are there
            raise ZeroDivisionError("planted")
        return search(flow, labels, **named)

    monkeypatch.setattr(module, "search", planted)
    report = scan(folder, rules)
    assert len(report.findings) == len(NAMES) - 1
    assert len(faults(report)) == 1


def test_files_that_break_a_stage_only_together_cost_one_of_them(
    folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    scan(folder, rules)
    plant(monkeypatch, "pyrograph.scanner.analysis.resolve.resolve", lambda paths: {"a1.py", "c3.py"} <= set(paths))
    report = scan(folder, rules)
    assert faults(report) == [("c3.py", 0)]
    assert len(report.findings) == len(NAMES) - 1


def test_a_stage_that_always_fails_leaves_a_report(folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    scan(folder, rules)
    plant(monkeypatch, "pyrograph.scanner.analysis.resolve.resolve", lambda paths: True)
    report = scan(folder, rules)
    assert not report.findings
    assert faults(report) == [(name, 0) for name in NAMES]


def test_an_error_of_a_front_end_costs_the_file(folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyrograph.scanner.analysis.lower as module

    lower: Any = module.lower  # type: ignore[attr-defined]

    def planted(text: bytes, language: str) -> Any:
        if b"def b2" in text:
            raise ZeroDivisionError("planted")
        return lower(text, language)

    monkeypatch.setattr(module, "lower", planted)
    monkeypatch.setattr("pyrograph.scanner.pipeline.cache_folder", lambda: None)
    report = scan(folder, rules)
    assert faults(report) == [(FAULTY, 0)]
    assert len(report.findings) == len(NAMES) - 1


def test_an_error_in_discovery_costs_the_file(folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyrograph.scanner.files.discover as module

    known: Any = module.language_of_name  # type: ignore[attr-defined]
    monkeypatch.setattr(module, "language_of_name", failing(known, lambda name: "".join(name) == FAULTY))
    report = scan(folder, rules)
    assert faults(report) == [(FAULTY, 0)]
    assert len(report.findings) == len(NAMES) - 1


def test_an_error_of_explaining_costs_the_finding(folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    import pyrograph.scanner.explain.rating as module

    rating = module.Rater.rating

    def planted(self: Any, hit: Any, vulnerability: Any) -> Any:
        if self.steps.program.files[self.steps.labels.sinks[hit.sink_role].file].path == FAULTY:
            raise ZeroDivisionError("planted")
        return rating(self, hit, vulnerability)

    monkeypatch.setattr(module.Rater, "rating", planted)
    report = scan(folder, rules)
    assert faults(report) == [(FAULTY, 5)]
    assert [finding.place.path for finding in report.findings] == [name for name in NAMES if name != FAULTY]


def test_an_error_in_a_suppression_costs_the_comments_of_the_file(
    folder: Path, rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (FAULTY, "a0.py"):
        (folder / name).write_text(FLOW.format(name="f", comment="pyrograph: ignore"), encoding="utf-8")
    comments = suppression_comments.comments_of
    monkeypatch.setattr(suppress, "comments_of", failing(comments, lambda path: "".join(path) == FAULTY))
    report = suppress.apply_suppressions(scan(folder, rules))
    assert faults(report) == [(FAULTY, 0)]
    assert [each.finding.place.path for each in report.suppressed] == ["a0.py"]
    assert len(report.findings) == len(NAMES) - 1


# -- the command line: what ends the whole process

PLANT = """\
import os, sys
import {module}
original = {module}.{name}
def planted(first, *rest, **named):
    paths = [file.path for file in first.files] if hasattr(first, "files") else list(first)
    if {condition}:
        {deed}
    return original(first, *rest, **named)
{module}.{name} = planted
from pyrograph.cli import main
main()
"""


def run(
    folder: Path, plant: str, *arguments: str, what: Sequence[str] = ("scan", "--format", "json")
) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "XDG_CACHE_HOME": str(warm(folder.parent / "cache")),
    }
    command = [sys.executable, "-c", plant, *what, ".", "--root", ".", *arguments]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, check=False, timeout=300, encoding="utf-8"
    )


forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="the scan runs in the process itself there")


@forking
@pytest.mark.parametrize(
    ("target", "crash"), [*((target, "SIGSEGV") for _, target in WHOLE_PROGRAM[::2]), (WHOLE_PROGRAM[1][1], "SIGABRT")]
)
def test_a_crash_in_native_code_leaves_a_report(folder: Path, target: str, crash: str) -> None:
    module, _, name = target.rpartition(".")
    deed = f"os.kill(os.getpid(), {int(getattr(signal, crash))})"
    plant = PLANT.format(module=module, name=name, condition=f"{FAULTY!r} in paths", deed=deed)
    done = run(folder, plant)
    report = json.loads(done.stdout)
    assert [each["path"] for each in report["findings"]] == [each for each in NAMES if each != FAULTY]
    assert [(each["kind"], each["path"]) for each in report["problems"]] == [("internal-error", FAULTY)]
    assert crash in report["problems"][0]["message"]
    assert crash in done.stderr
    assert "Traceback" not in done.stderr
    assert done.returncode == 1


@forking
@pytest.mark.parametrize(("what", "code"), [(("triage", "list"), 0), (("fix", "--diff"), 1), (("routes",), 0)])
def test_other_commands_survive_a_crash_as_a_scan_does(folder: Path, what: Sequence[str], code: int) -> None:
    for name in NAMES[: NAMES.index(FAULTY)]:
        (folder / name).unlink()
    plant = PLANT.format(
        module="pyrograph.scanner.analysis.resolve",
        name="resolve",
        condition=f"{FAULTY!r} in paths",
        deed="os.kill(os.getpid(), 11)",
    )
    done = run(folder, plant, "--jobs", "1", what=what)
    assert "SIGSEGV in stage resolve; starting again with each file in a process of its own" in done.stderr
    assert done.returncode == code, done.stderr
    if what[0] == "triage":
        assert [row.split()[-1] for row in done.stdout.splitlines()] == [f"{each}:5:15" for each in NAMES[-5:]]


@forking
def test_a_front_end_that_crashes_costs_the_file(folder: Path) -> None:
    crash = "os.kill(os.getpid(), 11)"
    plant = PLANT.format(
        module="pyrograph.scanner.analysis.lower", name="lower", condition="b'def b2' in bytes(first)", deed=crash
    )
    plant = plant.replace("list(first)", "[]")
    done = run(folder, plant)
    report = json.loads(done.stdout)
    assert [each["path"] for each in report["findings"]] == [each for each in NAMES if each != FAULTY]
    assert [(each["kind"], each["path"]) for each in report["problems"]] == [("internal-error", FAULTY)]


@forking
@pytest.mark.parametrize("deed", ["raise MemoryError", "os.kill(os.getpid(), 9)", "os._exit(1)"])
def test_a_program_that_needs_too_much_memory_is_analysed_in_parts(folder: Path, deed: str) -> None:
    plant = PLANT.format(
        module="pyrograph.scanner.analysis.resolve",
        name="resolve",
        condition="len(paths) > 4 or paths == ['b2.py']",
        deed=deed,
    )
    done = run(folder, plant)
    report = json.loads(done.stdout)
    assert [each["path"] for each in report["findings"]] == NAMES
    (problem,) = report["problems"]
    assert problem["kind"] == "limit"
    assert "analysed in 4 parts" in problem["message"]
    assert "in parts" in done.stderr


@forking
def test_what_crashes_whatever_is_left_out_ends_with_a_line(folder: Path) -> None:
    plant = PLANT.format(
        module="pyrograph.scanner.files.discover", name="discover", condition="True", deed="os.kill(os.getpid(), 11)"
    )
    plant = plant.replace("list(first)", "[]").replace(
        "from pyrograph.cli", "import pyrograph.scanner.inputs as p; p.discover = planted\nfrom pyrograph.cli"
    )
    done = run(folder, plant)
    assert done.returncode == 2
    assert "all attempts failed" in done.stderr
    assert "Traceback" not in done.stderr


def test_strict_makes_an_internal_error_an_exit_code_and_debug_shows_the_traceback(folder: Path) -> None:
    for name in NAMES:
        if name != FAULTY:
            (folder / name).write_text("print(1)\n", encoding="utf-8")
    plant = PLANT.format(
        module="pyrograph.scanner.analysis.resolve",
        name="resolve",
        condition=f"{FAULTY!r} in paths",
        deed="raise ZeroDivisionError('planted')",
    )
    done = run(folder, plant)
    assert (done.returncode, json.loads(done.stdout)["findings"]) == (0, [])
    assert "1 internal error" in done.stderr
    assert "Traceback" not in done.stderr
    done = run(folder, plant, "--strict", "--debug")
    assert done.returncode == 3
    assert "Traceback" in done.stderr


def test_a_report_format_that_fails_does_not_cost_the_others(folder: Path) -> None:
    plant = PLANT.format(
        module="pyrograph.report.sarif", name="render", condition="True", deed="raise ZeroDivisionError('planted')"
    ).replace("list(first)", "[]")
    done = run(folder, plant, "--format", "sarif:out.sarif")
    assert len(json.loads(done.stdout)["findings"]) == len(NAMES)
    assert "no report: internal error" in done.stderr
    assert done.returncode == 2
    assert not (folder / "out.sarif").exists()


# -- the search for faulty files


def test_the_id_of_a_fault_is_that_of_its_kind_and_place() -> None:
    def fault(text: str) -> Fault:
        try:
            raise ValueError(text)
        except ValueError as error:
            return fault_of("resolve", error)

    assert fault("one").id == fault("two").id
    assert fault("one").id != Fault("label", "ValueError", "one", "").id


@given(st.integers(1, 40), st.data())
def test_what_is_left_without_the_faulty_items_does_not_fail(size: int, data: st.DataObject) -> None:
    """Any monotone way to fail: some sets of items, each of which fails together."""
    numbers = st.integers(0, size - 1)
    sets = data.draw(st.lists(st.sets(numbers, min_size=1, max_size=3), max_size=5))

    def trial(items: Sequence[int]) -> Fault | None:
        return Fault("", "", "", "") if any(each <= set(items) for each in sets) else None

    left = list(range(size))
    rounds = 0
    while trial(left):
        found = find_faulty(left, trial)
        gone = {item for item, _ in found.faulty} | set(found.unresolved)
        assert gone
        left = [item for item in left if item not in gone]
        rounds += 1
    assert rounds <= len(sets)
    if all(len(each) == 1 for each in sets):
        assert set(range(size)) - set(left) == {item for each in sets for item in each}


@forking
def test_a_limit_of_cpu_time_is_no_fault_and_the_scan_is_not_made_again(folder: Path) -> None:
    module, _, name = WHOLE_PROGRAM[0][1].rpartition(".")
    deed = f"os.kill(os.getpid(), {int(signal.SIGXCPU)})"
    done = run(folder, PLANT.format(module=module, name=name, condition="True", deed=deed))
    assert done.returncode == 2
    assert "used up the CPU time" in done.stderr
    assert "internal error" not in done.stderr
    assert "again" not in done.stderr


def test_a_trial_reports_results_errors_and_signals() -> None:
    def crash(staged: isolate.Staged) -> None:
        staged("label")
        os.kill(os.getpid(), signal.SIGSEGV)

    def fail(staged: isolate.Staged) -> None:
        staged("link")
        staged("resolve")
        raise ValueError("a fault")

    assert isolate.run_isolated(lambda staged: {"a": 1}).result == {"a": 1}
    fault = isolate.run_isolated(fail).fault
    assert fault is not None
    assert (fault.stage, fault.kind, fault.text) == ("resolve", "ValueError", "a fault")
    if hasattr(os, "fork"):
        assert isolate.run_isolated(crash).fault == Fault("label", "SIGSEGV", "", "")
