"""A language is known by its package alone: no stage names one, and docs/adding-a-language.md adds one from outside."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.warm import warm

import pyrograph
from pyrograph import parsers
from pyrograph.model import languages as names
from pyrograph.parsers.language import Language, ModuleFile

SOURCES = Path(pyrograph.__file__).parent
NAMELESS = ("graph", "ir", "policy", "report", "scanner")  # packages that name no language
OURS = {"fixpoint.py": {"Python"}}  # a message about what the engine itself runs
BLOCK = re.compile(r"^```\w+ (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)  # a file's language, its path, its text
CONSOLE = re.compile(r"^```console\n\$ ([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line and text of each string in a module that is no docstring."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = list(ast.walk(tree))
    prose = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in prose:
            yield node.lineno, node.value


def named_in(text: str) -> set[str]:
    """The languages that a string names: by their titles, or by their ids where it is no sentence."""
    titles = {each.title for each in names.NAMES.values()}
    found = {title for title in titles if re.search(rf"\b{title}\b", text)}
    return found | (set(re.findall(r"[a-z]+", text)) & set(names.NAMES) if " " not in text else set())


def test_no_stage_names_a_language() -> None:
    """Comments and docstrings may, as examples."""
    found = [
        f"{path.relative_to(SOURCES)}:{line}: {text!r}"
        for package in NAMELESS
        for path in sorted((SOURCES / package).rglob("*.py"))
        for line, text in texts(path)
        if named_in(text) - OURS.get(path.name, set())
    ]
    assert found == []


def test_the_page_adds_a_language_from_outside(repository: Path, tmp_path: Path) -> None:
    """Every file of docs/adding-a-language.md is written, its commands are run, and their output is what it shows."""
    page = (repository / "docs" / "adding-a-language.md").read_text(encoding="utf-8")
    for path, text in BLOCK.findall(page):
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text, encoding="utf-8")
    environment = {name: text for name, text in os.environ.items() if name != "COLUMNS"}
    environment |= {"XDG_CACHE_HOME": str(warm(tmp_path / "cache")), "PYTHONUTF8": "1"}
    commands = CONSOLE.findall(page)
    assert commands
    for command, shown in commands:
        program, *arguments = command.split()
        assert program == "python"
        run = [sys.executable, *arguments]
        answer = subprocess.run(run, cwd=tmp_path, env=environment, capture_output=True, encoding="utf-8", check=False)
        assert answer.stderr == ""
        assert answer.stdout == shown


@pytest.mark.parametrize("language", parsers.languages().values(), ids=list(parsers.languages()))
def test_a_signature_is_whole(language: Language) -> None:
    """Each language keeps what the signature's text promises of every answer."""
    assert language.builtins
    assert {syntax.name.rule_id for syntax in language.syntaxes} == {language.name.id}
    assert language.syntaxes[0].name == language.name
    assert all(language.library_path(module) for module in ("a", "a.b", "a/b", "a/v2/b"))
    assert all(suffix == suffix.lower() and suffix[0] == "." for each in language.syntaxes for suffix in each.suffixes)
    modules = language.modules([ModuleFile(7, f"d/m{language.syntaxes[0].suffixes[0]}", "d")], {})
    assert modules.resolve("d", "no such module", 0) is None
    assert list(modules.members("no such module")) == []


def test_an_unknown_language_is_an_error() -> None:
    with pytest.raises(LookupError, match=r"unknown language 'brook'; known are python, .*; see parsers\.register"):
        parsers.language_of("brook")


def test_importing_the_signatures_loads_no_grammar() -> None:
    script = (
        "import sys, pyrograph.parsers as p; p.languages(); print(*sorted(m for m in sys.modules if 'sitter' in m))"
    )
    answer = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert answer.stdout.split() == []


def test_every_regular_expression_dialect_is_known() -> None:
    from pyrograph.scanner.analysis.patterns import DIALECTS

    assert {each.pattern_dialect for each in parsers.languages().values()} <= {"", *DIALECTS}
