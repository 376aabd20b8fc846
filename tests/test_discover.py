"""What is scanned and what is left out, told by small trees."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pyrograph.parsers import language
from pyrograph.parsers.language import COPIES, GENERATED, MINIFIED
from pyrograph.parsers.python.encoding import declared_encoding
from pyrograph.policy.limits.files import MAX_LEADING, MAX_WILDCARDS, PATTERN_COST
from pyrograph.scanner import machine
from pyrograph.scanner.files import classify, ignore
from pyrograph.scanner.files.decode import decode
from pyrograph.scanner.files.discover import Discovery, SourceFile, discover
from pyrograph.scanner.files.ignore import IgnoreRules
from pyrograph.scanner.files.read import read_source
from pyrograph.scanner.options import ScanOptions
from pyrograph.scanner.roots import common_directory, find_root
from pyrograph.scanner.selection import selects

needs_links = pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")


def tree(root: Path, files: dict[str, str | bytes]) -> None:
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def found(root: Path, *named: str, **settings: Any) -> Discovery:
    paths = tuple(root / name for name in named) or (root,)
    return discover(ScanOptions(paths=paths, root=root, **settings))


def paths(discovery: Discovery) -> list[str]:
    return [file.path for file in discovery.files]


# Languages


def test_files_come_sorted_with_their_language_and_size(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {"b.go": "package b\n", "a/x.py": "", "a/y.jsx": "", "c.tsx": "", "d.mts": "", "e.txt": "", "F.PY": ""},
    )
    files = found(tmp_path).files
    assert [(file.path, file.language) for file in files] == [
        ("F.PY", "python"),
        ("a/x.py", "python"),
        ("a/y.jsx", "javascript"),
        ("b.go", "go"),
        ("c.tsx", "tsx"),
        ("d.mts", "typescript"),
    ]
    assert files[3].size == 10


@pytest.mark.skipif(os.name == "nt", reason="no executable bit on Windows")
@pytest.mark.parametrize(
    ("line", "language"),
    [
        ("#!/usr/bin/env python3", "python"),
        ("#!/usr/bin/python3.12 -I", "python"),
        ("#!/usr/bin/env -S node --harmony", "javascript"),
        ("#!/bin/sh", None),
        ("#!", None),
        ("import os", None),
    ],
)
def test_an_executable_without_suffix_is_known_by_its_first_line(
    tmp_path: Path, line: str, language: str | None
) -> None:
    tree(tmp_path, {"tool": line + "\n", "other": "#!/usr/bin/env python3\n"})
    (tmp_path / "tool").chmod(0o755)
    assert [file.language for file in found(tmp_path).files] == ([language] if language else [])


def test_a_named_file_in_no_known_language_is_a_problem(tmp_path: Path) -> None:
    tree(tmp_path, {"notes.txt": "hello"})
    discovery = found(tmp_path, "notes.txt")
    assert not discovery.files
    assert discovery.problems[0].kind == "not-parsed"
    assert "cannot tell its language" in discovery.problems[0].message


def test_paths_that_overlap_give_each_file_once(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.py": "", "a/b/y.py": ""})
    assert paths(found(tmp_path, "a", "a/b", "a/x.py", ".")) == ["a/b/y.py", "a/x.py"]


def test_a_path_outside_the_root_is_refused(tmp_path: Path) -> None:
    tree(tmp_path, {"inside/x.py": "", "y.py": ""})
    with pytest.raises(ValueError, match="outside the scan root"):
        discover(ScanOptions(paths=(tmp_path / "y.py",), root=tmp_path / "inside"))


# Ignore files


def test_gitignore_files_nest_and_negate(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            ".gitignore": "*.gen.py\n/secret/\nlogs\n",
            "a.gen.py": "",
            "secret/x.py": "",
            "sub/secret/x.py": "",
            "sub/.gitignore": "!keep.gen.py\n*.tmp.py\n",
            "sub/keep.gen.py": "",
            "sub/drop.gen.py": "",
            "sub/y.tmp.py": "",
            "y.tmp.py": "",
            "logs/z.py": "",
        },
    )
    discovery = found(tmp_path)
    assert paths(discovery) == ["sub/keep.gen.py", "sub/secret/x.py", "y.tmp.py"]
    assert discovery.skipped == {classify.IGNORED_DIRECTORIES: 2, classify.IGNORED_FILES: 3}
    assert len(found(tmp_path, gitignore=False).files) == 8


def test_the_repository_s_ignore_files_hold_below_a_scanned_directory(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {".git/HEAD": "", ".gitignore": "/pkg/old.py\n", "pkg/old.py": "", "pkg/new.py": "", "pkg/sub/x.py": ""},
    )
    assert paths(found(tmp_path, "pkg")) == ["pkg/new.py", "pkg/sub/x.py"]
    narrow = discover(ScanOptions(paths=(tmp_path / "pkg",), root=tmp_path / "pkg"))
    assert paths(narrow) == ["new.py", "sub/x.py"]


def test_what_the_user_names_is_scanned_although_it_is_ignored(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            ".gitignore": "/private/\n/private/**\nx.py\n",
            "private/a.py": "",
            "private/deep/b.py": "",
            "x.py": "",
            "lib.min.js": "",
            "node_modules/m/index.js": "",
            "node_modules/m/node_modules/n/index.js": "",
        },
    )
    assert paths(found(tmp_path)) == []
    assert paths(found(tmp_path, "x.py", "lib.min.js")) == ["lib.min.js", "x.py"]
    assert paths(found(tmp_path, "private")) == ["private/a.py", "private/deep/b.py"]
    assert paths(found(tmp_path, "node_modules/m")) == ["node_modules/m/index.js"]


def test_our_own_ignore_file_has_the_last_word(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            ".gitignore": "made.py\n",
            ".pyrographignore": "!made.py\n!vendor/\nskip.py\n",
            "made.py": "",
            "skip.py": "",
            "vendor/x.py": "",
        },
    )
    assert paths(found(tmp_path)) == ["made.py", "vendor/x.py"]
    assert paths(found(tmp_path, exclude=("vendor/",))) == ["made.py"]


def test_include_and_exclude(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.py": "", "a/y.js": "", "b/x.py": "", "tests/t.py": ""})
    discovery = found(tmp_path, include=("*.py",), exclude=("b/",))
    assert paths(discovery) == ["a/x.py", "tests/t.py"]
    assert discovery.skipped == {classify.NOT_INCLUDED: 1, classify.EXCLUDED_DIRECTORIES: 1}
    assert paths(found(tmp_path, include=("a/",))) == ["a/x.py", "a/y.js"]
    assert found(tmp_path, exclude=("/tests/t.py",)).skipped == {classify.EXCLUDED_FILES: 1}


NAMES = ["a", "b", "ab", "x.py", "a.b", "-", "]", "!a", "#a", "a b"]
PIECES = ["a", "b", "*", "**", "?", "[ab]", "[!a]", "[]]", "[[:alpha:]]", "[^]-]", "[z-a]", ".py", "/", "\\!", *"#!- "]


@pytest.fixture(scope="module")
def git_repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


# git 2.39 compares the literal beginning of a pattern apart and matches the rest alone, so "a**/b" matches "ab" and
# "a/x/b". By its documentation, and for "[a]**/b", stars beside text are ordinary ones.
STARS_BEHIND_TEXT = re.compile(r"!?/?[^*?\[\\]*[^*?\[\\/]\*\*+/")


@pytest.fixture(scope="module")
def has_stars_fault(git_repository: Path) -> bool:
    """Whether the installed git has this fault."""
    return ignored_by_git(git_repository, ["a**/b"], ["ab"]) == ["ab"]


def ignored_by_git(repository: Path, lines: list[str], paths: list[str]) -> list[str]:
    (repository / ".gitignore").write_text("\n".join(lines) + "\n", encoding="utf-8")
    answer = subprocess.run(
        ["git", "-C", repository, "check-ignore", "--no-index", "-z", "--stdin"],
        input="\0".join(paths).encode(), capture_output=True, check=False,
    )  # fmt: skip
    return answer.stdout.decode().split("\0")[:-1]


def ignored_here(lines: list[str], paths: list[str]) -> list[str]:
    rules = IgnoreRules(lines)

    def is_ignored(path: str) -> bool:
        names = path.split("/")
        return any(
            rules.verdict("/".join(names[:length]), directory=length < len(names))
            for length in range(1, len(names) + 1)
        )

    return [path for path in paths if is_ignored(path)]


@given(st.lists(st.lists(st.sampled_from(PIECES), min_size=1, max_size=6).map("".join), min_size=1, max_size=20))
@example(["[a]**/a"])
@example(["a**/a"])
def test_patterns_mean_what_git_means_by_them(git_repository: Path, has_stars_fault: bool, lines: list[str]) -> None:
    if has_stars_fault:
        lines = [line for line in lines if not STARS_BEHIND_TEXT.match(line)]
    asked = [f"{a}/{b}/{c}"[: end or None] for a in NAMES for b in NAMES[:4] for c, end in (("a", 0), ("x.py", 0))]
    asked += NAMES + [f"{a}/{b}" for a in NAMES for b in NAMES]
    assert ignored_here(lines, asked) == ignored_by_git(git_repository, lines, asked)


@pytest.mark.parametrize("pattern", ["a**/b", "a***/b", "/a**/b", "[a]**/b", "a*/b"])
def test_stars_beside_text_match_within_a_name(pattern: str) -> None:
    paths = ["ab", "a/b", "ab/b", "a/x/b", "ab/x/b", "x/a/b"]
    assert ignored_here([pattern], paths) == ["a/b", "ab/b"]


@pytest.mark.parametrize("pattern", ["*a" * 30 + "b", "**/a/" * 30 + "b", "/".join(["**", "*a*a*a*"] * 10)])
def test_no_pattern_takes_long(pattern: str) -> None:
    rules = IgnoreRules([pattern])
    assert rules.verdict("a" * 250, directory=False) is None
    assert rules.verdict("/".join(["a"] * 120), directory=False) is None


@pytest.mark.parametrize(
    ("line", "kept"),
    [("name#", "other"), ("dir#/name", "dir/other"), ("*.end#", "a.end"), ("start#*", "other"), ("a#/", "a")],
)
def test_names_paths_ends_and_starts_are_looked_up_however_many_there_are(line: str, kept: str) -> None:
    rules = IgnoreRules(line.replace("#", str(i)) for i in range(20_000))
    assert not rules._others
    assert rules.left_out == 0
    assert rules.verdict(kept, directory=True) is None
    for i in (0, 19_999):
        name = line.replace("#", str(i)).replace("*", "").strip("/")
        assert rules.verdict(name, directory=True) is True
        assert rules.verdict(name, directory=False) is (None if line.endswith("/") else True)


@pytest.mark.parametrize("line", ["**/a#/*b?c", "*a*#*", "[ab]#", "a\\b#", "x/**/y#/*", "?#"])
def test_patterns_that_are_matched_one_by_one_have_a_bound(line: str) -> None:
    rules = IgnoreRules(line.replace("#", str(i)) for i in range(20_000))
    assert 0 < rules.cost <= MAX_WILDCARDS
    assert len(rules._others) == 20_000 - rules.left_out <= MAX_WILDCARDS // PATTERN_COST
    assert IgnoreRules(["a" * 5_000 + "?"]).left_out == 1


def test_patterns_behind_those_that_are_left_out_mean_what_they_say() -> None:
    many = [f"*{i}*x?" for i in range(10_000)]
    rules = IgnoreRules(["early", *many, "late", "!*.py"])
    assert rules.left_out > 1
    assert rules.verdict("early", directory=False) is None
    assert rules.verdict("late", directory=False) is True
    assert rules.verdict("a9999xx", directory=False) is True
    assert rules.verdict("late.py", directory=False) is False


def test_ignore_files_share_the_bound_with_those_above_them(tmp_path: Path) -> None:
    many = "".join(f"*{i}*\n" for i in range(1_000))
    tree(tmp_path, {".gitignore": many, "a/.gitignore": many, "a/b/.gitignore": many, "a/b/x.py": "", "y.py": ""})
    told = found(tmp_path).problems
    assert [(problem.kind, problem.path) for problem in told] == [
        ("limit", "a/.gitignore"),
        ("limit", "a/b/.gitignore"),
    ]
    assert "the first" in told[0].message


def test_an_ignore_file_that_is_too_large_is_not_used(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "*.py\n" * 500_000, "x.py": ""})
    discovery = found(tmp_path)
    assert paths(discovery) == ["x.py"]
    assert [(problem.kind, problem.path) for problem in discovery.problems] == [("limit", ".gitignore")]


@needs_links
def test_each_directory_is_listed_once_for_all_links_into_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tree(tmp_path, {**{f"elsewhere/{i}.py": "" for i in range(20)}, "here/a.py": ""})
    for i in range(20):
        (tmp_path / "here" / f"link{i}.py").symlink_to(tmp_path / "elsewhere" / f"{i}.py")
    listed: list[str] = []
    scandir = os.scandir

    def listing(path: str) -> Any:
        listed.append(path)
        return scandir(path)

    monkeypatch.setattr("os.scandir", listing)
    assert len(paths(found(tmp_path, "here"))) == 21
    assert sorted(listed) == [str(tmp_path / "elsewhere"), str(tmp_path / "here")]


@pytest.mark.parametrize("end", [" ", "\\ ", " \\ "])
def test_a_line_of_blanks_is_read_in_one_pass(end: str) -> None:
    pattern = ignore.parse("a" + end + " " * 1_000_000)
    assert pattern is not None
    assert pattern.text == "a" + end.rstrip(" ") + " " * end.endswith("\\ ")


# Default excludes


def test_dependencies_build_output_and_environments_are_left_out(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "app.py": "",
            "web/node_modules/m/index.js": "",
            "vendor/v.go": "",
            "dist/bundle.js": "",
            "env/pyvenv.cfg": "",
            "env/lib/x.py": "",
            "__pycache__/x.py": "",
            "go/build/build.go": "package build\n",
            "src/build/__init__.py": "",
        },
    )
    discovery = found(tmp_path)
    assert paths(discovery) == ["app.py", "go/build/build.go", "src/build/__init__.py"]
    assert discovery.skipped == {
        classify.DEPENDENCIES: 2,
        classify.BUILD_OUTPUT: 1,
        classify.VIRTUAL_ENVIRONMENTS: 1,
    }
    assert len(found(tmp_path, default_excludes=False).files) == 7


def test_an_environment_beside_the_sources_of_a_folder_leaves_them_in(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "server/pyvenv.cfg": "",
            "server/main.py": "",
            "server/tasks/job.py": "",
            "server/lib/python3.12/site-packages/flask/app.py": "",
            "env/pyvenv.cfg": "",
            "env/bin/activate_this.py": "",
        },
    )
    discovery = found(tmp_path)
    assert paths(discovery) == ["server/main.py", "server/tasks/job.py"]
    assert discovery.skipped == {classify.DEPENDENCIES: 1, classify.VIRTUAL_ENVIRONMENTS: 1}


def test_a_published_package_is_its_build_output(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "published/package.json": "{}",
            "published/dist/index.js": "",
            "published/test/test.js": "",
            "published/rollup.config.js": "",
            "both/package.json": "{}",
            "both/src/index.js": "",
            "both/dist/index.js": "",
            "page/dist/bundle.js": "",
        },
    )
    discovery = found(tmp_path)
    assert [path for path in paths(discovery) if "dist" in path] == ["published/dist/index.js"]
    assert discovery.skipped == {classify.BUILD_OUTPUT: 2}


def test_a_file_that_only_leads_to_the_build_output_is_no_source_of_it(tmp_path: Path) -> None:
    tree(
        tmp_path,
        {
            "leads/package.json": "{}",
            "leads/index.js": 'module.exports = require("./dist");',
            "leads/dist/index.js": "",
            "other/package.json": "{}",
            "other/index.js": 'module.exports = require("./lib");',
            "other/dist/index.js": "",
            "large/package.json": "{}",
            "large/index.js": 'module.exports = require("./dist");' + " " * MAX_LEADING,
            "large/dist/index.js": "",
        },
    )
    discovery = found(tmp_path)
    assert [path for path in paths(discovery) if "dist" in path] == ["leads/dist/index.js"]
    assert discovery.skipped == {classify.BUILD_OUTPUT: 2}


def test_a_package_that_is_one_file_with_a_banner_is_no_copy(tmp_path: Path) -> None:
    banner = "/*! @name Deep v1.2.0\n * @license MIT */\nmodule.exports = {}\n"
    tree(
        tmp_path,
        {
            "own/package.json": "{}",
            "own/deep.js": banner,
            "own/test/test.js": "",
            "app/package.json": "{}",
            "app/server.js": "",
            "app/deep.js": banner,
            "page/deep.js": banner,
        },
    )
    discovery = found(tmp_path)
    assert paths(discovery) == ["app/server.js", "own/deep.js", "own/test/test.js"]
    assert discovery.skipped == {COPIES: 2}


TYPED = "export function show(note: Note, place?: Element): void {\n  place.innerHTML = note.body as string\n}\n"
PLAIN = "export function show(note, place) {\n    place.innerHTML = note.body;\n}\n"
COMMON = (
    '"use strict";\nvar __awaiter = this.__awaiter;\nObject.defineProperty(exports, "__esModule", { value: true });\n'
    "exports.show = show;\nfunction show(note, place) {\n    place.innerHTML = note.body;\n}\n"
)


@pytest.mark.parametrize(
    ("written", "source", "left_out"),
    [
        ("x.js", "x.ts", True),
        ("x.js", "x.tsx", True),
        ("x.mjs", "x.mts", True),
        ("x.cjs", "x.cts", True),
        ("x.jsx", "x.tsx", True),
        ("x.js", "x.mts", False),
        ("y.js", "x.ts", False),
        ("below/x.js", "x.ts", False),
    ],
)
def test_code_that_a_compiler_wrote_beside_its_source_is_left_out(
    tmp_path: Path, written: str, source: str, left_out: bool
) -> None:
    tree(tmp_path, {written: PLAIN, source: TYPED})
    discovery = found(tmp_path)
    assert paths(discovery) == sorted([source] if left_out else [written, source])
    assert discovery.skipped == ({language.COMPILED: 1} if left_out else {})


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        (COMMON, True),
        ("", True),  # of types alone nothing is left
        ("export {};\n", False),  # the source has a function
        ('require("loader/register");\nmodule.exports = require("./x.ts");\n', False),
        ("export function show(note, place) {\n    place.textContent = note.body;\n}\n", False),
        (PLAIN + "export function hide(note) {\n    remove(note.name);\n}\n", False),
    ],
)
def test_code_beside_a_source_is_compared_with_it(tmp_path: Path, text: str, left_out: bool) -> None:
    tree(tmp_path, {"x.js": text, "x.ts": TYPED if text else "export interface Note { body: string }\n"})
    assert paths(found(tmp_path)) == (["x.ts"] if left_out else ["x.js", "x.ts"])


def test_compiled_code_is_read_where_it_is_named_or_its_source_is_not_read(tmp_path: Path) -> None:
    tree(tmp_path, {"x.js": PLAIN, "x.ts": TYPED})
    assert paths(found(tmp_path, exclude=("*.ts",))) == ["x.js"]
    assert paths(found(tmp_path, default_excludes=False)) == ["x.js", "x.ts"]
    assert paths(found(tmp_path, "x.js", "x.ts")) == ["x.js", "x.ts"]


MINIFIED_CODE = b"!function(){" + b"var a=1,b=2;function c(d,e){return d+e};" * 60 + b"}()"


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("x.min.js", b"a()", language.MINIFIED),
        ("x.js", b"/*! a banner */\n" + MINIFIED_CODE, language.MINIFIED),
        ("x.js", b'const icon = "data:image/png;base64,' + b"iVBORw0KGgoAAAANSUhEUg" * 300 + b'";\n', None),
        ("x.js", b"const words = '" + b"some words of a long text " * 100 + b"';\n", None),
        ("x.py", b"data = '" + MINIFIED_CODE + b"'\n", None),
        ("x.go", b"// Code generated by tool. DO NOT EDIT.\n\npackage x\n", language.GENERATED),
        ("x.ts", b"/**\n * @generated by compiler\n */\n", language.GENERATED),
        ("x.py", b"# This file is automatically generated, do not edit it by hand\n", language.GENERATED),
        ("x.js", b"/*!\n * Name v4.5.3 (https://example.com)\n * Licensed under MIT\n */\nf()\n", COPIES),
        (
            "x.js",
            b"/*!\n * Name JavaScript Library v3.5.1\n *\n * Released under the MIT license\n */\n",
            COPIES,
        ),
        ("x.js", b"/*!\n * name\n * Copyright(c) 2013 Someone\n * MIT Licensed\n */\nf()\n", None),
        ("x.js", b"/*! v1.2.3 */\nf()\n// under the MIT license\n", None),
        ("x.js", b"/**\n * Name v4.5.3\n * Licensed under MIT\n */\nf()\n", None),
        ("x.py", b"# Generated by Django 5.2 on 2025-04-02\n", None),
        ("x.go", b"// Code generated by Wire. DO NOT EDIT.\n\npackage x\n", None),
        ("x.go", b"// Code generated by github.com/a/oapi-codegen/v2 version 2 DO NOT EDIT.\npackage x\n", None),
        ("x.go", b"// Code generated by Wirefree. DO NOT EDIT.\n\npackage x\n", language.GENERATED),
        ("x.ts", b"/* WARNING: This file was auto-generated with tsoa. Please do not modify it. */\n", None),
        ("x.py", b"text = 'Code generated by x. DO NOT EDIT'\n", None),
        ("a.pb.go", b"package a\n", language.GENERATED),
        ("a_pb2.py", b"", language.GENERATED),
        ("a.d.ts", b"declare const a: string\n", "TypeScript declaration files"),
        ("de.ts", b"<?xml version='1.0'?><!DOCTYPE TS>\n", language.OTHER_KIND),
    ],
)
def test_what_nobody_wrote_is_left_out(tmp_path: Path, name: str, content: bytes, reason: str | None) -> None:
    tree(tmp_path, {name: content})
    discovery = found(tmp_path)
    assert discovery.skipped == ({reason: 1} if reason else {})
    assert len(discovery.files) == (reason is None)


def test_generated_files_are_kept_in_mind_where_types_hold(tmp_path: Path) -> None:
    tree(tmp_path, {"a/x.pb.go": "package a\n", "a/y.go": "// Code generated by z. DO NOT EDIT.\n", "b_pb2.py": ""})
    discovery = found(tmp_path)
    assert list(discovery.declaring) == ["a/x.pb.go", "a/y.go"]
    assert discovery.files == ()


def test_a_file_above_the_limit_is_reported(tmp_path: Path) -> None:
    tree(tmp_path, {"big.py": "x = 1\n" * 100, "small.py": ""})
    discovery = found(tmp_path, max_file_size=100)
    assert paths(discovery) == ["small.py"]
    assert discovery.skipped == {classify.TOO_LARGE: 1}
    assert [(problem.path, problem.incomplete) for problem in discovery.problems] == [("big.py", True)]
    assert "--max-file-size" in discovery.problems[0].message


# Links and what cannot be read


@needs_links
def test_links_never_leave_the_root_and_never_loop(tmp_path: Path) -> None:
    tree(tmp_path, {"root/app/x.py": "", "root/shared/y.py": "", "outside/z.py": ""})
    root = tmp_path / "root"
    (root / "app/loop").symlink_to(root / "app")
    (root / "app/up").symlink_to(root)
    (root / "app/out").symlink_to(tmp_path / "outside")
    (root / "app/out.py").symlink_to(tmp_path / "outside/z.py")
    (root / "app/shared").symlink_to("../shared")
    (root / "app/dead.py").symlink_to("nowhere.py")
    discovery = found(root, "app")
    assert paths(discovery) == ["app/x.py", "shared/y.py"]
    assert discovery.skipped == {classify.OUTSIDE: 2}
    assert not discovery.problems


@needs_links
def test_a_link_does_not_bring_back_what_is_ignored(tmp_path: Path) -> None:
    tree(tmp_path, {".gitignore": "made/\n", "made/x.py": "", "app/y.py": "", "one.py": "", "real/z.py": ""})
    (tmp_path / "app/made").symlink_to("../made")
    (tmp_path / "app/one.py").symlink_to("../one.py")
    (tmp_path / "app/z.py").symlink_to("../real/z.py")
    assert paths(found(tmp_path, "app")) == ["app/y.py", "one.py", "real/z.py"]


def test_an_unreadable_directory_is_told_and_the_rest_is_scanned(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree(tmp_path, {"closed/x.py": "", "open/y.py": ""})
    really = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return really(path)

    monkeypatch.setattr(os, "scandir", scandir)
    discovery = found(tmp_path)
    assert paths(discovery) == ["open/y.py"]
    assert discovery.problems[0].path == "closed"
    assert "Permission denied" in discovery.problems[0].message


@pytest.mark.skipif(os.name == "nt", reason="such names are not allowed on Windows")
def test_names_that_are_not_text_do_no_harm(tmp_path: Path) -> None:
    tree(tmp_path, {"a\x1b[2J.py": "", "line\nbreak.py": ""})
    with open(os.path.join(os.fsencode(tmp_path), b"\xff.py"), "wb"):
        pass
    assert paths(found(tmp_path)) == ["a\x1b[2J.py", "line\nbreak.py", os.fsdecode(b"\xff.py")]


# Reading


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        (b"x = '\xc3\xa9'\n", "x = 'é'\n"),
        (b"\xef\xbb\xbfx = 1\n", "x = 1\n"),
        ("x = 'é'\n".encode("utf-16"), "x = 'é'\n"),
        ("x = 'é'\n".encode("utf-32"), "x = 'é'\n"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'\n", "# -*- coding: latin-1 -*-\nx = 'é'\n"),
        (b"#!/usr/bin/python\n# vim: set fileencoding=cp1251 :\nx = '\xfd'\n", None),
        (b"# coding: utf-8\nx = 1\n", "# coding: utf-8\nx = 1\n"),
        (b"", ""),
    ],
)
def test_python_files_are_read_as_python_reads_them(raw: bytes, text: str | None) -> None:
    content, problem = decode(raw, "x.py", declared_encoding)
    assert problem is None
    assert content is not None
    assert content.decode() == (text if text is not None else raw.decode("cp1251"))


@pytest.mark.parametrize(
    ("raw", "line", "trouble"),
    [
        (b"a = 1\nb = '\xff'\n", 2, "not UTF-8"),
        (b"\n# coding: klingon\nx = 1\n", 2, "unknown encoding 'klingon'"),
        (b"# coding: punycode\nx = 1\n", 1, "unknown encoding"),
        (b"# coding: zlib\nx = 1\n", 1, "unknown encoding"),
        (b"# coding: ascii\n\nx = '\xe9'\n", 3, "not ascii"),
    ],
)
def test_bytes_that_do_not_decode_are_replaced_and_told(raw: bytes, line: int, trouble: str) -> None:
    content, problem = decode(raw, "x.py", declared_encoding)
    assert content is not None
    assert content.count(b"\n") == raw.count(b"\n")
    assert problem is not None
    assert problem.line == line
    assert trouble in problem.message


def test_a_declaration_is_python_s_alone() -> None:
    content, problem = decode(b"// coding: latin-1\nx = '\xe9'\n", "x.js")
    assert content == "// coding: latin-1\nx = '\ufffd'\n".encode()
    assert problem is not None


def test_a_binary_file_is_not_analysed() -> None:
    content, problem = decode(b"\x7fELF\x00\x00\x01", "x.py", declared_encoding)
    assert content is None
    assert problem is not None
    assert problem.kind == "not-parsed"


@given(st.binary(), st.booleans())
def test_decoding_never_fails(raw: bytes, python: bool) -> None:
    content, problem = decode(raw, "x", declared_encoding if python else None)
    assert content is not None or problem is not None
    if content is not None:
        content.decode("utf-8")


@given(
    st.sampled_from(["utf-7", "unicode_escape", "hex", "rot13", "idna", "cp037", "big5", "../x", "a.b"]), st.binary()
)
@example("unicode_escape", b"\\\x01")  # the decoder warns of it
def test_no_declared_encoding_breaks_anything(name: str, raw: bytes) -> None:
    decode(f"# coding: {name}\n".encode() + raw, "x.py", declared_encoding)


def test_a_file_that_vanished_is_a_problem(tmp_path: Path) -> None:
    content, problem = read_source(SourceFile("x.py", str(tmp_path / "x.py"), "python", 1))
    assert content is None
    assert problem is not None
    assert "No such file" in problem.message


# Options


def test_the_root_is_the_repository_that_holds_all_paths(tmp_path: Path) -> None:
    tree(tmp_path, {"r/.git/HEAD": "", "r/a/x.py": "", "r/b/y.py": "", "other/z.py": ""})
    assert find_root([tmp_path / "r/a/x.py", tmp_path / "r/b"], tmp_path) == tmp_path / "r"
    assert find_root([tmp_path / "r/a", tmp_path / "other"], tmp_path) == tmp_path
    assert find_root([tmp_path / "other/z.py"], tmp_path / "r") == tmp_path / "other"
    assert common_directory([tmp_path / "r/a/x.py"]) == tmp_path / "r/a"


def test_without_a_repository_the_root_lies_above_the_package_of_all_paths(tmp_path: Path) -> None:
    """``from shop.tools import run`` in a file of ``shop`` names the folder itself."""
    tree(tmp_path, {"shop/__init__.py": "", "shop/tools/__init__.py": "", "shop/tools/run.py": "", "shop/js/a.js": ""})
    assert find_root([tmp_path / "shop"], tmp_path / "elsewhere") == tmp_path
    assert find_root([tmp_path / "shop/tools/run.py"], tmp_path / "shop/tools") == tmp_path
    assert find_root([tmp_path / "shop/js"], tmp_path / "shop/js") == tmp_path / "shop/js"
    (tmp_path / "shop/.git").mkdir()
    assert find_root([tmp_path / "shop/tools"], tmp_path / "shop/tools") == tmp_path / "shop"


@pytest.mark.parametrize(
    ("files", "cpus"),
    [
        ({"cpu.max": "150000 100000"}, 2),
        ({"cpu.max": "50000 100000"}, 1),
        ({"cpu.max": "max 100000"}, 1 << 16),
        ({"cpu/cpu.cfs_quota_us": "400000", "cpu/cpu.cfs_period_us": "100000"}, 4),
        ({"cpu/cpu.cfs_quota_us": "-1", "cpu/cpu.cfs_period_us": "100000"}, 1 << 16),
        ({}, 1 << 16),
    ],
)
def test_jobs_obey_the_control_group(tmp_path: Path, files: dict[str, str | bytes], cpus: int) -> None:
    tree(tmp_path, files)
    assert machine._cgroup_quota(tmp_path) == cpus
    assert machine.available_jobs() >= 1


def test_ignore_wins_over_select() -> None:
    chosen = ScanOptions(paths=(), root=Path(), select=("xss", "python/ssrf"), ignore=("go/xss",))
    rules = ("python/xss", "go/xss", "python/ssrf", "go/ssrf")
    assert [rule for rule in rules if selects(chosen, rule)] == ["python/xss", "python/ssrf"]


def test_files_with_code_that_is_not_read_are_counted(tmp_path: Path) -> None:
    tree(tmp_path, {name: "x" for name in ("a.vue", "b/C.Svelte", "page.astro", "n.ipynb", "notes.txt", "skip/s.vue")})
    discovery = found(tmp_path, exclude=("skip/",))
    assert discovery.files == ()
    assert discovery.skipped == {
        classify.COMPONENTS: 1,
        classify.NOTEBOOKS: 1,
        classify.EXCLUDED_DIRECTORIES: 1,
    }
    assert found(tmp_path, include=("*.ipynb",)).skipped == {classify.NOTEBOOKS: 1}


def test_pages_are_read_where_scripts_stand_in_them(tmp_path: Path) -> None:
    script = "<script>go()</script>"
    texts: dict[str, str | bytes] = {
        "a.html": script,
        "b.html": "<p>no script</p>",
        "c.html": "<script src='go.js'></script>",
        "d.vue": script,
        "e.Svelte": script,
        "f.ejs": script,
        "g.html": f'<meta name="generator" content="javadoc">{script}',
        "h.html": "<script>" + "a=function(b){return(c)};" * 100 + "</script>",
        "i.html": script + " " * 3_000,
        "skip/j.html": script,
        "k.txt": script,
    }
    tree(tmp_path, texts)
    discovery = found(tmp_path, exclude=("skip/",), max_file_size=2_900)
    assert [file.path for file in discovery.files] == ["a.html", "d.vue", "e.Svelte", "f.ejs"]
    assert discovery.problems == ()
    assert discovery.skipped == {
        classify.EXCLUDED_DIRECTORIES: 1,
        classify.TOO_LARGE: 1,
        GENERATED: 1,
        MINIFIED: 1,
    }
    assert sorted(discovery.templates) == ["a.html", "b.html", "c.html", "f.ejs", "g.html", "h.html", "i.html"]
    assert [file.path for file in found(tmp_path, include=("*.vue",)).files] == ["d.vue"]
    assert [file.path for file in found(tmp_path, "b.html").files] == ["b.html"]


def test_a_page_beside_build_output_is_no_code_of_the_program(tmp_path: Path) -> None:
    tree(tmp_path, {"package.json": "{}", "demo.html": "<script>go()</script>", "dist/index.js": "x"})
    assert [file.path for file in found(tmp_path).files] == ["demo.html", "dist/index.js"]
