"""A project's configuration: where it is found, what it may say, and what a mistake in it is told like."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pyrograph.scanner.config import KEYS, Config, ConfigError, find_config, load_config


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def read(root: Path, text: str) -> Config:
    return load_config(write(root / "pyrograph.toml", text), root)


def test_the_nearest_file_counts_up_to_the_root(tmp_path: Path) -> None:
    root = tmp_path / "repository"
    deep = root / "a" / "b"
    write(tmp_path / "pyrograph.toml", "")
    deep.mkdir(parents=True)
    assert find_config(deep, root) is None
    top = write(root / "pyproject.toml", "[tool.pyrograph]\n")
    assert find_config(deep, root) == top
    write(root / "a/pyproject.toml", "[tool.ruff]\nline-length = 100\n")
    assert find_config(deep, root) == top
    near = write(root / "a/pyrograph.toml", "")
    assert find_config(deep, root) == near
    hidden = write(root / "a/.pyrograph.toml", "")
    assert find_config(deep, root) == hidden


def test_a_broken_pyproject_is_our_trouble_only_if_it_speaks_of_us(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[tool.ruff\n")
    assert find_config(tmp_path, tmp_path) is None
    write(tmp_path / "pyproject.toml", "[tool.ruff\n[tool.pyrograph]\n")
    with pytest.raises(ConfigError, match=r"pyproject\.toml:1: not valid TOML"):
        find_config(tmp_path, tmp_path)


def test_every_key_is_read(tmp_path: Path) -> None:
    write(tmp_path / "rules/own.toml", "")
    config = read(
        tmp_path,
        """
        select = ["sql-injection"]
        ignore = ["go/xss"]
        include = ["src/"]
        exclude = ["tests/"]
        rules = ["rules/own.toml"]
        baseline = "known.json"
        threat-model = ["cli"]
        profile = "audit"
        severity = "medium"
        confidence = "high"
        fail-on = "critical"
        unknown-calls = "block"
        max-depth = 50
        max-file-size = 2_000_000
        max-sources = 2
        unverified = true
        require-reason = true
        """,
    )
    assert config.rules == (tmp_path / "rules/own.toml",)
    assert config.baseline == tmp_path / "known.json"
    for name in KEYS:
        assert getattr(config, name.replace("-", "_")), name


def test_the_same_keys_stand_in_pyproject(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", '[project]\nname = "x"\n[tool.pyrograph]\nexclude = ["a"]\n')
    assert load_config(path, tmp_path).exclude == ("a",)


def test_what_hides_findings_is_noted_and_nothing_else(tmp_path: Path) -> None:
    assert read(tmp_path, 'threat-model = ["cli"]\nmax-sources = 9\nseverity = "low"\nfail-on = "low"').notes == ()
    assert read(tmp_path, 'ignore = ["xss"]\nexclude = ["a", "b"]\nseverity = "high"\nfail-on = "high"').notes == (
        "pyrograph.toml excludes the rules xss",
        "pyrograph.toml excludes a, b",
        "pyrograph.toml hides findings below high severity",
        "pyrograph.toml fails only on findings of high severity or above",
    )
    assert read(tmp_path, 'baseline = "a/b.json"').notes == (
        "pyrograph.toml leaves out the findings that a/b.json lists",
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('exlude = ["a"]', "pyrograph.toml:1: exlude: unknown key; did you mean 'exclude'?"),
        ("\nzzz = 1", "pyrograph.toml:2: zzz: unknown key; known keys are select, ignore"),
        ('exclude = "a"', "pyrograph.toml:1: exclude: 'a' where a list of texts is wanted; write exclude = ["),
        ("select = [1]", "pyrograph.toml:1: select: a list where a list of texts is wanted"),
        (
            '# severity\n\nseverity = "urgent"',
            "pyrograph.toml:3: severity: 'urgent' is not a choice; choose one of low",
        ),
        ("max-depth = 0", "pyrograph.toml:1: max-depth: 0 where a number is wanted"),
        ("max-depth = true", "pyrograph.toml:1: max-depth: True where a number is wanted"),
        ("require-reason = 1", "pyrograph.toml:1: require-reason: 1 where true or false is wanted"),
        ('rules = ["../x.toml"]', "pyrograph.toml:1: rules: '../x.toml' leads out of the root; name it with --rules"),
        ('rules = ["/etc"]', "pyrograph.toml:1: rules: '/etc' leads out of the root"),
        ('rules = ["x.toml"]', "pyrograph.toml:1: rules: there is no 'x.toml'"),
        (
            'baseline = "../b.json"',
            "pyrograph.toml:1: baseline: '../b.json' leads out of the root; name it with --",
        ),
        (r'baseline = "a\u0000b"', "pyrograph.toml:1: baseline: a path with a NUL character; remove the character"),
        ('baseline = ["b.json"]', "pyrograph.toml:1: baseline: a list where a path is wanted; write baseline ="),
        ("a = 1\nb = [", "pyrograph.toml:2: not valid TOML"),
        ("a = 1\na = 2", "pyrograph.toml:2: not valid TOML"),
        ("[ignore]\nx = 1", "pyrograph.toml:1: ignore: a dict where a list of texts is wanted"),
    ],
)
def test_an_error_names_file_line_key_and_remedy(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        read(tmp_path, text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("[tool.x]\ncolour = 1\n\n[tool.pyrograph]\ncolour = 1\n", 5),
        ("[tool.x]\ncolour = 1\n\n[tool]\npyrograph = {colour = 1}\n", 2),
        ("tool.pyrograph.colour = 1\n", 1),
        ("[ tool . 'pyrograph' ]\n'colour' = 1\n", 2),
    ],
)
def test_the_line_of_a_key_is_looked_for_in_our_table_first(tmp_path: Path, text: str, line: int) -> None:
    path = write(tmp_path / "pyproject.toml", text)
    with pytest.raises(ConfigError, match=rf"^pyproject\.toml:{line}: colour: unknown key"):
        load_config(path, tmp_path)


def test_a_table_that_is_none_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[tool]\npyrograph = 1\n")
    with pytest.raises(ConfigError, match="'pyrograph' is not a table"):
        load_config(path, tmp_path)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "pyrograph.toml"
    path.write_bytes(b"select = []\nignore = ['\xff']\n")
    with pytest.raises(ConfigError, match=r"pyrograph\.toml:2: the configuration is not UTF-8"):
        load_config(path, tmp_path)


def test_a_file_that_the_user_names_may_name_rules_anywhere(tmp_path: Path) -> None:
    root = tmp_path / "root"
    rules = write(tmp_path / "rules.toml", "")
    path = write(tmp_path / "own.toml", 'rules = ["rules.toml"]')
    assert load_config(path, root, trusted=True).rules == (rules,)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_links_do_not_lead_out_of_the_root(tmp_path: Path) -> None:
    root = tmp_path / "root"
    secret = write(tmp_path / "secret.toml", "password = 1")
    root.mkdir()
    (root / "pyrograph.toml").symlink_to(secret)
    assert find_config(root, root) is None
    (root / "rules").symlink_to(tmp_path)
    with pytest.raises(ConfigError, match="leads out of the root"):
        load_config(write(root / "pyproject.toml", '[tool.pyrograph]\nrules = ["rules"]\n'), root)


def test_the_documentation_lists_every_key(repository: Path) -> None:
    text = (repository / "docs/configuration.md").read_text(encoding="utf-8")
    for name, key in KEYS.items():
        assert f"| `{name}` |" in text, name
        assert key.summary in text, key.summary


@pytest.mark.parametrize(
    "text",
    [
        ".".join("abc" * 30_000) + " = 1\n",
        "[" + " . ".join(['"x"'] * 30_000) + "]\n",
        "x = " + "[" * 50_000,
        "x = " + "{a=" * 20_000,
        "x = " + "1" * 10_000,
    ],
)
def test_a_configuration_that_is_hard_to_read_is_refused(tmp_path: Path, text: str) -> None:
    file = tmp_path / "pyrograph.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        load_config(file, tmp_path)
