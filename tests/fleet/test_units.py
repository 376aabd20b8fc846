"""Units that machines share: what another key wrote, or a fault changed, is as if it were not there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("fsspec", reason="needs the extra shared-cache")

from click.testing import CliRunner

from pyrograph.cli import cli
from pyrograph.cli.remote import SHARED_KEY
from pyrograph.fleet import units
from pyrograph.fleet.units import SharedUnits
from pyrograph.model.refusal import Refusal

UNITS = [(bytes([number]) * 16, b"unit %d" % number) for number in range(5)]
SECRET = b"0123456789abcdef"


@pytest.mark.parametrize("scheme", ["", "file://"])
def test_units_come_back_and_only_under_their_own_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scheme: str
) -> None:
    monkeypatch.setattr(units, "SHARED_BATCH", 2)
    said: list[str] = []
    url = f"{scheme}{tmp_path}/shared"
    SharedUnits(url, SECRET, said.append).write(UNITS[:4])
    keys = [b"", UNITS[4][0], *(key for key, _ in UNITS[:4])]
    found = SharedUnits(url, SECRET, said.append).read(keys)
    assert found == [(position + 2, unit) for position, (_, unit) in enumerate(UNITS[:4])]
    assert SharedUnits(url, SECRET[::-1], said.append).read(keys) == []
    files = sorted(path for path in (tmp_path / "shared").rglob("*") if path.is_file())
    assert len(files) == 4
    content = files[0].read_bytes()
    files[0].write_bytes(content[:-1] + b"?")
    files[1].write_bytes(content)  # a good unit under the name of another one
    files[2].write_bytes(b"")
    assert SharedUnits(url, SECRET, said.append).read(keys) == [(5, b"unit 3")]
    assert said == []


def test_a_place_that_cannot_be_used_is_said_once_and_costs_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    said: list[str] = []
    SharedUnits(str(tmp_path / "file"), SECRET, said.append).write(UNITS)
    assert len(said) == 1
    assert "units cannot be written" in said[0]
    with pytest.raises(Refusal, match="nosuch"):
        SharedUnits("nosuch://place", SECRET, said.append)


def test_two_machines_share_units_and_find_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = tmp_path / "program"
    program.mkdir()
    (program / "a.py").write_text(
        "import os\nfrom flask import request\n\n\ndef a():\n    os.system(request.args['c'])\n", encoding="utf-8"
    )
    reports = []
    for number, arguments in enumerate([[], ["--shared-cache", str(tmp_path / "shared")]] * 2):
        output = tmp_path / f"{number}.json"
        monkeypatch.setenv(SHARED_KEY, SECRET.decode())
        scan = ["scan", str(program), "--no-cache", "--exit-zero", "--format", f"json:{output}", *arguments]
        assert CliRunner().invoke(cli, scan, standalone_mode=False).exception is None
        reports.append(json.loads(output.read_bytes()))
    assert len(reports[0]["findings"]) == 1
    assert all(report == reports[0] for report in reports)
    assert sum(path.is_file() for path in (tmp_path / "shared").rglob("*")) == 1
    monkeypatch.setenv(SHARED_KEY, "short")
    result = CliRunner().invoke(cli, scan, standalone_mode=False)
    assert "needs a secret of at least 16 characters in PYROGRAPH_SHARED_CACHE_KEY" in str(result.exception)
