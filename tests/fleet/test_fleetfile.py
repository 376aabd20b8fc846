"""A fleet file means what it says, or is refused with its place."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from pyrograph.fleet.address import without_secrets
from pyrograph.fleet.errors import FleetError
from pyrograph.fleet.fleetfile import read_fleet
from pyrograph.fleet.owners import Owners
from pyrograph.fleet.targets import name_of_address, sized, tasks_of

FILE = """\
store = "out/findings.db"
memory = "2 GiB"
profile = "audit"
[[repository]]
path = "one"
library = true
revisions = ["main", "v1"]
time = "2 min"
[[repository]]
url = "https://me:secret@example.org/team/shop.git"
memory = 1000000
profile = "default"
threat-model = ["cli", "env"]
[[repository]]
directory = "many"
library = ["packages/a", "b", "b"]
[[repository]]
glob = "teams/*/src"
config = "strict.toml"
"""


def written(folder: Path, text: str) -> Path:
    file = folder / "fleet.toml"
    file.write_text(text, encoding="utf-8")
    return file


def test_a_fleet_file_names_paths_addresses_directories_and_globs(tmp_path: Path) -> None:
    for name in ("many/a", "many/b", "many/.hidden", "teams/x/src", "teams/y/src"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "many/file").touch()
    (tmp_path / "many/a/a.py").write_text("a = 1\n", encoding="utf-8")
    fleet = read_fleet(written(tmp_path, FILE))
    assert fleet.store == str(tmp_path / "out/findings.db")
    tasks = tasks_of(fleet)
    assert [(each.name, each.revision) for each in tasks] == [
        ("one", "main"), ("one", "v1"), ("example.org/team/shop", ""), ("many/a", ""), ("many/b", ""),
        ("teams/x/src", ""), ("teams/y/src", ""),
    ]  # fmt: skip
    assert (tasks[0].memory, tasks[0].seconds, tasks[0].options) == (2 << 30, 120, ("--profile=audit",))
    assert (tasks[2].memory, tasks[2].seconds, tasks[2].is_address) == (1_000_000, 3_600, True)
    assert tasks[2].options == ("--profile=default", "--threat-model=cli,env")
    assert tasks[5].options == ("--profile=audit", f"--config={tmp_path / 'strict.toml'}")
    assert [each.libraries for each in tasks[1:5]] == [(".",), (), ("packages/a", "b"), ("packages/a", "b")]
    assert [sized(each, 7).size for each in tasks] == [7, 7, 7, 6, 0, 0, 0]


def test_a_tree_that_is_named_twice_is_scanned_once(tmp_path: Path) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    text = '[[repository]]\ndirectory = "a"\n[[repository]]\npath = "a/b"\n'
    assert [each.name for each in tasks_of(read_fleet(written(tmp_path, text)))] == ["a/b"]


@pytest.mark.parametrize(
    ("text", "trouble"),
    [
        ("", "names no repository"),
        ("repository = 1", "names no repository"),
        ("[[repository]]\npath = [", "not valid TOML"),
        ("[[repository]]\npath = 'a'\nrevison = 'main'", "repository 1.*did you mean revision"),
        ("[[repository]]\npath = 'a'\nurl = 'b'", "exactly one of"),
        ("[[repository]]\nname = 'a'", "exactly one of"),
        ("[[repository]]\npath = ''", "is empty"),
        ("[[repository]]\npath = 1", "path is a text"),
        ("[[repository]]\nurl = '--upload-pack=touch x'", "no address"),
        ("[[repository]]\npath = 'a'\nrevision = '--all'", "not a git revision"),
        ("[[repository]]\npath = 'a'\nrevision = 'a:b'", "not a git revision"),
        ("[[repository]]\npath = 'a'\nrevision = 'a'\nrevisions = ['b']", "not both"),
        ("[[repository]]\npath = 'a'\nrevisions = []", "is a list"),
        ("[[repository]]\npath = 'a'\nmemory = '4 parsecs'", "memory: '4 parsecs' is not an amount.*4 GB"),
        ("[[repository]]\npath = 'a'\ntime = -1", "is not an amount"),
        ("[[repository]]\npath = 'a'\ntime = true", "is not an amount"),
        ("profile = 'all'\n[[repository]]\npath = 'a'", "choose one of default, audit"),
        ("select = [1]\n[[repository]]\npath = 'a'", "select is a list of names"),
        ("[[repository]]\ndirectory = 'none'", "finds no directory"),
        ("[[repository]]\nglob = 'a'\nname = 'b'", "has many repositories and no name"),
        ("[[repository]]\npath = 'a'\nname = 'x'\n[[repository]]\npath = 'b'\nname = 'x'", "the same name"),
        ("[[repository]]\npath = 'a'\nlibrary = []", "library is true, or a list"),
        ("[[repository]]\npath = 'a'\nlibrary = ['../b']", "library names '../b', which is not below"),
        ("[[repository]]\npath = 'a'\nlibrary = '/b'", "is not below the tree"),
        ("a" + ".a" * 9_000 + " = 1", "too many parts"),
    ],
)
def test_a_file_that_means_nothing_is_refused_with_its_place(tmp_path: Path, text: str, trouble: str) -> None:
    file = written(tmp_path, text)
    with pytest.raises(FleetError, match=trouble) as refused:
        tasks_of(read_fleet(file))
    assert str(refused.value).startswith(f"{file}: ")
    assert len(str(refused.value).splitlines()) == 1


def test_names_of_addresses_hold_no_secret() -> None:
    assert name_of_address("ssh://git@example.org:22/a/b.git/") == "example.org/a/b"
    assert name_of_address("file:///srv/git/a.git") == "srv/git/a"
    assert name_of_address("https://token:x@example.org/a") == "example.org/a"
    assert name_of_address("https://token:x@y@example.org/a?private_token=x") == "example.org/a"
    assert name_of_address("https://me:it's \"x@example.org/a") == "example.org/a"
    assert name_of_address("ssh://git@example.org/a.git?token=x") == "example.org/a"
    assert name_of_address("https://proxy/https://me:x@example.org/a") == "proxy/https://example.org/a"


def test_the_passwords_of_a_long_text_are_found_in_time_linear_in_it() -> None:
    for text in ("a" * 60_000, "http://" * 10_000, "http://a@" * 10_000):
        started = time.monotonic()
        without_secrets(text)
        assert time.monotonic() - started < 1
    address = f"{'x' * 50}https://me:hunter2@example.org/a?token=hunter2"
    assert without_secrets(f"fatal: {address}, {address}").count("hunter2") == 0


def test_an_error_about_an_address_holds_no_password(tmp_path: Path) -> None:
    address = 'url = "https://me:hunter2@example.org/a"\n'
    for text in (
        f"[[repository]]\n{address}memory = 0\n",
        f'[[repository]]\n{address}[[repository]]\n{address[:-2]}.git"\n',
        "[[repository]]\nmemory = 0\n" + address.replace("me:", "me:it's"),
    ):
        with pytest.raises(FleetError) as refused:
            tasks_of(read_fleet(written(tmp_path, text)))
        assert "example.org" in str(refused.value)
        assert "hunter2" not in str(refused.value)


def test_the_size_of_a_revision_is_that_of_its_commit(tmp_path: Path) -> None:
    def git(*arguments: str) -> None:
        identity = ["-c", "user.name=a", "-c", "user.email=a@b"]
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path / "one", check=True, capture_output=True)

    (tmp_path / "one").mkdir()
    git("init", "-q", "-b", "main")
    (tmp_path / "one/a.py").write_text("a = 1\n", encoding="utf-8")
    git("add", ".")
    git("commit", "-q", "-m", "a")
    (tmp_path / "one/a.py").write_text("a = 100\n", encoding="utf-8")
    text = '[[repository]]\npath = "one"\nrevisions = ["main", "none", ""]\n'
    assert [sized(each).size for each in tasks_of(read_fleet(written(tmp_path, text)))] == [6, 0, 8]


OWNERS = b"""\
# the last line that matches counts
*           @all
*.js        @web a@example.org  # a comment
/src/       @core
docs/*      @docs
/src/vendor/
apps/**/api @api
with\\ blank @blank
[Section] @default
/section/
^[Other][2] @x @y
/other/
!negated @nobody
"""


@pytest.mark.parametrize(
    ("path", "owners"),
    [
        ("a.py", "@all"),
        ("x/a.js", "@web a@example.org"),
        ("src/deep/a.js", "@core"),
        ("x/src/a.py", "@all"),
        ("docs/a.md", "@docs"),
        ("docs/deep/a.md", "@all"),
        ("src/vendor/a.py", ""),
        ("apps/a/b/api/x.py", "@api"),
        ("with blank", "@blank"),
        ("section/a", "@default"),
        ("other/a", "@x @y"),
        ("negated", "@all"),
    ],
)
def test_the_last_line_that_matches_names_the_owners(path: str, owners: str) -> None:
    assert Owners(OWNERS).of(path) == owners


def test_a_file_of_owners_that_cannot_be_read_names_nobody() -> None:
    assert Owners(b"").of("a") == ""
    assert Owners(b"\xff\xfe [ @a\n[").of("a") == ""
    assert Owners(b"* @a\n" * 700_000).of("a") == ""
