"""A real editor: Neovim opens a file, shows the finding, applies a fix and a suppression, and the finding goes."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.warm import warm

pytest.importorskip("pygls", reason="the extra lsp is not installed")

from tests.lsp.client import PATIENCE

NEOVIM = shutil.which("nvim")
APP = """\
import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/run")
def run():
    os.system('\N{PILE OF POO}' + request.args["c"])
"""


@pytest.mark.skipif(NEOVIM is None, reason="no Neovim is installed (Debian: apt-get install neovim)")
def test_a_finding_is_shown_fixed_and_suppressed_in_neovim(tmp_path: Path, repository: Path) -> None:
    """What docs/editors.md says how to show a path works, too."""
    guide = (repository / "docs" / "editors.md").read_text(encoding="utf-8")
    (snippet,) = (each for each in re.findall(r"^```lua\n(.*?)^```", guide, re.M | re.S) if "showPath" in each)
    folder = tmp_path / "p"
    folder.mkdir()
    file, answers = folder / "app.py", tmp_path / "answers.json"
    file.write_text(APP, encoding="utf-8")
    environment = os.environ | {
        "SNIPPET": snippet, "SERVER": json.dumps([sys.executable, "-P", "-m", "pyrograph", "lsp"]),
        "FOLDER": str(folder), "FILE": str(file), "ANSWERS": str(answers), "PATIENCE": str(PATIENCE),
        "HOME": str(tmp_path), "XDG_CACHE_HOME": str(warm(tmp_path / "cache")),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }  # fmt: skip
    assert NEOVIM is not None
    ran = subprocess.run(
        [NEOVIM, "--headless", "--clean", "-n", "-S", str(Path(__file__).with_name("neovim.lua"))],
        env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=3 * PATIENCE, check=False,
    )  # fmt: skip
    assert answers.is_file(), ran.stderr
    found = json.loads(answers.read_text(encoding="utf-8"))
    assert "problem" not in found, (found, ran.stderr)
    line = APP.splitlines()[9]
    # Neovim counts bytes: its own conversion from UTF-16 agrees with what the server sent
    assert found["diagnostic"]["line"] == 9
    assert found["diagnostic"]["column"] == len("    os.system(")
    assert found["diagnostic"]["last"] == len(line.encode()) - 1
    assert [(step["line"], step["text"].partition(":")[0]) for step in found["path"]] == [
        (10, "read from the request"),
        (10, "reaches `os.system`"),
    ]
    assert found["fix"] == "Fix this command-injection: quote the value with `shlex.quote`"
    assert found["fixed"][1] == "import shlex"
    assert found["fixed"][10] == line.replace('request.args["c"]', 'shlex.quote(request.args["c"])')
    assert found["chosen"] == "Suppress this command-injection: false positive"
    assert found["lines"][9] == "    # pyrograph: ignore[command-injection] false positive"
    assert file.read_text(encoding="utf-8").splitlines() == found["lines"]
