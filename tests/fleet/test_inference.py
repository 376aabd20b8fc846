"""Libraries of the fleet: their models are inferred once, and the other trees are scanned with them."""

from __future__ import annotations

import gzip
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("distributed", reason="needs the extra fleet")
if sys.platform == "win32":
    pytest.skip("the fleet limits processes as POSIX systems can", allow_module_level=True)

from click.testing import CliRunner
from sqlalchemy import select
from tests.fleet.outcomes import task

from pyrograph import __version__
from pyrograph.cli import cli
from pyrograph.fleet import inference, job
from pyrograph.fleet.cluster import connected
from pyrograph.fleet.outcome import Model
from pyrograph.fleet.process import Ended
from pyrograph.fleet.store import open_store, tables

FLEET = """\
[[repository]]
path = "lib"
library = ["shop", "gone"]
[[repository]]
path = "web"
"""
LIBRARY = "import subprocess\n\ndef launch(line):\n    return subprocess.run(line, shell=True)\n"
PROGRAM = """\
from flask import Flask, request
from shop.start import launch

app = Flask(__name__)


@app.route("/")
def start():
    launch(request.args["line"])
    return "ok"
"""


def test_a_finding_through_a_library_of_another_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.fleet.run.connected", lambda where: connected(replace(where, in_process=True)))
    for name, text in {
        "fleet.toml": FLEET,
        "lib/shop/pyproject.toml": '[project]\nname = "shop"\nversion = "2.1"\n',
        "lib/shop/shop/__init__.py": "",
        "lib/shop/shop/start.py": LIBRARY,
        "web/app.py": PROGRAM,
    }.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    command = ["fleet", "scan", str(tmp_path / "fleet.toml"), "--strict"]
    result = CliRunner().invoke(cli, command, standalone_mode=False)
    assert (result.exception, result.return_value) == (None, 3)  # a library is missing
    assert "library lib: failed: gone: there is no such directory" in result.stderr
    assert "a model is missing" in result.stderr

    infer = [sys.executable, "-m", "pyrograph", "rules", "infer", str(tmp_path / "lib/shop")]
    subprocess.run([*infer, "-o", str(tmp_path / "shop.toml")], check=True, capture_output=True)
    single = [sys.executable, "-m", "pyrograph", "scan", str(tmp_path / "web"), "--exit-zero"]
    single += ["--rules", str(tmp_path / "shop.toml"), "--format", f"json:{tmp_path}/single.json"]
    subprocess.run(single, check=True, capture_output=True)
    with open_store(str(tmp_path / "fleet.db"), writable=False) as store, store.reading() as connection:
        reports = [gzip.decompress(each) for each in connection.execute(select(tables.reports.c.content)).scalars()]
        (found,) = connection.execute(select(tables.findings)).mappings().all()
    assert (tmp_path / "single.json").read_bytes() in reports
    assert (found["rule"], found["path"]) == ("python/command-injection", "app.py")
    assert b"inferred from shop 2.1, shop/start.py:3" in (tmp_path / "single.json").read_bytes()


def test_a_tree_is_scanned_with_the_models_of_the_others_and_not_with_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[list[str]] = []

    def instead(command: list[str], **_settings: Any) -> Ended:
        given = Path(command[command.index("--rules") + 1]) if "--rules" in command else None
        seen.append([] if given is None else [each.read_text(encoding="utf-8") for each in sorted(given.iterdir())])
        return Ended(2, False, "", 0.1, 1)

    monkeypatch.setattr(job, "run", instead)
    models = (Model("shop", "a"), Model("web", "b"), Model("shop", "c"))
    for name in ("shop", "web", "other"):
        job.scan(task(name, source=str(tmp_path)), models)
    job.scan(task("web", source=str(tmp_path)), models[1:2])
    assert seen == [["b"], ["a", "c"], ["a", "b", "c"], []]


@pytest.mark.parametrize(
    ("ended", "text", "status", "reason"),
    [
        (Ended(0, False, "", 0.1, 1), "x", "done", ""),
        (Ended(0, False, "", 0.1, 1), "longer", "failed", "its model has 6 bytes, more than 5"),
        (Ended(2, False, "pyrograph: shop has no public function", 0.1, 1), "", "failed", "no public function"),
        (Ended(-9, True, "", 0.1, 1), "", "time", "took longer than 60 seconds"),
        (Ended(1, False, "MemoryError", 0.1, 1), "", "memory", "give it more with `memory`"),
    ],
)
def test_how_an_inference_ended_is_its_status_and_its_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ended: Ended, text: str, status: str, reason: str
) -> None:
    def instead(command: list[str], **_settings: Any) -> Ended:
        if text:
            Path(command[-1]).write_text(text, encoding="utf-8")
        return ended

    monkeypatch.setattr(inference, "run", instead)
    monkeypatch.setattr(inference, "MAX_FLEET_MODEL", 5)
    outcome = inference.infer(task("shop", source=str(tmp_path), libraries=(".",)))
    assert outcome.status == status
    assert reason in outcome.reason
    assert outcome.version == __version__
    assert outcome.models == ((Model("shop", "x"),) if status == "done" else ())


def test_a_library_outside_its_tree_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "tree").mkdir()
    (tmp_path / "secret").mkdir()
    (tmp_path / "tree/shop").symlink_to(tmp_path / "secret", target_is_directory=True)
    outcome = inference.infer(task("shop", source=str(tmp_path / "tree"), libraries=("shop",)))
    assert (outcome.status, outcome.models) == ("failed", ())
    assert "no such directory in the tree" in outcome.reason
    outcome = inference.infer(task("shop", source=str(tmp_path / "none"), libraries=("shop",)))
    assert (outcome.status, outcome.models) == ("failed", ())
