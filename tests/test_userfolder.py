"""One cache folder for everything, where each system wants it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any, Literal

import platformdirs
import pytest
from platformdirs.macos import MacOS
from platformdirs.unix import Unix

from pyrograph import userfolder
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


def test_compiled_kernels_never_lie_in_a_folder_that_was_chosen(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They can execute, and a chosen folder may come from another machine."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    userfolder.choose(tmp_path / "chosen")
    assert cachefolder._folder() == str(tmp_path / "pyrograph" / "kernels")
    userfolder.choose(None)
    assert cachefolder._folder() == ""


def test_compiled_kernels_lie_beside_the_rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert cachefolder._folder() == str(tmp_path / "pyrograph" / "kernels")


def test_no_cache_lies_in_the_current_directory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    found = cache_folder()
    assert found is None or (found.is_absolute() and not found.is_relative_to(Path.cwd()))


owners = pytest.mark.skipif(not hasattr(os, "geteuid"), reason="files have no owners there")


@owners
def test_a_chosen_folder_that_others_can_write_is_not_used(tmp_path: Path) -> None:
    userfolder.choose(tmp_path / "cache")
    assert cache_folder() == tmp_path / "cache"
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache").chmod(0o770)
    assert cache_folder() is None
    assert (tmp_path / "cache").stat().st_mode & 0o777 == 0o770  # it may have another use, too
    userfolder.choose(None)
    assert cache_folder() is None


@owners
def test_the_default_folder_is_closed_to_others(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    folder = tmp_path / "pyrograph"
    folder.mkdir()
    folder.chmod(0o775)
    assert cache_folder() == folder
    assert folder.stat().st_mode & 0o777 == 0o755


@owners
def test_the_folder_of_another_user_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    userfolder.make(tmp_path / "pyrograph")
    own = os.geteuid()
    monkeypatch.setattr(os, "geteuid", lambda: own + 1)
    assert cache_folder() is None


@owners
def test_kernels_that_others_can_write_are_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    (tmp_path / "pyrograph" / "kernels").mkdir(parents=True)
    (tmp_path / "pyrograph" / "kernels").chmod(0o775)
    assert cachefolder._folder() == ""


def test_a_cache_has_a_tag_and_a_folder_with_other_files_is_none(tmp_path: Path) -> None:
    assert userfolder.is_cache(tmp_path / "new")
    (tmp_path / "new").mkdir()
    assert userfolder.is_cache(tmp_path / "new")
    userfolder.make(tmp_path / "new", "rules")
    assert userfolder.is_cache(tmp_path / "new")
    userfolder.make(tmp_path / "new", "rules")
    assert (tmp_path / "new" / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")
    (tmp_path / "new" / "CACHEDIR.TAG").write_bytes(b"Signature: 8a")  # so far
    assert userfolder.is_cache(tmp_path / "new")
    assert not userfolder.is_cache(tmp_path)
    (tmp_path / "CACHEDIR.TAG").write_bytes(
        b"Signature: 8a477f597d28d172789f06886806bc55\n# Of mypy.\n"
    )  # of another program
    assert not userfolder.is_cache(tmp_path)


def test_new_folders_are_for_this_user_alone(tmp_path: Path) -> None:
    made = userfolder.make(tmp_path / "a" / "pyrograph", "reports")
    assert made == tmp_path / "a" / "pyrograph" / "reports"
    if hasattr(os, "geteuid"):
        assert [each.stat().st_mode & 0o777 for each in (made, made.parent)] == [0o700, 0o700]


def test_a_cache_that_another_scan_makes_meanwhile_is_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "cache"
    scandir = os.scandir

    def late(path: Path) -> Any:
        userfolder.make(folder, "reports")
        return scandir(path)

    monkeypatch.setattr(os, "scandir", late)
    assert userfolder.is_cache(folder)
    monkeypatch.setattr(os, "scandir", scandir)
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "file").write_text("")
    assert not userfolder.is_cache(tmp_path / "other")
