"""Settings and commands are the same in the server, its documentation and the extension for VS Code."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pyrograph.lsp.settings import KEYS, OF_CLIENTS, Settings, read_settings


def table(text: str, head: str) -> str:
    return text.partition(head)[2].partition("\n\n")[0]


def test_each_setting_is_documented_and_no_other(repository: Path) -> None:
    text = (repository / "docs" / "editors.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.*?) \|", table(text, "| key | default | meaning |"), re.M)
    assert [name for row in rows for name in re.findall(r"`(\w+)`", row)] == list(KEYS)


def test_the_extension_has_the_settings_with_the_same_defaults(repository: Path) -> None:
    package = json.loads((repository / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    properties = package["contributes"]["configuration"]["properties"]
    names = {name.removeprefix("pyrograph.").partition(".")[0] for name in properties}
    # it asks for the reason of a suppression, so it needs no list of them
    assert names == KEYS.keys() - {"suppressReasons"} | OF_CLIENTS
    defaults = {name.removeprefix("pyrograph."): each["default"] for name, each in properties.items()}
    given = {name: value for name, value in defaults.items() if name in KEYS}
    assert read_settings(given) == (Settings(), [])
    readme = (repository / "editors" / "vscode" / "README.md").read_text(encoding="utf-8")
    assert all(re.search(rf"[`.]{name}`", readme) for name in given)


def test_a_workspace_cannot_choose_the_program_that_is_started(repository: Path) -> None:
    package = json.loads((repository / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    assert package["contributes"]["configuration"]["properties"]["pyrograph.path"]["scope"] == "machine"
    assert package["capabilities"]["untrustedWorkspaces"]["restrictedConfigurations"] == ["pyrograph.path"]


def test_each_command_is_documented_and_no_other(repository: Path) -> None:
    pytest.importorskip("pygls", reason="the extra lsp is not installed")
    from pyrograph.lsp.handlers import make_server

    text = (repository / "docs" / "editors.md").read_text(encoding="utf-8")
    named = re.findall(r"^\| `(pyrograph\.\w+)` \|", table(text, "| command | arguments | returns |"), re.M)
    assert named == list(make_server().protocol.fm.commands)


def test_the_extension_has_the_version_of_the_package(repository: Path) -> None:
    import pyrograph

    package = json.loads((repository / "editors" / "vscode" / "package.json").read_text(encoding="utf-8"))
    assert package["version"] == pyrograph.__version__
