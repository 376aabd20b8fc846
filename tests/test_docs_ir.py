"""The examples of docs/ir.md are what the command prints."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.scanner.specification import FILE_NAMES, Section, sections

from pyrograph.cli import cli
from pyrograph.ir.dataflow.text import parse_all
from pyrograph.ir.dataflow.verify import verify

DOCS = Path(__file__).resolve().parent.parent / "docs"
EXAMPLES = [
    section
    for section in sections(DOCS)
    if section.path.name == "ir.md" and any(block.language == "dataflow" for block in section.blocks)
]
EMITTED = {"text": "ir", "dataflow": "dataflow"}


def test_there_is_an_example_for_each_language() -> None:
    assert {section.blocks[0].language for section in EXAMPLES} == {"python", "javascript", "go"}


@pytest.mark.parametrize("section", EXAMPLES, ids=str)
def test_the_command_prints_what_the_documentation_shows(section: Section, tmp_path: Path) -> None:
    source, *shown = section.blocks
    file = tmp_path / FILE_NAMES[source.language]
    file.write_text(source.code, encoding="utf-8")
    name = {"python": "total", "javascript": "names", "go": "find"}[source.language]
    for block in shown:
        result = CliRunner().invoke(cli, ["ir", str(file), "--function", name, "--emit", EMITTED[block.language]])
        assert result.exit_code == 0, result.output
        assert result.output == block.code
    for graph in parse_all(shown[-1].code):
        assert verify(graph) == []


def test_a_file_without_such_a_function_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text("def f(x):\n    return x\n", encoding="utf-8")
    result = CliRunner().invoke(cli, ["ir", str(file), "--function", "g"])
    assert result.exit_code != 0
    result = CliRunner().invoke(cli, ["ir", str(file), "--emit", "dataflow"])
    assert result.exit_code != 0
    assert "no loop to show" in str(result.exception)


def test_a_graph_is_dot_text(tmp_path: Path) -> None:
    file = tmp_path / "app.py"
    file.write_text('def f(x):\n    while x:\n        x = g(x, "%1")\n    return x\n', encoding="utf-8")
    text = CliRunner().invoke(cli, ["ir", str(file), "--function", "f", "--emit", "dot"]).output
    assert text.startswith("digraph {\n")
    assert text.count("{") == text.count("}")
    assert 'label="function f(x)"' in text
    assert "[style=dashed]" in text  # from round to round


def test_svg_needs_graphviz(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "app.py"
    file.write_text("def f(x):\n    return x\n", encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    result = CliRunner().invoke(cli, ["ir", str(file), "--emit", "svg"])
    assert result.exit_code != 0
    assert "Graphviz" in str(result.exception)
