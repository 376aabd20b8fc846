"""Lowering many files: the same units in this process, in workers and from the cache."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.scanner.specification import sections

from pyrograph.ir.stored import dump
from pyrograph.parsers import syntaxes
from pyrograph.scanner import background
from pyrograph.scanner.analysis import lower
from pyrograph.scanner.analysis.lower import Lowered, UnitMemory, lower_files
from pyrograph.scanner.files.discover import discover
from pyrograph.scanner.options import ScanOptions


def test_units_are_equal_in_this_process_in_workers_and_from_the_cache(
    tmp_path: Path, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "root"
    root.mkdir()
    for number, section in enumerate(sections(repository / "fixtures" / "concepts")):
        for block in section.blocks:
            if block.language in syntaxes():
                suffix = syntaxes()[block.language].suffixes[0]
                (root / f"c{number}{suffix}").write_text(f"{block.code}\n", encoding="utf-8")
    (root / "odd.py").write_bytes("# nosec \n'\\ud800ä' # pyrograph: ignore\nf(".encode())
    files = discover(ScanOptions(paths=(root,), root=root)).files
    assert len(files) > 40

    def lowered(jobs: int, cache: Path | None) -> list[Lowered]:
        found, _ = lower_files(files, jobs=jobs, cache=cache)
        background.finish()
        return found

    serial = lowered(1, None)
    monkeypatch.setattr(lower, "PARALLEL_BYTES", 0)
    cache = tmp_path / "cache"
    filled, cached, forked = lowered(1, cache), lowered(1, cache), lowered(2, None)
    memory = UnitMemory()
    lower_files(files, jobs=1, cache=cache, memory=memory)
    assert len(memory.fresh) == len(files)
    memory.keep(memory.used, memory.fresh)
    lower.release(lower_files(files, jobs=1, memory=memory)[0])  # as the scan of a large program does
    remembered, _ = lower_files(files, jobs=1, memory=memory)
    assert memory.fresh == []
    for other in (filled, cached, forked, remembered):
        assert [each.unit for each in other] == [each.unit for each in serial]
        assert [dump(each.unit) for each in other] == [dump(each.unit) for each in serial]


def test_nothing_is_written_as_bytes_where_nobody_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "app.py").write_text("f(x)\n", encoding="utf-8")
    files = discover(ScanOptions(paths=(tmp_path,), root=tmp_path)).files

    def refuse(*_: object) -> None:
        raise AssertionError("a detour through bytes")

    monkeypatch.setattr(lower, "dump", refuse)
    monkeypatch.setattr(lower, "load", refuse)
    assert len(lower_files(files, jobs=1)[0]) == 1
