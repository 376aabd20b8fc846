"""Which files on the disk matter to a scan, by their names."""

from __future__ import annotations

import pytest

pytest.importorskip("lsprotocol", reason="the extra lsp is not installed")

from pyrograph.lsp.watching import is_read, is_watched, may_matter, watchers


def test_sources_templates_manifests_and_configurations_matter() -> None:
    matter = ["a.py", "a.TSX", "a.go", "a.html", "package.json", "go.mod", "pyproject.toml", ".pyrograph.toml", "run"]
    assert [name for name in matter if not may_matter(f"/p/{name}")] == []
    assert [name for name in ("a.md", "b.toml", "c.json", "d.png") if may_matter(f"/p/{name}")] == []


def test_the_client_watches_all_that_matters() -> None:
    globs = [str(each.glob_pattern) for each in watchers()]
    endings, names = (each.partition("{")[2].removesuffix("}").split(",") for each in globs)
    assert {"py", "tsx", "go", "html"} <= set(endings)
    assert {"go.mod", "package.json", ".gitignore", ".pyrographignore", "pyproject.toml", "*.json"} <= set(names)


def test_what_git_writes_for_itself_is_no_event() -> None:
    assert not is_watched("/p/.git/index.py")
    assert is_watched("/p/git/index.py")


def test_of_other_json_files_the_baseline_counts() -> None:
    named = ["/p/known.json", "/p/a-baseline.json", "/p/package.json", "/p/a.py"]
    assert all(is_read(path, "/p/known.json", is_new=False) for path in named)
    assert not is_read("/p/data.json", "/p/known.json", is_new=False)
    assert is_read("/p/data.json", "/p/known.json", is_new=True)
