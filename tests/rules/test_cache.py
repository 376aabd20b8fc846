"""The cache of parsed rules is named by all code that decides what a rule file means."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pyrograph
from pyrograph.rules.cache import READERS

ROOT = Path(pyrograph.__file__).parent


def imported(module: str) -> Iterator[str]:
    """The modules of ours that a module imports."""
    for node in ast.walk(ast.parse((ROOT / module).read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pyrograph."):
            named = [str(node.module), *(f"{node.module}.{each.name}" for each in node.names)]
            paths = [each.removeprefix("pyrograph.").replace(".", "/") + ".py" for each in named]
            yield from [path for path in paths if (ROOT / path).is_file()]


def test_a_change_of_any_module_that_reading_imports_is_a_change_of_the_caches_name() -> None:
    found = ["rules/files.py", "rules/codec.py"]
    for module in found:  # grows, each module once
        found += [each for each in dict.fromkeys(imported(module)) if each not in found]
    assert set(found) - set(READERS) == set()


def test_every_module_of_the_caches_name_exists() -> None:
    """The digest leaves out a module that cannot be read, and all behind it."""
    assert [each for each in READERS if not (ROOT / each).is_file()] == []
