from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from tests.report.reports import sql_injection

from pyrograph.model.finding import Report, Statistics, Step, Trace
from pyrograph.model.place import Place
from pyrograph.scanner.triage.changed import ChangedError, only_changed

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(root: Path, *arguments: str) -> str:
    names = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, *arguments], cwd=root, check=True, capture_output=True, env={**os.environ, **names}
    )
    return done.stdout.decode().strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit: a.py, b.py and sub/c.py."""
    repository = tmp_path / "repository"
    (repository / "sub").mkdir(parents=True)
    for name in ("a.py", "b.py", "sub/c.py"):
        (repository / name).write_text(f"# {name}\n")
    git(repository, "init", "-q")
    git(repository, "add", ".")
    git(repository, "commit", "-qm", "first")
    return repository


def report(*paths: tuple[str, ...]) -> Report:
    """One finding for each tuple: a path through these files, the last one with the sink."""
    findings = []
    for files in paths:
        steps = tuple(Step(Place(file, 1, 1, 1, 2), "flow", "on") for file in files)
        place = steps[-1].place
        findings.append(replace(sql_injection(), place=place, traces=(Trace("http", "x", steps),)))
    return Report(tuple(findings), (), {}, Statistics())


ALL = report(("a.py",), ("b.py",), ("sub/c.py",), ("a.py", "b.py"))


def kept(root: Path, ref: str = "HEAD", given: Report = ALL) -> list[str]:
    return ["+".join(s.place.path for s in f.trace.steps) for f in only_changed(given, root, ref).findings]


def test_nothing_changed_keeps_nothing_and_says_so(root: Path) -> None:
    result = only_changed(ALL, root, "HEAD")
    assert result.findings == ()
    assert result.notes == ("changed since HEAD: 4 findings with no step in a changed file not reported",)
    assert only_changed(report(), root, "HEAD").notes == ()


def test_a_step_in_a_changed_file_keeps_a_finding(root: Path) -> None:
    (root / "a.py").write_text("# other\n")
    assert kept(root) == ["a.py", "a.py+b.py"]
    git(root, "add", "a.py")
    assert kept(root) == ["a.py", "a.py+b.py"]
    git(root, "commit", "-qm", "second")
    assert kept(root) == []
    assert kept(root, "HEAD~1") == ["a.py", "a.py+b.py"]


def test_every_path_of_a_finding_counts(root: Path) -> None:
    (root / "b.py").write_text("# other\n")
    first, second = report(("sub/c.py",), ("b.py",)).findings
    both = replace(first, traces=(*first.traces, *second.traces))
    assert len(only_changed(replace(ALL, findings=(both,)), root, "HEAD").findings) == 1


def test_time_stamps_and_line_endings_are_no_change(root: Path) -> None:
    os.utime(root / "a.py", (1, 1))
    (root / "b.py").write_bytes((root / "b.py").read_bytes().replace(b"\n", b"\r\n"))
    assert kept(root) == []


def test_a_deleted_file_counts_as_changed(root: Path) -> None:
    (root / "sub" / "c.py").unlink()
    assert kept(root) == ["sub/c.py"]


def test_repositories_with_long_hashes_are_compared_too(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1\n")
    git(tmp_path, "init", "-q", "--object-format=sha256")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-qm", "first")
    assert kept(tmp_path) == ["b.py", "sub/c.py", "a.py+b.py"]


def test_untracked_and_ignored_files_count_as_changed(root: Path) -> None:
    (root / ".gitignore").write_text("ignored.py\n")
    (root / "new.py").write_text("1\n")
    (root / "ignored.py").write_text("1\n")
    assert kept(root, given=report(("new.py",), ("ignored.py",), ("a.py",))) == ["new.py", "ignored.py"]


def test_paths_are_relative_to_the_scan_root_wherever_it_lies(root: Path) -> None:
    (root / "sub" / "c.py").write_text("# other\n")
    assert kept(root) == ["sub/c.py"]
    assert kept(root / "sub", given=report(("c.py",), ("a.py",))) == ["c.py", "a.py"]  # there is no sub/a.py
    git(root, "commit", "-qam", "second")
    assert kept(root / "sub", given=report(("c.py",), ("../a.py",))) == []
    assert kept(root / "sub" / "c.py", given=report(("c.py",))) == []


def test_odd_names_are_compared_as_they_are(root: Path) -> None:
    names = ["sp ace.py", "größe.py", 'quo"te.py', "new\nline.py", "-dash.py"] if os.name == "posix" else ["sp ace.py"]
    for name in names:
        (root / name).write_text("1\n")
    git(root, "add", ".")
    git(root, "commit", "-qm", "second")
    given = report(*((name,) for name in names))
    assert kept(root, given=given) == []
    for name in names:
        (root / name).write_text("2\n")
    assert kept(root, given=given) == names


def test_what_others_committed_to_the_branch_meanwhile_is_no_change_of_ours(root: Path) -> None:
    git(root, "checkout", "-q", "-b", "feature")
    (root / "a.py").write_text("# ours\n")
    git(root, "commit", "-qam", "ours")
    git(root, "checkout", "-q", "main")
    (root / "b.py").write_text("# theirs\n")
    git(root, "commit", "-qam", "theirs")
    git(root, "checkout", "-q", "feature")
    assert kept(root, "main") == ["a.py", "a.py+b.py"]


def test_without_common_history_the_revision_itself_is_compared(root: Path) -> None:
    git(root, "checkout", "-q", "--orphan", "other")
    (root / "a.py").write_text("# other\n")
    git(root, "commit", "-qam", "orphan")
    assert kept(root, "main") == ["a.py", "a.py+b.py"]


@pytest.mark.parametrize("ref", ["-h", "--output=x", "--exec=touch x", "", "a\0b"])
def test_a_revision_that_looks_like_an_option_is_refused(root: Path, ref: str) -> None:
    with pytest.raises(ChangedError, match="not a git revision"):
        only_changed(ALL, root, ref)
    assert sorted(p.name for p in root.iterdir()) == [".git", "a.py", "b.py", "sub"]


@pytest.mark.parametrize("ref", ["nowhere", "HEAD:a.py", "main..HEAD", ":/first; touch x", "HEAD^{tree}"])
def test_an_unknown_revision_is_refused_with_the_remedy(root: Path, ref: str) -> None:
    with pytest.raises(ChangedError, match="git knows no such revision here; fetch it first"):
        only_changed(ALL, root, ref)


def test_a_folder_outside_any_repository_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ChangedError, match="needs a git work tree: fatal: not a git repository"):
        only_changed(ALL, tmp_path, "HEAD")


def test_a_repository_without_commits_knows_no_revision(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    with pytest.raises(ChangedError, match="git knows no such revision"):
        only_changed(ALL, tmp_path, "HEAD")


def test_a_machine_without_git_is_told_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ChangedError, match="needs git, which was not found"):
        only_changed(ALL, root, "HEAD")


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_git_is_never_taken_from_the_scanned_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "git").write_text("#!/bin/sh\ntouch run\n")
    (root / "git").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    assert kept(root) == []
    assert not (root / "run").exists()


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_nothing_the_repository_configures_is_run(root: Path) -> None:
    script = root / "evil.sh"
    script.write_text("#!/bin/sh\ntouch run\ncat\n")
    script.chmod(0o755)
    for key in ("core.fsmonitor", "diff.external", "diff.py.textconv", "filter.py.clean", "core.pager"):
        git(root, "config", key, str(script))
    (root / ".gitattributes").write_text("*.py diff=py filter=py\n")
    os.utime(root / "a.py", (1, 1))
    (root / "b.py").write_text("# other, and longer\n")
    assert kept(root) == ["b.py", "a.py+b.py"]
    assert not (root / "run").exists()


def test_the_environment_of_a_hook_does_not_lead_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "-q")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert kept(root) == []


def test_the_repository_is_left_as_it_was(root: Path) -> None:
    (root / "a.py").write_text("# other\n")
    os.utime(root / "b.py", (1, 1))

    def state() -> list[tuple[str, int, bytes]]:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files]

    before = state()
    only_changed(ALL, root, "HEAD")
    assert state() == before
