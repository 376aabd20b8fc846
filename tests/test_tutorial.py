"""The tutorial does what it says: its files are written, its commands run, in the order of the page.

A block with ``title="NAME"`` is a file, a ``sh`` block is one command with the exit code of its title, and the lines of
a ``text`` block occur in what the command before it printed, but for the number of spaces.
"""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pyrograph.cli import main

BLOCK = re.compile(r'^```(\w+) title="([^"]+)"\n(.*?)^```$', re.MULTILINE | re.DOTALL)


def squeezed(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def test_the_tutorial_does_what_it_says(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    page = (repository / "docs" / "tutorial.md").read_text(encoding="utf-8")
    blocks = BLOCK.findall(page)
    assert len(blocks) == page.count("\n```") // 2, "each block has a title"
    monkeypatch.chdir(tmp_path)
    printed, commands = "", 0
    for language, title, text in blocks:
        if language == "sh":
            name, *words = shlex.split(text)
            assert name == "pyrograph"
            with pytest.raises(SystemExit) as ended:
                main(words)
            printed = squeezed(capsys.readouterr().out)
            assert (ended.value.code or 0) == int(title.removeprefix("exit code ")), f"{text}{printed}"
            commands += 1
        elif language == "text":
            for line in text.splitlines():
                assert squeezed(line) in printed
        else:
            (tmp_path / title).parent.mkdir(exist_ok=True)
            (tmp_path / title).write_text(text, encoding="utf-8")
    assert commands > 10
    assert (tmp_path / "report.html").is_file()
