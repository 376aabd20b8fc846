"""``pyrograph reduce``: a planted fault becomes a small program, on a copy, and nothing is run but pyrograph."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.warm import warm

REFUSED = 2
APP = """\
import os
from flask import request
from helper import customer_name

def orders():
    wanted = request.args["order"]
    os.system("print " + customer_name(wanted))
"""
HELPER = """\
def customer_name(order):
    street = 1
    return "customer " + order
"""
# Each candidate is scanned in a process of its own. One scan without the fault, before the first of them, makes the
# tries of APIs that they inherit: half of the time of a run.
FAULT = """\
import sys
from pathlib import Path
from pyrograph.cli.reduce import Oracle
from pyrograph.rules import load_rules
from pyrograph.scanner import scan
from pyrograph.scanner.options import ScanOptions
from tests import warm
import pyrograph.scanner.{module} as module

before = module.{function}
prepare = Oracle.prepare
warm.remember_packs()

def planted(*arguments, **named):
    result = before(*arguments, **named)
    {when}:
        {fault}
    return result

def prepared(oracle):
    if not oracle.is_prepared:
        prepare(oracle)
        module.{function} = before
        rules = load_rules(None, (), cache_folder=oracle.cache / "pyrograph")
        scan(ScanOptions(paths=(Path("project"),), root=Path("project"), jobs=1), rules)
        module.{function} = planted

module.{function} = planted
Oracle.prepare = prepared
from pyrograph.cli import main
main(sys.argv[1:])
"""
WHEN_FOUND = "if len(result[0])"

Reduce = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "lib").mkdir(parents=True)
    (folder / "app.py").write_text(APP, encoding="utf-8")
    (folder / "helper.py").write_text(HELPER, encoding="utf-8")
    for number in range(2):
        (folder / "lib" / f"more{number}.js").write_text(f"exports.value = {number}\n", encoding="utf-8")
    return folder


@pytest.fixture
def reduce(project: Path) -> Reduce:
    """Run the command line with a fault, by default one that comes when a scan finds something."""

    def run(
        *arguments: str,
        fault: str = "raise KeyError(len(result[0]))",
        module: str = "analysis.search",
        function: str = "search",
        when: str = WHEN_FOUND,
    ) -> subprocess.CompletedProcess[str]:
        script = project.parent / "faulty.py"
        script.write_text(FAULT.format(module=module, function=function, when=when, fault=fault), encoding="utf-8")
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(sys.path),
            "XDG_CACHE_HOME": str(warm(project.parent / "cache")),
        }
        command = [sys.executable, str(script), "reduce", *arguments]
        return subprocess.run(
            command, cwd=project.parent, env=environment, capture_output=True, text=True, check=False, timeout=900
        )

    return run


def contents(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_fault_becomes_a_small_program_without_names_and_the_files_stay(project: Path, reduce: Reduce) -> None:
    before = contents(project)
    done = reduce("--rename", "-o", "small", "--", "pyrograph", "scan", "project")
    assert done.returncode == 0, done.stderr
    small = contents(project.parent / "small")
    assert contents(project) == before
    ((path, text),) = small.items()
    assert ".system" in text  # the rule names it
    assert len(text) < len(APP) / 2
    for word in ("order", "customer", "wanted", "print"):
        assert word not in f"{path} {text}"
    assert "KeyError" in done.stderr
    assert "4 files" in done.stdout
    assert "pyrograph scan" in done.stdout


@pytest.mark.skipif(sys.platform == "win32", reason="no signals there")
def test_a_signal_is_a_failure_too(project: Path, reduce: Reduce) -> None:
    (project / "app.py").write_text("import os\nfrom flask import request\nos.system(request.args)\n", encoding="utf-8")
    done = reduce("-o", "small", "scan", "project", fault="import os; os.kill(os.getpid(), 11)")
    assert done.returncode == 0, done.stderr
    assert signal.Signals(11).name in done.stderr
    assert list(contents(project.parent / "small")) == ["project/app.py"]


def test_what_does_not_fail_is_refused(project: Path, reduce: Reduce) -> None:
    (project / "app.py").unlink()
    done = reduce("-o", "small", "scan", "project")
    assert done.returncode == REFUSED
    assert "does not fail" in done.stderr
    assert not (project.parent / "small").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rules", "list"], "COMMAND must be"),
        (["scan", "--changed-since", "main", "project"], "--changed-since"),
        (["scan", "--write-baseline", "b.json", "project"], "--write-baseline"),
        (["scan", "nowhere"], "does not exist"),
        (["-o", "project", "scan", "project"], "exists already"),
        (["explain", "project/app.py:900", "project/app.py:1"], "no such line"),
    ],
)
def test_what_cannot_be_reduced_is_refused(arguments: list[str], message: str, reduce: Reduce) -> None:
    done = reduce(*arguments)
    assert done.returncode == REFUSED
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_any_predicate_can_be_given(project: Path, reduce: Reduce) -> None:
    done = reduce("-q", "-o", "small", "--interesting", "grep -q street project/helper.py", "scan", "project")
    assert done.returncode == 0, done.stderr
    small = contents(project.parent / "small")
    assert list(small) == ["project/helper.py"]
    assert "street" in small["project/helper.py"]
    assert len(small["project/helper.py"]) < 20


def test_the_lines_of_explain_stay(project: Path, reduce: Reduce) -> None:
    lines = APP.split("\n")
    source, sink = (1 + lines.index(line) for line in lines if "request.args" in line or "os.system" in line)
    ends = (f"project/app.py:{source}", f"project/app.py:{sink}")
    planted = {"module": "diagnose", "function": "why", "when": "if True", "fault": "raise KeyError(1)"}
    done = reduce("-o", "small", "explain", *ends, **planted)
    assert done.returncode == 0, done.stderr
    (path,) = contents(project.parent / "small")
    assert path.endswith("app.py")
    assert f"{path.rpartition('/')[2]}:1" in done.stdout


def test_nothing_that_is_reduced_is_imported_or_run(project: Path, reduce: Reduce) -> None:
    for name in ("conftest.py", "numpy.py", "pyrograph.py", "json.py"):
        (project / name).write_text("open('ran', 'w').close()\n", encoding="utf-8")
    (project / "app.py").write_text("import os\nfrom flask import request\nos.system(request.args)\n", encoding="utf-8")
    done = reduce("-q", "-o", "small", "scan", "project")
    assert done.returncode == 0, done.stderr
    assert not list(project.parent.rglob("ran"))


def test_the_example_of_the_documentation_names_every_option() -> None:
    page = (Path(__file__).parent.parent / "docs" / "reduce.md").read_text(encoding="utf-8")
    shown = subprocess.run(
        [sys.executable, "-m", "pyrograph", "reduce", "--help"], capture_output=True, text=True, check=True
    ).stdout
    options = {word.strip(",") for word in shown.split() if word.startswith("--") and len(word) > 3} - {"--help"}
    assert options >= {"--rename", "--output", "--timeout", "--interesting"}
    missing = [option for option in options if option not in page and option not in ("--confidence",)]
    assert not missing, textwrap.fill(f"docs/reduce.md does not name {missing}")
