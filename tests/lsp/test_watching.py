"""Which files on the disk matter to a scan, by their names."""

from __future__ import annotations

import pytest

pytest.importorskip("lsprotocol", reason="the extra lsp is not installed")

from pyrograph.lsp.watching import is_watched, may_matter, watchers


def test_sources_templates_manifests_and_configurations_matter() -> None:
    matter = ["a.py", "a.TSX", "a.go", "a.html", "package.json", "go.mod", "pyproject.toml", ".pyrograph.toml", "run"]
    assert [name for name in matter if not may_matter(f"/p/{name}")] == []
    assert [name for name in ("a.md", "b.toml", "c.json", "d.png") if may_matter(f"/p/{name}")] == []


def test_the_client_watches_all_that_matters() -> None:
    globs = [str(each.glob_pattern) for each in watchers()]
    endings, names = (each.partition("{")[2].removesuffix("}").split(",") for each in globs)
    assert {"py", "tsx", "go", "html"} <= set(endings)
    assert {"go.mod", "package.json", ".gitignore", ".pyrographignore", "pyproject.toml", "*baseline*.json"} <= set(
        names
    )


def test_what_git_writes_for_itself_is_no_event() -> None:
    assert not is_watched("/p/.git/index.py")
    assert is_watched("/p/git/index.py")
