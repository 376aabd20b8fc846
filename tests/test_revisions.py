"""Two states of a program: commits as git has them, findings that are new, and nothing that a repository configures."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from pyrograph.cli import run
from pyrograph.cli.supervise import Attempt
from pyrograph.model.finding import Report, Statistics
from pyrograph.scanner.options import Revisions, ScanOptions
from pyrograph.scanner.triage.repository import Repository, RevisionError
from pyrograph.scanner.triage.revisions import states_of
from pyrograph.scanner.triage.snapshot import write_snapshot

NOTHING = Report((), (), {}, Statistics())

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


def git(root: Path, *arguments: str, stdin: bytes = b"") -> str:
    names = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main")
    done = subprocess.run(
        ["git", *identity, *arguments],
        cwd=root,
        check=True,
        capture_output=True,
        env={**os.environ, **names},
        input=stdin,
    )
    return done.stdout.decode().strip()


def write(root: Path, **files: str) -> None:
    """Write files: ``sub__a_py`` is ``sub/a.py``."""
    for name, text in files.items():
        path = root / name.replace("__", "/").replace("_", ".")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def commit(root: Path, message: str = "on") -> str:
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--allow-empty", "--message", message)
    return git(root, "rev-parse", "HEAD")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository with one commit: a.py, b.py and sub/c.py."""
    repository = tmp_path / "repository"
    write(repository, a_py="# a\n", b_py="# b\n", sub__c_py="# c\n")
    git(repository, "init", "--quiet")
    commit(repository, "first")
    return repository


def snapshot(repository: Repository, revision: str, folder: Path) -> dict[str, bytes]:
    """Files of a snapshot by their paths; links with their targets."""
    folder.mkdir(exist_ok=True)
    write_snapshot(repository, repository.commit(revision), folder)
    found = {}
    for path in folder.rglob("*"):
        if path.is_symlink():
            found[path.relative_to(folder).as_posix()] = b"-> " + os.fsencode(os.readlink(path))
        elif path.is_file():
            found[path.relative_to(folder).as_posix()] = path.read_bytes()
    return found


# Commits


def test_a_commit_is_written_as_git_has_it(root: Path, tmp_path: Path) -> None:
    write(root, b_py="# other\n", new_py="# new\n", page_html="{{ x }}", go_mod="module m\n", image_png="no code")
    (root / "run").write_text("#!/usr/bin/env python\n")
    (root / "run").chmod(0o755)
    commit(root)
    write(root, b_py="# not committed\n")
    repository = Repository(root)
    assert snapshot(repository, "HEAD~1", tmp_path / "before") == {
        "a.py": b"# a\n",
        "b.py": b"# b\n",
        "sub/c.py": b"# c\n",
    }
    after = snapshot(repository, "HEAD", tmp_path / "after")
    assert after["b.py"] == b"# other\n"
    assert after.keys() == {"a.py", "b.py", "sub/c.py", "new.py", "page.html", "go.mod", *(["run"] * (os.name != "nt"))}


def test_repositories_with_long_hashes_are_read_too(tmp_path: Path) -> None:
    write(tmp_path / "r", a_py="1\n")
    git(tmp_path / "r", "init", "--quiet", "--object-format=sha256")
    assert len(commit(tmp_path / "r")) == 64
    assert snapshot(Repository(tmp_path / "r"), "HEAD", tmp_path / "out") == {"a.py": b"1\n"}


def test_odd_names_are_kept_as_they_are(root: Path, tmp_path: Path) -> None:
    names = ["sp ace.py", "größe.py", 'quo"te.py', "new\nline.py", "-dash.py"] if os.name == "posix" else ["sp ace.py"]
    for name in names:
        (root / name).write_text("1\n")
    commit(root)
    assert set(names) <= snapshot(Repository(root), "HEAD", tmp_path / "out").keys()


def test_large_files_keep_their_size_and_not_their_content(root: Path, tmp_path: Path) -> None:
    write(root, large_py="#" * 1000)
    repository = Repository(root)
    name = commit(root)
    (tmp_path / "out").mkdir()
    write_snapshot(repository, name, tmp_path / "out", max_file_size=100)
    assert (tmp_path / "out" / "large.py").read_bytes() == bytes(1000)


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_links_are_links_and_nothing_is_written_through_one(root: Path, tmp_path: Path) -> None:
    """A tree that git itself would not make: a link, and below its name a file and a link."""
    outside = tmp_path / "outside"
    outside.mkdir()
    link = git(root, "hash-object", "-w", "--stdin", stdin=os.fsencode(outside))
    blob = git(root, "hash-object", "-w", "--stdin", stdin=b"1\n")
    inner = git(root, "mktree", stdin=f"100644 blob {blob}\tfile.py\n120000 blob {link}\tlink.py\n".encode())
    only_link = git(root, "mktree", stdin=f"120000 blob {link}\tb.py\n".encode())
    rows = (
        f"120000 blob {link}\ta",
        f"040000 tree {inner}\ta",
        f"120000 blob {link}\tb",
        f"040000 tree {only_link}\tb",
    )
    tree = git(root, "mktree", stdin="\n".join(rows).encode())
    git(root, "branch", "evil", git(root, "commit-tree", "-m", "evil", tree))
    snapshot(Repository(root), "evil", tmp_path / "out")
    assert list(outside.iterdir()) == []


@pytest.mark.parametrize("name", ["..", ".", ".git", ".GIT"])
def test_names_that_lead_elsewhere_are_not_written(root: Path, tmp_path: Path, name: str) -> None:
    blob = git(root, "hash-object", "-w", "--stdin", stdin=b"1\n")
    content = b"40000 %s\0" % name.encode() + bytes.fromhex(
        git(root, "mktree", stdin=f"100644 blob {blob}\tx.py\n".encode())
    )
    tree = git(root, "hash-object", "-w", "--stdin", "--literally", "-t", "tree", stdin=content)
    git(root, "branch", "evil", git(root, "commit-tree", "-m", "evil", tree))
    (tmp_path / "folder").mkdir()
    assert snapshot(Repository(root), "evil", tmp_path / "folder" / "out") == {}
    assert sorted(path.name for path in (tmp_path / "folder").iterdir()) == ["out"]


def test_submodules_are_read_where_they_are_checked_out(root: Path, tmp_path: Path) -> None:
    git(root, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(root), "inner")
    commit(root)
    repository = Repository(root)
    assert snapshot(repository, "HEAD", tmp_path / "out")["inner/sub/c.py"] == b"# c\n"
    git(root, "submodule", "--quiet", "deinit", "--force", "inner")
    assert "inner/sub/c.py" not in snapshot(repository, "HEAD", tmp_path / "other")


def test_a_commit_of_too_many_files_is_refused(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.scanner.triage.repository.MAX_COMMIT_FILES", 2)
    with pytest.raises(RevisionError, match="more than 2 files"):
        Repository(root).entries("HEAD")


def test_a_commit_of_too_much_code_is_refused(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyrograph.scanner.triage.snapshot.MAX_COMMIT_BYTES", 5)
    with pytest.raises(RevisionError, match="take more than 5 bytes"):
        snapshot(Repository(root), "HEAD", tmp_path / "out")


# Revisions


@pytest.mark.parametrize("ref", ["-h", "--output=x", "--exec=touch x", "", "a\0b"])
def test_a_revision_that_looks_like_an_option_is_refused(root: Path, ref: str) -> None:
    with pytest.raises(RevisionError, match="not a git revision"):
        Repository(root).commit(ref)
    assert sorted(p.name for p in root.iterdir()) == [".git", "a.py", "b.py", "sub"]


@pytest.mark.parametrize("ref", ["nowhere", "HEAD:a.py", "main..HEAD", ":/first; touch x", "HEAD^{tree}", "HEAD~1"])
def test_an_unknown_revision_is_refused_with_the_remedy(root: Path, ref: str) -> None:
    with pytest.raises(RevisionError, match="git knows no such revision here; fetch it first"):
        Repository(root).commit(ref)


def test_a_folder_outside_any_repository_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(RevisionError, match="needs a git work tree: fatal: not a git repository"):
        Repository(tmp_path)


def test_a_history_without_commits_is_empty(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    repository = Repository(tmp_path)
    assert [repository.commit(each) for each in ("HEAD", "@", "main", "0" * 40, "0" * 64)] == [None] * 5
    with pytest.raises(RevisionError, match="git knows no such revision"):
        repository.commit("origin/main")


def test_the_null_commit_of_ci_servers_is_an_empty_history(root: Path) -> None:
    assert Repository(root).commit("0" * 40) is None
    assert Repository(root).commit("HEAD") is not None


def test_a_machine_without_git_is_told_so(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(RevisionError, match="needs git, which was not found"):
        Repository(root)


def test_a_clone_without_the_files_is_refused_and_does_not_fetch_them(root: Path, tmp_path: Path) -> None:
    """Files that are not there must not look like files that the earlier state did not have."""
    git(root, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", f"file://{root}", "partial")
    with pytest.raises(RevisionError, match="partial clone"):
        snapshot(Repository(tmp_path / "partial"), "HEAD", tmp_path / "out")


# Nothing is run


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_git_is_never_taken_from_the_scanned_folder(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "git").write_text("#!/bin/sh\ntouch run\n")
    (root / "git").chmod(0o755)
    monkeypatch.chdir(root)
    monkeypatch.setenv("PATH", f".{os.pathsep}{os.environ['PATH']}")
    assert Repository(root).commit("HEAD")
    assert not (root / "run").exists()


@pytest.mark.skipif(os.name != "posix", reason="a script of the shell")
def test_nothing_the_repository_configures_is_run(root: Path, tmp_path: Path) -> None:
    script = root / "evil.sh"
    script.write_text(f"#!/bin/sh\ntouch {tmp_path}/run\ncat\n")
    script.chmod(0o755)
    (root / ".gitattributes").write_text("*.py diff=py filter=py\n")
    commit(root)
    for key in ("core.fsmonitor", "diff.external", "diff.py.textconv", "core.pager", "core.sshCommand"):
        git(root, "config", key, str(script))
    for key in ("filter.py.clean", "filter.py.smudge", "filter.py.process"):
        git(root, "config", key, str(script))
    git(root, "config", "remote.origin.url", f"ext::{script}")
    git(root, "config", "remote.origin.promisor", "true")
    git(root, "config", "protocol.ext.allow", "always")
    (root / ".git" / "hooks").mkdir(exist_ok=True)
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(script, root / ".git" / "hooks" / hook)
    write(root, a_py="# other, and longer\n")
    assert snapshot(Repository(root), "HEAD", tmp_path / "out")["a.py"] == b"# a\n"
    blob = git(root, "rev-parse", "HEAD:b.py")
    (root / ".git" / "objects" / blob[:2] / blob[2:]).unlink()  # git would fetch it from the promisor
    with pytest.raises(RevisionError, match="partial clone"):
        snapshot(Repository(root), "HEAD", tmp_path / "other")
    assert not (tmp_path / "run").exists()


def test_the_environment_of_a_hook_does_not_lead_elsewhere(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    git(other, "init", "--quiet")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "index"))
    assert Repository(root).commit("HEAD") is not None


def test_the_repository_is_left_as_it_was(root: Path) -> None:
    write(root, a_py="# other\n")
    os.utime(root / "b.py", (1, 1))

    def state() -> list[tuple[str, int, bytes]]:
        files = sorted(path for path in root.rglob("*") if path.is_file())
        return [(str(path), path.stat().st_mtime_ns, path.read_bytes()) for path in files]

    before = state()
    with states_of(Revisions("HEAD", "HEAD"), root) as states:
        states.compared(NOTHING, options(states.top), lambda _: NOTHING)
    assert state() == before


# States


def options(root: Path, *paths: Path) -> ScanOptions:
    return ScanOptions(paths=paths or (root,), root=root, jobs=1)


def earlier(root: Path, base: str, head: str = "", *, merge_base: bool = True) -> dict[str, str]:
    """Python files of the earlier state, as a scan would find them."""
    found: dict[str, str] = {}

    def scan(asked: ScanOptions) -> Report:
        found.update({path.relative_to(asked.root).as_posix(): path.read_text() for path in asked.root.rglob("*.py")})
        return NOTHING

    with states_of(Revisions(base, head, merge_base), root) as states:
        states.compared(NOTHING, options(states.top), scan)
    return found


def test_what_others_committed_to_the_branch_meanwhile_is_no_change_of_ours(root: Path) -> None:
    git(root, "checkout", "--quiet", "-b", "feature")
    write(root, a_py="# ours\n")
    commit(root)
    git(root, "checkout", "--quiet", "main")
    write(root, b_py="# theirs\n")
    commit(root)
    git(root, "checkout", "--quiet", "feature")
    assert earlier(root, "main") == {"a.py": "# a\n", "b.py": "# b\n", "sub/c.py": "# c\n"}
    assert earlier(root, "main", "feature")["b.py"] == "# b\n"
    assert earlier(root, "main", merge_base=False)["b.py"] == "# theirs\n"


def test_without_common_history_the_revision_itself_is_compared(root: Path) -> None:
    git(root, "checkout", "--quiet", "--orphan", "other")
    commit(root, "orphan")
    write(root, a_py="# other\n")
    assert earlier(root, "main")["a.py"] == "# a\n"


def test_paths_that_the_earlier_state_lacks_are_left_out_of_it(root: Path) -> None:
    write(root, new__d_py="# d\n")
    asked: list[ScanOptions] = []

    def scan(options: ScanOptions) -> Report:
        asked.append(options)
        return NOTHING

    with states_of(Revisions("HEAD"), root) as states:
        for paths in ((root / "sub", root / "new"), (root / "new",)):
            states.compared(NOTHING, options(root, *paths), scan)
    assert [[path.name for path in each.paths] for each in asked] == [["sub"]]


def test_a_path_that_the_later_state_lacks_is_refused(root: Path, tmp_path: Path) -> None:
    write(root, new__d_py="# d\n")
    with states_of(Revisions("HEAD", "HEAD"), root) as states:
        assert states.place(root / "sub") == states.top / "sub"
        with pytest.raises(RevisionError, match="is not in HEAD"):
            states.place(root / "new")
        with pytest.raises(RevisionError, match="lies outside the repository"):
            states.place(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="links")
def test_a_link_of_a_commit_does_not_lead_out_of_it(root: Path, tmp_path: Path) -> None:
    write(tmp_path / "outside", secret_py="# secret\n")
    shutil.rmtree(root / "sub")
    (root / "sub").symlink_to(tmp_path / "outside")
    commit(root)
    (root / "sub").unlink()
    write(root, sub__c_py="# c\n")
    with states_of(Revisions("HEAD"), root) as states:
        asked = ScanOptions(paths=(root / "sub",), root=root / "sub", jobs=1)
        assert states.compared(NOTHING, asked, lambda _: pytest.fail("nothing is there")).findings == ()
    with states_of(Revisions("HEAD", "HEAD"), root) as states, pytest.raises(RevisionError, match="is not in HEAD"):
        states.place(root / "sub")


# Findings

APP = """
import subprocess
from flask import Flask, render_template, request
import settings
app = Flask("a")

@app.route("/run")
def run():
    name = request.args["name"]
    subprocess.run(f"ls {settings.QUOTE(name)}", shell=True)
    return render_template("page.html", name=name)

@app.route("/old")
def old():
    subprocess.run("echo " + request.args["old"], shell=True)
"""
SAFE = {
    "app_py": APP,
    "settings_py": "import shlex\nQUOTE = shlex.quote\n",
    "templates__page_html": "<p>{{ name }}</p>",
}
OLD = "python/command-injection"


class Program:
    """A program in a repository, and the command line."""

    def __init__(self, folder: Path, capture: pytest.CaptureFixture[str]) -> None:
        self.root = folder / "program"
        self.root.mkdir()
        self.out = folder / "report.json"
        self.capture = capture
        git(self.root, "init", "--quiet")

    def run(self, *arguments: str) -> tuple[int, Any]:
        code = run([*arguments, "--jobs", "1", "--quiet", "--format", f"json:{self.out}"], Attempt())
        return code, json.loads(self.out.read_text()) if self.out.exists() else None


@pytest.fixture
def program(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Program:
    made = Program(tmp_path, capsys)
    monkeypatch.chdir(made.root)
    return made


def rules(findings: list[Any]) -> list[str]:
    return [each["rule"] for each in findings]


def test_all_findings_of_a_first_commit_are_new(program: Program) -> None:
    write(program.root, **SAFE)
    code, report = program.run("scan", "--changed-since", "HEAD")
    assert (code, rules(report["findings"]), report["difference"]["commit"]) == (1, [OLD], "")


@pytest.mark.parametrize(
    ("change", "new"),
    [
        ({"app_py": APP.replace("def old():", "def old():\n    # a comment\n")}, []),
        ({"settings_py": "QUOTE = str\n"}, ["python/command-injection"]),
        ({"templates__page_html": "<p>{{ name|safe }}</p>"}, ["python/xss"]),
    ],
    ids=["an old finding in a changed file", "a cause off the path", "a template alone"],
)
def test_findings_are_new_whatever_file_causes_them(program: Program, change: dict[str, str], new: list[str]) -> None:
    write(program.root, **SAFE)
    commit(program.root)
    write(program.root, **change)
    code, report = program.run("scan", "--changed-since", "HEAD")
    assert (code, rules(report["findings"])) == (int(bool(new)), new)
    difference = report["difference"]
    assert (rules(difference["unchanged"]), difference["moved"], difference["fixed"]) == ([OLD], [], [])


def test_two_commits_are_compared_without_the_work_tree(program: Program) -> None:
    write(program.root, **SAFE)
    commit(program.root)
    moved = APP.replace('"echo " + request.args["old"]', "(\n        'echo ' + request.args['old'])").replace(
        "old()", "new()"
    )
    write(program.root, app_py="", main_py=moved, settings_py="QUOTE = str\n")
    (program.root / "app.py").unlink()
    commit(program.root)
    shutil.rmtree(program.root / "templates")
    (program.root / "main.py").unlink()
    code, report = program.run("diff", "HEAD~1", "HEAD")
    assert (code, [each["path"] for each in report["findings"]]) == (1, ["main.py"])
    (each,) = report["difference"]["moved"]
    assert (each["before"]["path"], each["finding"]["path"]) == ("app.py", "main.py")
    code, report = program.run("diff", "HEAD", "HEAD~1", "--no-merge-base")
    assert (code, report["findings"], rules(report["difference"]["fixed"])) == (0, [], ["python/command-injection"])
    assert program.run("diff", "HEAD~1", "nowhere")[0] == 2
    assert "nowhere: git knows no such revision" in program.capture.readouterr().err


def test_a_comment_that_is_taken_away_makes_a_finding_new(program: Program) -> None:
    hidden = APP.replace("shell=True)\n", "shell=True)  # pyrograph: ignore\n")
    write(program.root, **{**SAFE, "app_py": hidden})
    commit(program.root)
    write(program.root, **SAFE)
    assert rules(program.run("diff", "HEAD")[1]["findings"]) == [OLD]
    commit(program.root)
    write(program.root, app_py=hidden)
    difference = program.run("diff", "HEAD")[1]["difference"]
    assert difference["fixed"] == []
