"""The cache of units: what was used lately stays, and what others could write is not read."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyrograph.scanner.analysis import unit_cache
from pyrograph.scanner.analysis.unit_cache import FORMER, UnitCache


def key(number: int) -> bytes:
    return bytes([number]) * 16


def known(folder: Path, numbers: range) -> list[int]:
    return [index for index, _ in UnitCache(folder).read([key(number) for number in numbers])]


def test_what_was_written_is_read(tmp_path: Path) -> None:
    UnitCache(tmp_path).write([(key(0), b"a"), (key(1), b"b")])
    assert UnitCache(tmp_path).read([key(1), b"", key(2), key(0)]) == [(0, b"b"), (3, b"a")]


def test_the_units_that_were_not_used_for_longest_are_removed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in range(4):
        store = UnitCache(tmp_path)
        store.today = day
        store.write([(key(day), b"x" * 10_000)])
    user = UnitCache(tmp_path)
    user.today = 9
    assert [index for index, _ in user.read([key(0)])] == [0]
    assert user.aged == [key(0)]
    monkeypatch.setattr(unit_cache, "CACHE_BYTES", 41_000)
    user.write([(key(4), b"x" * 10_000)])
    assert known(tmp_path, range(5)) == [0, 3, 4]  # three quarters of the bound


def test_a_unit_that_was_used_today_is_not_noted_again(tmp_path: Path) -> None:
    UnitCache(tmp_path).write([(key(0), b"x")])
    store = UnitCache(tmp_path)
    store.read([key(0)])
    assert store.aged == []


def test_files_of_former_formats_are_removed(tmp_path: Path) -> None:
    for name in FORMER:
        (tmp_path / name).write_bytes(b"old")
    UnitCache(tmp_path).write([(key(0), b"x")])
    assert not any((tmp_path / name).exists() for name in FORMER)


@pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners there")
def test_a_file_that_others_can_write_is_neither_read_nor_written(tmp_path: Path) -> None:
    UnitCache(tmp_path).write([(key(0), b"x")])
    path = UnitCache(tmp_path).path
    path.chmod(0o622)
    before = path.read_bytes()
    UnitCache(tmp_path).write([(key(1), b"x")])
    assert known(tmp_path, range(2)) == []
    assert path.read_bytes() == before
