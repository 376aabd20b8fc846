"""One cache folder for everything, where each system wants it."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Literal

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from pyrograph.kernels import cachefolder
from pyrograph.userfolder import cache_folder


@pytest.mark.parametrize(
    ("platform", "chosen", "folder"),
    [
        ("linux", "/x", "/x/pyrograph"),
        ("linux", "", "/home/u/.cache/pyrograph"),
        ("darwin", "/x", "/x/pyrograph"),
        ("darwin", "", "/home/u/Library/Caches/pyrograph"),
    ],
)
def test_the_cache_lies_where_the_system_wants_it(
    platform: str, chosen: str, folder: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = {"linux": Unix, "darwin": MacOS}[platform]

    def user_cache_path(name: str, *, appauthor: Literal[False], opinion: bool) -> Path:
        return system(name, appauthor=appauthor, opinion=opinion).user_cache_path

    monkeypatch.setattr(sys, "platform", platform)
    monkeypatch.setattr(platformdirs, "user_cache_path", user_cache_path)
    monkeypatch.setenv("HOME", "/home/u")
    monkeypatch.setenv("XDG_CACHE_HOME", chosen)
    assert cache_folder() == Path(folder)


def test_compiled_kernels_lie_beside_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert cachefolder._folder() == str(tmp_path / "pyrograph" / "numba")


def test_no_cache_lies_in_the_current_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    found = cache_folder()
    assert found is None or (found.is_absolute() and not found.is_relative_to(Path.cwd()))
